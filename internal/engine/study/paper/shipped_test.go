package paper

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/study"
)

// TestStandardise learns from the training rows alone.
func TestStandardise(t *testing.T) {
	all := breastCancer()
	if all.X.Rows != 569 || all.X.Cols != 30 || all.X.Data[0] != 17.99 || all.Y[0] != 1 {
		t.Fatalf("%d×%d, first %v", all.X.Rows, all.X.Cols, all.X.Data[0])
	}
	trains, judges := study.Split(1, 0, all.Y, 0.3)
	a, b := standardise(all.Pick(trains), all.Pick(judges))
	mean, square := 0.0, 0.0
	for i := range a.Y {
		mean += a.X.Row(i)[4] / float64(len(a.Y))
		square += a.X.Row(i)[4] * a.X.Row(i)[4] / float64(len(a.Y))
	}
	if !(math.Abs(mean) <= 1e-12) || !(math.Abs(square-1) <= 1e-12) {
		t.Errorf("mean %v, square %v", mean, square)
	}
	other, _ := standardise(all.Pick(trains), all.Pick(judges[:3]))
	if !slices.Equal(other.X.Data, a.X.Data) || len(b.Y) != len(judges) {
		t.Error("rows to judge moved the scale")
	}
}
