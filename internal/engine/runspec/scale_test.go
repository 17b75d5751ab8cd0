package runspec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"taper/internal/engine/resample"
	"taper/internal/engine/table"
)

// TestNested: samples are prefixes of one order, so that a larger one contains every smaller one; another seed gives
// another order.
func TestNested(t *testing.T) {
	num := make([]float64, 1000)
	for i := range num {
		num[i] = float64(i)
	}
	whole := &table.Table{Rows: len(num), Columns: []*table.Column{{Name: "row", Type: table.Integer, Num: num}}}
	rows := func(m int, seed uint64) []float64 { return Scale{Sample: m}.Preview(whole, seed).Column("row").Num }
	var last []float64
	for _, m := range []int{1, 2, 10, 50, 199, 200} {
		all := rows(m, 7)
		if len(all) != m || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != m {
			t.Fatalf("%d rows: %v", m, all)
		}
		for _, row := range last {
			if _, in := slices.BinarySearch(all, row); !in {
				t.Errorf("row %v of a smaller sample is not among %d rows", row, m)
			}
		}
		last = all
	}
	if slices.Equal(rows(50, 7), rows(50, 8)) {
		t.Error("two seeds give the same sample")
	}
	if got := (Scale{Sample: 201}).Preview(whole, 7); got != whole {
		t.Errorf("%d rows stand for 1000", got.Rows)
	}
}

// TestFirst: every row is as often among the first.
func TestFirst(t *testing.T) {
	count := make([]int, 10)
	for seed := range uint64(3000) {
		for _, i := range resample.First(10, 3, rand.New(rand.NewPCG(seed, 0))) {
			count[i]++
		}
	}
	for i, n := range count { // 900 expected, standard deviation 25
		if n < 775 || n > 1025 {
			t.Errorf("place %d is drawn %d times of 3000", i, n)
		}
	}
	all := resample.First(10, 20, rand.New(rand.NewPCG(1, 0)))
	if slices.Sort(all); !slices.Equal(all, resample.Positions(10)) {
		t.Errorf("%v", all)
	}
}

// TestHoldsOut: few rows, many terms or a rare class keep the folds.
func TestHoldsOut(t *testing.T) {
	for _, c := range []struct {
		name                string
		rows, terms, rarest int
		want                bool
	}{
		{"the size of HIGGS", 11_000_000, 28, 5_000_000, true},
		{"at the threshold", 1_000_000, 28, 50_000, true},
		{"too few rows", 999_999, 28, 400_000, false},
		{"many terms", 1_000_000, 400, 400_000, false},
		{"a rare class", 11_000_000, 28, 49_999, false},
	} {
		if got := (Scale{}).HoldsOut(c.rows, c.terms, c.rarest); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestRowsOfTest: the list of rows is shortened for a split alone.
func TestRowsOfTest(t *testing.T) {
	for _, v := range []Validation{{Kind: "cv", Folds: 5, Repeats: 1, Rows: RowsOfTest}, {Kind: "split", Test: .2, Rows: "x"},
		{Kind: "none", Rows: RowsOfTest}} {
		var bad fieldErrors
		if bad.validation(v); !bad.has("validation.rows") {
			t.Errorf("%+v is accepted", v)
		}
	}
	var bad fieldErrors
	if bad.validation(HoldOut()); len(bad) > 0 {
		t.Errorf("the hold-out is refused: %v", bad)
	}
}
