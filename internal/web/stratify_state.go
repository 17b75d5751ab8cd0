package web

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// stratifyState is all that /stratify/{dataset} shows: the page is a pure
// function of it and of the data. A key of the URL that is missing comes from
// the dataset's choice or is the default.
type stratifyState struct {
	Outcome, Group     string
	Positive, Negative engine.Levels
	ScoreOnly          []string
	Predictors         []string       // nil: those of the dataset
	Splines            map[string]int // knots of the columns that are curves
	Mode               string
	Pi                 []float64
	Method             methodState
	L2                 engine.L2
	Folds              int
	Seed               uint64
	Noise              engine.Noise // Kind "" is none

	Band, Page int  // rows listed: band 0…K, −1 for none; page from 1
	Hold       bool // shows the controls and computes nothing
}

const (
	defaultFolds = 5
	defaultSeed  = 7
	maxPageFolds = 50 // as the engine
)

// newState is the state of a URL without a query.
func newState(d store.Dataset) stratifyState {
	c := d.Choice
	return stratifyState{
		Outcome: c.Outcome, Positive: c.Positive, Negative: c.Negative, ScoreOnly: c.ScoreOnly, Group: c.Group,
		Mode: "interval", Pi: boundary.Rules[3].Pi, Method: plainMethod, L2: engine.L2{Mode: "cv"}, Folds: defaultFolds,
		Seed: defaultSeed, Band: -1, Page: 1,
	}
}

// parseState reads a query. What cannot be used takes its default and is among
// the problems, so that a page still shows itself.
func parseState(q url.Values, d store.Dataset) (stratifyState, []usererr.Field) {
	p := stateParser{q: form.Fractions(q), st: newState(d)}
	p.outcome(d)
	p.rule()
	p.method()
	p.penalty()
	p.st.Folds = p.whole("folds", p.st.Folds, 2, maxPageFolds)
	p.seed()
	p.noise()
	if q.Has("x") {
		p.st.Predictors = slices.DeleteFunc(slices.Clone(q["x"]), func(s string) bool { return s == "" })
	}
	p.splines()
	p.st.Band = p.whole("band", -1, 0, len(p.st.Pi))
	p.st.Page = p.whole("page", 1, 1, 1<<30)
	p.st.Hold = q.Get("hold") == "1"
	return p.st, p.bad
}

// stateParser reads the keys of one query.
type stateParser struct {
	q   url.Values
	st  stratifyState
	bad []usererr.Field
}

func (p *stateParser) fail(field, message string) {
	p.bad = append(p.bad, usererr.Field{Field: field, Message: message})
}

// outcome takes the classes. Another outcome than the dataset's brings its own
// classes.
func (p *stateParser) outcome(d store.Dataset) {
	if name := p.q.Get("outcome"); name != "" && name != d.Choice.Outcome {
		p.st.Outcome, p.st.Positive, p.st.Negative, p.st.ScoreOnly = name, nil, nil, nil
	}
	if p.q.Has("group") {
		p.st.Group = p.q.Get("group")
	}
	for key, to := range map[string]*engine.Levels{"positive": &p.st.Positive, "negative": &p.st.Negative} {
		if p.q.Has(key) {
			*to = given(p.q[key])
		}
	}
	if p.q.Has("score") {
		p.st.ScoreOnly = slices.DeleteFunc(slices.Clone(p.q["score"]), func(s string) bool { return s == "" })
	}
}

// rule takes mode and boundaries. A form sends its template and rule and which
// it showed before ("was", "wasmode"): the one that was changed wins.
func (p *stateParser) rule() {
	r := boundary.Rules[3]
	if id := p.q.Get("mode"); id != "" {
		named, ok := boundary.RuleOf(id)
		if !ok {
			p.fail("mode", "must be hard, weighted, reject or interval, not "+strconv.Quote(id)+". Using interval.")
		} else {
			r = named
		}
	}
	p.st.Mode, p.st.Pi = r.ID, r.Pi
	if t := p.q.Get("template"); t != "" && t != boundary.Own && t != p.q.Get("was") {
		named, ok := boundary.PresetByID(t)
		if ok {
			p.st.Mode, p.st.Pi = named.Mode, named.Pi
			return
		}
		p.fail("template", "There is no template "+strconv.Quote(t)+".")
	}
	if was := p.q.Get("wasmode"); was != "" && was != r.ID || !p.q.Has("pi") {
		return
	}
	pi, problem := parsePi(p.q["pi"], p.q.Has("was"), r)
	if problem != "" {
		p.fail("pi", problem+" Using "+boundary.Percents(r.Pi)+".")
		return
	}
	p.st.Pi = pi
}

// parsePi reads boundaries: a list with commas, or one number a value where
// they come from a form, decimal comma allowed.
func parsePi(texts []string, form bool, r boundary.Rule) (pi []float64, problem string) {
	if !form {
		texts = strings.Split(strings.Join(texts, ","), ",")
	}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		v, ok := table.ParseNumber(strings.Replace(text, ",", ".", 1), ".")
		if !ok || !(v >= boundary.FineGap && v <= 1-boundary.FineGap) {
			return nil, "A boundary lies from 0.1 to 99.9" + format.Pc + ", not " + sharePercent(text) + "."
		}
		pi = append(pi, v)
	}
	switch {
	case len(pi) > boundary.Most:
		return nil, "This page takes up to " + strconv.Itoa(boundary.Most) + " boundaries, not " + strconv.Itoa(len(pi)) + "."
	case r.ID != "interval" && len(pi) != len(r.Pi):
		return nil, "The rule “" + r.Label + "” takes " + boundaries(len(r.Pi)) + ", not " + strconv.Itoa(len(pi)) + "."
	}
	for k := 1; k < len(pi); k++ {
		if low, _ := boundary.Room(pi, k); pi[k] < low-1e-9 {
			return nil, "Boundaries must rise: boundary " + strconv.Itoa(k+1) +
				" must be at least " + viz.Short(100*low, 4) + format.Pc + ", not " + viz.Short(100*pi[k], 4) + format.Pc + "."
		}
	}
	return pi, ""
}

// sharePercent repeats a share of an address in per cent, as its field takes it,
// or what was sent in its place.
func sharePercent(text string) string {
	if v, ok := form.ParseNumber(text); ok {
		return form.PercentText(v) + format.Pc
	}
	return "“" + format.Cut(text, 20) + "”"
}

// penalty takes l2 (auto, 1se or λ); a form sends how λ is chosen and the
// slider's value.
func (p *stateParser) penalty() {
	text := p.q.Get("l2")
	if how := p.q.Get("how"); how != "" {
		if text = how; how == "hand" {
			text = p.q.Get("lambda")
		}
	}
	switch text {
	case "", "auto":
		return
	case "1se":
		p.st.L2 = engine.L2{Mode: "cv-1se"}
		return
	}
	v, ok := table.ParseNumber(strings.Replace(text, ",", ".", 1), ".")
	if !ok || !(v >= leastL2 && v <= mostL2) {
		p.fail("l2", "λ must be auto, 1se or a number from "+viz.Short(leastL2, 3)+" to "+viz.Short(mostL2, 3)+", not "+
			strconv.Quote(format.Cut(text, 20))+". Using cross-validation.")
		return
	}
	p.st.L2 = engine.L2{Value: snap(v)}
}

// The penalties a page takes; the grid of the paper lies inside.
const (
	leastL2 = 1e-9
	mostL2  = 1e4
)

// snap takes a λ written with three digits back to the power of two that it
// stands for, so that choosing by hand what was tuned gives the same model.
func snap(v float64) float64 {
	if e := math.Round(math.Log2(v)); math.Abs(v/math.Exp2(e)-1) < .006 {
		return math.Exp2(e)
	}
	return v
}

func (p *stateParser) whole(field string, fallback, lo, hi int) int {
	text := p.q.Get(field)
	if text == "" {
		return fallback
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		p.fail(field, "must be a whole number from "+strconv.Itoa(lo)+" to "+strconv.Itoa(hi)+", not "+
			strconv.Quote(format.Cut(text, 20))+".")
		return fallback
	}
	return v
}

func (p *stateParser) seed() {
	text := p.q.Get("seed")
	if text == "" {
		return
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		p.fail("seed", "must be a whole number from 0 on, not "+strconv.Quote(format.Cut(text, 24))+". Using "+
			strconv.Itoa(defaultSeed)+".")
		return
	}
	p.st.Seed = v
}
