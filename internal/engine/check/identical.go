package check

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// identical notes rows that repeat another in every column but a row number.
// In tables of few, coarse columns equal rows are no surprise and are not
// mentioned.
func (d *checker) identical() {
	cols := slices.DeleteFunc(slices.Clone(d.t.Columns), func(c *table.Column) bool {
		return c.Type == table.Constant || rowCounter(c) || c.Type == table.Identifier && c.Distinct == d.t.Rows-c.Missing
	})
	if len(cols) == 0 || d.t.Rows < 2 || expectedTwins(d.t, cols) > .5 {
		return
	}
	twins := d.twins(cols)
	if twins == 0 {
		return
	}
	d.note("identical-rows", "", fmt.Sprintf("%s identical to an earlier one: kept. The copies can stand in training "+
		"and test at once.", phrase.CountWith(twins, "row", "is", "are")))
}

// expectedTwins is the number of equal pairs that chance would make.
func expectedTwins(t *table.Table, cols []*table.Column) float64 {
	bits := 0.0
	for _, c := range cols {
		bits += collision(t, c)
	}
	pairs := float64(t.Rows) * float64(t.Rows-1) / 2
	return pairs * math.Exp2(-bits)
}

// collision is −log₂ of the chance that two rows share a value: halved for
// levels, which depend on each other, doubled where most values differ, for
// then the grain is finer than so many rows can show.
func collision(t *table.Table, c *table.Column) float64 {
	spread := math.Log2(float64(max(1, c.Distinct)))
	switch {
	case 2*c.Distinct > t.Rows:
		return 2 * spread
	case c.Code == nil:
		return spread
	}
	total, square := 0.0, 0.0
	for _, n := range c.Count {
		total += float64(n)
		square += float64(n) * float64(n)
	}
	if total == 0 {
		return 0
	}
	return -math.Log2(square/(total*total)) / 2
}

// twins counts the rows whose 64-bit digest equals an earlier row's.
func (d *checker) twins(cols []*table.Column) int {
	digest := make([]uint64, d.t.Rows)
	const block = 1 << 12 // rows: their digests stay in the cache
	parallel.Each((len(digest)+block-1)/block, 0, func(_, b int) {
		for j, c := range cols {
			for i := b * block; i < min((b+1)*block, len(digest)); i++ {
				digest[i] = mix(digest[i] + cellBits(c, i) + uint64(j))
			}
		}
	})
	slices.Sort(digest)
	return len(digest) - len(slices.Compact(digest))
}

func cellBits(c *table.Column, i int) uint64 {
	if c.Code != nil {
		return uint64(c.Code[i]) + 1
	}
	return math.Float64bits(c.Num[i])
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
