package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// severalState is all that /stratify/{dataset}?task= shows for a task without
// an event: many classes, ordered ones, or a model that may abstain.
type severalState struct {
	Task, Outcome, Group string
	Levels, ScoreOnly    []string // nil levels: the default order
	Predictors           []string // nil: those of the dataset
	Bins                 int      // 0: none
	BinsBy               string
	Loss, Base           string
	Kind                 string // linear, or a kernel: rbf poly
	Features             string // "" = the default of the loss
	Numbers              map[string]float64
	Costs                [][]float64
	L2                   engine.L2
	Noise                engine.Noise
	Folds                int
	Seed                 uint64
}

// severalTasks are the tasks as a page offers them.
var severalTasks = []option{{"multiclass", "Several classes"}, {"ordinal", "Ordered classes"},
	{"abstain", "May abstain"}}

// isSeveral reports whether a query asks for a task without an event.
func isSeveral(q url.Values) bool {
	return slices.ContainsFunc(severalTasks, func(o option) bool { return o.value == q.Get("task") })
}

// severalParser reads one query; what cannot be used takes its default and is
// among the problems.
type severalParser struct {
	q   url.Values
	st  severalState
	bad []usererr.Field
}

func parseSeveral(q url.Values, d store.Dataset) (severalState, []usererr.Field) {
	q = form.Fractions(q)
	p := severalParser{q: q, st: severalState{
		Task: q.Get("task"), Outcome: cmp.Or(q.Get("outcome"), d.Choice.Outcome), Group: d.Choice.Group, Kind: "linear",
		L2: engine.L2{Mode: "cv"}, Folds: defaultFolds, Seed: defaultSeed, BinsBy: "length",
	}}
	if q.Has("group") {
		p.st.Group = q.Get("group")
	}
	p.st.Levels, p.st.ScoreOnly, p.st.Predictors = given(q["level"]), given(q["score"]), given(q["x"])
	p.bins()
	p.method()
	rest := stateParser{q: q, st: stratifyState{L2: p.st.L2, Folds: p.st.Folds, Seed: p.st.Seed}}
	rest.penalty()
	rest.seed()
	if kind := q.Get("noise"); slices.Contains(synth.NoiseKinds, kind) && !slices.Contains(engine.NoisesOf(p.st.Task),
		kind) {
		p.fail("noise", "Noise ‘"+kind+"’ needs an event. Using none.")
	} else {
		rest.noise()
	}
	p.st.Noise = rest.st.Noise
	p.st.Folds = rest.whole("folds", defaultFolds, 2, maxPageFolds)
	p.st.L2, p.st.Seed = rest.st.L2, rest.st.Seed
	p.bad = append(p.bad, rest.bad...)
	return p.st, p.bad
}

// given drops empty texts, which a form sends for nothing.
func given(texts []string) []string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return all
}

func (p *severalParser) fail(field, message string) {
	p.bad = append(p.bad, usererr.Field{Field: field, Message: message})
}

func (p *severalParser) bins() {
	text := p.q.Get("bins")
	if text == "" || p.st.Task != "ordinal" {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 || n > table.MaxLevels {
		p.fail("bins", "Classes of a number are 2 to 50, not "+strconv.Quote(format.Cut(text, 20))+".")
		return
	}
	if p.st.Bins = n; p.q.Get("by") == "frequency" {
		p.st.BinsBy = "frequency"
	}
}

// method takes the loss with its settings.
func (p *severalParser) method() {
	known := engine.LossesOf(p.st.Task)
	p.st.Loss = known[0]
	if id := p.q.Get("method"); id != "" && slices.Contains(known, id) {
		p.st.Loss = id // one of another task is left alone: the task was changed
	}
	if k := p.q.Get("kind"); k == "rbf" || k == "poly" {
		p.st.Kind = k
	}
	if f := p.q.Get("features"); (f == "th" || f == "mc") && p.st.formed() {
		p.st.Features = f
	}
	family, _ := loss.FamilyByID(p.st.Loss)
	p.st.Numbers = map[string]float64{}
	for _, param := range family.Params {
		switch param.Type {
		case loss.Number:
			p.number(family, param)
		case loss.ID:
			p.st.Base = param.Default.ID
			if b := p.q.Get(param.Name); slices.Contains(param.Options, b) {
				p.st.Base = b
			}
		case loss.Matrix:
			p.costs()
		}
	}
}

// formed reports whether the potentials can be of either form.
func (st *severalState) formed() bool {
	family, _ := loss.FamilyByID(st.Loss)
	return st.Task == "ordinal" && family.Kind == loss.KindPotential && st.Loss != "llw"
}

func (p *severalParser) number(family loss.Family, param loss.Param) {
	p.st.Numbers[param.Name] = param.Default.Number
	if p.q.Get(param.Name) == "" {
		return
	}
	v, err := family.Parse(url.Values{param.Name: p.q[param.Name]})
	if err != nil {
		if e, ok := usererr.As(err); ok && len(e.Fields) > 0 {
			p.fail(param.Name, format.UpperFirst(param.Name)+" "+e.Fields[0].Message+". Using "+
				viz.Short(param.Default.Number, 4)+".")
		}
		return
	}
	p.st.Numbers[param.Name] = v.Number(param.Name)
}

// costs takes the cells of the grid, row by row: as many rows as columns, or
// one more that abstains. Any other number is that of other classes.
func (p *severalParser) costs() {
	texts := p.q["cost"]
	k := 0
	for n := 2; n <= mostCosts; n++ {
		rows := n
		if p.st.Task == "abstain" {
			rows++
		}
		if rows*n == len(texts) {
			k = n
		}
	}
	if k == 0 {
		return
	}
	var all [][]float64
	for i, text := range texts {
		v, ok := table.ParseNumber(strings.Replace(strings.TrimSpace(text), ",", ".", 1), ".")
		if !ok {
			p.fail("cost", "Every cost must be a number, not "+strconv.Quote(format.Cut(text, 20))+
				". Using 1 for each wrong answer.")
			return
		}
		if i%k == 0 {
			all = append(all, nil)
		}
		all[i/k] = append(all[i/k], v)
	}
	p.st.Costs = all
}

// mostCosts is the number of classes up to which a page has a grid of costs.
const mostCosts = 8

// costsFor are the costs in use for k classes: those given, or 1 for every
// wrong answer and ½ for none.
func (st *severalState) costsFor(k int) [][]float64 {
	if len(st.Costs) > 0 && len(st.Costs[0]) == k {
		return st.Costs
	}
	var all [][]float64
	for i := range k {
		all = append(all, make([]float64, k))
		for j := range k {
			if i != j {
				all[i][j] = 1
			}
		}
	}
	if st.Task == "abstain" {
		all = append(all, slices.Repeat([]float64{.5}, k))
	}
	return all
}
