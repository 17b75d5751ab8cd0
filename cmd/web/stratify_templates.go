package main

import (
	"math"
	"slices"
)

// rule is a decision rule of paper 004: how a page words the bands, and the
// boundaries it starts from.
type rule struct {
	ID, Label, Note string
	Pi              []float64
}

var rules = []rule{
	{"hard", "Hard", "one cut", []float64{.5}},
	{"weighted", "Weighted", "costs", []float64{.25}},
	{"reject", "Reject", "“don’t know”", []float64{.25, .75}},
	{"interval", "Interval", "risk bands", []float64{.25, .5, .75}},
}

func ruleOf(id string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.ID == id })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

// preset is a named set of boundaries.
type preset struct {
	ID, Label, Mode string
	Pi              []float64
}

// presets lists the templates in the order they are offered. A cost template
// cuts where a missed event weighs as much as that many false alarms:
// π = 1/(1 + weight).
var presets = []preset{
	{"half", "One half", "hard", []float64{.5}},
	{"cost-3", "A missed event costs 3 false alarms", "weighted", []float64{.25}},
	{"cost-9", "A missed event costs 9 false alarms", "weighted", []float64{.1}},
	{"cost-1-3", "3 missed events cost a false alarm", "weighted", []float64{.75}},
	{"reject-25", "Don’t know from 25 to 75" + unitPc, "reject", []float64{.25, .75}},
	{"reject-20", "Don’t know from 20 to 80" + unitPc, "reject", []float64{.2, .8}},
	{"reject-10", "Don’t know from 10 to 90" + unitPc, "reject", []float64{.1, .9}},
	{"quartiles", "Quartiles 25, 50, 75" + unitPc, "interval", []float64{.25, .5, .75}},
	{"thirds", "Thirds 33.3, 66.7" + unitPc, "interval", []float64{.3333, .6667}},
	{"fifths", "20, 40, 60" + unitPc, "interval", []float64{.2, .4, .6}},
	{"tenths", "10, 30" + unitPc, "interval", []float64{.1, .3}},
	{"low", "Low risk 2, 5, 10" + unitPc, "interval", []float64{.02, .05, .1}},
}

// own names boundaries that are no template.
const own = "own"

// presetOf names the template that a rule and its boundaries are.
func presetOf(mode string, pi []float64) string {
	for _, p := range presets {
		if p.Mode == mode && slices.EqualFunc(p.Pi, pi, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			return p.ID
		}
	}
	return own
}

func presetByID(id string) (preset, bool) {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.ID == id })
	if i < 0 {
		return preset{}, false
	}
	return presets[i], true
}

// Boundaries on a page: how many, and how near to each other and to 0 and 1.
const (
	maxPageK = 6
	gap      = .01
	fineGap  = .001 // below fineBelow and above 1 − fineBelow, where rare outcomes need it
	fineEnd  = .05
)

// gapAt is the least distance of two boundaries near p.
func gapAt(p float64) float64 {
	if p < fineEnd || p > 1-fineEnd {
		return fineGap
	}
	return gap
}

// room returns the lowest and the highest value that boundary k may take
// between its neighbours.
func room(pi []float64, k int) (low, high float64) {
	low, high = fineGap, 1-fineGap
	if k > 0 {
		low = tidy(pi[k-1] + gapAt(pi[k-1]))
	}
	if k+1 < len(pi) {
		high = tidy(pi[k+1] - gapAt(pi[k+1]))
	}
	return low, high
}

// tidy removes the dust of adding decimals.
func tidy(p float64) float64 { return math.Round(p*1e6) / 1e6 }

// widest returns the boundaries with one more, in the middle of the widest
// band.
func widest(pi []float64) []float64 {
	edges := slices.Concat([]float64{0}, pi, []float64{1})
	at := 1
	for k := 1; k < len(edges); k++ {
		if edges[k]-edges[k-1] > edges[at]-edges[at-1]+1e-9 {
			at = k
		}
	}
	middle := math.Round(50*(edges[at-1]+edges[at])) / 100
	return slices.Insert(slices.Clone(pi), at-1, middle)
}
