//go:build !amd64

package vector

func fastScores(_, _, _ []float64, _ float64) int                      { return 0 }
func fastAdjoint(_, _, _, _ []float64) bool                            { return false }
func fastSquares(_, _, _, _ []float64) bool                            { return false }
func fastEliminate(_, _, _ []float64, _, _ int) bool                   { return false }
func fastCombine([]float64, [][]float64, []float64, int) int           { return 0 }
func fastLogistic(_, _, _, _ []float64, _ []uint8, _ []float64) int    { return 0 }
func fastSoftplus(_, _, _ []float64) int                               { return 0 }
func fastTemper(_, _ []float64, _ float64) int                         { return 0 }
func fastExps(_, _ []float64) int                                      { return 0 }
func fastSums(_, _ []Pair, _ []int32, _ [][2]int32) bool               { return false }
func fastStandardise(_, _, _, _ []float64, _ int, _, _ []float64) bool { return false }
func fastGram(_, _, _ []float64, _, _, _, _ int) bool                  { return false }
func fastMove(_, _ []float64, _ float64) (int, float64)                { return 0, 0 }
func fastProducts(_, _, _ []float64, _, _, _ int) bool                 { return false }

func (*Table) fast(_, _, _ []float64) int { return 0 }

func fastNormalise(_ []float64, _ []Pair, _ []float64, _ float64, _, _, _ *[lanes]float64) int {
	return 0
}

func (*Ramps) fastLevels(_, _ []float64, _ []uint8, _, _ *[lanes]float64, _, _, _ []float64, _ []uint8, _ float64) int {
	return 0
}

func (*Ramps) fastAlong(_, _ *[lanes]float64, _, _, _ []float64, _ []uint8, _ float64) int { return 0 }

func (*Hulls) fast(_, _ []float64, _ []uint8) int { return 0 }

// Ask does nothing here.
func Ask([]float64) {}
