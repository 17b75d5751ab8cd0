package stat

import "slices"

// With fewer rows, events or non-events a subgroup gets no statistics (docs/clinical.md, Statistics).
const (
	SubgroupRows   = 20
	SubgroupEvents = 10
)

// Subgroup is the performance on the rows of one level.
type Subgroup struct {
	Level            string   `json:"level"`
	N                int      `json:"n"`
	Events           int      `json:"events"`
	Suppressed       bool     `json:"suppressed"` // too few rows, events or non-events: no statistics
	Observed         Estimate `json:"observed"`   // rate
	AUC              Estimate `json:"auc"`        // DeLong
	ObservedExpected Estimate `json:"observed_expected"`
	Slope            Estimate `json:"calibration_slope"` // Wald
}

// Subgroups returns one Subgroup per level of a column. level[i] is row i's index in names, −1 for a row that
// is left out. Statistics that need a probability are nil without one.
func Subgroups(names []string, level []int, s Scores) []Subgroup {
	s.check()
	sameLength(len(level), len(s.Event))
	rows := make([][]int, len(names))
	for i, k := range level {
		if k >= 0 {
			rows[k] = append(rows[k], i)
		}
	}
	table := make([]Subgroup, len(names))
	for k, name := range names {
		table[k] = subgroup(name, rows[k], s)
	}
	return table
}

// subgroup evaluates the rows of one level.
func subgroup(name string, rows []int, s Scores) Subgroup {
	g := Subgroup{Level: name, N: len(rows), Events: count(at(s.Event, rows))}
	if g.N < SubgroupRows || min(g.Events, g.N-g.Events) < SubgroupEvents {
		g.Suppressed = true
		return g
	}
	r := newScored(s.Select(rows))
	for id, to := range g.places() {
		if m := ByID(id); r.has(m.Needs) {
			*to = m.of(r)
		}
	}
	return g
}

// SubgroupStatistics are the ids of the statistics of a subgroup, in the order shown.
var SubgroupStatistics = []string{"rate", "auc", "observed_expected", "calibration_slope"}

// places maps the ids to the fields; the first one is stored under another name.
func (g *Subgroup) places() map[string]*Estimate {
	return map[string]*Estimate{"rate": &g.Observed, "auc": &g.AUC, "observed_expected": &g.ObservedExpected,
		"calibration_slope": &g.Slope}
}

// Of returns a statistic of the subgroup.
func (g Subgroup) Of(id string) Estimate { return *g.places()[id] }

// SubgroupsOf is Subgroups for rows of a table. group returns the level of a table row. Levels without rows are
// left out.
func SubgroupsOf(names []string, rows []int, group func(row int) int, s Scores) []Subgroup {
	level := make([]int, len(rows))
	for i, row := range rows {
		level[i] = group(row)
	}
	return slices.DeleteFunc(Subgroups(names, level, s), func(g Subgroup) bool { return g.N == 0 })
}
