package web

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
	"taper/internal/web/page/studyform"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// robustnessPage answers GET /robustness?study=&rate=&model=&present=&scene=.
func (s *Server) robustnessPage(c echo.Context) error {
	v, err := s.robust(c)
	if err != nil {
		return err
	}
	page, err := v.View(c.Request().Context())
	if err != nil {
		return err
	}
	p := s.page(c, "Accuracy against label noise")
	strong, rest := v.Words()
	p.Result = templates.Sentence(strong, rest)
	if v.Present {
		p.Scene, p.Result = true, nil
		p.Title, _ = v.SceneHead(c.Request().Context())
		parts, places := page.SceneParts()
		if page.Scene.Stamps, err = live.Stamps(c.Request().Context(), parts, places); err != nil {
			return err
		}
	} else {
		present := v.RobustState
		present.Present, present.Scene = true, 1
		p.Actions = templates.Buttons(
			templates.Button{Label: "Present", Icon: "screen", Kind: "1", URL: present.URL()},
			templates.Button{Label: "Studies of the papers", Icon: "document", URL: "/studies"},
			templates.Button{Label: "Copy link", Icon: "link", Copy: "here"})
	}
	return s.render(c, http.StatusOK, templates.RobustnessPage(p, page))
}

// robust reads the content of the page.
func (s *Server) robust(c echo.Context) (v studyreport.Robust, err error) {
	ctx := c.Request().Context()
	if v.RobustState, err = studyreport.ReadRobust(c.QueryParams()); err != nil {
		return v, err
	}
	if v.Study == "" {
		r, ok := stored.Get(stored.Robustness)
		if !ok {
			return v, usererr.New(usererr.NotFound, "This build ships no result.")
		}
		v.Stock, v.Spec, v.Cells = r, r.Spec, r.Cells
	} else {
		st, err := s.db.Study(ctx, v.Study)
		if err != nil {
			return v, err
		}
		if st.Spec.Preset != "" {
			return v, usererr.BadField("study", "is a preset: open it at /studies/%s", st.ID)
		}
		v.Record, v.Spec, v.Work = &st, st.Spec, s.work(st.ID)
		v.Weigh = func(ctx context.Context, model, rate int) (study.Weights, error) {
			return s.app.StudyWeights(ctx, st, model, rate)
		}
		if v.Cells, err = s.app.StudyCells(ctx, st); err != nil {
			return v, err
		}
	}
	if err := v.Choose(); err != nil {
		return v, err
	}
	v.Source = s.sourceName(ctx, v.Spec.Dataset)
	if id := v.Spec.Dataset.ID; id != "" {
		set, _ := s.db.Dataset(ctx, id) // the data may have been deleted
		v.Rows = set.Rows
	}
	all, _, err := s.db.Datasets(ctx, datasetsOffered, 0)
	v.Form = studyform.Listed(studyform.Grid(v.Spec, all))
	return v, err
}

// robustnessLive answers GET /robustness/live?study=…: the results so far, or a move of the slider of a scene.
func (s *Server) robustnessLive(c echo.Context) error {
	v, err := s.robust(c)
	if err != nil {
		return err
	}
	if v.Present {
		a, err := v.SceneLive(c.Request().Context(), live.ReadWant(c.QueryParams()))
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, a)
	}
	page, err := v.View(c.Request().Context())
	if err != nil {
		return err
	}
	return sendParts(c, map[string]templ.Component{"robust-body": templates.RobustBody(page),
		"result": templates.Sentence(v.Words())})
}

// robustnessRun answers POST /robustness: it recomputes the page as a study.
func (s *Server) robustnessRun(c echo.Context) error {
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	sent.Set("metric", "accuracy")
	spec, err := studyform.Read(sent)
	if err != nil {
		return err
	}
	if len(spec.Noise.Rates) < 2 {
		return usererr.BadField("rates", "must be two or more: the page shows what noise does")
	}
	spec.Name = "Accuracy against label noise, " + s.sourceName(c.Request().Context(), spec.Dataset)
	st, err := s.app.StartStudy(c.Request().Context(), s.app.WithChoice(c.Request().Context(), spec))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/robustness?study="+st.ID)
}

// sourceName is the name of the data for a title.
func (s *Server) sourceName(ctx context.Context, d study.Source) string {
	if d.ID == "" {
		return studyform.GeneratorTitle(d.Generator)
	}
	if set, err := s.db.Dataset(ctx, d.ID); err == nil {
		return set.Name
	}
	return "dataset " + d.ID
}
