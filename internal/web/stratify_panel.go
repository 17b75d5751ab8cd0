package web

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// panel is the column of controls; r is nil before there is a result.
func (x *steering) panel(r *engine.Result) templates.Panel {
	st := x.st
	p := templates.Panel{
		Hidden:  hiddenFields(st, "outcome", "positive", "negative", "score", "group", "x", "spline", "band"),
		WasRule: st.Mode, Was: boundary.PresetOf(st.Mode, st.Pi),
		Strip: templates.SVG(viz.BandStripSVG(st.Pi)),
		Rule:  ruleChoice(st.Mode), Template: templateChoice(st), Boundaries: x.boundaries(r),
		How: howChoice(st, r), Lambda: lambdaSlider(st, r, x.problem("l2")), Folds: foldsChoice(st.Folds),
		FoldsError: x.problem("folds"),
		Seed: templates.Input{ID: "seed", Name: "seed", Label: "Seed", Value: strconv.FormatUint(st.Seed, 10),
			Error: x.problem("seed")},
		PiError:    strings.TrimSpace(x.problem("pi") + " " + x.problem("mode") + " " + x.problem("boundaries")),
		LambdaNote: lambdaNote(st), Took: took(r, st.Method), Predictors: x.predictors(),
	}
	p.Model, p.Noise = x.methodPanel(r), noisePanel(st, r, x.problem)
	p.Add, p.NoAdd = x.add()
	return p
}

// problem is what was wrong with a field, as a sentence at its control.
func (x *steering) problem(field string) string {
	i := slices.IndexFunc(x.bad, func(f usererr.Field) bool {
		return f.Field == field || strings.HasPrefix(f.Field, field+"[")
	})
	if i < 0 {
		return ""
	}
	return format.Problem(x.bad[i])
}

// hiddenFields carry keys of a state that have no control.
func hiddenFields(st stratify.State, keys ...string) (all []templates.Field) {
	for _, p := range form.Hidden(&st, keys...) {
		all = append(all, templates.Field{Name: p.Key, Value: p.Value})
	}
	return all
}

func ruleChoice(mode string) templates.Choice {
	c := templates.Choice{ID: "rule", Name: "mode", Label: "Decision rule"}
	for _, r := range boundary.Rules {
		c.Options = append(c.Options, templates.Option{Value: r.ID, Label: r.Label, Note: r.Note, On: r.ID == mode})
	}
	return c
}

func templateChoice(st stratify.State) templates.Choice {
	c := templates.Choice{ID: "template", Name: "template", Label: "Template"}
	now := boundary.PresetOf(st.Mode, st.Pi)
	if now == boundary.Own {
		c.Options = append(c.Options, templates.Option{Value: boundary.Own, Label: "Your own", On: true})
	}
	for _, p := range boundary.Presets {
		c.Options = append(c.Options, templates.Option{Value: p.ID, Label: p.Label, On: p.ID == now})
	}
	return c
}

// boundaries are the sliders, one a boundary.
func (x *steering) boundaries(r *engine.Result) []templates.Slider {
	pi := x.st.Pi
	start := pi
	if named, ok := boundary.RuleOf(x.st.Mode); ok && len(named.Pi) == len(pi) {
		start = named.Pi
	}
	var all []templates.Slider
	for k, p := range pi {
		low, high := boundary.Room(pi, k)
		s := templates.Slider{
			ID: "pi" + strconv.Itoa(k+1), Name: "pi", Symbol: "π", Sub: strconv.Itoa(k + 1), Note: viz.Short(100*p, 4) +
				format.Pc,
			Max: 1, Step: .01, Value: p, Default: start[k], Low: form.Text(low), High: form.Text(high),
			Spoken: spokenPi(k, p, r),
		}
		if k == len(pi)-1 {
			s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: "100"}}
		}
		if x.st.Mode == "interval" && len(pi) > 1 {
			without := slices.Delete(slices.Clone(pi), k, k+1)
			s.Extra = templates.RemoveBoundary(x.cutURL(without), "Remove the boundary at "+viz.Short(100*p, 4)+format.Pc)
		}
		all = append(all, control.Percent(s))
	}
	return all
}

// spokenPi is what a screen reader says of a boundary.
func spokenPi(k int, p float64, r *engine.Result) string {
	text := "Boundary " + strconv.Itoa(k+1) + " at " + viz.Short(100*p, 4) + " percent"
	if d := resultview.CutOff(r, k); d != "" {
		text += ", " + d
	}
	return text
}

// cutURL is the state with other boundaries.
func (x *steering) cutURL(pi []float64) string {
	to := x.st
	to.Pi, to.Page = pi, 1
	if to.Band > len(pi) {
		to.Band = -1
	}
	return to.URL()
}

// add offers one boundary more, or says why not.
func (x *steering) add() (to, why string) {
	switch r, _ := boundary.RuleOf(x.st.Mode); {
	case x.st.Mode != "interval":
		return "", "The rule “" + r.Label + "” has " + boundary.Number(len(r.Pi)) + ". Interval takes more."
	case len(x.st.Pi) >= boundary.Most:
		return "", "Six boundaries are the most on this page; the API takes more."
	}
	return x.cutURL(boundary.Widest(x.st.Pi)), ""
}

func took(r *engine.Result, m stratify.Method) string {
	text := "The surrogate is refitted for the boundaries you choose"
	if m.ID != "interval" {
		text = "The boundaries cut the probability; the model stays as it is"
	}
	if r == nil {
		return text + "."
	}
	return text + "; " + resultview.Elapsed(r.ElapsedS) + "."
}

// howChoice says how λ is chosen, and what each choice would give.
func howChoice(st stratify.State, r *engine.Result) templates.Choice {
	c := templates.Choice{ID: "how", Name: "how", Label: "How λ is chosen"}
	tuned, oneSE := "", ""
	if r != nil && len(r.Tuning) > 1 {
		tuned = viz.Short(bestL2(r), 3)
		if r.L2OneSE != nil {
			oneSE = viz.Short(*r.L2OneSE, 3)
		}
	}
	how := stratify.L2Text(st.L2)
	c.Options = []templates.Option{
		{Value: "auto", Label: strconv.Itoa(st.Folds) + "-fold cross-validation", Note: tuned, On: how == "auto"},
		{Value: "1se", Label: "Within one standard error", Note: oneSE, On: how == "1se"},
		{Value: "hand", Label: "By hand", On: !st.L2.Tuned()},
	}
	return c
}

// bestL2 is the lowest point of the tuning curve, the largest λ of equals.
func bestL2(r *engine.Result) float64 {
	return r.Tuning[engine.Best(r.Tuning)].L2
}

func lambdaNote(st stratify.State) string {
	if st.L2.Tuned() {
		return "On the same " + strconv.Itoa(st.Folds) +
			" folds that judge: slightly optimistic. A saved run chooses λ inside each fold."
	}
	return "The same λ in every fold."
}

// lambdaSlider steps through the powers of two of paper 004, and the λ in use
// where it is another.
func lambdaSlider(st stratify.State, r *engine.Result, problem string) templates.Slider {
	now := st.L2.Value
	if st.L2.Tuned() {
		now = math.Exp2(-8)
		if r != nil && r.L2 > 0 { // trees have none
			now = r.L2
		}
	}
	s := templates.Slider{ID: "lambda", Name: "lambda", Label: "Penalty λ", NoReset: true, Error: problem}
	var stops []float64
	for e := -15; e <= 10; e++ {
		stops = append(stops, math.Exp2(float64(e)))
	}
	if !slices.Contains(stops, now) {
		stops = append(stops, now)
		slices.Sort(stops)
	}
	for i, v := range stops {
		s.Stops = append(s.Stops, stratify.L2Text(engine.L2{Value: v}))
		if v == now {
			s.Value, s.Default = float64(i), float64(i)
		}
	}
	last := float64(len(stops) - 1)
	for _, e := range []float64{-15, -10, -5, 0, 5, 10} {
		at := float64(slices.Index(stops, math.Exp2(e))) / last
		s.Ticks = append(s.Ticks, templates.Tick{At: at, Label: map[float64]string{-15: "3e−5", -10: "", -5: "0.03", 0: "1",
			5: "", 10: "1024"}[e]})
	}
	s.Spoken = "Penalty lambda " + viz.Short(now, 3)
	return s
}

func foldsChoice(folds int) templates.Choice {
	c := templates.Choice{ID: "folds", Name: "folds", Label: "Folds"}
	offered := []int{2, 5, 10}
	if !slices.Contains(offered, folds) {
		offered = append(offered, folds)
		slices.Sort(offered)
	}
	for _, n := range offered {
		label := strconv.Itoa(n) + ", stratified"
		if n == 2 {
			label = "2, as in the paper"
		}
		c.Options = append(c.Options, templates.Option{Value: strconv.Itoa(n), Label: label, On: n == folds})
	}
	return c
}

// predictors lists the columns that the model uses and those it could.
func (x *steering) predictors() templates.PredictorPick {
	chosen := x.chosen()
	usable := check.UsablePredictors(x.t, x.st.Outcome, x.st.Group, x.d.Choice.Weights)
	p := templates.PredictorPick{URL: "/stratify/" + x.d.ID, Error: strings.TrimSpace(x.problem("predictors") + " " +
		x.splineProblem()), Knots: x.splineNote()}
	without := x.st
	without.Predictors, without.Splines = nil, nil
	p.Base = strings.TrimPrefix(without.Query(), "?")
	on := 0
	for i, c := range x.t.Columns {
		col := templates.PredictorColumn{Name: c.Name, On: slices.Contains(chosen, c.Name), Note: string(c.Type)}
		switch {
		case c.Name == x.st.Outcome:
			col.Off, col.On, col.Note = true, false, "the outcome"
		case c.Name == x.st.Group:
			col.Off, col.On, col.Note = true, false, "groups the rows"
		case c.Name == x.d.Choice.Weights:
			col.Off, col.On, col.Note = true, false, "weights the rows"
		case !slices.Contains(usable, c.Name) && !col.On:
			col.Off = true
			col.Note += ", left out"
		}
		if col.On {
			on++
		}
		if !col.Off {
			col.Knots = x.knotChoice(c, i)
		}
		p.Columns = append(p.Columns, col)
	}
	p.Count = viz.Count(on) + " of " + viz.Count(len(p.Columns)-1)
	p.Names = format.Names(withKnots(chosen, x.st.Curves()), 10)
	return p
}
