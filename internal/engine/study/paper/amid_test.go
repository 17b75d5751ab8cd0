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
	if len(others.Y) < 1000 || math.Abs(float64(len(d.Test.Y))/float64(len(task.pair.Y))-amidTest) > .01 {
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
		if math.Abs(mean) > 1e-9 {
			t.Errorf("column %d has mean %v in the training rows", j, mean)
		}
	}
	if _, err := amidUpload(study.Data{Name: "x", Table: &table.Table{}, Outcome: "y"}); err == nil {
		t.Error("a table without the outcome")
	}
}
