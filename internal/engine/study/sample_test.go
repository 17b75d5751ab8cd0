package study

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/synth"
)

// TestDraw: labels and features of the generator, y·Σx of Long and Servedio is
// 21 for a quarter of the rows and 1 for the others (docs/math.md, Datasets and noise).
func TestDraw(t *testing.T) {
	r := Draw("long-servedio", 4000, 5, nil)
	large, positive := 0, 0
	for i, s := range r.Signs() {
		sum := 0.0
		for _, x := range r.X.Row(i) {
			sum += x
		}
		switch s * sum {
		case 21:
			large++
		case 1:
		default:
			t.Fatalf("row %d: y·Σx = %v", i, s*sum)
		}
		positive += r.Y[i]
	}
	if !(math.Abs(float64(large)-1000) <= 150) || !(math.Abs(float64(positive)-2000) <= 150) {
		t.Errorf("%d large margins, %d positive of 4,000", large, positive)
	}
}

// TestSplit divides each class in the share asked for, every row once.
func TestSplit(t *testing.T) {
	y := make([]int, 569)
	for i := range 212 {
		y[i] = 1
	}
	trains, judges := Split(9, 0, y, 171./569)
	all := slices.Concat(trains, judges)
	slices.Sort(all)
	if !slices.Equal(all, numbered(569)) || len(judges) != 171 {
		t.Errorf("%d to train, %d to judge", len(trains), len(judges))
	}
	events := 0
	for _, i := range judges {
		events += y[i]
	}
	if events != 64 { // 212·171/569 = 63.7
		t.Errorf("%d events of 171", events)
	}
	if other, _ := Split(9, 1, y, 171./569); slices.Equal(other, trains) {
		t.Error("two replicates have one split")
	}
}

// TestSpoil: flips are nested in the rate and leave features alone; more classes
// go to any other; replaced rows get those of another class.
func TestSpoil(t *testing.T) {
	r := Draw("blobs", 600, 3, map[string]float64{"k": 4})
	was := -1
	var before []int
	for _, rate := range []float64{0.1, 0.3} {
		n, err := Corrupt(t.Context(), synth.Noise{Kind: synth.NoiseRandom, Rate: rate}, r, 11, 2)
		if err != nil {
			t.Fatal(err)
		}
		var hit []int
		to := map[int]bool{}
		for i := range r.Y {
			if n.Y[i] != r.Y[i] {
				hit = append(hit, i)
				to[n.Y[i]] = true
			}
			if n.Y[i] < 0 || n.Y[i] > 3 {
				t.Fatalf("class %d", n.Y[i])
			}
		}
		if len(hit) != int(math.Round(rate*600)) || len(to) != 4 || len(hit) <= was {
			t.Errorf("rate %v: %d flipped to %v", rate, len(hit), to)
		}
		for _, i := range before {
			if !slices.Contains(hit, i) {
				t.Errorf("row %d is flipped at a smaller rate alone", i)
			}
		}
		was, before = len(hit), hit
	}
	n, err := Corrupt(t.Context(), synth.Noise{Kind: synth.NoiseInstance, Rate: 0.2}, r, 11, 2)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range r.Y {
		if slices.Equal(n.X.Row(i), r.X.Row(i)) {
			continue
		}
		changed++
		k := slices.IndexFunc(numbered(600), func(k int) bool { return slices.Equal(n.X.Row(i), r.X.Row(k)) })
		if k < 0 || r.Y[k] == r.Y[i] {
			t.Fatalf("row %d got the features of row %d", i, k)
		}
	}
	if changed != 120 || !slices.Equal(n.Y, r.Y) {
		t.Errorf("%d rows replaced", changed)
	}
}

func numbered(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
