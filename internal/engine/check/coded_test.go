package check

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// ratesBy builds a column of values and an outcome with the given share of events per 100 rows of each value.
func ratesBy(values []float64, per100 []int) *table.Table {
	var x []float64
	var y []string
	for k, v := range values {
		for i := range 100 {
			x = append(x, v)
			y = append(y, map[bool]string{true: "yes", false: "no"}[i < per100[k]])
		}
	}
	return tabletest.ByHand(tabletest.Numbers("cp", x...), tabletest.Texts("disease", y...))
}

// TestCodes: whole numbers with few values are asked about where the rates of the outcome do not follow a line; a
// count, a dose, half numbers and two values are not.
func TestCodes(t *testing.T) {
	outcome := table.OutcomeChoice{Column: "disease", Positive: table.Levels{"yes"}}
	ask := func(tab *table.Table, opt table.Options) []table.Warning {
		return Outcome(t.Context(), tab, outcome, []string{"cp"}, opt)
	}
	kinds := ratesBy([]float64{1, 2, 3, 4}, []int{30, 18, 22, 73})
	w := say(t, ask(kinds, table.Options{}), "codes")
	want(t, w, "cp (1, 2, 3 and 4) has few values, and the rate of the outcome does not follow a straight line in them. "+
		"Are they codes of categories?")
	if got := w.Choices[0].Columns; len(got) != 1 || got[0].Type != table.Category {
		t.Error(got)
	}
	settled := say(t, ask(kinds, table.Options{Settled: []string{w.Key()}}), "codes")
	if settled.Level != "note" {
		t.Error(settled)
	}
	together := table.Options{Settled: []string{"codes:cp, thal"}} // answered beside another column
	if w := say(t, ask(kinds, together), "codes"); w.Level != "note" {
		t.Error(w)
	}
	smoke := ratesBy([]float64{0, 1, 9}, []int{20, 60, 10}) // whether 9 means missing comes first
	silent(t, ask(smoke, table.Options{}), "codes")
	say(t, ask(smoke, table.Options{Settled: []string{"missing-code:cp"}}), "codes")
	silent(t, ask(ratesBy([]float64{0, 1, 2, 3}, []int{20, 35, 50, 68}), table.Options{}), "codes")
	silent(t, ask(ratesBy([]float64{.5, 1, 2, 3}, []int{30, 18, 22, 73}), table.Options{}), "codes")
	silent(t, ask(kinds, table.Options{}), FewValues)
	silent(t, ask(ratesBy([]float64{0, 1}, []int{30, 73}), table.Options{}), "codes")
	chosen := ratesBy([]float64{1, 2, 3, 4}, []int{30, 18, 22, 73})
	chosen.Columns[0].Spec.Type = table.Number
	silent(t, ask(chosen, table.Options{}), "codes")
}

// TestDeparture: with four values the tail of χ² is that of two degrees of freedom, exp(−x/2).
func TestDeparture(t *testing.T) {
	tab := ratesBy([]float64{1, 2, 3, 4}, []int{30, 18, 22, 73})
	class := classes(tab.Columns[1], table.OutcomeChoice{Positive: table.Levels{"yes"}})
	n, e := 100.0, []float64{30, 18, 22, 73}
	rate, all, trend := 143.0/400, 0.0, 0.0
	for k := range e {
		all += (e[k] - n*rate) * (e[k] - n*rate) / (n * rate * (1 - rate))
		trend += (float64(k) - 1.5) * e[k]
	}
	trend = trend * trend / (n * 5 * rate * (1 - rate))
	p, want := departure(tab.Columns[0].Num, class), math.Exp(-(all-trend)/2)
	if math.Abs(p/want-1) > 1e-9 {
		t.Errorf("p = %g, want %g", p, want)
	}
	if got := departure(tab.Columns[0].Num[:200], class[:200]); got != 1 {
		t.Error("two values have a departure", got)
	}
}

// TestFewValuesNoted: where no departure of the rates is significant, and for several classes, nothing is asked, but a
// note says that the values are used as quantities and offers categories.
func TestFewValuesNoted(t *testing.T) {
	outcome := table.OutcomeChoice{Column: "disease", Positive: table.Levels{"yes"}}
	line := ratesBy([]float64{0, 1, 2, 3}, []int{20, 35, 50, 68})
	w := say(t, Outcome(t.Context(), line, outcome, []string{"cp"}, table.Options{}), FewValues)
	want(t, w, "cp (0, 1, 2 and 3) has few values. "+
		"Used as quantities, whose steps all count the same in a linear model. If the numbers are codes, make categories of them.")
	if w.Level != "note" || len(w.Choices) != 1 || w.Choices[0].Columns[0].Type != table.Category {
		t.Errorf("%+v", w)
	}
	several := tabletest.ByHand(tabletest.Numbers("ward", 1, 2, 3, 1, 2, 3), tabletest.Texts("disease", "a", "b", "c", "a", "b", "c"))
	w = say(t, Outcome(t.Context(), several, table.OutcomeChoice{Column: "disease"}, []string{"ward"}, table.Options{}), FewValues)
	if strings.Contains(w.Message, "straight line") || !strings.Contains(w.Message, "ward (1, 2 and 3) has few values. Used as") {
		t.Error(w.Message)
	}
	kinds := ratesBy([]float64{.5, 1, 2, 3}, []int{20, 35, 50, 68})
	silent(t, Outcome(t.Context(), kinds, outcome, []string{"cp"}, table.Options{}), FewValues)
}
