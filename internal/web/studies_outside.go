package web

import (
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// A figure may show a method of another program: its predictions of the study's
// own rows are uploaded, judged here, and kept as cells of the study.

// mostPredictions bounds the file: 80 replicates of 5,000 rows at four depths
// are 1.6 million lines.
const mostPredictions = 96 << 20

// outsideMethod is the method of another program in a study that is done.
func outsideMethod(st store.Study) (*study.Outside, error) {
	p, ok := paper.Presets.ByID(st.Spec.Preset)
	switch {
	case !ok || p.Outside == nil:
		return nil, usererr.New(usererr.NotFound, "The figure of this study has no place for another program’s predictions.")
	case st.Status != store.Done:
		return nil, usererr.New(usererr.Conflict, "This study is %s: predictions are compared when it is done.", st.Status)
	}
	return p.Outside, nil
}

func outsideView(st store.Study, cells []study.Cell) *templates.StudyOutside {
	o, err := outsideMethod(st)
	if err != nil {
		return nil
	}
	v := &templates.StudyOutside{Title: o.Name + " beside them", Rows: "/studies/" + st.ID + "/rows.csv",
		To: "/studies/" + st.ID + "/outside",
		Text: "Train " + o.Name + " on the rows of each replicate whose part is train, with their spoilt labels, and " +
			"predict those whose part is judge. Their clean labels stay here and judge the predictions.",
		Columns: "CSV with the columns " + o.Place + ", replicate, row, prediction: 0, 1, or the probability of 1"}
	if slices.ContainsFunc(cells, func(c study.Cell) bool { return c.Model == o.Model() }) {
		v.Text += " Another file takes the place of the one in the figure."
	}
	return v
}

// outsideRows answers GET /studies/{id}/rows.csv.
func (s *Server) outsideRows(c echo.Context) error {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	o, err := outsideMethod(st)
	if err != nil {
		return err
	}
	plan, err := s.app.StudyPlan(c.Request().Context(), &st)
	if err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", "rows-"+st.ID+".csv")
	return o.WriteRows(c.Request().Context(), c.Response(), st.Spec.Seed, plan.Replicates())
}

// outsideJudge answers POST /studies/{id}/outside: the predictions in the part
// "file". What is wrong with them is said on the page of the study.
func (s *Server) outsideJudge(c echo.Context) error {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	err = s.outsideTake(c, st)
	e, ours := usererr.As(err)
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/studies/"+st.ID)
	case !ours || e.Code == usererr.NotFound || wantsJSON(c):
		return err
	}
	return s.studyReport(c, httpio.Status(e.Code), &templates.Banner{Fact: "The predictions were not taken.", Text: e.Detail,
		Bad: true})
}

// outsideTake judges the predictions of a request and puts them into a study.
func (s *Server) outsideTake(c echo.Context, st store.Study) error {
	o, err := outsideMethod(st)
	if err != nil {
		return err
	}
	plan, err := s.app.StudyPlan(c.Request().Context(), &st)
	if err != nil {
		return err
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return usererr.New(usererr.Invalid, `The request must be multipart/form-data with the file in the part "file".`)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return usererr.BadField("file", "is missing: choose predictions as CSV")
		}
		if err != nil {
			return httpio.BrokenUpload(err)
		}
		if part.FormName() != "file" {
			continue
		}
		cells, err := o.Judge(c.Request().Context(), part, st.Spec.Seed, plan.Replicates())
		if err != nil {
			return err
		}
		return s.db.ChangeCells(c.Request().Context(), st.ID, func(own []study.Cell) []study.Cell {
			return o.Join(own, cells)
		})
	}
}
