package playground

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every point is drawn on the loss curve, also if its margin is beyond the figure; the number of such points is
// stated.
func TestPointsStandOnTheLoss(t *testing.T) {
	const far = "data=long-servedio-2d&noise=symmetric&a.method=t-logistic&b.method=boost"
	for _, query := range []string{far, "data=gmm&a.method=interval&a.l2=1e-7&b.method=exponential", "data=long-servedio-2d&noise=symmetric&b.method=interval&b.l2=1e-8"} {
		a := at(t, New(Config{}), query)
		for k, m := range a.Models.models() {
			want := 0
			for _, z := range m.look.Loss.Points.Z {
				if math.Abs(z) > 20.5 {
					want++
				}
			}
			p, beyond := lossPicture(m, a, nil)
			if beyond != want {
				t.Errorf("%s, %s: %d points beyond, want %d", query, m.Title, beyond, want)
			}
			if said := strings.Contains(lossFigure(k, m, a, nil).Say, "beyond the axis"); said != (want > 0) {
				t.Errorf("%s, %s: %d beyond, said: %v", query, m.Title, want, said)
			}
			off := 0
			for i, z := range append(p.CleanZ, p.FlipZ...) {
				v := append(p.CleanV, p.FlipV...)[i]
				near := math.Inf(1)
				for _, c := range p.Curves {
					for j := 1; j < len(c.Z); j++ {
						if z >= c.Z[j-1] && z <= c.Z[j] { // within a segment of a decreasing curve
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
	if _, beyond := lossPicture(a.Models.B, a, nil); beyond == 0 {
		if _, beyond = lossPicture(a.Models.A, a, nil); beyond == 0 {
			t.Error("nothing lies beyond here: the test tests nothing")
		}
	}
}

var curveNumbers = regexp.MustCompile(`class="(?:ln|pg-ring)[^"]*" d="([^"]*)"`)

// The axes of the loss are those of the finished fit at every step, whatever axes the client had, and the curve and
// the points stay inside.
func TestLossAxesStandStill(t *testing.T) {
	p := New(Config{})
	for _, query := range []string{"data=long-servedio-2d&b.method=tempered", "data=blobs&n=120", "b.method=boost&b.rounds=20", "data=kimes-1.3&b.method=interval"} {
		last := at(t, p, query).Models.B
		axes := ""
		for _, step := range []int{0, 1, last.Steps.Of / 2, last.Steps.Of - 1} {
			a := at(t, p, fmt.Sprintf("%s&step=%d", query, step))
			f := lossFigure(1, a.Models.B, a, nil)
			if axes == "" {
				axes = f.Held
			}
			if f.Held != axes {
				t.Errorf("%s, step %d: the axes are %s, and were %s", query, step, f.Held, axes)
			}
			for _, d := range curveNumbers.FindAllStringSubmatch(string(f.Drawing), -1) {
				for _, part := range strings.FieldsFunc(d[1], func(r rune) bool { return strings.ContainsRune("MLVh ", r) }) {
					if v, err := strconv.ParseFloat(part, 64); err != nil || v < 0 || v > 1 {
						t.Errorf("%s, step %d: %s leaves the frame: %q", query, step, part, d[1])
					}
				}
			}
		}
	}
}
