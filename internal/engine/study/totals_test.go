package study

import (
	"math"
	"testing"
)

// TestTotals: three simulated sets of six replicates, counted by hand. On the first B is .1
// below A in all six: of 64 orders of signs two are as far apart, p = .031, no mark. On the
// second too. On the third it is .1 below in five and equal in one: five
// differences, p = 2/32 = .0625, so that both are marked. The other kernel is counted apart.
func TestTotals(t *testing.T) {
	var cells []Cell
	add := func(data, model string, values ...float64) {
		c := Cell{Key: Key{Data: data, Model: model, Metric: "accuracy"}, N: len(values)}
		mean := 0.0
		for i := range values {
			c.Values, c.Replicates = append(c.Values, &values[i]), append(c.Replicates, i)
			mean += values[i] / float64(len(values))
		}
		c.Mean = &mean
		cells = append(cells, c)
	}
	add("one, linear", "A", .9, .9, .8, .8, .7, .7)
	add("one, linear", "B", .8, .8, .7, .7, .6, .6)
	add("two, linear", "A", .2, .2, .2, .2, .2, .2)
	add("two, linear", "B", .1, .1, .1, .1, .1, .1)
	add("three, with a comma, linear", "A", .5, .5, .5, .5, .5, .5)
	add("three, with a comma, linear", "B", .5, .4, .4, .4, .4, .4)
	add("one, Gaussian", "A", .3, .3, .3, .3, .3, .3)
	cells = append(cells, Cell{Key: Key{Data: "two, Gaussian", Model: "A", Metric: "accuracy"}}) // nothing yet
	for _, higher := range []bool{true, false} {
		want := []Total{{"linear", "A", 3, (.8 + .2 + .5) / 3, 3}, {"linear", "B", 3, (.7 + .1 + .5 - .5/6) / 3, 1},
			{"Gaussian", "A", 1, .3, 1}}
		if !higher {
			want[0].Best, want[1].Best = 1, 3
		}
		got := Totals(cells, higher)
		if len(got) != len(want) {
			t.Fatalf("%+v", got)
		}
		for i, w := range want {
			g := got[i]
			if !(math.Abs(g.Mean-w.Mean) <= 1e-12) {
				t.Errorf("mean %v, want %v", g.Mean, w.Mean)
			}
			if g.Mean = w.Mean; g != w {
				t.Errorf("higher is better: %v: %+v, want %+v", higher, g, w)
			}
		}
	}
}
