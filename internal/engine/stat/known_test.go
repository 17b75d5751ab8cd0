package stat

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestKnown: metrics that are known for other boundaries are those that Classification computes, of probabilities and of
// scores; Decided returns some of them.
func TestKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n = 400
	s := Scores{Event: make([]bool, n), Score: make([]float64, n), Probability: make([]float64, n)}
	for i := range n {
		s.Probability[i] = r.Float64()
		s.Score[i], s.Event[i] = s.Probability[i], r.Float64() < s.Probability[i]
	}
	for _, probability := range [][]float64{s.Probability, nil} {
		s.Probability = probability
		var known Known
		for _, pi := range [][]float64{{.2, .5, .8}, {.3}, {.05, .9}} {
			s.Pi, s.Band, s.Cut = pi, nil, pi[0]
			for _, p := range s.Score {
				above := func(at float64) bool { return at >= p }
				s.Band = append(s.Band, cmp.Or(slices.IndexFunc(pi, above)+1, len(pi)+1)-1)
			}
			want := Classification(s)
			if got := known.Classification(s); !reflect.DeepEqual(got, want) {
				t.Errorf("boundaries %v: %+v, want %+v", pi, got, want)
			}
			var all Binary
			for _, id := range []string{"accuracy", "balanced_accuracy", "sensitivity", "specificity"} {
				all.set(id, want.Of(id))
			}
			if got := Decided(s); !reflect.DeepEqual(got, all) {
				t.Errorf("decided %+v, want %+v", got, all)
			}
		}
	}
}
