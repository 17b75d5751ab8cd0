package engine

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// twoByTwo are 40 rows with x = 2, of which events died, and 60 with x = 0, of which 10 did.
func twoByTwo(events int) *table.Table {
	records := [][]string{{"x", "ward", "outcome"}}
	for k, n := range []int{events, 40 - events, 10, 50} {
		for i := range n {
			records = append(records, []string{[]string{"2", "0"}[k/2], strconv.Itoa(1 + i%7), []string{"died", "alive"}[k%2]})
		}
	}
	return tabletest.FromRecords(records)
}

// TestWald: the odds ratio of a 2×2 table has Woolf's interval where the fit is without
// penalty, and else a sentence says why it has none.
func TestWald(t *testing.T) {
	plain := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"x"},
		Boundaries: []float64{.5}, Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: 1e-12}}, Seed: 7}
	for name, c := range map[string]struct {
		events int
		change func(*runspec.Spec)
		says   string
	}{
		"no penalty":  {15, func(*runspec.Spec) {}, "95 % CI: Wald"},
		"penalty":     {15, func(s *runspec.Spec) { s.Model.L2.Value = 0.01 }, ""},
		"one side":    {0, func(*runspec.Spec) {}, "no clear maximum"},
		"groups":      {15, func(s *runspec.Spec) { s.Group = "ward" }, "Rows of a group"},
		"weights":     {15, func(s *runspec.Spec) { s.Weights = "ward" }, "Rows are weighted"},
		"other loss":  {15, func(s *runspec.Spec) { s.Model.Loss = "alpha" }, ""},
		"other links": {15, func(s *runspec.Spec) { s.Model.Loss = "interval" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := plain
			c.change(&s)
			r := mustFit(t, twoByTwo(c.events), s)
			if !strings.Contains(r.OddsRatioNote, c.says) || c.says == "" && r.OddsRatioNote != "" {
				t.Errorf("it says %q, want %q", r.OddsRatioNote, c.says)
			}
			got := r.Coefficients[1].OddsRatioCI
			if name != "no penalty" {
				if got != nil {
					t.Errorf("an interval %v", *got)
				}
				return
			}
			log, se := math.Log(15.*50/25/10)/2, math.Sqrt(1/15.+1/25.+1/10.+1/50.)/2 // per unit, which is half the step
			low, high := math.Exp(log-1.959963984540054*se), math.Exp(log+1.959963984540054*se)
			if got == nil || !(math.Abs(got[0]/low-1) <= 1e-6) || !(math.Abs(got[1]/high-1) <= 1e-6) {
				t.Errorf("interval %v, want %v – %v", got, low, high)
			}
			if r.Coefficients[0].OddsRatioCI != nil {
				t.Error("the intercept has an odds ratio")
			}
		})
	}
}

// TestWaldOfR: exp(confint.default(glm(vs ~ mpg + am, binomial, mtcars))) of R 4.
func TestWaldOfR(t *testing.T) {
	mpg := "21 21 22.8 21.4 18.7 18.1 14.3 24.4 22.8 19.2 17.8 16.4 17.3 15.2 10.4 10.4 14.7 32.4 30.4 33.9 21.5 15.5 15.2 " +
		"13.3 19.2 27.3 26 30.4 15.8 19.7 15 21.4"
	am, vs := "11100000000000000111000001111111", "00110101111000000111100001010001"
	records := [][]string{{"mpg", "am", "vs"}}
	for i, v := range strings.Fields(mpg) {
		records = append(records, []string{v, map[byte]string{'0': "automatic", '1': "manual"}[am[i]],
			map[byte]string{'0': "V", '1': "straight"}[vs[i]]})
	}
	r := mustFit(t, tabletest.FromRecords(records), runspec.Spec{Outcome: "vs", Positive: table.Levels{"straight"},
		Predictors: []string{"mpg", "am"}, Boundaries: []float64{.5}, Seed: 7, Validation: runspec.Validation{Kind: "cv", Folds: 3},
		Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: 1e-12}}})
	want := [][2]float64{{1.20473807045320, 3.2400179964743243}, {2.15012677386663e-03, 1.1361902315036976}}
	for k, w := range want {
		c := r.Coefficients[k+1]
		if c.OddsRatioCI == nil || !(math.Abs(c.OddsRatioCI[0]/w[0]-1) <= 1e-5) || !(math.Abs(c.OddsRatioCI[1]/w[1]-1) <= 1e-5) {
			t.Errorf("%s: %v, want %v", c.Name, c.OddsRatioCI, w)
		}
	}
}
