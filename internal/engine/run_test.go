package engine

import (
	"context"
	"testing"
)

func TestSmoke(t *testing.T) {
	tab := shipped(t, "wdbc.csv")
	s := Spec{Outcome: "diagnosis", Positive: "malignant", Boundaries: []float64{.25, .5, .75}, Seed: 7, Model: ModelSpec{L2: L2{Value: 0.003}}}
	r, err := Fit(context.Background(), tab, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Verdict(r) {
		t.Log(v)
	}
	a, b := Headline(r)
	t.Log(a, "|", b)
	for _, w := range r.Warnings {
		t.Log(w.Code, w.Message)
	}
	for _, s := range r.Strata {
		t.Logf("%+v", s)
	}
	t.Log(r.Seconds, r.ElapsedS, r.Validation)
}

func BenchmarkRunLive(b *testing.B) {
	tab := shipped(b, "wdbc.csv")
	s := Spec{Outcome: "diagnosis", Positive: "malignant", Boundaries: []float64{.25, .5, .75}, Seed: 7, Model: ModelSpec{L2: L2{Value: 0.003}}}
	p, err := Prepare(context.Background(), tab, s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Boundaries[0] += 1e-4
		if _, err := p.Run(context.Background(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
