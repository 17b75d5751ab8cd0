package main

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"taper/cmd/web/bounds"
	"taper/cmd/web/query"
	"taper/internal/engine/arena"
	"taper/internal/engine/loss"
	"taper/internal/engine/method"
	"taper/internal/engine/synth"
)

// playHow is a method as the playground offers it.
type playHow struct {
	ID, Title string
	Group     string       // heading in the list
	Kinds     []playKind   // of points that it parts
	Family    loss.Family  // of boost: the α-loss
	Params    []loss.Param // that have a slider or a choice
	Kernel    bool         // a kernel is possible
	Features  bool         // quadratic and RBF features make sense
	Solvers   []string     // auto and what else there is
}

// Groups of methods.
const (
	groupTwo      = "Two classes"
	groupBands    = "Probability bands"
	groupTrees    = "Trees"
	groupSeveral  = "Several classes"
	groupOrdered  = "Ordered classes"
	groupAbstains = "May abstain"
)

var everyKind = []playKind{playBinary, playMulti, playOrdinal}

// playMethods lists what the playground trains: every loss but the zero-one,
// and trees.
func playMethods() []playHow {
	var all []playHow
	for _, f := range loss.Families {
		if f.ID == "zero-one" {
			continue
		}
		h := playHow{ID: f.ID, Title: f.Title, Family: f, Kinds: everyKind, Kernel: true, Features: true, Solvers: []string{"auto"}}
		for _, p := range f.Params {
			if p.Name != "pi" {
				h.Params = append(h.Params, p)
			}
		}
		h.place()
		all = append(all, h)
		if f.ID == "interval" {
			all = append(all, boosted())
		}
	}
	order := []string{groupTwo, groupBands, groupTrees, groupSeveral, groupOrdered, groupAbstains}
	slices.SortStableFunc(all, func(a, b playHow) int { return slices.Index(order, a.Group) - slices.Index(order, b.Group) })
	return all
}

// place settles the group of a method, its kinds of points and its solvers.
func (h *playHow) place() {
	switch {
	case h.ID == "interval":
		h.Group, h.Kinds = groupBands, []playKind{playBinary}
		h.Solvers = append(h.Solvers, "subgradient")
	case h.Family.Margin != nil:
		h.Group, h.Kinds = groupTwo, []playKind{playBinary}
		if h.ID == "t-logistic" {
			h.Solvers, h.Kernel = append(h.Solvers, "cmp"), false // its prior belongs to single columns
		}
	case h.Family.Kind == loss.KindThreshold, h.ID == "al-ordinal", h.ID == "al-squared":
		h.Group = groupOrdered
	case h.ID == "al-abstain", h.ID == "ova":
		h.Group = groupAbstains
	default:
		h.Group = groupSeveral
	}
	if slices.Contains([]string{"al-zero-one", "al-ordinal", "al-squared", "al-abstain", "al-cost", "cs", "ww"}, h.ID) {
		h.Solvers = append(h.Solvers, "pegasos")
	}
}

func boosted() playHow {
	f, _ := loss.FamilyByID("alpha")
	return playHow{ID: "boost", Title: "AdaBoost.α, trees", Group: groupTrees, Kinds: []playKind{playBinary}, Family: f, Params: f.Params, Features: true, Solvers: []string{"auto"}}
}

func playMethod(id string) (playHow, bool) {
	all := playMethods()
	i := slices.IndexFunc(all, func(h playHow) bool { return h.ID == id })
	if i < 0 {
		return playHow{}, false
	}
	return all[i], true
}

// mustPlayMethod is the method of an id that was checked.
func mustPlayMethod(id string) playHow {
	h, ok := playMethod(id)
	if !ok {
		panic("web: no method " + id)
	}
	return h
}

func playMethodIDs() []string {
	var ids []string
	for _, h := range playMethods() {
		ids = append(ids, h.ID)
	}
	return ids
}

// playStandards are defaults of the page that differ from the engine's.
var playStandards = map[string]map[string]string{
	"alpha": {"alpha": "4"}, "boost": {"alpha": "2"}, "tempered": {"t1": "0.6", "t2": "1.6"}, "tempered-multiclass": {"t1": "0.6", "t2": "1.6"}, "t-logistic": {"t": "1.9"},
}

func (h playHow) paramNames() []string {
	var names []string
	for _, p := range h.Params {
		names = append(names, p.Name)
	}
	return names
}

// defaults are the parameters as typed. A matrix of costs is left to the number
// of classes.
func (h playHow) defaults() map[string]string {
	all := map[string]string{}
	for _, p := range h.Params {
		all[p.Name] = typedValue(p.Type, p.Default)
		if text, ok := playStandards[h.ID][p.Name]; ok {
			all[p.Name] = text
		}
		if p.Type == loss.Matrix {
			all[p.Name] = ""
		}
	}
	return all
}

func typedValue(t loss.Type, v loss.Value) string {
	switch t {
	case loss.ID:
		return v.ID
	case loss.Matrix:
		rows := make([]string, len(v.Matrix))
		for i, r := range v.Matrix {
			each := make([]string, len(r))
			for j, c := range r {
				each[j] = query.Text(c)
			}
			rows[i] = strings.Join(each, ",")
		}
		return strings.Join(rows, "/")
	case loss.List:
		return bounds.Param(v.List)
	}
	return query.Text(v.Number)
}

// check reads one parameter as typed and writes it as a URL has it.
func (h playHow) check(name, text string) (string, error) {
	v, err := h.Family.Parse(url.Values{name: {strings.ReplaceAll(text, "∞", "inf")}})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(h.Params, func(p loss.Param) bool { return p.Name == name })
	return typedValue(h.Params[i].Type, v[name]), nil
}

// setting is the model as the engine trains it, for points of so many classes.
func (m playModel) setting(classes int, seed uint64) (arena.Setting, error) {
	h := mustPlayMethod(m.Method)
	spec := method.Spec{Kind: "linear", Loss: h.Family.ID, Params: map[string]any{}, Solver: m.Solver, L2: method.L2{Value: m.L2}}
	values, err := h.Family.Parse(m.typed())
	if err != nil {
		return arena.Setting{}, err
	}
	for _, p := range h.Params {
		spec.Params[p.Name] = paramValue(p, values[p.Name])
		if p.Type == loss.Matrix && m.Params[p.Name] == "" {
			spec.Params[p.Name] = squaredCosts(classes)
		}
	}
	switch {
	case m.Method == "interval":
		spec.Params["pi"] = m.Pi
	case m.Method == "boost":
		spec.Kind, spec.Rounds, spec.Depth, spec.ThetaRule, spec.Solver = "boost", m.Rounds, m.Depth, m.Rule, ""
	}
	set := arena.Setting{L2: m.L2, Seed: seed, Features: arena.Features{Kind: m.Features, Gamma: m.Gamma}, Boundaries: m.Pi}
	if m.Kernel != noKernel {
		spec.Kind, spec.Kernel = "kernel", &method.Kernel{Name: m.Kernel, Degree: m.Degree}
		if m.Gamma > 0 {
			spec.Kernel.Gamma = m.Gamma
		}
	}
	set.Method, err = method.Parse(spec)
	return set, err
}

func (m playModel) typed() url.Values {
	q := url.Values{}
	for name, text := range m.Params {
		q.Set(name, text)
	}
	return q
}

// paramValue is a parameter as a spec has it.
func paramValue(p loss.Param, v loss.Value) any {
	switch p.Type {
	case loss.ID:
		return v.ID
	case loss.Matrix:
		return v.Matrix
	case loss.List:
		return v.List
	}
	if math.IsInf(v.Number, 1) {
		return "inf"
	}
	return v.Number
}

// squaredCosts are (i−j)², the costs that a matrix opens with.
func squaredCosts(classes int) [][]float64 {
	m := make([][]float64, classes)
	for i := range m {
		m[i] = make([]float64, classes)
		for j := range m[i] {
			m[i][j] = float64((i - j) * (i - j))
		}
	}
	return m
}

// playNoise is a kind of noise as the playground offers it.
type playNoise struct {
	ID, Title, About string
	Kinds            []playKind
}

var playNoises = []playNoise{
	{synth.NoiseNone, "None", "Every label as it is.", everyKind},
	{synth.NoiseRandom, "Any label, an exact share", "Exactly this share of the training labels flips.", everyKind},
	{synth.NoiseSymmetric, "Any label, by chance", "Each training label flips with this probability.", everyKind},
	{synth.NoiseClass, "By class", "Labels of one class flip with another probability than those of the other.", []playKind{playBinary}},
	{synth.NoiseLargeMargin, "Far from the border", "Of the points on the right side of a clean fit, those farthest from its border flip.", everyKind},
	{synth.NoiseSmallMargin, "Near the border", "Of the points on the right side of a clean fit, those nearest its border flip.", everyKind},
	{synth.NoiseInstance, "Features replaced", "Points get the features of a point of another class and keep their label.", everyKind},
}
