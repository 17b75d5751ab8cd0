package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/method"
	"taper/internal/engine/table"
)

// Tasks lists the tasks of a run.
var Tasks = []string{"binary", "interval", "multiclass", "ordinal", "abstain"}

// Several reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Several() bool {
	return s.Task == "multiclass" || s.Task == "ordinal" || s.Task == "abstain"
}

// Bins cuts a numeric outcome into ordered classes (figures.md, paper 001).
type Bins struct {
	Count int    `json:"count"`        // 2 to 50 classes
	By    string `json:"by,omitempty"` // "length" (also ""): equal length, or "frequency"
}

// several is the classes of a cohort.
type several struct {
	levels []string
	code   []int32   // of each class, in the outcome column; nil with cuts
	cuts   []float64 // bins: class = number of cuts below the value
}

// classes is the number of classes.
func (c *cohort) classes() int {
	if c.several != nil {
		return len(c.several.levels)
	}
	return 2
}

// trainsOn reports whether rows of a code train and judge.
func (c *cohort) trainsOn(k int32) bool {
	if c.several == nil {
		return k == c.pos || k == c.neg
	}
	return c.several.cuts != nil || slices.Contains(c.several.code, k)
}

func (c *cohort) neitherClass() string {
	if c.several != nil {
		return "none of the classes"
	}
	return "neither class"
}

// codes are those of the outcome's levels, −1 where it is missing. Bins have
// one level, the first: that it is there.
func (c *cohort) codes() []int32 {
	if c.several == nil || c.several.cuts == nil {
		return c.outcome.Code
	}
	codes := make([]int32, len(c.outcome.Num))
	for row, v := range c.outcome.Num {
		if math.IsNaN(v) {
			codes[row] = -1
		}
	}
	return codes
}

// several resolves the classes.
func (f *fieldErrors) several(s *Spec, c *cohort) {
	switch {
	case s.Bins != nil:
		f.bins(s, c)
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		remedy := ""
		if c.outcome.Num != nil && s.Task == "ordinal" {
			remedy = "; cut it into classes with bins"
		}
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values%s", table.MaxLevels, s.Outcome, thousands(c.outcome.Distinct), remedy)
	default:
		f.scoredBeside(s, c)
		f.levels(s, c)
	}
	if c.several != nil && !f.has("model.params") && s.Model.Loss == "al-cost" {
		f.costs(s, len(c.several.levels))
	}
}

// costs holds an own matrix against the classes.
func (f *fieldErrors) costs(s *Spec, k int) {
	if how, err := method.Parse(s.Model); err == nil {
		f.join(checkCosts(how.Values.Matrix("matrix"), s.Task, k))
	}
}

// scoredBeside resolves the levels that are scored and never trained on.
func (f *fieldErrors) scoredBeside(s *Spec, c *cohort) {
	for i, level := range s.ScoreOnly {
		switch k := c.code(level); {
		case k < 0:
			f.add("score_only["+strconv.Itoa(i)+"]", "must be one of %s (got %q)", quoted(c.levels()), level)
		case slices.Contains(s.Levels, level):
			f.add("score_only["+strconv.Itoa(i)+"]", "cannot be a class that is trained on (got %q)", level)
		default:
			c.scoreOnly = append(c.scoreOnly, k)
		}
	}
}

// levels resolves the classes and their order.
func (f *fieldErrors) levels(s *Spec, c *cohort) {
	order := s.Levels
	if len(order) == 0 {
		for _, l := range Ordered(c.levels(), or(c.outcome.Decimal, ".")) {
			if !slices.Contains(c.scoreOnly, c.code(l)) {
				order = append(order, l)
			}
		}
	}
	v := &several{}
	for i, level := range order {
		k := c.code(level)
		switch at := "levels[" + strconv.Itoa(i) + "]"; {
		case k < 0:
			f.add(at, "must be one of %s (got %q)", quoted(c.levels()), level)
		case slices.Contains(order[:i], level):
			f.add(at, "stands in the list twice (%q)", level)
		}
		v.levels, v.code = append(v.levels, level), append(v.code, k)
	}
	if len(order) < 2 {
		f.add("levels", "must name at least two classes, of %s", quoted(c.levels()))
	}
	c.several = v
}

// Ordered returns levels in their default order: ascending where all are
// numbers, else by bytes.
func Ordered(levels []string, decimal string) []string {
	order := slices.Clone(levels)
	value := map[string]float64{}
	for _, l := range levels {
		if v, ok := table.ParseNumber(l, decimal); ok {
			value[l] = v
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		if len(value) == len(levels) && value[a] != value[b] {
			if value[a] < value[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return order
}

// bins cuts a numeric outcome at the edges of classes of equal length, or of
// as nearly equal numbers of rows as its ties allow.
func (f *fieldErrors) bins(s *Spec, c *cohort) {
	b := s.Bins
	switch {
	case s.Task != "ordinal":
		f.add("bins", "belongs to task ordinal (got task %q)", s.Task)
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
	c.several = &several{cuts: cuts, levels: binNames(cuts)}
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

// bin is the class of a value.
func bin(cuts []float64, v float64) int {
	n, _ := slices.BinarySearch(cuts, v)
	return n
}

// text is the value of a row as it reads in tables.
func (v *several) text(c *table.Column, row int) string {
	if x := c.Num[row]; !math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}

// splitSeveral selects the rows: those of a level that is neither a class nor
// to be scored are left out.
func (c *cohort) splitSeveral() {
	of := map[int32]int{}
	for k, code := range c.several.code {
		of[code] = k
	}
	for row, code := range c.codes() {
		class, known := of[code]
		switch {
		case code >= 0 && c.several.cuts != nil:
			c.rows, c.label = append(c.rows, row), append(c.label, bin(c.several.cuts, c.outcome.Num[row]))
		case code >= 0 && known:
			c.rows, c.label = append(c.rows, row), append(c.label, class)
		case code < 0 || slices.Contains(c.scoreOnly, code):
			c.extra = append(c.extra, row)
		}
	}
}

// most is that of cohort: any number of folds leaves two rows of a class in
// all but one of the training parts.
func (v *several) most(c *cohort, n []int) (int, string) {
	least := 0
	for k := range n {
		if n[k] < n[least] {
			least = k
		}
	}
	if n[least] >= 2 {
		return maxFolds, ""
	}
	return n[least], c.named(n[least], "row", "rows") + " of class " + strconv.Quote(v.levels[least])
}
