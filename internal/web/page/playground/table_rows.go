package playground

import (
	"fmt"
	"math"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/form"
)

// answerRows are the rows for models with abstention: coverage, accuracy on answered points, and the mean cost at
// the price of an abstention.
func (a *Answer) answerRows(row func(string, int, float64, bool, func(*modelView) float64), m [2]*modelView,
	judges string) {
	s := stat.ByID("accuracy")
	row(s.Label+" of the answers, "+judges, s.Digits, 100, true, (*modelView).ofAnswers)
	row("Coverage (answered), %", 1, 100, true, (*modelView).answered)
	if price, ok := a.price(m); ok {
		row("Cost per point, error 1, abstention "+form.Text(price), 3, 1, true, func(m *modelView) float64 {
			if m.verdict.Answered == 0 {
				return price
			}
			return m.answered()*(1-m.ofAnswers()) + (1-m.answered())*price
		})
	}
	row("Agreement with the training labels, %", 1, 100, true, func(m *modelView) float64 {
		return shareOf(m.verdict.NoisyAccuracy)
	})
}

// price is the cost of an abstention, if the models that can abstain agree on it (docs/math.md, section 7.4).
func (a *Answer) price(m [2]*modelView) (price float64, ok bool) {
	for k, x := range m {
		if !x.ok() || x.verdict.Answered == x.verdict.Rows {
			continue
		}
		at, given := form.ParseNumber(a.st.Models[k].Params["alpha"])
		if !given {
			at = .5 // as for baselines that have no price
		}
		if ok && at != price {
			return 0, false
		}
		price, ok = at, true
	}
	return price, ok
}

// classRows are the recalls of the classes on clean test points, and the abstention rates.
func (a *Answer) classRows(row func(string, int, float64, bool, func(*modelView) float64), m [2]*modelView) {
	recall, distance := stat.ByID("recall"), stat.ByID("mae")
	for c, level := range a.bench.sample.Levels {
		name := recall.Label + " of class " + level + ", %"
		if anyAbstains(m) {
			name += " of answered points"
		}
		row(name, recall.Digits, 100, true, func(m *modelView) float64 {
			return shareOf(m.verdict.Classes.PerClass[c].Of(recall.ID))
		})
	}
	if a.bench.sample.Ordered {
		row(distance.Label+", "+distance.Unit, distance.Digits, 1, true, func(m *modelView) float64 {
			if v := m.verdict.Classes.MAE; v != nil {
				return *v
			}
			return math.NaN()
		})
	}
}

// costRows are the mean costs of clean test points, where a model has its own costs. There is no row if the other
// model gives an answer that has no cost.
func (a *Answer) costRows(row func(string, int, float64, bool, func(*modelView) float64), m [2]*modelView) {
	for k, x := range m {
		if !x.ok() || x.fit.Setting.Method.Family.CostParam() == "" {
			continue
		}
		costs := x.fit.Setting.Method.Costs()
		row(fmt.Sprintf("Cost per point, by the costs of %c", 'A'+k), 3, 1, true,
			func(m *modelView) float64 { return m.cost(costs) })
	}
}

// cost is the mean of costs[answer][true class] over the clean test points; the row after the classes is
// abstention.
func (m *modelView) cost(costs [][]float64) float64 {
	c, sum := m.verdict.Classes, 0.0
	for y, answers := range c.Confusion {
		for answer, n := range answers {
			sum += float64(n) * costs[answer][y]
		}
		switch {
		case c.Abstained[y] == 0:
		case len(costs) == len(c.Confusion):
			return math.NaN()
		default:
			sum += float64(c.Abstained[y]) * costs[len(c.Confusion)][y]
		}
	}
	return sum / float64(c.N)
}

// strataRows are the bands of interval models with their event rates.
func (a *Answer) strataRows(m [2]*modelView) {
	for k, x := range m {
		if !x.ok() {
			continue
		}
		for _, s := range x.verdict.Strata {
			cells := []string{fmt.Sprintf("Events in band %s of %c, %% of clean points", viz.BandName(s.Lower, s.Upper), 'A'+k),
				viz.None, viz.None, viz.None}
			if s.Observed != nil {
				cells[1+k] = viz.Percent(*s.Observed, 1) + " of " + phrase.Int(s.N)
			}
			a.Table.Rows = append(a.Table.Rows, cells)
		}
	}
}
