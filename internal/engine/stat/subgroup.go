package stat

// Under these counts a subgroup gets no statistics (clinical.md §2).
const (
	SubgroupRows   = 20
	SubgroupEvents = 10
)

// Subgroup is how a model does on the rows of one level.
type Subgroup struct {
	Level            string   `json:"level"`
	N                int      `json:"n"`
	Events           int      `json:"events"`
	Suppressed       bool     `json:"suppressed"` // too few rows or events: the rest is nil
	Observed         Estimate `json:"observed"`   // Wilson
	AUC              Estimate `json:"auc"`        // DeLong
	ObservedExpected Estimate `json:"observed_expected"`
	Slope            Estimate `json:"calibration_slope"` // Wald
}

// Subgroups returns a row for each level of a column; level[i] is row i's index
// in names, or −1 for a row that counts nowhere. What needs a probability is
// nil without one.
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

// subgroup measures the rows of one level.
func subgroup(name string, rows []int, s Scores) Subgroup {
	event := at(s.Event, rows)
	g := Subgroup{Level: name, N: len(rows), Events: count(event)}
	if g.N < SubgroupRows || g.Events < SubgroupEvents {
		g.Suppressed = true
		return g
	}
	g.Observed = Proportion(g.Events, g.N)
	g.AUC = estimate(AUC(at(s.Score, rows), event))
	if s.Probability != nil {
		p := at(s.Probability, rows)
		g.ObservedExpected = ObservedExpected(p, event)
		g.Slope = Recalibrate(p, event).Slope
	}
	return g
}
