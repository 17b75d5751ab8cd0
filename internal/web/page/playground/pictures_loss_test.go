package playground

import (
	"math"
	"strings"
	"testing"
)

// Every point stands on the loss, also where its margin lies beyond the picture;
// how many do is said.
func TestPointsStandOnTheLoss(t *testing.T) {
	const far = "data=long-servedio-2d&noise=symmetric&a.method=t-logistic&b.method=boost"
	for _, query := range []string{far, "data=gmm&a.method=interval&a.l2=1e-7&b.method=exponential", "data=long-servedio-2d&noise=symmetric&b.method=interval&b.l2=1e-8"} {
		a := at(t, New(Config{}), query)
		for k, m := range a.Models.models() {
			want := 0
			for _, z := range m.look.Loss.Points.Z {
				if math.Abs(z) > 20 {
					want++
				}
			}
			p, beyond := lossPicture(m, a)
			if beyond != want {
				t.Errorf("%s, %s: %d points beyond, want %d", query, m.Title, beyond, want)
			}
			if said := strings.Contains(lossFigure(k, m, a, nil).Say, "Beyond ±20"); said != (want > 0) {
				t.Errorf("%s, %s: %d beyond, said: %v", query, m.Title, want, said)
			}
			off := 0
			for i, z := range append(p.CleanZ, p.FlipZ...) {
				v := append(p.CleanV, p.FlipV...)[i]
				near := math.Inf(1)
				for _, c := range p.Curves {
					for j := 1; j < len(c.Z); j++ {
						if z >= c.Z[j-1] && z <= c.Z[j] { // between the ends of a piece of a falling curve
							lo, hi := min(c.V[j-1], c.V[j]), max(c.V[j-1], c.V[j])
							near = min(near, max(lo-v, v-hi, 0))
						}
					}
				}
				if !(near <= 1e-9) {
					off++
				}
			}
			if off > 0 {
				t.Errorf("%s, %s: %d points off the curve", query, m.Title, off)
			}
		}
	}
	a := at(t, New(Config{}), far)
	if _, beyond := lossPicture(a.Models.B, a); beyond == 0 {
		if _, beyond = lossPicture(a.Models.A, a); beyond == 0 {
			t.Error("nothing lies beyond here: the test tests nothing")
		}
	}
}
