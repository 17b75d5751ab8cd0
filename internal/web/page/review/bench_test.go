package review

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// BenchmarkAuditPage shows another page of a queue of 100,000 rows and 50 columns, 2,000 rows of it decided; the
// target is 100 ms.
func BenchmarkAuditPage(b *testing.B) {
	const n, d = 100_000, 50
	rng := rand.New(rand.NewPCG(1, 2))
	t := &table.Table{Rows: n}
	spec := runspec.Spec{Outcome: "y", Positive: table.Levels{"yes"}, Task: "binary"}
	for k := range d {
		c := &table.Column{Name: "x" + string(rune('a'+k/26)) + string(rune('a'+k%26)), Type: table.Number, Role: table.Predictor, Num: make([]float64, n), Distinct: n}
		for i := range n {
			c.Num[i] = rng.NormFloat64()
		}
		t.Columns, spec.Predictors = append(t.Columns, c), append(spec.Predictors, c.Name)
	}
	y := &table.Column{Name: "y", Type: table.Category, Levels: []string{"no", "yes"}, Code: make([]int32, n), Count: []int{n / 2, n / 2}, Distinct: 2}
	a := &store.Audit{Run: "r", Created: time.Now(), Summary: audit.LabelAudit{Classes: y.Levels, Basis: audit.ByProbability, Rows: n}}
	for i := range n {
		y.Code[i] = int32(i % 2)
		a.Rows = append(a.Rows, audit.Row{Row: i, Label: i % 2, Other: 1 - i%2, Probability: rng.Float64(), Margin: rng.NormFloat64(), Weight: math.NaN()})
		a.Keys = append(a.Keys, audit.Key{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	audit.Rank(a.Rows)
	t.Columns = append(t.Columns, y)
	run := store.Run{ID: "r", Spec: spec, Result: &engine.Result{}}
	queue := app.NewReviewQueue(run, a, t)
	var decided []audit.Decision
	for i := range 2000 {
		decided = append(decided, audit.Decision{Key: a.Keys[i], Kind: audit.Keep})
	}
	if _, err := queue.Vicinity(context.Background()); err != nil { // built once, for the first card
		b.Fatal(err)
	}
	for _, q := range []State{{Selection: Selection{Sort: "review"}, Page: 3000},
		{Selection: Selection{Sort: "margin", State: "open"}, Page: 1000}} {
		b.Run(q.Sort, func(b *testing.B) {
			for b.Loop() {
				v := Page{Run: run, Queue: queue, State: q, Decisions: decided, decided: app.ByKey(decided)}
				if _, err := v.review(context.Background()); err != nil {
					b.Fatal(err)
				}
				v.counts()
			}
		})
	}
}
