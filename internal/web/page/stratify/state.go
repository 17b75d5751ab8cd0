// Package stratify is the page that fits a model to a dataset and refits it when a control is moved. A State is the
// page's address in typed form, and it determines the run. Tasks with an event give bands, tasks without one give
// classes. Both share one state, because they share the outcome, the rows, the penalty, the folds and the noise.
package stratify

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/spline"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// State is the complete state of /stratify/{dataset}; the page is a pure function of it and of the data. Missing
// parameters take the dataset's choice or the default. Fields of the other kind of task (of:"bands", of:"classes")
// stay at their defaults.
type State struct {
	Dataset store.Dataset // part of the path
	Scale   runspec.Scale // decides the default of Folds

	Task      string       `form:"task"` // "" = bands of an event
	Outcome   string       `form:"outcome"`
	Positive  table.Levels `form:"positive" of:"bands"`
	Negative  table.Levels `form:"negative" of:"bands"`
	Levels    []string     `form:"level" of:"classes"` // in order; nil: the default order
	ScoreOnly []string     `form:"score"`
	Group     string       `form:"group,none"`
	Mode      string       `form:"mode" of:"bands" default:"interval" options:"hard,weighted,reject,interval"`
	Pi        []float64    `form:"pi" of:"bands"`
	Method    Method       `prefix:"" of:"bands"`

	Bins     int                `form:"bins" of:"classes"` // of a numeric outcome; 0 = none
	BinsBy   string             `form:"by" of:"classes" default:"length"`
	Loss     string             `form:"method" of:"classes"`
	Kind     string             `form:"kind" of:"classes" default:"linear"` // or rbf, poly
	Features string             `form:"features" of:"classes"`              // "" = that of the loss
	Numbers  map[string]float64 `form:"*"`                                  // of the loss, without Base and Costs
	Base     string             // the binary loss that some losses are built from
	Costs    [][]float64        // answers × classes

	L2         fit.L2         `form:"l2" default:"auto"`
	Folds      int            `form:"folds" range:"2 50"` // as in the engine; 0 = a hold-out
	Seed       uint64         `form:"seed" default:"7"`
	Noise      Noise          `prefix:""`
	Predictors []string       `form:"x,none"`            // nil: the defaults of the dataset
	Splines    map[string]int `form:"spline" of:"bands"` // knots of the splines

	Band int  `form:"band" of:"bands" default:"-1"`                     // whose rows are listed; −1 = none
	Page int  `form:"page" of:"bands" default:"1" range:"1 1073741824"` // page of these rows
	Hold bool `form:"hold" of:"bands" options:"1"`                      // shows the controls without computing

	Preview bool `form:"preview" options:"1"` // shows the fit of a sample of the rows

	Tab string `form:"tab"` // the open detail below the result; "" = the first
}

// Noise is runspec.Noise with the page's keys.
type Noise struct {
	Kind         string  `form:"noise"`
	Rate         float64 `form:"rate" range:"0 1" step:"0.01" unit:"%"`
	RatePositive float64 `form:"rate_positive" range:"0 1" step:"0.01" unit:"%" label:"Share of the events"`
	RateNegative float64 `form:"rate_negative" range:"0 1" step:"0.01" unit:"%" label:"Share of non-events"`
	Draw         int     `form:"draw" default:"0" range:"0 999"`
}

// random reports whether another draw flips other labels.
func (n Noise) random() bool { return n.Kind != "" && !(synth.Noise{Kind: n.Kind}).ByMargin() }

// HasClasses reports whether a query is for a multiclass task.
func HasClasses(q url.Values) bool { return isTask(q.Get("task")) }

func isTask(id string) bool {
	t, known := task.ByID(id)
	return known && !t.Event()
}

// Parse reads a query. Values that cannot be used are replaced by defaults and reported, so that the page can still
// be shown.
func Parse(q url.Values, d store.Dataset) (State, []usererr.Field) {
	return ParseAt(q, d, runspec.Scale{})
}

// ParseAt is Parse with another scale of data for which a hold-out is the default.
func ParseAt(q url.Values, d store.Dataset, scale runspec.Scale) (State, []usererr.Field) {
	st := State{Dataset: d, Scale: scale}
	keys, unknown := resolve(form.Fractions(q))
	return st, append(unknown, form.Parse(&st, keys)...)
}

// resolve converts the controls of a form to the keys of a state. A form sends its template, its rule and the ways
// λ and γ are chosen, together with the previous template and rule ("was", "wasmode"). If one of these changed,
// it wins over fields that depend on it.
func resolve(q url.Values) (url.Values, []usererr.Field) {
	q = maps.Clone(q)
	if how := q.Get("how"); how == "hand" {
		q["l2"] = []string{q.Get("lambda")}
	} else if how != "" {
		q["l2"] = []string{how}
	}
	switch gamma := q.Get("gamma"); {
	case q.Has("gammahow") && q.Get("gammahow") != "hand":
		delete(q, "gamma")
	case q.Get("gammahow") == "hand" && (gamma == "" || gamma == "auto"):
		q["gamma"] = []string{viz.Short(PlainGamma, 6)}
	}
	if t := q.Get("template"); t != "" && t != boundary.Custom && t != q.Get("was") {
		if named, ok := boundary.PresetByID(t); ok {
			q["mode"], q["pi"] = []string{named.Mode}, []string{boundary.Param(named.Pi)}
			return q, nil
		}
		return withoutOldRule(q), []usererr.Field{{Field: "template", Message: "There is no template " + phrase.Verbatim(t) +
			"."}}
	}
	return withoutOldRule(q), nil
}

// withoutOldRule drops boundaries of the previous rule, and reads the boundaries of a form: one number per field, in
// which a comma is a decimal comma.
func withoutOldRule(q url.Values) url.Values {
	rule, ok := boundary.RuleOf(q.Get("mode"))
	if !ok {
		rule.ID = "interval"
	}
	if was := q.Get("wasmode"); was != "" && was != rule.ID {
		delete(q, "pi")
	} else if q.Has("was") && q.Has("pi") {
		texts := slices.Clone(q["pi"])
		for i, text := range texts {
			texts[i] = strings.Replace(text, ",", ".", 1)
		}
		q["pi"] = texts
	}
	return q
}

// Field sets what depends on the dataset, the task and earlier keys.
func (st *State) Field(f *form.Field) {
	choice, of := st.Dataset.Choice, cmp.Or(f.Tag.Get("of"), f.Group.Get("of"))
	own := st.Outcome == choice.Outcome && st.Task == "" // another outcome has its own classes
	given := func(texts []string) {
		if own {
			f.Default = texts
		}
	}
	switch f.Key {
	case "task":
		f.Default = []string{bandsTask}
		f.Read = form.ReadOne(func(id string) error {
			if isTask(id) {
				st.Task = id
			} else if id == bandsTask {
				st.Task = ""
			}
			return nil
		})
		f.Write = func() []string { return []string{cmp.Or(st.Task, bandsTask)} }
	case "outcome":
		if choice.Outcome != "" {
			f.Default = []string{choice.Outcome}
		}
	case "positive":
		given(choice.Positive)
	case "negative":
		given(choice.Negative)
	case "score":
		given(choice.ScoreOnly)
	case "group":
		f.Default = []string{choice.Group}
	case "mode":
		f.Problem = func(text string) string {
			return "must be hard, weighted, reject or interval, not " + phrase.Verbatim(text) + ". Using interval."
		}
	case "pi":
		rule, _ := boundary.RuleOf(cmp.Or(st.Mode, "interval"))
		f.Default = []string{boundary.Param(rule.Pi)}
		f.Read = func(texts []string) error { return st.readPi(texts, rule) }
		f.Write = func() []string { return []string{boundary.Param(st.Pi)} }
	case "l2":
		f.Read = form.ReadOne(st.readL2)
		f.Write = func() []string { return []string{L2Text(st.L2)} }
	case "folds":
		st.foldsField(f)
	case "page", "rounds", "depth", "degree", "band":
		if f.Key == "band" {
			f.Max = float64(len(st.Pi))
		}
		f.Problem = func(text string) string { return f.Limits(text) + "." }
	case "seed":
		f.Problem = func(text string) string {
			return "must be a whole number from 0 on, not " + phrase.Verbatim(format.Cut(text, 24)) + ". Using 7."
		}
	case "tab":
		f.Read = form.ReadOne(func(id string) error { // a tab of another task opens the first
			if slices.Contains(resultview.DetailIDs[1:], id) {
				st.Tab = id
			}
			return nil
		})
	case "noise":
		f.Read = form.ReadOne(st.readNoise)
	case "rate", "rate_positive", "rate_negative":
		st.rate(f)
	case "draw":
		f.Absent = !st.Noise.random()
	case "x":
		f.None = st.Task == ""
	case "spline":
		f.Read = st.readSplines
		f.Write = st.splineKeys
	}
	if of == "classes" {
		st.classField(f)
	}
	if f.Key == "page" && st.Band < 0 || of != "" && (of == "bands") != (st.Task == "") {
		f.Absent = true
	}
}

// bandsTask is the value of bands in the choice of tasks.
const bandsTask = "interval"

// URL is the page's canonical address.
func (st State) URL() string { return "/stratify/" + st.Dataset.ID + st.Query() }

// escapeNames escapes all but commas, since names of columns and levels are arbitrary.
var escapeNames = strings.NewReplacer(":", "%3A", "/", "%2F")

// Query is the query of the address with its question mark, "" when there is none.
func (st State) Query() string {
	if st.Task != "" {
		return "?" + form.Values(&st).Encode()
	}
	return escapeNames.Replace(form.Query(&st))
}

// readPi reads boundaries separated by commas.
func (st *State) readPi(texts []string, r boundary.Rule) error {
	pi, refusal := boundary.Read(texts)
	if refusal != "" {
		return wrongPi(r, "A boundary "+refusal+".")
	}
	switch {
	case len(pi) > boundary.Most:
		return wrongPi(r, "This page takes up to "+strconv.Itoa(boundary.Most)+" boundaries, not "+strconv.Itoa(len(pi))+".")
	case r.ID != "interval" && len(pi) != len(r.Pi):
		return wrongPi(r, "The rule “"+r.Label+"” takes "+boundary.Number(len(r.Pi))+", not "+strconv.Itoa(len(pi))+".")
	}
	for k := 1; k < len(pi); k++ {
		if low, _ := boundary.FreeRange(pi, k); pi[k] < low-1e-9 {
			return wrongPi(r, "Boundaries must rise: boundary "+strconv.Itoa(k+1)+" must be at least "+
				viz.Short(100*low, 4)+format.Pc+", not "+viz.Short(100*pi[k], 4)+format.Pc+".")
		}
	}
	st.Pi = pi
	return nil
}

func wrongPi(r boundary.Rule, problem string) error {
	return form.ReadError(problem + " Using " + boundary.Percents(r.Pi) + ".")
}

// readNoise reads a kind of noise, if the task allows it.
func (st *State) readNoise(kind string) error {
	st.Noise.Kind = ""
	switch {
	case kind == "" || kind == synth.NoiseNone:
		return nil
	case !slices.Contains(synth.NoiseKinds, kind):
		return form.ReadError("There is no noise " + form.Quoted(kind) + ". Using none.")
	case !slices.Contains(runspec.NoisesOf(cmp.Or(st.Task, "interval")), kind):
		return form.ReadError("Noise ‘" + kind + "’ needs an event. Using none.")
	}
	st.Noise.Kind = kind
	return nil
}

// rate sets the noise rate for kinds of noise that have one.
func (st *State) rate(f *form.Field) {
	class := st.Noise.Kind == synth.NoiseClass
	if f.Absent = st.Noise.Kind == "" || class == (f.Key == "rate"); f.Absent {
		f.Default = nil
		return
	}
	plain := .1 // class noise flips the labels of events only, by default
	if f.Key == "rate_negative" {
		plain = 0
	}
	switch {
	case st.Noise.Kind == synth.NoiseInstance:
		f.Label = "Share replaced"
	case !class:
		f.Label = "Share flipped"
	}
	f.Default = []string{form.Text(plain)}
	f.Problem = func(text string) string {
		return "A share lies between 0 and 100" + format.Pc + ", not " + boundary.SharePercent(text) + ". Using " +
			viz.Percent(plain, 0) + format.Pc + "."
	}
}

// readSplines reads splines as COLUMN.KNOTS; an empty text or 0 knots means linear.
func (st *State) readSplines(texts []string) error {
	var bad []usererr.Field
	st.Splines = nil
	for _, text := range texts {
		if text == "" {
			continue
		}
		at := strings.LastIndexByte(text, '.')
		knots, err := strconv.Atoi(text[at+1:])
		switch {
		case at < 1 || err != nil || knots != 0 && (knots < spline.MinKnots || knots > spline.MaxKnots):
			bad = append(bad, usererr.Field{Field: "spline", Message: "A curve is written as the column, a point and 3, 4 " +
				"or 5 knots: age.4, not “" + format.Cut(text, 40) + "”. Using a straight line."})
		case knots != 0:
			if st.Splines == nil {
				st.Splines = map[string]int{}
			}
			st.Splines[text[:at]] = knots
		default:
			delete(st.Splines, text[:at])
		}
	}
	if len(st.Splines) == 0 {
		st.Splines = nil
	}
	return form.Error(bad)
}

// splineKeys are the values of the key spline, ordered by column.
func (st *State) splineKeys() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(st.Splines)) {
		all = append(all, SplineKey(name, st.Splines[name]))
	}
	return all
}

// SplineKey writes a spline as in an address.
func SplineKey(column string, knots int) string { return column + "." + strconv.Itoa(knots) }

// WithoutSpline is the state with a column made linear.
func (st State) WithoutSpline(column string) State {
	if st.Splines[column] == 0 {
		return st
	}
	st.Splines = maps.Clone(st.Splines)
	if delete(st.Splines, column); len(st.Splines) == 0 {
		st.Splines = nil
	}
	return st
}

// Bends reports whether the method is linear, so that its columns can be splines.
func (st State) Bends() bool { return st.Method.ID != "kernel" && st.Method.ID != "boost" }

// Curves are the splines of the model.
func (st State) Curves() map[string]int {
	if !st.Bends() {
		return nil
	}
	return st.Splines
}
