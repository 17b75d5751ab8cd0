package crossfit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table/tabletest"
)

// TestNoiseOnlyWhereARowTrains: in evaluation folds and in inner folds only training labels are
// flipped, and a row's flipped label is the same in all of them.
func TestNoiseOnlyWhereARowTrains(t *testing.T) {
	for _, v := range []runspec.Validation{{Kind: "cv", Folds: 4, Repeats: 2}, {Kind: "split", Test: 0.4}, {Kind: "none"}} {
		s := clinicSpec()
		s.Validation, s.Noise = v, runspec.Noise{Kind: "random", Rate: 0.15}
		p, err := New(context.Background(), tabletest.FromRecords(tabletest.Clinic(240, 41)), s)
		if err != nil {
			t.Fatal(err)
		}
		trained := len(p.Final.Train())
		flips := 0
		parts := []*Part{p.Final}
		for _, repeat := range p.Parts {
			parts = append(parts, slices.DeleteFunc(slices.Clone(repeat), func(q *Part) bool { return q == p.Final })...)
		}
		curves, _, err := p.curves(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range curves {
			parts = append(parts, c.parts...)
		}
		for _, q := range parts {
			d, err := p.DesignOf(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			for i, at := range q.Train() {
				if (d.Label[i] != p.Cohort.Label[at]) != p.Noisy(at) {
					t.Fatalf("%s: position %d trains with %v, is %v, noisy: %v", v.Kind, at, d.Label[i], p.Cohort.Label[at], p.Noisy(at))
				}
				if q == p.Final && d.Label[i] != p.Cohort.Label[at] {
					flips++
				}
			}
		}
		if want := int(math.Round(0.15 * float64(trained))); flips != want || p.Noise.Count != want {
			t.Errorf("%s: %d of %d labels flipped, reported %d, want %d", v.Kind, flips, trained, p.Noise.Count, want)
		}
	}
}

// TestWordsOfNoise: with margin noise the sentence says how many of the requested rows were not
// available.
func TestWordsOfNoise(t *testing.T) {
	for _, c := range []struct {
		kind         string
		count, asked int
		short        bool
	}{{synth.NoiseSmallMargin, 5, 8, true}, {synth.NoiseSmallMargin, 8, 8, false}, {synth.NoiseSymmetric, 5, 8, false}} {
		words := (&Corruption{noise: synth.Noise{Kind: c.kind}, Count: c.count, asked: c.asked}).Words(1200, false)
		if !strings.Contains(words, "1200") || strings.Contains(words, " 8 were requested") != c.short {
			t.Errorf("%s, %d of %d: %s", c.kind, c.count, c.asked, words)
		}
	}
}
