package paper

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
)

// TestInstances: exactly the rate of the rows have features of other classes,
// labels stay, and a larger rate replaces the same rows and more.
func TestInstances(t *testing.T) {
	own, other := study.Rows{Y: make([]int, 200)}, study.Rows{Y: make([]int, 50)}
	fill := func(r *study.Rows, from float64) {
		r.X = linear.Matrix{Rows: len(r.Y), Cols: 1, Data: make([]float64, len(r.Y))}
		for i := range r.Y {
			r.X.Data[i], r.Y[i] = from+float64(i), i%2
		}
	}
	fill(&own, 0)
	fill(&other, 1000)
	var last []int
	for _, rate := range []float64{0, .05, .35} {
		noisy, err := instances(t.Context(), own, other, rate, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		var hit []int
		for i, x := range noisy.X.Data {
			switch {
			case x >= 1000:
				hit = append(hit, i)
			case x != own.X.Data[i]:
				t.Errorf("row %d is %v", i, x)
			}
		}
		if len(hit) != int(math.Round(200*rate)) || !slices.Equal(noisy.Y, own.Y) {
			t.Errorf("rate %v replaces %d rows", rate, len(hit))
		}
		for _, i := range last {
			if !slices.Contains(hit, i) {
				t.Errorf("rate %v leaves row %d, which a smaller one replaces", rate, i)
			}
		}
		last = hit
	}
}

// TestBlobBayes: without noise every method comes close to the share of rows
// that the plane half way between the two centres has right.
func TestBlobBayes(t *testing.T) {
	in := study.Input{Size: study.Smoke, Seed: 8}
	task := amidBlob(in)
	centre := [2][50]float64{}
	n := [2]float64{}
	for i, y := range task.pair.Y {
		for j, x := range task.pair.X.Row(i) {
			centre[y][j] += x
		}
		n[y]++
	}
	apart := 0.0
	for j := range centre[0] {
		apart += math.Pow(centre[0][j]/n[0]-centre[1][j]/n[1], 2)
	}
	bayes := 0.5 * math.Erfc(-math.Sqrt(apart)/2/1.5/math.Sqrt2)
	d, others, err := task.split(t.Context(), in.Seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(others.Y) < 1000 || !(math.Abs(float64(len(d.Test.Y))/float64(len(task.pair.Y))-amidTest) <= .01) {
		t.Errorf("%d rows judge, %d of other classes", len(d.Test.Y), len(others.Y))
	}
	v, err := amidAccuracy(t.Context(), d, 2, amidL2s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range v {
		if got < bayes-3*math.Sqrt(bayes*(1-bayes)/float64(len(d.Test.Y)))-.04 {
			t.Errorf("%s: %.3f, Bayes %.3f", amidNames[i], got, bayes)
		}
	}
}

// TestAmidUpload: of a table of several classes two make the task, prepared by
// their training rows, and the others give the instances.
func TestAmidUpload(t *testing.T) {
	c, meta, err := synth.Generate("blobs", 600, 2, map[string]float64{"k": 4})
	if err != nil {
		t.Fatal(err)
	}
	data := study.Data{Name: "my file", Table: c, Outcome: meta.Outcome}
	task, err := amidUpload(data)
	if err != nil {
		t.Fatal(err)
	}
	named := data
	named.Negative, named.Positive = table.OneLevel(task.upload.Levels[0]), table.OneLevel(task.upload.Levels[1])
	again, err := amidUpload(named)
	if err != nil || !slices.Equal(again.rest, task.rest) || len(task.rest)+len(task.pair.Y) != 600 {
		t.Errorf("named: %v; %d + %d rows", err, len(task.rest), len(task.pair.Y))
	}
	d, others, err := task.split(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(others.Y) != len(task.rest) || len(d.Train.Y)+len(d.Test.Y) != len(task.pair.Y) {
		t.Errorf("%d others, %d and %d rows", len(others.Y), len(d.Train.Y), len(d.Test.Y))
	}
	for j := range d.Train.X.Cols {
		mean := 0.0
		for i := range d.Train.Y {
			mean += d.Train.X.Row(i)[j] / float64(len(d.Train.Y))
		}
		if !(math.Abs(mean) <= 1e-9) {
			t.Errorf("column %d has mean %v in the training rows", j, mean)
		}
	}
	if _, err := amidUpload(study.Data{Name: "x", Table: &table.Table{}, Outcome: "y"}); err == nil {
		t.Error("a table without the outcome")
	}
}

// TestAmidGrid: t-logistic regression is tried at each t, and the two-temperature loss at
// each pair of the grid that the protocol states; the hinge and logistic regression have
// λ alone.
func TestAmidGrid(t *testing.T) {
	want := map[string][][2]float64{hingeLoss: nil, plainLogistic: nil}
	for _, t2 := range []float64{1.12, 1.3, 1.6, 1.9} {
		want[tLogisticLoss] = append(want[tLogisticLoss], [2]float64{1, t2})
		for _, t1 := range []float64{.1, .3, .5, .7, .9, 1} {
			want[twoTemperatures] = append(want[twoTemperatures], [2]float64{t1, t2})
		}
	}
	for _, m := range amidMethods() {
		var got [][2]float64
		for _, p := range m.paths {
			if v := p.Method().Values; m.name == tLogisticLoss || m.name == twoTemperatures {
				got = append(got, [2]float64{v.Number("t1"), v.Number("t2")})
			}
		}
		if !slices.Equal(got, want[m.name]) || got == nil && len(m.paths) != 1 {
			t.Errorf("%s is tried at %v, want %v", m.name, got, want[m.name])
		}
	}
}

// TestProtocolNumbers: the sizes and grids that the protocols of the papers state.
func TestProtocolNumbers(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []float64
		want []float64
	}{
		{"λ of Amid et al.", amidL2s, []float64{.1, .01, .001, .0001, .00001}},
		{"noise of Amid et al.", amidRates, []float64{0, .05, .1, .15, .2, .25, .3, .35}},
		{"test share and folds of Amid et al.", []float64{amidTest, amidFolds}, []float64{.1, 10}},
		{"Ding and Vishwanathan", append([]float64{dingRows, dingValidation, dingFolds, dingFlipped, dingL2}, dingTs...), []float64{2000, .3, 10, .1, 1, 1.3, 1.6, 1.9}},
		{"Fathony et al.", []float64{fathonyTest, fathonyFolds, fathonySplits}, []float64{.3, 5, 20}},
		{"γ of Fathony et al.", fathonyGammas, []float64{1. / 4096, 1. / 512, 1. / 64, 1. / 8, 1}},
		{"times of Fathony et al.", fathonyTimes, []float64{4, 2, 1, .5, .25}},
		{"rows of Kimes et al.", []float64{kimesTrain, kimesTune, kimesTest}, []float64{100, 100, 10_000}},
		{"trees of Figure 4", append(slices.Clone(fig4Depths), fig4Alphas...), []float64{1, 2, 3, 5, .5, 1, 2, 4, 8}},
		{"α of Figure 5", append([]float64{fig5Rounds}, fig5Alphas...), []float64{400, .5, .8, 1, 1.1, 2, 8, 20}},
		{"α of Figure 16", fig16Alphas, []float64{.5, .65, .8, 1, 1.1, 1.44, 2, 3, 4, 6, 8, 12, 20}},
		{"α of Figure 6", fig6Alphas, []float64{.5, .65, .8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}},
		{"two Gaussians", append([]float64{gmmRows, gmmPrevalence, gmmL2}, gmmRates...), []float64{10_000, .14, 1e-12, 0, .1, .2, .3, .4}},
		{"α of two Gaussians", gmmAlphas, fig6Alphas},
		{"survey", append(append([]float64{surveyRows, surveyL2, forestRate}, surveyAlphas...), surveyRates...),
			[]float64{20_000, 1e-9, .15, .6, .8, 1, 1.2, 1.5, 2, 2.5, 3, 0, .05, .1, .15}},
		{"cancer", append([]float64{569 * cancerTest}, cancerRates...), []float64{171, 0, .1, .2, .3}},
		{"four points", []float64{theoryNoise, theoryGamma}, []float64{1. / 3, .05}},
		{"Long and Servedio", []float64{longServedioTrain, longServedioTest}, []float64{1000, 5000}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
