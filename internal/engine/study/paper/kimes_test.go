package paper

import (
	"context"
	"math"
	"slices"
	"strings"
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
		if want := synth.KimesBayesLoss(setting, pi); !(math.Abs(bayes-want) <= 0.01) {
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
		if !(math.Abs(mass-1) <= 0.02) {
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

// TestBayesBoundaries: the lines of panels A stand where the paper's settings put them,
// answering by them has the Bayes loss, and moving any of them costs.
func TestBayesBoundaries(t *testing.T) {
	half := map[string]float64{"1.1": 8, "1.2": 8, "1.3": 8, "2.1": 4, "2.2": 4, "2.3": 4}
	for setting, want := range map[string][]float64{"1.1": {0}, "1.2": {-8. / 3, 8. / 3}, "1.3": {-4, 0, 4},
		"2.1": {-.6, .6}, "2.2": {-2, 0}, "2.3": {-.8, 0, .8}} {
		cuts, pi := bayesBoundaries(setting), kimesBoundaries[setting]
		if !slices.Equal(cuts, want) {
			t.Errorf("setting %s: %v, want %v", setting, cuts, want)
		}
		// the mean theoretical loss of answering by cuts, over a fine grid of x₁
		risk := func(cuts []float64) (sum float64) {
			const points = 48_000
			for i := range points {
				x := half[setting] * (2*(float64(i)+0.5)/points - 1)
				p, band := synth.KimesProbability(setting, x), 0
				for _, c := range cuts {
					if x >= c {
						band++
					}
				}
				for k, b := range pi {
					if k >= band {
						sum += 2 / float64(len(pi)) * p * (1 - b) / points
					} else {
						sum += 2 / float64(len(pi)) * (1 - p) * b / points
					}
				}
			}
			return sum
		}
		least := risk(cuts)
		if bayes := synth.KimesBayesLoss(setting, pi); !(math.Abs(least-bayes) <= 1e-4) {
			t.Errorf("setting %s: the boundaries have loss %.5f, Bayes is %.5f", setting, least, bayes)
		}
		for k := range cuts {
			for _, by := range []float64{-0.3, 0.3} {
				moved := slices.Clone(cuts)
				if moved[k] += by; risk(moved) <= least+1e-4 {
					t.Errorf("setting %s: boundary %d moved by %v costs nothing", setting, k, by)
				}
			}
		}
	}
}

// TestKimesSample: a thousand points a setting, each under one class, inside the box, and
// events as often as the probability between the boundaries says.
func TestKimesSample(t *testing.T) {
	for id, settings := range map[string][]string{"kimes-fig6a": {"1.1", "1.2", "1.3"}, "kimes-fig7a": {"2.1", "2.2", "2.3"}} {
		p, ok := Presets.ByID(id)
		if !ok {
			t.Fatal(id)
		}
		plan, err := p.Build(study.Input{Size: study.Full, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		cells := study.Summarise(plan, mustRun(t, plan, nil))
		for _, s := range settings {
			points, events, expected, variance := 0, 0.0, 0.0, 0.0
			for k, class := range []string{"No event", "Event"} {
				x := study.Find(cells, study.Key{Data: s, Model: class, Metric: "x"})
				y := study.Find(cells, study.Key{Data: s, Model: class, Metric: "y"})
				for i, v := range x.Values {
					if v == nil {
						continue
					}
					p := synth.KimesProbability(s, *v)
					expected, variance = expected+p, variance+p*(1-p)
					points, events = points+1, events+float64(k)
					if *v < -8 || *v > 8 || s > "2" && !(math.Abs(*v) <= 4) || y.Values[i] == nil || !(math.Abs(*y.Values[i]) <= 1) {
						t.Errorf("setting %s: point %d at %v, %v", s, i, *v, y.Values[i])
					}
				}
			}
			if points != 1000 || !(math.Abs(events-expected) <= 4*math.Sqrt(variance)) {
				t.Errorf("setting %s: %d points, %v events where %v are expected", s, points, events, expected)
			}
		}
		notes := p.NotesOn(cells)
		if len(notes) != 3 || !strings.Contains(notes[0], "are events") {
			t.Errorf("%q", notes)
		}
		t.Log(notes)
	}
}
