package check

import (
	"context"
	"fmt"
	"math"
	"testing"

	"taper/internal/engine/table"
)

// cohort is a table of n rows with 30 measured numbers, five counts and five
// categories, some missing, one leaking.
func cohort(n int) *table.Table {
	rng := seeded()
	var cols []*table.Column
	for j := range 40 {
		c := &table.Column{Name: fmt.Sprintf("x%d", j), Role: table.Predictor}
		switch {
		case j < 35:
			c.Type, c.Num, c.Distinct = table.Number, make([]float64, n), n
			for i := range c.Num {
				c.Num[i] = rng.NormFloat64()
				if j%7 == 0 && i%11 == 0 {
					c.Num[i] = math.NaN()
					c.Missing++
				}
				if j >= 30 {
					c.Type, c.Distinct, c.Num[i] = table.Integer, 500, math.Floor(500*rng.Float64())
				}
			}
		default:
			c.Type, c.Code, c.Count = table.Category, make([]int32, n), make([]int, 5)
			for k := range 5 {
				c.Levels = append(c.Levels, fmt.Sprintf("level %d", k))
			}
			c.Distinct = 5
			for i := range c.Code {
				c.Code[i] = int32(rng.IntN(5))
				c.Count[c.Code[i]]++
			}
		}
		cols = append(cols, c)
	}
	y := &table.Column{Name: "outcome", Type: table.Boolean, Role: table.Predictor, Code: make([]int32, n), Levels: []string{"no", "yes"}, Count: make([]int, 2), Distinct: 2}
	for i := range y.Code {
		y.Code[i] = int32(rng.IntN(2))
		y.Count[y.Code[i]]++
		cols[3].Num[i] = 4*float64(y.Code[i]) + rng.NormFloat64()
	}
	return &table.Table{Columns: append(cols, y), Rows: n}
}

func BenchmarkColumns(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		t := cohort(n)
		b.Run(fmt.Sprintf("rows=%d/doubts", n), func(b *testing.B) {
			for b.Loop() {
				Columns(t, table.Options{})
			}
		})
		b.Run(fmt.Sprintf("rows=%d/outcome", n), func(b *testing.B) {
			for b.Loop() {
				o := SuggestOutcome(t)
				Outcome(context.Background(), t, o, UsablePredictors(t, o.Column, "", ""), table.Options{})
			}
		})
		b.Run(fmt.Sprintf("rows=%d/profiles", n), func(b *testing.B) {
			for b.Loop() {
				table.Profiles(t)
			}
		})
	}
}
