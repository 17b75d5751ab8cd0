package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/study"
)

// TestOutsideOfFigure4: a rule that is worked out by hand on the figure's rows,
// by a reader of the two files alone: the sign of the first column.
func TestOutsideOfFigure4(t *testing.T) {
	p, _ := Presets.ByID("sypherd-fig4")
	var rows bytes.Buffer
	if err := p.ExternalModel.WriteRows(t.Context(), &rows, 9, []int{0}); err != nil {
		t.Fatal(err)
	}
	d, err := longServedio(t.Context(), 9, 0, .1)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&rows).ReadAll()
	if err != nil || len(lines) != 1+longServedioTrain+longServedioTest || len(lines[0]) != 3+21+1 {
		t.Fatal(len(lines), err)
	}
	file, right := "depth,replicate,row,prediction\n", 0
	for _, l := range lines[1:] {
		if l[1] != "test" {
			continue
		}
		x, _ := strconv.ParseFloat(l[3], 64)
		k, _ := strconv.Atoi(l[2])
		guess := 0
		if x > 0 {
			guess = 1
		}
		file += fmt.Sprintf("2,0,%d,%d\n", k, guess)
		if d.Test.Y[k] == guess {
			right++
		}
		if l[24] != "" {
			t.Fatal("the file tells the label of a row that judges")
		}
	}
	cells, err := p.ExternalModel.Evaluate(t.Context(), strings.NewReader(file), 9, []int{0})
	if err != nil || len(cells) != 1 || !(math.Abs(*cells[0].Mean-float64(right)/longServedioTest) <= 1e-15) || right == 0 || right == longServedioTest {
		t.Errorf("%+v, %v; want %d right", cells, err, right)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := p.ExternalModel.WriteRows(gone, &rows, 9, []int{0}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBalanceFigures: Figures 12 and 14 hold all four α, 13 is α = 3 and 15 is α = 10;
// each goes through the minima of the risk that its window holds.
func TestBalanceFigures(t *testing.T) {
	for _, c := range []struct {
		id, figure string
		panels     []string
		minima     int
	}{
		{"sypherd-fig12", "Figures 12 and 14", []string{"α = 1", "α = 1.1", "α = 3", "α = 10"}, 3},
		{"sypherd-fig13", "Figure 13", []string{"α = 3"}, 2},
		{"sypherd-fig15", "Figure 15", []string{"α = 10"}, 1},
	} {
		p, ok := Presets.ByID(c.id)
		if !ok || p.Figure != c.figure {
			t.Fatalf("%s redoes %q", c.id, p.Figure)
		}
		plan, err := p.Build(study.Input{Size: study.Full, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var panels []string
		minima := 0
		for _, u := range plan.Units {
			if at := u.Keys[0].Data; !slices.Contains(panels, at) {
				panels = append(panels, at)
			}
			if u.Keys[1].Model != riskMinimum {
				continue
			}
			v, err := u.Run(t.Context())
			if err != nil || !(math.Abs(v[0]-v[1]) < 1e-5) {
				t.Errorf("%s: the curve is at θ₂ = %v, the minimum at %v (%v)", u.ID, v[0], v[1], err)
			}
			minima++
		}
		if !slices.Equal(panels, c.panels) || minima != c.minima {
			t.Errorf("%s holds %q and %d minima", c.id, panels, minima)
		}
	}
}

// TestBalancesBySlope: where B(θ₁) = −6γ·B(γ(θ₁ + 5θ₂)) the risk has no slope along
// (1, 1), by differences of the risk alone; on the rising branch it falls before and rises
// after. There are no other such places.
func TestBalancesBySlope(t *testing.T) {
	const h, apart, least = 1e-4, 0.2, 1e-8
	for _, alpha := range []float64{1, 1.1, 3, 10} {
		p := theory(alpha)
		slope := func(t1, t2 float64) float64 { return (p.Risk(t1+h, t2+h) - p.Risk(t1-h, t2-h)) / (2 * h) }
		seen := [2]int{}
		for _, beyond := range []float64{-6, -4, -2, -0.2, -0.1, 0.1, 0.2, 0.5, 1.5, 3, 5} {
			t1 := alpha*math.Ln2 + beyond // B is 0 at α ln N
			rising, falling := balances(p, t1)
			found := 0
			for k, root := range []float64{rising, falling} {
				if math.IsNaN(root) {
					continue
				}
				found++
				sign := float64(1 - 2*k)
				before, after := sign*slope(t1, root-apart), sign*slope(t1, root+apart)
				if math.Abs(before) < least || math.Abs(after) < least {
					continue // too flat for differences to tell
				}
				if seen[k]++; before > 0 || after < 0 {
					t.Errorf("α = %v, θ₁ = %v, θ₂ = %v: slopes %g before and %g after", alpha, t1, root, before, after)
				}
			}
			changes, last := 0, 0.0
			for t2 := -30.0; t2 <= 30; t2 += 0.25 {
				if s := slope(t1, t2); !(math.Abs(s) <= least) {
					if last*s < 0 {
						changes++
					}
					last = s
				}
			}
			if changes > found {
				t.Errorf("α = %v, θ₁ = %v: %d changes of sign, and roots %v and %v", alpha, t1, changes, rising, falling)
			}
		}
		if seen[0] < 4 || alpha > 1 && seen[1] < 2 {
			t.Errorf("α = %v: %v roots were tried", alpha, seen)
		}
	}
}

// TestGMMNodes: the nodes of x₁ + x₂ have the weights of two Gaussians of variance 2 around 2 and −2, mixed by
// prevalence and, where labels are flipped, by the rate.
func TestGMMNodes(t *testing.T) {
	for _, rate := range []float64{0, .2} {
		d := gmmNodes(rate)
		var sum, mean, square [2]float64
		for i, w := range d.Weights {
			y, x := d.Label[i], d.X.Data[i]
			sum[y], mean[y], square[y] = sum[y]+w, mean[y]+w*x, square[y]+w*x*x
		}
		of := [2]float64{.86*(1-rate) + .14*rate, .14*(1-rate) + .86*rate} // share of a label
		events := [2]float64{.14 * rate / of[0], .14 * (1 - rate) / of[1]} // share of the first Gaussian among them
		for y := range 2 {
			m, s := mean[y]/sum[y], square[y]/sum[y]
			if share := sum[y] / (sum[0] + sum[1]); !(math.Abs(share-of[y]) < 1e-12) ||
				!(math.Abs(m-(2*events[y]-2*(1-events[y]))) < 1e-12) || !(math.Abs(s-6) < 1e-12) {
				t.Errorf("rate %v, label %d: share %v, mean %v, mean square %v", rate, y, share, m, s)
			}
		}
	}
}
