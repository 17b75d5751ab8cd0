// Package boundary has the rules for decision boundaries π on pages: the decision rules and presets, the smallest
// distance between boundaries, and how they are written.
package boundary

import (
	"math"
	"slices"

	"taper/internal/web/format"
)

// Rule is a decision rule of Kimes et al. 2016, with the wording of its bands and its default boundaries.
type Rule struct {
	ID, Label, Note string
	Pi              []float64
}

// Rules lists the rules in the order they are offered.
var Rules = []Rule{
	{"hard", "Hard", "one cut", []float64{.5}},
	{"weighted", "Weighted", "costs", []float64{.25}},
	{"reject", "Reject", "“don’t know”", []float64{.25, .75}},
	{"interval", "Risk bands", "any boundaries", []float64{.25, .5, .75}},
}

// RuleOf finds a rule by its name in an address.
func RuleOf(id string) (Rule, bool) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return Rules[i], true
}

// Preset is a named set of boundaries.
type Preset struct {
	ID, Label, Mode string
	Pi              []float64
}

// Presets lists the presets in the order offered. Boundaries of risk are named by their numbers: in medicine
// "quartiles" are four groups of equally many patients.
// A cost preset has the boundary at which one missed event costs as
// much as that many false alarms: π = 1/(1 + weight).
var Presets = []Preset{
	{"half", "One half", "hard", []float64{.5}},
	{"cost-3", "A missed event costs 3 false alarms", "weighted", []float64{.25}},
	{"cost-9", "A missed event costs 9 false alarms", "weighted", []float64{.1}},
	{"cost-1-3", "A false alarm costs 3 missed events", "weighted", []float64{.75}},
	{"reject-25", "Don’t know from 25 to 75" + format.Pc, "reject", []float64{.25, .75}},
	{"reject-20", "Don’t know from 20 to 80" + format.Pc, "reject", []float64{.2, .8}},
	{"reject-10", "Don’t know from 10 to 90" + format.Pc, "reject", []float64{.1, .9}},
	{"quartiles", "25, 50, 75" + format.Pc + " risk", "interval", []float64{.25, .5, .75}},
	{"thirds", "33.3, 66.7" + format.Pc + " risk", "interval", []float64{.3333, .6667}},
	{"fifths", "20, 40, 60" + format.Pc + " risk", "interval", []float64{.2, .4, .6}},
	{"tenths", "10, 30" + format.Pc + " risk", "interval", []float64{.1, .3}},
	{"low", "Low risk 2, 5, 10" + format.Pc, "interval", []float64{.02, .05, .1}},
}

// Custom stands for boundaries that are no preset.
const Custom = "own"

// PresetOf names the preset that equals a rule with boundaries, or Custom.
func PresetOf(mode string, pi []float64) string {
	for _, p := range Presets {
		if p.Mode == mode && slices.EqualFunc(p.Pi, pi, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			return p.ID
		}
	}
	return Custom
}

// PresetByID finds a preset by its name in an address.
func PresetByID(id string) (Preset, bool) {
	i := slices.IndexFunc(Presets, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return Presets[i], true
}

// Limits of the boundaries on a page: their number, and their distance to each other and to 0 and 1.
const (
	Most    = 6 // boundaries
	gap     = .01
	FineGap = .001 // below fineEnd and above 1 − fineEnd, for rare outcomes
	fineEnd = .05
)

// gapAt is the smallest distance of two boundaries near p.
func gapAt(p float64) float64 {
	if p < fineEnd || p > 1-fineEnd {
		return FineGap
	}
	return gap
}

// FreeRange returns the smallest and the largest value that boundary k may take between its neighbours.
func FreeRange(pi []float64, k int) (low, high float64) {
	low, high = FineGap, 1-FineGap
	if k > 0 {
		low = tidy(pi[k-1] + gapAt(pi[k-1]))
	}
	if k+1 < len(pi) {
		high = tidy(pi[k+1] - gapAt(pi[k+1]))
	}
	return low, high
}

// tidy removes rounding errors of sums of decimals.
func tidy(p float64) float64 { return math.Round(p*1e6) / 1e6 }

// Widest adds a boundary in the middle of the widest band.
func Widest(pi []float64) []float64 {
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
