package web

import (
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
	"taper/internal/web/page/playground"
)

// The revisions of pages: what they depend on besides their address (httpio.Tagger).

// visitor is the part of a page that depends on its visitor.
func (s *Server) visitor(c echo.Context) string {
	return fmt.Sprint(theme(c), s.sessions != nil && s.sessions.valid(c))
}

// ofStudies is the revision of the list of studies, which says which were made today.
func (s *Server) ofStudies(echo.Context) (string, bool) {
	return s.app.Revision() + s.now().Local().Format(time.DateOnly), true
}

// ofAll is the revision of pages that change with any record, such as a dataset's, which lists its finished runs.
func (s *Server) ofAll(echo.Context) (string, bool) { return s.app.Revision(), true }

func (s *Server) ofRecords(echo.Context) (string, bool) { return s.app.RecordsRevision(), true }

// ofDatasets is the revision of pages that offer datasets.
func (s *Server) ofDatasets(echo.Context) (string, bool) { return s.app.DatasetsRevision(), true }

// ofPlayground is the revision of the playground, which shows rows if a dataset is chosen.
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

// ofGrid is the revision of the robustness page, whose query names its study.
func (s *Server) ofGrid(c echo.Context) (string, bool) {
	return s.app.StudyRevision(c.QueryParam("study"))
}
