package web

import (
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
	"taper/internal/web/page/playground"
)

// What pages depend on besides their address (httpio.Tagger).

// visitor is what a page shows of its visitor.
func (s *Server) visitor(c echo.Context) string {
	return fmt.Sprint(theme(c), s.sessions != nil && s.sessions.valid(c))
}

// ofStudies is that of their list, which says of each whether it was made today.
func (s *Server) ofStudies(echo.Context) (string, bool) {
	return s.app.Revision() + s.now().Local().Format(time.DateOnly), true
}

// ofAll is that of pages that change with any record: a dataset lists which of its runs have ended.
func (s *Server) ofAll(echo.Context) (string, bool) { return s.app.Revision(), true }

func (s *Server) ofRecords(echo.Context) (string, bool) { return s.app.RecordsRevision(), true }

// ofDatasets is that of pages that let their reader choose data.
func (s *Server) ofDatasets(echo.Context) (string, bool) { return s.app.DatasetsRevision(), true }

// ofPlayground is that of the playground, which draws the rows of a dataset where one is chosen.
func (s *Server) ofPlayground(c echo.Context) (string, bool) {
	if playground.ShowsRows(c.QueryParams()) {
		return httpio.OfPatients(s.ofDatasets)(c)
	}
	return s.ofDatasets(c)
}

func (s *Server) ofRun(c echo.Context) (string, bool) {
	return s.app.RunRevision(c.Request().Context(), c.Param("id"))
}

func (s *Server) ofStudy(c echo.Context) (string, bool) { return s.app.StudyRevision(c.Param("id")) }

// ofGrid is that of the robustness page, which names its study in the query.
func (s *Server) ofGrid(c echo.Context) (string, bool) {
	return s.app.StudyRevision(c.QueryParam("study"))
}
