package linear

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"taper/internal/engine/loss"
)

// TestManyStarts: 50 random starts of either distribution are reported individually, with the
// required tolerance. All fits of a convex loss end in the same minimum.
func TestManyStarts(t *testing.T) {
	const starts = 50
	x, y := noisyRows(41, 150, 3)
	wrong := func(fit *Linear) float64 {
		n := 0
		for i := range y {
			if y[i]*fit.Score(x.Row(i)) <= 0 {
				n++
			}
		}
		return float64(n) / float64(len(y))
	}
	only := []string{"random"}
	fits := map[string]func(width float64) (*Linear, []StartReport){}
	for name, l := range map[string]loss.Margin{"logistic": loss.Logistic{}, "probit": loss.Probit{}, "alpha": loss.NewAlpha(4), "tempered": loss.Tempered{T1: .3, T2: 1.6}} {
		fits[name] = func(width float64) (*Linear, []StartReport) {
			return mustMargin(t, x, y, nil, l, .05, MarginOptions{Only: only, Random: starts, Uniform: width, TestError: wrong})
		}
	}
	for _, solver := range []string{SolverDirect, SolverCMP} {
		fits["t-logistic by "+solver] = func(width float64) (*Linear, []StartReport) {
			fit := mustT(t, x, y, nil, 1.6, 1, TOptions{Solver: solver, Only: only, Random: starts, Uniform: width, TestError: wrong})
			return &fit.Linear, fit.Starts
		}
	}
	for name, run := range fits {
		for _, width := range []float64{0, .5} {
			fit, reports := run(width)
			if len(reports) != starts {
				t.Fatalf("%s: %d reports", name, len(reports))
			}
			kept := 0
			for k, r := range reports {
				if r.Start != fmt.Sprintf("random %d", k+1) || r.Error == nil || *r.Error < 0 || *r.Error > .5 {
					t.Fatalf("%s: report %+v", name, r)
				}
				if r.Objective < fit.Objective*(1-2*sameMinimum) {
					t.Errorf("%s: %s reached %v, kept %v", name, r.Start, r.Objective, fit.Objective)
				}
				if r.Kept {
					kept++
					if *r.Error != wrong(fit) {
						t.Errorf("%s: kept an error of %v, the fit has %v", name, *r.Error, wrong(fit))
					}
				}
				if convex := name == "logistic" || name == "probit"; convex && !(math.Abs(r.Objective-fit.Objective) <= 1e-9) {
					t.Errorf("%s: %s ended at %v, kept %v", name, r.Start, r.Objective, fit.Objective)
				}
			}
			if kept != 1 {
				t.Errorf("%s: %d kept", name, kept)
			}
		}
	}
}

// TestScatter: the two distributions of random starts have their stated spread.
func TestScatter(t *testing.T) {
	for _, width := range []float64{0, .5} {
		theta := scatter(3, 0, 20_000, width)
		sum, square := 0.0, 0.0
		for _, v := range theta {
			sum += v
			square += v * v
		}
		want := randomSpread
		if width > 0 {
			want = width / math.Sqrt(3)
			if m := slices.Max(theta); m > width || m < .99*width {
				t.Errorf("largest %v of U[−%v, %v]", m, width, width)
			}
		}
		n := float64(len(theta))
		if sd := math.Sqrt(square / n); !(math.Abs(sd/want-1) <= .03) || !(math.Abs(sum/n) <= .03*want) {
			t.Errorf("width %v: mean %v, spread %v, want %v", width, sum/n, sd, want)
		}
	}
}
