package paper

import (
	"context"
	"math"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// TestKimesAboveBayes: no method beats the Bayes loss by more than the noise of
// ten thousand rows, and it is that of the true probabilities.
func TestKimesAboveBayes(t *testing.T) {
	for setting, pi := range kimesBoundaries {
		rows := study.Draw("kimes-"+setting, 20_000, 5, map[string]float64{"p": 1})
		iv, err := loss.NewInterval(pi)
		if err != nil {
			t.Fatal(err)
		}
		band, event := make([]int, len(rows.Y)), make([]bool, len(rows.Y))
		for i, y := range rows.Y { // one dimension: x is known but for its sign
			band[i], event[i] = iv.BandOf(synth.KimesProbability(setting, rows.X.Row(i)[0])), y == 1
		}
		forward := stat.IntervalLoss(pi, band, event)
		for i := range band {
			band[i] = iv.BandOf(synth.KimesProbability(setting, -rows.X.Row(i)[0]))
		}
		bayes := min(forward, stat.IntervalLoss(pi, band, event))
		if want := synth.KimesBayesLoss(setting, pi); math.Abs(bayes-want) > 0.01 {
			t.Errorf("%s: Bayes loss %.4f, want %.4f", setting, bayes, want)
		}
		u := kimesUnit(1, setting, 2, 0)
		v, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range v {
			if got < synth.KimesBayesLoss(setting, pi)-0.015 || got > 0.5 {
				t.Errorf("%s, %s: loss %.4f", setting, u.Keys[k].Model, got)
			}
		}
	}
}

// TestADNI: densities have mass 1, healthy lie below sick and the other two
// groups between; every row trained on is a point under one band.
func TestADNI(t *testing.T) {
	ctx := context.Background()
	v, err := adniDensities(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	grid := adniGrid()
	step, means := grid[1]-grid[0], []float64{}
	for g := range adniGroups {
		mass, mean := 0.0, 0.0
		for i, f := range grid {
			mass += v[g*len(grid)+i] * step
			mean += f * v[g*len(grid)+i] * step
		}
		if math.Abs(mass-1) > 0.02 {
			t.Errorf("%s: mass %.3f", adniGroups[g], mass)
		}
		means = append(means, mean)
	}
	if !(means[0] < means[1] && means[1] < means[2] && means[2] < means[3]) {
		t.Errorf("mean scores %v", means)
	}
	p, err := kimesMap.Build(study.Input{Size: study.Smoke, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range p.Units[:20] {
		v, err := u.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		there := 0
		for _, x := range v {
			if !math.IsNaN(x) {
				there++
			}
		}
		if there != 2 {
			t.Errorf("%s has %d numbers", u.ID, there)
		}
	}
	if len(p.Units) != adniTrained {
		t.Error(len(p.Units))
	}
}
