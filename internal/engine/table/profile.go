package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/parallel"
)

// Profile describes a column before anything is trained.
type Profile struct {
	Name         string       `json:"name"`
	Type         Type         `json:"type"`
	Role         Role         `json:"role"`
	Missing      int          `json:"missing"`
	Distinct     int          `json:"distinct"`
	Min          *float64     `json:"min"` // numeric columns only
	Max          *float64     `json:"max"`
	Median       *float64     `json:"median"`
	Levels       []LevelCount `json:"levels"`    // most common first, at most 50; null when there are more or none
	Histogram    []int        `json:"histogram"` // counts in 16 equal bins from Min to Max, or of the most common levels
	MissingCodes []string     `json:"missing_codes"`
}

// LevelCount is a level as uploaded and the rows that hold it.
type LevelCount struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}

// Bins is the number of bars in a Profile's histogram.
const Bins = 16

// Profiles describes all columns. Counts and medians are exact for any number of rows.
func Profiles(t *Table) []Profile {
	out := make([]Profile, len(t.Columns))
	parallel.Each(len(out), 0, func(_, j int) { out[j] = profile(t.Columns[j]) })
	return out
}

func profile(c *Column) Profile {
	p := Profile{
		Name: c.Name, Type: c.Type, Role: c.Role, Missing: c.Missing, Distinct: c.Distinct,
		MissingCodes: append([]string{}, c.MissingCodes...),
	}
	named := c.Type != Text && c.Type != Identifier // the levels of these are single cells, not categories
	if named && c.Code != nil && len(c.Levels) > 0 {
		levels := c.Commonest()
		if len(levels) <= MaxLevels {
			p.Levels = levels
		}
		p.Histogram = heights(levels[:min(len(levels), Bins)])
	}
	if c.Num == nil || c.Type == Identifier {
		return p
	}
	lo, hi, n := Extremes(c.Num)
	if n == 0 {
		return p
	}
	fine := histogram(c.Num, lo, hi)
	p.Histogram = coarse(fine)
	mid := medianOf(c.Num, lo, hi, n, fine)
	p.Min, p.Max, p.Median = &lo, &hi, &mid
	return p
}

// Commonest returns the levels that occur, by decreasing count, then by text.
func (c *Column) Commonest() []LevelCount {
	var levels []LevelCount
	for k, n := range c.Count {
		if n > 0 {
			levels = append(levels, LevelCount{c.Levels[k], n})
		}
	}
	slices.SortFunc(levels, func(a, b LevelCount) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Level, b.Level))
	})
	return levels
}

func heights(levels []LevelCount) []int {
	h := make([]int, len(levels))
	for i, l := range levels {
		h[i] = l.Rows
	}
	return h
}

// Extremes returns the smallest and the largest value and the number of values.
func Extremes(x []float64) (lo, hi float64, n int) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		if v == v {
			n++
		}
	}
	return lo, hi, n
}

// fineBins is a multiple of Bins, so that one pass of counting serves both histogram and median.
const fineBins = 256 * Bins

// bin returns the fine bin of v. Halving first keeps differences from overflowing.
func bin(v, lo, scale float64) int { return min(fineBins-1, int((v/2-lo/2)*scale)) }

// binScale is bins per half unit.
func binScale(lo, hi float64) float64 {
	if width := hi/2 - lo/2; width > 0 && !math.IsInf(fineBins/width, 0) {
		return fineBins / width
	}
	return 0
}

func histogram(x []float64, lo, hi float64) []int {
	fine, scale := make([]int, fineBins), binScale(lo, hi)
	for _, v := range x {
		if v == v {
			fine[bin(v, lo, scale)]++
		}
	}
	return fine
}

func coarse(fine []int) []int {
	bars := make([]int, Bins)
	for i, n := range fine {
		bars[i*Bins/fineBins] += n
	}
	return bars
}

// Median returns the median of the n non-missing values of x, which lie between lo and hi.
func Median(x []float64, lo, hi float64, n int) float64 {
	return medianOf(x, lo, hi, n, histogram(x, lo, hi))
}

// medianOf finds the median by sorting only the fine bins with the one or two middle values.
func medianOf(x []float64, lo, hi float64, n int, fine []int) float64 {
	below, first := 0, 0
	for below+fine[first] <= (n-1)/2 {
		below += fine[first]
		first++
	}
	last, upTo := first, below+fine[first]
	for upTo <= n/2 {
		last++
		upTo += fine[last]
	}
	middle, scale := make([]float64, 0, upTo-below), binScale(lo, hi)
	for _, v := range x {
		if v != v {
			continue
		}
		if b := bin(v, lo, scale); first <= b && b <= last {
			middle = append(middle, v)
		}
	}
	slices.Sort(middle)
	a, b := middle[(n-1)/2-below], middle[n/2-below]
	if a == b {
		return a
	}
	return a/2 + b/2 // adding the halves cannot overflow
}
