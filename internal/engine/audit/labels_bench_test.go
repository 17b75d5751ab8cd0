package audit

import (
	"context"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// Target: 50,000×50 in 20 s.
func BenchmarkAuditLabels(b *testing.B) {
	tab, spec := wide(50_000, 50)
	spec.Model = fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: fit.L2{Mode: "cv"}}
	spec.Validation = runspec.Validation{Kind: "split", Test: .3}
	parent := &engine.Result{L2: 0.01}
	for b.Loop() {
		a, err := Labels(context.Background(), tab, spec, parent, nil, Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if a.Rows != 50_000 {
			b.Fatal(a.Rows)
		}
	}
}

// BenchmarkAuditTrees audits with 100 trees of depth 3, five folds of 50,000 × 50.
func BenchmarkAuditTrees(b *testing.B) {
	tab, spec := wide(50_000, 50)
	spec.Model = fit.Spec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": 1.}, Rounds: 100, Depth: 3}
	spec.Validation = runspec.Validation{Kind: "split", Test: .3}
	for b.Loop() {
		if _, err := Labels(context.Background(), tab, spec, &engine.Result{}, nil, Options{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	tab, spec := wide(100_000, 50)
	v, err := NewVicinity(context.Background(), tab, spec)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v.Nearest(77, 3, 0, 1)
	}
}

// wide draws rows of normal columns, some of them informative, with 6 % wrong labels.
func wide(n, d int) (*table.Table, runspec.Spec) {
	rng := resample.Source(5, 99, n, d)
	t := &table.Table{Rows: n}
	f := make([]float64, n)
	for k := range d {
		c := &table.Column{Name: "x" + string(rune('a'+k/26)) + string(rune('a'+k%26)), Type: table.Number, Role: table.Predictor, Num: make([]float64, n), Distinct: n}
		for i := range n {
			c.Num[i] = rng.NormFloat64()
			if k < 10 {
				f[i] += c.Num[i]
			}
		}
		t.Columns = append(t.Columns, c)
	}
	y := &table.Column{Name: "y", Type: table.Category, Code: make([]int32, n), Levels: []string{"no", "yes"}, Count: make([]int, 2), Distinct: 2}
	for i := range n {
		if (f[i]+rng.NormFloat64() > 1) != (rng.Float64() < .06) {
			y.Code[i] = 1
		}
		y.Count[y.Code[i]]++
	}
	t.Columns = append(t.Columns, y)
	return t, runspec.Spec{Outcome: "y", Positive: table.Levels{"yes"}, Task: "binary", Seed: 1}
}
