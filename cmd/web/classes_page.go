package main

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// classSteering is one request about a state of /stratify/{dataset}?task=.
type classSteering struct {
	s      *Server
	c      echo.Context
	d      store.Dataset
	t      *table.Table
	st     severalState
	levels []string // in order; nil where they come from bins
	bad    []errs.Field
}

func (s *Server) steerClasses(c echo.Context, sent map[string][]string) (*classSteering, error) {
	ctx := c.Request().Context()
	d, err := s.db.Dataset(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	x := &classSteering{s: s, c: c, d: d}
	x.st, x.bad = parseSeveral(sent, d)
	if d.State == store.Draft {
		return x, nil
	}
	if x.t, err = s.intake.Table(ctx, d); err != nil {
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
	if many := col.Code == nil || len(col.Levels) > mostOrdered && !asked; many && col.Num != nil && x.st.Task == "ordinal" && x.st.Bins == 0 {
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
	x.levels = engine.Ordered(all, or(x.t.Dialect.Decimal, "."))
}

// usualBins is the number of classes of a number with too many values.
const usualBins = 5

// mostOrdered is the number of values up to which a number is ordered classes
// as it is.
const mostOrdered = 12

// spec is the validated spec of the state.
func (x *classSteering) spec() (engine.Spec, error) {
	spec := x.st.spec(x.d, len(x.levels))
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
		return badQuery(x.bad)
	}
	r, f, err := x.result()
	p, v := x.page(r)
	status := http.StatusOK
	switch e, ok := errs.As(err); {
	case ok && e.Code == errs.Invalid && !wantsJSON(c):
		status, v.Problem = http.StatusUnprocessableEntity, e.Detail
		v.Empty = &templates.Empty{Title: "These choices cannot be fitted", Text: "Change them here, or the outcome and the roles of the columns on the page of the data.",
			Buttons: []templates.Button{{Label: "Open the data", URL: "/data/" + x.d.ID, Icon: "table"}}}
	case err != nil:
		return err
	case f != nil:
		x.waiting(&p, &v, f)
	default:
		res := severalShown{r: r, spec: x.st.spec(x.d, len(x.levels))}.view()
		v.Result = &res
		p.Result = templates.Sentence(res.Strong, res.Rest)
	}
	if len(x.bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.render(c, status, templates.SeveralPage(p, v))
}

// result computes the state, or says what computes it.
func (x *classSteering) result() (*engine.Result, *flight, error) {
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
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: x.d.Name, URL: "/data/" + x.d.ID}, {Label: "classes"}}
	p.Body = "live"
	p.Actions = templates.SeveralActions(at+"/save", r != nil)
	return p, templates.Several{URL: at, Live: at + "/live", Panel: x.panel(r)}
}

// waiting is the page while its result is made.
func (x *classSteering) waiting(p *templates.Page, v *templates.Several, f *flight) {
	e, _ := x.s.live.runner.Progress(f.id)
	at := "/stratify/" + x.d.ID
	v.Progress = &templates.Progress{
		ID: "fit", Step: or(e.Progress.Message, "Preparing the folds"), Percent: 100 * e.Progress.Fraction, Time: timeWords(e.Progress),
		Events: at + "/events?job=" + f.id, Done: x.st.url(x.d),
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
		return c.JSON(http.StatusOK, liveAnswer{Go: "/data/" + x.d.ID})
	case len(x.bad) > 0:
		return badQuery(x.bad)
	}
	started := s.now()
	r, f, err := x.result()
	if err != nil {
		return err
	}
	if f != nil {
		return c.JSON(http.StatusOK, liveAnswer{Go: x.st.url(x.d)})
	}
	a := newLiveAnswer()
	a.URL = x.st.url(x.d)
	ms := float64(s.now().Sub(started).Microseconds()) / 1000
	a.MS = &ms
	res := severalShown{r: r, spec: x.st.spec(x.d, len(x.levels))}.view()
	parts := map[string]templ.Component{"several-result": templates.ClassesView(res), "result": templates.Sentence(res.Strong, res.Rest)}
	if panel := x.panel(r); panel.Shape != c.QueryParam("shape") {
		parts["several-controls"] = templates.SeveralPanelView(panel)
	}
	if err := a.add(c.Request().Context(), parts, nil); err != nil {
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
		return errs.New(errs.Conflict, "This file cannot be read as it is: settle its dialect first.")
	case len(x.bad) > 0:
		return badQuery(x.bad)
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	run, err := s.startRun(c.Request().Context(), nested(spec))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
}

// panel is the column of controls; r is nil before there is a result.
func (x *classSteering) panel(r *engine.Result) templates.SeveralPanel {
	st := x.st
	p := templates.SeveralPanel{
		Task: pickOf("task", "Kind of task", severalTasks, st.Task), TaskNote: x.taskNote(),
		Loss: templates.Choice{ID: "method", Name: "method", Label: "Loss"}, Note: lossNote(st.Loss),
		Kind:  pickOf("kind", "Score", []option{{"linear", "Linear"}, {"rbf", "Gaussian kernel"}, {"poly", "Polynomial kernel"}}, st.Kind),
		Folds: foldsChoice(st.Folds), Seed: templates.Input{ID: "seed", Name: "seed", Label: "Seed", Value: strconv.FormatUint(st.Seed, 10)},
	}
	for _, f := range x.bad {
		p.Errors = append(p.Errors, fieldSentence(f))
	}
	for _, id := range engine.LossesOf(st.Task) {
		family, _ := loss.FamilyByID(id)
		p.Loss.Options = append(p.Loss.Options, templates.Option{Value: id, Label: family.Title, On: id == st.Loss})
	}
	p.Outcome = templates.Choice{ID: "outcome", Name: "outcome", Label: "Outcome"}
	for _, c := range x.t.Columns {
		some := c.Code != nil && len(c.Levels) > 1 && len(c.Levels) <= table.MaxLevels || c.Num != nil && st.Task == "ordinal"
		if on := c.Name == st.Outcome; on || some && c.Type != table.Date && c.Type != table.Identifier {
			p.Outcome.Options = append(p.Outcome.Options, templates.Option{Value: c.Name, Label: c.Name, On: on})
		}
	}
	x.classes(&p)
	x.settings(&p)
	x.penalty(&p, r)
	hidden := st.query(x.d)
	for _, key := range []string{"group", "level", "score", "x"} {
		for _, v := range hidden[key] {
			p.Hidden = append(p.Hidden, templates.Field{Name: key, Value: v})
		}
	}
	p.Shape = strings.Join([]string{st.Task, st.Outcome, st.Loss, strconv.Itoa(st.Bins), strconv.Itoa(len(x.levels)), p.L2.Options[0].Note, strconv.FormatBool(st.L2.Tuned())}, " ")
	return p
}

func pickOf(id, label string, all []option, on string) templates.Choice {
	c := templates.Choice{ID: id, Name: id, Label: label}
	for _, o := range all {
		c.Options = append(c.Options, templates.Option{Value: o.value, Label: o.label, On: o.value == on})
	}
	return c
}

func (x *classSteering) taskNote() string {
	switch x.st.Task {
	case "ordinal":
		return "Lowest first. An error costs as many steps as it is away."
	case "abstain":
		return "A wrong answer costs 1, no answer less."
	}
	return "Every wrong answer costs the same."
}

// classes are the controls of the outcome's levels.
func (x *classSteering) classes(p *templates.SeveralPanel) {
	col := x.t.Column(x.st.Outcome)
	if col == nil {
		return
	}
	if x.st.Task == "ordinal" && col.Numeric() && col.Num != nil {
		of := []option{{"", "as they are"}}
		for _, n := range []string{"3", "4", "5", "10"} {
			of = append(of, option{n, n + " classes"})
		}
		now := ""
		if x.st.Bins > 0 {
			if now = strconv.Itoa(x.st.Bins); !slices.ContainsFunc(of, func(o option) bool { return o.value == now }) {
				of = append(of, option{now, now + " classes"})
			}
		}
		bins := pickOf("bins", "Values of "+x.st.Outcome, of, now)
		by := pickOf("by", "Cut into", []option{{"length", "equal lengths"}, {"frequency", "equal numbers of rows"}}, x.st.BinsBy)
		p.Bins, p.BinsBy = &bins, &by
	}
	for i, l := range x.levels {
		place := templates.LevelPlace{Name: l}
		if k := slices.Index(col.Levels, l); k >= 0 && k < len(col.Count) {
			place.Rows = viz.Count(col.Count[k])
		}
		if i > 0 && x.st.Task == "ordinal" {
			to := x.st
			to.Levels = slices.Clone(x.levels)
			to.Levels[i-1], to.Levels[i] = to.Levels[i], to.Levels[i-1]
			place.Up = to.url(x.d)
		}
		p.Order = append(p.Order, place)
	}
}

// settings are the controls of the loss's parameters.
func (x *classSteering) settings(p *templates.SeveralPanel) {
	family, _ := loss.FamilyByID(x.st.Loss)
	for _, param := range family.Params {
		switch {
		case param.Type == loss.ID:
			var all []option
			for _, id := range param.Options {
				base, _ := loss.FamilyByID(id)
				all = append(all, option{id, base.Title})
			}
			p.Selects = append(p.Selects, pickOf(param.Name, upperFirst(param.About), all, x.st.Base))
		case param.Type == loss.Matrix:
			p.Costs = x.grid()
		case param.Name != "weight": // it only scales λ
			v := x.st.Numbers[param.Name]
			p.Sliders = append(p.Sliders, templates.Slider{ID: "m-" + param.Name, Name: param.Name, Symbol: param.Symbol, Label: param.About,
				Min: min(param.SliderMin, v), Max: max(param.SliderMax, v), Step: param.Step, Value: v, Default: param.Default.Number})
		}
	}
	if x.st.formed() {
		now := x.st.spec(x.d, max(len(x.levels), 2)).Model.Features
		f := pickOf("features", "Form", []option{{"th", "One score and thresholds"}, {"mc", "A score for each class"}}, or(now, "mc"))
		p.Features = &f
	}
}

// grid is the editor of costs, nil for very many classes.
func (x *classSteering) grid() *templates.CostGrid {
	k := len(x.levels)
	if k < 2 || k > mostCosts {
		return nil
	}
	g := &templates.CostGrid{Columns: x.levels}
	for i, row := range x.st.costsFor(k) {
		r := templates.CostRow{Name: "no answer"}
		if i < k {
			r.Name = x.levels[i]
		}
		for _, v := range row {
			r.Values = append(r.Values, short64(v))
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

func (x *classSteering) penalty(p *templates.SeveralPanel, r *engine.Result) {
	how := "hand"
	if x.st.L2.Tuned() {
		how = l2Text(x.st.L2)
	}
	p.L2 = pickOf("how", "Penalty λ", []option{{"auto", "by cross-validation"}, {"1se", "within one standard error"}, {"hand", "by hand"}}, how)
	if how != "hand" {
		held := 1. / 64
		if r != nil {
			held = r.L2
		}
		p.Hidden = append(p.Hidden, templates.Field{Name: "lambda", Value: l2Text(engine.L2{Value: held})})
		return
	}
	s := lambdaSlider(stratifyState{L2: x.st.L2}, r, "")
	p.Lambda = &s
}

// lossNote says what a loss gives.
func lossNote(id string) string {
	family, _ := loss.FamilyByID(id)
	text := family.Use
	switch id {
	case "softmax":
		return "Probabilities of the classes. " + text
	case "tempered-multiclass":
		return "Probabilities, link-corrected. " + text
	}
	return text + " No probabilities: the answer follows from the scores."
}
