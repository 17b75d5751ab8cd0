package runspec

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/task"
)

// TestBins cuts a number by hand.
func TestBins(t *testing.T) {
	num := []float64{0, 1, 2, 3, 10, math.NaN(), 10, 4, 5, 20}
	if got := (&Bins{4, "length"}).edges(num); !slices.Equal(got, []float64{5, 10}) { // 15 parts no rows
		t.Errorf("equal length: %v", got)
	}
	if got := (&Bins{3, "frequency"}).edges(num); !slices.Equal(got, []float64{2, 5}) {
		t.Errorf("equal frequency: %v", got)
	}
	if got := binNames([]float64{5, 10}); !slices.Equal(got, []string{"at most 5", "5 to 10", "above 10"}) {
		t.Errorf("names %v", got)
	}
	if task.Bin([]float64{5, 10}, 5) != 0 || task.Bin([]float64{5, 10}, 5.1) != 1 || task.Bin([]float64{5, 10}, 11) != 2 {
		t.Error("a value goes to the class below its edge")
	}
}
