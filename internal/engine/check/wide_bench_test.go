package check

import (
	"fmt"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// BenchmarkWide asks about two hundred flags, categories and numbers: what each
// rule costs that compares columns with each other.
func BenchmarkWide(b *testing.B) {
	rng := seeded()
	var cols []*table.Column
	for j := range 240 {
		switch j % 3 {
		case 0:
			cols = append(cols, tabletest.Numbers(fmt.Sprint("x", j), draws(5000, func(int) float64 { return rng.NormFloat64() })...))
		case 1:
			cols = append(cols, tabletest.Numbers(fmt.Sprint("f", j), draws(5000, func(int) float64 { return float64(rng.IntN(2)) })...))
		default:
			cols = append(cols, tabletest.Numbers(fmt.Sprint("k", j), draws(5000, func(int) float64 { return float64(rng.IntN(12)) })...))
		}
	}
	t := tabletest.ByHand(cols...)
	for b.Loop() {
		Columns(t, table.Options{})
	}
}
