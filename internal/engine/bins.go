package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// Bins cuts a numeric outcome into ordered classes (paper 001, §6).
type Bins struct {
	Count int    `json:"count"`        // 2 to 50 classes
	By    string `json:"by,omitempty"` // "length" (also ""): equal length, or "frequency"
}

// bins cuts a numeric outcome at the edges of classes of equal length, or of
// as nearly equal numbers of rows as its ties allow.
func (f *fieldErrors) bins(s *Spec, c *cohort) {
	b := s.Bins
	switch {
	case !s.about().Ordered():
		f.add("bins", "belongs to task %s (got task %q)", tasksThat(task.Task.Ordered), s.Task)
	case c.outcome.Num == nil:
		f.add("bins", "needs a numeric outcome: %q is not one", s.Outcome)
	case b.Count < 2 || b.Count > table.MaxLevels:
		f.add("bins.count", "must lie between 2 and %d (got %d)", table.MaxLevels, b.Count)
	case b.By != "length" && b.By != "frequency":
		f.add("bins.by", "must be length or frequency (got %q)", b.By)
	case len(s.Levels) > 0 || len(s.ScoreOnly) > 0:
		f.add("levels", "must be left out with bins, which make the classes; so must score_only")
	}
	if f.has("bins") || f.has("levels") {
		return
	}
	cuts := b.edges(c.outcome.Num)
	if len(cuts) == 0 {
		f.add("outcome", "has one value only in %q: there is nothing to cut", s.Outcome)
		return
	}
	c.target = task.Target{Cuts: cuts, Levels: binNames(cuts)}
}

// edges returns the inner edges, strictly ascending; a class that no row has
// goes to the one above it.
func (b *Bins) edges(num []float64) []float64 {
	var v []float64
	for _, x := range num {
		if !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	if len(v) == 0 || v[0] == v[len(v)-1] {
		return nil
	}
	var cuts []float64
	below := 0 // rows at or below the last edge
	for k := 1; k < b.Count; k++ {
		share := float64(k) / float64(b.Count)
		cut := v[0]*(1-share) + v[len(v)-1]*share
		if b.By == "frequency" {
			cut = v[max(0, int(math.Ceil(share*float64(len(v))))-1)]
		}
		if n, _ := slices.BinarySearch(v, math.Nextafter(cut, math.Inf(1))); n > below && n < len(v) {
			cuts, below = append(cuts, cut), n
		}
	}
	return cuts
}

// binNames names the classes by their edges, with as many digits as tell them
// apart.
func binNames(cuts []float64) []string {
	texts := make([]string, len(cuts))
	for digits := 3; digits <= 17; digits++ {
		for i, c := range cuts {
			texts[i] = strconv.FormatFloat(c, 'g', digits, 64)
		}
		if len(slices.Compact(slices.Clone(texts))) == len(cuts) {
			break
		}
	}
	names := []string{"at most " + texts[0]}
	for i := 1; i < len(texts); i++ {
		names = append(names, fmt.Sprintf("%s to %s", texts[i-1], texts[i]))
	}
	return append(names, "above "+texts[len(texts)-1])
}
