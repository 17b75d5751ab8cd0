package playground

import (
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
)

// at shows the state of a query.
func at(t *testing.T, p *Playground, query string) *Answer {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	st, bad := parse(q)
	a, err := p.show(t.Context(), st, bad)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return a
}

// drawn fails unless both models have a surface, a histogram of all training points, and finite numbers.
func drawn(t *testing.T, a *Answer) {
	t.Helper()
	for k, m := range a.Models.models() {
		if !m.ok() {
			t.Errorf("model %d: %s", k, m.Error)
			continue
		}
		counted := 0
		for b := range m.Histogram.Clean {
			counted += m.Histogram.Clean[b] + m.Histogram.Flipped[b]
		}
		if counted != a.bench.corruption.TrainingCount {
			t.Errorf("%s: the histogram counts %d of %d points", m.Title, counted, a.bench.corruption.TrainingCount)
		}
		if len(m.Surface.Levels) != playground.Side*playground.Side || len(m.Surface.Legend) == 0 {
			t.Errorf("%s: surface of %d levels, legend of %d", m.Title, len(m.Surface.Levels), len(m.Surface.Legend))
		}
		if v := m.verdict.CleanAccuracy.Value; v == nil || *v <= 0 || *v > 1 {
			t.Errorf("%s: clean accuracy %v", m.Title, v)
		}
		for i, v := range m.look.Histogram.Value {
			if math.IsInf(v, 0) || math.IsNaN(v) != a.Points.Test[i] {
				t.Fatalf("%s: point %d weighs %v", m.Title, i, v)
			}
		}
		for i, v := range m.Loss.Points.V {
			if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(m.Loss.Points.Z[i]) {
				t.Fatalf("%s: point %d has margin %v and loss %v", m.Title, i, m.Loss.Points.Z[i], v)
			}
		}
		if m.Steps.Of < 1 || m.Steps.At != m.Steps.Of-1 || len(m.Steps.Labels) != m.Steps.Of {
			t.Errorf("%s: frame %d of %d", m.Title, m.Steps.At, m.Steps.Of)
		}
	}
	for _, r := range a.Table.Rows[:2] {
		for _, cell := range r {
			if strings.Contains(cell, "NaN") || cell == "–" {
				t.Errorf("row %q", r)
			}
		}
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

func TestDrawsEveryGenerator(t *testing.T) {
	p := New(Config{})
	for _, g := range synth.Generators {
		t.Run(g.ID, func(t *testing.T) {
			a := at(t, p, "n=240&data="+g.ID)
			if len(a.Problems) > 0 {
				t.Errorf("problems %+v", a.Problems)
			}
			drawn(t, a)
			t.Logf("%s | %.0f ms | A %.0f B %.0f | %d %d steps", a.Sentence, *a.MS, a.Models.A.MS, a.Models.B.MS, a.Models.A.Steps.Of, a.Models.B.Steps.Of)
		})
	}
}

func TestDrawsEveryMethod(t *testing.T) {
	p := New(Config{})
	for _, h := range methods {
		for _, data := range []string{"gmm", "blobs", "ordinal-stripes"} {
			if !h.parts(kindOf(data)) {
				continue
			}
			t.Run(h.ID+" "+data, func(t *testing.T) {
				a := at(t, p, "n=150&data="+data+"&a.method="+h.ID+"&b.method="+h.ID+"&b.features=rbf")
				if len(a.Problems) > 0 {
					t.Errorf("problems %+v", a.Problems)
				}
				drawn(t, a)
				t.Logf("%s | %.0f ms | A %.0f B %.0f | %d %d steps", a.Sentence, *a.MS, a.Models.A.MS, a.Models.B.MS, a.Models.A.Steps.Of, a.Models.B.Steps.Of)
			})
		}
	}
}
