package playground

import (
	"math"
	"testing"

	"taper/internal/engine/playground"
)

// TestLeftward: what is said of a loss to the left of its curve is what its derivative does there.
func TestLeftward(t *testing.T) {
	for name, c := range map[string]struct {
		loss func(z float64) float64
		want string
	}{
		"logistic": {func(z float64) float64 { return math.Log1p(math.Exp(-z)) }, " Further left, larger gradient."},
		"squared":  {func(z float64) float64 { return max(0, 1-z) * max(0, 1-z) }, " Further left, larger gradient."},
		"hinge":    {func(z float64) float64 { return max(0, 1-z) }, " Further left the gradient stays the same."},
		"redescending": {func(z float64) float64 { return math.Log1p(math.Log1p(math.Exp(-z))) },
			" Further left the gradient falls again, so that points there have less influence."},
	} {
		curve := playground.Curve{}
		for i := range 161 {
			z := -8 + float64(i)/10
			curve.Z, curve.V = append(curve.Z, z), append(curve.V, c.loss(z))
		}
		if got := leftward(curve); got != c.want {
			t.Errorf("%s:%s", name, got)
		}
	}
}
