package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyform"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// scenes of the robustness page before an audience.
const scenes = 4

// robustState is the whole state of the page.
type robustState struct {
	study   string  // id; "" = the result that ships
	rate    float64 // whose rows are shown; −1 = the page's choice
	model   int     // likewise
	present bool
	scene   int // from 1
}

// robust is what the page shows.
type robust struct {
	robustState
	s     *Server
	spec  study.Spec
	cells []study.Cell
	st    *store.Study // nil = the result that ships
	stock stored.Result
	rates []float64
}

func readRobust(c echo.Context) (st robustState, err error) {
	st = robustState{study: c.QueryParam("study"), rate: -1}
	if text := c.QueryParam("rate"); text != "" {
		if st.rate, err = strconv.ParseFloat(text, 64); err != nil || !(st.rate >= 0 && st.rate < 1) {
			return st, usererr.BadField("rate", "must be a share from 0 to 1 (got %.40q)", text)
		}
	}
	if st.model, err = httpio.Whole(c, "model", -1, 0, study.MaxModels); err != nil {
		return st, err
	}
	st.present = c.QueryParam("present") == "1"
	st.scene, err = httpio.Whole(c, "scene", 1, 1, scenes)
	return st, err
}

// url is the page in this state.
func (st robustState) url() string {
	q := url.Values{}
	if st.study != "" {
		q.Set("study", st.study)
	}
	if st.rate >= 0 {
		q.Set("rate", strconv.FormatFloat(st.rate, 'g', -1, 64))
	}
	if st.model >= 0 {
		q.Set("model", strconv.Itoa(st.model))
	}
	if st.present {
		q.Set("present", "1")
		if st.scene > 1 {
			q.Set("scene", strconv.Itoa(st.scene))
		}
	}
	if len(q) == 0 {
		return "/robustness"
	}
	return "/robustness?" + q.Encode()
}

// robustnessPage answers GET /robustness?study=&rate=&model=&present=&scene=.
func (s *Server) robustnessPage(c echo.Context) error {
	v, err := s.robust(c)
	if err != nil {
		return err
	}
	page, err := v.page(c)
	if err != nil {
		return err
	}
	p := s.page(c, "Accuracy against label noise")
	strong, rest := v.words()
	p.Result = templates.Sentence(strong, rest)
	if v.present {
		p.Body = "presents"
		p.Title, p.Result = v.sceneHead(c.Request().Context())
	} else {
		present := v.robustState
		present.present, present.scene = true, 1
		p.Actions = templates.Buttons(
			templates.Button{Label: "Present", Icon: "screen", Kind: "1", URL: present.url()},
			templates.Button{Label: "Studies of the papers", Icon: "document", URL: "/studies"},
			templates.Button{Label: "Copy link", Icon: "link", Copy: "here"})
	}
	return s.render(c, http.StatusOK, templates.RobustnessPage(p, page))
}

// robust reads what the page shows.
func (s *Server) robust(c echo.Context) (robust, error) {
	v := robust{s: s}
	var err error
	if v.robustState, err = readRobust(c); err != nil {
		return v, err
	}
	if v.study == "" {
		r, ok := stored.Get(stored.Robustness)
		if !ok {
			return v, usererr.New(usererr.NotFound, "This build ships no result.")
		}
		v.stock, v.spec, v.cells = r, r.Spec, r.Cells
	} else {
		st, err := s.db.Study(c.Request().Context(), v.study)
		if err != nil {
			return v, err
		}
		if st.Spec.Preset != "" {
			return v, usererr.BadField("study", "is a preset: open it at /studies/%s", st.ID)
		}
		v.st, v.spec = &st, st.Spec
		if v.cells, err = s.app.StudyCells(c.Request().Context(), st); err != nil {
			return v, err
		}
	}
	v.rates = slices.Sorted(slices.Values(v.spec.Noise.Rates))
	return v, v.choose()
}

// choose fills in rate and model where the address leaves them open: the rate
// of the sentence, and the first model that gives rows up.
func (v *robust) choose() error {
	if v.rate < 0 {
		v.rate = studyreport.DefaultRate(v.spec)
	}
	if !slices.Contains(v.rates, v.rate) {
		return usererr.BadField("rate", "is not one of this study (got %g)", v.rate)
	}
	if v.model >= len(v.spec.Models) {
		return usererr.BadField("model", "must be from 0 to %d (got %d)", len(v.spec.Models)-1, v.model)
	}
	for i, m := range v.spec.Models {
		if v.model < 0 && m.Kind == "linear" && m.Loss == "t-logistic" {
			v.model = i
		}
	}
	for i, m := range v.spec.Models {
		if v.model < 0 && m.Kind == "linear" && m.Loss != "logistic" {
			v.model = i
		}
	}
	v.model = max(0, v.model)
	return nil
}

// weights are those of the chosen model at the chosen rate: stored, or of a fit
// made now and kept.
func (v *robust) weights(ctx context.Context) (study.Weights, error) {
	rate := slices.Index(v.spec.Noise.Rates, v.rate)
	if v.st == nil {
		label := study.Label(v.spec.Models[v.model])
		i := slices.IndexFunc(v.stock.Weights, func(w study.Weights) bool { return w.Model == label && w.Noise == v.rate })
		if i < 0 {
			return study.Weights{}, nil
		}
		return v.stock.Weights[i], nil
	}
	return v.s.shelf.weigh(ctx, v.s, *v.st, v.model, rate)
}

// robustnessLive answers GET /robustness/live?study=…: what there is so far.
func (s *Server) robustnessLive(c echo.Context) error {
	v, err := s.robust(c)
	if err != nil {
		return err
	}
	page, err := v.page(c)
	if err != nil {
		return err
	}
	return sendParts(c, map[string]templ.Component{"robust-body": templates.RobustBody(page)})
}

// robustnessRun answers POST /robustness: recomputes the page as a study.
func (s *Server) robustnessRun(c echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	f := c.Request().PostForm
	f.Set("metric", "accuracy")
	spec, err := studyform.Read(f)
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

// sourceName names data in a title.
func (s *Server) sourceName(ctx context.Context, d study.Source) string {
	if d.ID == "" {
		return studyform.GeneratorTitle(d.Generator)
	}
	if set, err := s.db.Dataset(ctx, d.ID); err == nil {
		return set.Name
	}
	return "dataset " + d.ID
}
