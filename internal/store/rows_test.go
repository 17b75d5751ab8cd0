package store

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine"
)

func someRows() []engine.RowScore {
	return []engine.RowScore{
		{Row: 0, Outcome: "sick", Split: "1", Score: -1.25, Stratum: 0, Probability: ptr(0.0), Weight: ptr(math.NaN())},
		{Row: 7, Outcome: "", Split: "scored", Score: math.Inf(1), Stratum: 3, Flipped: true},
		{Row: 8, Outcome: "sick", Split: "1", Score: math.Float64frombits(0x7ff8dead0000beef), Stratum: -1, Weight: ptr(math.Copysign(0, -1))},
	}
}

// classRows are rows of three classes, with or without probabilities.
func classRows(probable bool) []engine.RowScore {
	rows := []engine.RowScore{
		{Row: 3, Outcome: "b", Split: "2", Scores: []float64{1, math.Copysign(0, -1), math.Inf(-1)}, Predicted: -1},
		{Row: 4, Outcome: "", Split: "scored", Scores: []float64{.25, 7, math.NaN()}, Predicted: 2, Flipped: true},
	}
	for i := range rows {
		if probable {
			rows[i].Probabilities = []float64{.5, .25, .25 + float64(i)}
		}
	}
	return rows
}

func TestRowsKeepEveryBit(t *testing.T) {
	for _, rows := range [][]engine.RowScore{{}, someRows(), result("ö", 1000).Rows, classRows(true), classRows(false)} {
		got, err := decodeRows(encodeRows(rows))
		noError(t, err)
		if diff := cmp.Diff(rows, got, cmp.Transformer("bits", math.Float64bits)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDamagedRowsAreRefused(t *testing.T) {
	for _, rows := range [][]engine.RowScore{someRows(), classRows(true), classRows(false)} {
		good := encodeRows(rows)
		for n := range good {
			if _, err := decodeRows(good[:n]); err == nil {
				t.Errorf("%d of %d bytes were taken", n, len(good))
			}
		}
		if _, err := decodeRows(append(good, 0)); err == nil {
			t.Error("a byte too many was taken")
		}
	}
}

func FuzzDecodeRows(f *testing.F) {
	f.Add(encodeRows(nil))
	f.Add(encodeRows(someRows()))
	f.Add(encodeRows(classRows(true)))
	f.Add([]byte(classRowsMagic + "\x01\x00\x00"))
	f.Add([]byte(rowsMagic + "\xff\xff\xff\xff\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := decodeRows(b)
		if err != nil {
			return
		}
		again, err := decodeRows(encodeRows(rows))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, again, cmp.Transformer("bits", math.Float64bits)); diff != "" {
			t.Fatal(diff)
		}
	})
}
