package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/table"
)

// TestCommonest: the number that most rows have is counted, wherever its rows are; of other columns at most half of
// the rows that are not missing are counted.
func TestCommonest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		c := &table.Column{Num: make([]float64, rng.IntN(40))}
		count, present, most := map[float64]int{}, 0, 0
		kinds := 1 + rng.IntN(6)
		for i := range c.Num {
			switch v := rng.IntN(kinds + 3); {
			case v == kinds:
				c.Num[i] = math.NaN()
				continue
			case v > kinds:
				c.Num[i] = math.Copysign(0, -1)
			default:
				c.Num[i] = float64(v)
			}
			count[c.Num[i]]++
			present++
			most = max(most, count[c.Num[i]])
		}
		got := commonest(c)
		if 2*most > present && got != most || 2*most <= present && 2*got > present {
			t.Fatalf("%v: %d rows, want %d of %d", c.Num, got, most, present)
		}
	}
}
