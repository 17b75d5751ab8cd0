package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// levels resolves the classes and their order.
func (f *fieldErrors) levels(s *Spec, c *cohort) {
	order := s.Levels
	if len(order) == 0 {
		for _, l := range Ordered(c.levels(), cmp.Or(c.outcome.Decimal, ".")) {
			if !slices.Contains(c.scoreOnly, c.code(l)) {
				order = append(order, l)
			}
		}
	}
	var target task.Target
	for i, level := range order {
		k := c.code(level)
		switch at := "levels[" + strconv.Itoa(i) + "]"; {
		case k < 0:
			f.add(at, "must be one of %s (got %q)", check.Quoted(c.levels()), level)
		case slices.Contains(order[:i], level):
			f.add(at, "stands in the list twice (%q)", level)
		}
		target.Levels, target.Codes = append(target.Levels, level), append(target.Codes, []int32{k})
	}
	if len(order) < 2 {
		f.add("levels", "must name at least two classes, of %s", check.Quoted(c.levels()))
	}
	c.target = target
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
