package web

import (
	"cmp"
	"net/http"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// classSteering is one request about a state of /stratify/{dataset}?task=.
type classSteering struct {
	s      *Server
	c      echo.Context
	d      store.Dataset
	t      *table.Table
	st     stratify.State
	levels []string // in order; nil where they come from bins
	bad    []usererr.Field
}

func (s *Server) steerClasses(c echo.Context, sent map[string][]string) (*classSteering, error) {
	ctx := c.Request().Context()
	d, err := s.db.Dataset(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	x := &classSteering{s: s, c: c, d: d}
	x.st, x.bad = stratify.Parse(sent, d)
	if d.State == store.Draft {
		return x, nil
	}
	if x.t, err = s.datasets.Table(ctx, d); err != nil {
		return nil, err
	}
	_, asked := sent["bins"]
	x.order(asked)
	return x, nil
}

// order resolves the levels as the page shows them; asked says that cutting a
// number into classes was decided.
func (x *classSteering) order(asked bool) {
	col := x.t.Column(x.st.Outcome)
	if col == nil {
		return
	}
	if many := col.Code == nil || len(col.Levels) > mostOrdered && !asked; many && col.Num != nil &&
		x.st.About().Ordered() && x.st.Bins == 0 {
		x.st.Bins = usualBins
	}
	x.st.Predictors = slices.DeleteFunc(x.st.Predictors, func(name string) bool { return name == x.st.Outcome })
	other := func(l string) bool { return !slices.Contains(col.Levels, l) } // of another outcome
	if slices.ContainsFunc(x.st.Levels, other) {
		x.st.Levels = nil
	}
	x.st.ScoreOnly = slices.DeleteFunc(x.st.ScoreOnly, other)
	if col.Code == nil || x.st.Bins > 0 {
		return
	}
	if x.st.Levels != nil {
		x.levels = x.st.Levels
		return
	}
	var all []string
	for k, l := range col.Levels {
		if (k >= len(col.Count) || col.Count[k] > 0) && !slices.Contains(x.st.ScoreOnly, l) {
			all = append(all, l)
		}
	}
	x.levels = engine.Ordered(all, cmp.Or(x.t.Dialect.Decimal, "."))
}

// usualBins is the number of classes of a number with too many values.
const usualBins = 5

// mostOrdered is the number of values up to which a number is ordered classes
// as it is.
const mostOrdered = 12

// spec is the validated spec of the state.
func (x *classSteering) spec() (engine.Spec, error) {
	spec := x.st.Spec(len(x.levels))
	return spec, spec.Validate(x.t)
}

// severalPage answers GET /stratify/{dataset}?task=.
func (s *Server) severalPage(c echo.Context) error {
	x, err := s.steerClasses(c, c.QueryParams())
	switch {
	case err != nil:
		return err
	case x.t == nil:
		return c.Redirect(http.StatusSeeOther, "/data/"+x.d.ID)
	case len(x.bad) > 0 && wantsJSON(c):
		return form.Error(x.bad)
	}
	r, f, err := x.result()
	p, v := x.page(r)
	status := http.StatusOK
	switch e, ok := usererr.As(err); {
	case ok && e.Code == usererr.Invalid && !wantsJSON(c):
		status, v.Problem = http.StatusUnprocessableEntity, e.Detail
		v.Empty = &templates.Empty{Title: "These choices cannot be fitted",
			Text:    "Change them here, or the outcome and the roles of the columns on the page of the data.",
			Buttons: []templates.Button{{Label: "Open the data", URL: "/data/" + x.d.ID, Icon: "table"}}}
	case err != nil:
		return err
	case f != nil:
		x.waiting(&p, &v, f)
	default:
		res := resultview.Classes{Result: r, Spec: x.st.Spec(len(x.levels))}.View()
		v.Result = &res
		p.Result, p.Open = templates.Sentence(res.Strong, res.Rest), templates.OpenQuestions(res.Open)
	}
	if len(x.bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.render(c, status, templates.SeveralPage(p, v))
}

// result computes the state, or says what computes it.
func (x *classSteering) result() (*engine.Result, *computation, error) {
	spec, err := x.spec()
	if err != nil {
		return nil, nil, err
	}
	on := &steering{s: x.s, c: x.c, d: x.d, t: x.t}
	return on.result(spec, x.s.live.patience)
}

func (x *classSteering) page(r *engine.Result) (templates.Page, templates.Several) {
	at := "/stratify/" + x.d.ID
	p := x.s.page(x.c, x.st.Outcome+" in "+x.d.Name)
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: x.d.Name, URL: "/data/" + x.d.ID},
		{Label: "classes"}}
	p.Body = "live"
	p.Actions = templates.SeveralActions(at+"/save", r != nil)
	return p, templates.Several{URL: at, Live: at + "/live", Panel: x.panel(r)}
}

// waiting is the page while its result is made.
func (x *classSteering) waiting(p *templates.Page, v *templates.Several, f *computation) {
	e, _ := x.s.live.runner.Progress(f.id)
	at := "/stratify/" + x.d.ID
	v.Progress = &templates.Progress{
		ID: "fit", Step: cmp.Or(e.Progress.Message, "Preparing the folds"), Percent: 100 * e.Progress.Fraction,
		Time:   format.Elapsed(e.Progress),
		Events: at + "/events?job=" + f.id, Done: x.st.URL(),
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: at + "/cancel",
			Fields: []templates.Field{{Name: "job", Value: f.id}, {Name: "back", Value: "/data/" + x.d.ID}}},
	}
	p.Result = templates.Sentence("Fitting.", "The result appears when the folds are done.")
}

// severalLive answers GET /stratify/{dataset}/live?task=: the state of the
// form, recomputed; with other controls where the form's shape has changed.
func (s *Server) severalLive(c echo.Context) error {
	x, err := s.steerClasses(c, c.QueryParams())
	switch {
	case err != nil:
		return err
	case x.t == nil:
		return c.JSON(http.StatusOK, live.Answer{Go: "/data/" + x.d.ID})
	case len(x.bad) > 0:
		return form.Error(x.bad)
	}
	started := s.now()
	r, f, err := x.result()
	if err != nil {
		return err
	}
	if f != nil {
		return c.JSON(http.StatusOK, live.Answer{Go: x.st.URL()})
	}
	ms := float64(s.now().Sub(started).Microseconds()) / 1000
	a := live.Answer{URL: x.st.URL(), MS: &ms, Sliders: map[string]live.Slider{}}
	res := resultview.Classes{Result: r, Spec: x.st.Spec(len(x.levels))}.View()
	parts := map[string]templ.Component{"several-result": templates.ClassesView(res),
		"result": templates.Sentence(res.Strong, res.Rest), "r-open": templates.OpenQuestions(res.Open)}
	panel := x.panel(r)
	if panel.Shape != c.QueryParam("shape") {
		parts["several-controls"] = templates.SeveralPanelView(panel)
	} else {
		parts["r-noise"] = templates.Words(panel.Noise.Note)
	}
	for _, s := range panel.Noise.Rates {
		a.Sliders[s.ID] = live.SliderOf(s)
	}
	if err := a.Add(c.Request().Context(), live.Want{}, parts); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// severalSave answers POST /stratify/{dataset}/save with a task: a run of the
// state with its settings chosen inside each fold.
func (s *Server) severalSave(c echo.Context) error {
	x, err := s.steerClasses(c, c.Request().PostForm)
	switch {
	case err != nil:
		return err
	case x.t == nil:
		return usererr.New(usererr.Conflict, "This file cannot be read as it is: settle its dialect first.")
	case len(x.bad) > 0:
		return form.Error(x.bad)
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	run, err := s.app.StartRun(c.Request().Context(), stratify.Nested(spec))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
}
