package format

import "testing"

// TestDecimals: quartiles have enough digits to differ.
func TestDecimals(t *testing.T) {
	q := func(a, b, c float64) *[3]float64 { return &[3]float64{a, b, c} }
	for _, c := range []struct {
		name      string
		quartiles []*[3]float64
		want      int
	}{
		{"whole numbers", []*[3]float64{q(12, 30, 44), q(20, 31, 50)}, 0},
		{"ages", []*[3]float64{q(41.3, 50.5, 61.2)}, 1},
		{"a refractive index", []*[3]float64{q(1.5164, 1.5172, 1.5183), q(1.5158, 1.5166, 1.5176)}, 4},
		{"zeros and a few values", []*[3]float64{q(0, 0, .11), q(0, 0, .155), q(0, 0, 0)}, 3},
		{"a class without values", []*[3]float64{nil, q(.2, .35, .4)}, 3},
		{"thousands", []*[3]float64{q(1200.5, 3100.25, 9000)}, 0},
		{"nothing varies", []*[3]float64{q(2.5, 2.5, 2.5)}, 2},
		{"none", nil, 0},
	} {
		if got := Decimals(c.quartiles...); got != c.want {
			t.Errorf("%s: %d decimals, want %d", c.name, got, c.want)
		}
	}
}
