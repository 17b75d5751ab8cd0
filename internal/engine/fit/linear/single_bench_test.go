package linear

import (
	"context"
	"fmt"
	"testing"

	"taper/internal/engine/loss"
)

// BenchmarkRefit measures the refits of a page when a slider moves: for every family one fit
// from the neighbouring solution and one from zero.
func BenchmarkRefit(b *testing.B) {
	for _, size := range [][2]int{{300, 2}, {300, 21}, {2000, 21}} {
		x, y := noisyRows(1, size[0], size[1])
		for name, l := range map[string]loss.Margin{"logistic": loss.Logistic{}, "alpha 4": loss.NewAlpha(4), "tempered": loss.Tempered{T1: .6, T2: 1.6},
			"tempered compact": loss.Tempered{T1: .5, T2: .5}, "tempered 3 3": loss.Tempered{T1: 3, T2: 3}, "hinge": loss.Hinge{}, "ramp": loss.Ramp{S: -1},
			"squared hinge": loss.SquaredHinge{}, "exponential": loss.Exponential{}, "probit": loss.Probit{}, "dwd": loss.DWD{}} {
			for _, l2 := range []float64{1e-1, 1e-4} {
				b.Run(fmt.Sprintf("%dx%d/%s/%g", size[0], size[1], name, l2), func(b *testing.B) {
					for b.Loop() {
						if _, _, err := Margin(context.Background(), x, y, nil, l, l2, MarginOptions{Only: []string{"zero"}}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
		for _, solver := range []string{SolverDirect, SolverCMP} {
			b.Run(fmt.Sprintf("%dx%d/t-%s", size[0], size[1], solver), func(b *testing.B) {
				for b.Loop() {
					if _, err := TLogistic(context.Background(), x, y, nil, 1.6, 1, TOptions{Solver: solver, Only: []string{"zero"}}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
