package crossfit

import (
	"math"
	"testing"

	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// shape is a table of numeric columns and an outcome with two levels. No rows are allocated.
func shape(rows, columns int) table.Shape {
	s := table.Shape{Rows: rows, Columns: []table.ColumnShape{{Name: "y", Levels: 2}}}
	for range columns {
		s.Columns = append(s.Columns, table.ColumnShape{Name: string(rune('a' + len(s.Columns))), Numeric: true})
	}
	return s
}

// TestCosts: everything that enlarges a run enlarges its estimate. A run is refused at a limit
// just below its estimate and accepted at the estimate.
func TestCosts(t *testing.T) {
	base := runspec.Spec{Outcome: "y", Task: "binary", Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1}},
		Validation: runspec.Validation{Kind: "cv", Folds: 5}}
	small := shape(2000, 10)
	for _, c := range []struct {
		name         string
		shape        table.Shape
		change       func(*runspec.Spec)
		memory, work float64 // least ratio to the base case
	}{
		{"rows", shape(20_000, 10), func(*runspec.Spec) {}, 4, 10},
		{"columns", shape(2000, 100), func(*runspec.Spec) {}, 2, 8},
		{"repeats", small, func(s *runspec.Spec) { s.Validation.Repeats = 100 }, 2, 80},
		{"folds", small, func(s *runspec.Spec) { s.Validation.Folds = 50 }, 1, 8},
		{"tuned", small, func(s *runspec.Spec) { s.Model.L2 = fit.L2{Mode: "cv"} }, 1, 100},
		{"kernel", small, func(s *runspec.Spec) { s.Model.Kind, s.Model.Loss = "kernel", "hinge" }, 5, 10},
		{"trees", small, func(s *runspec.Spec) {
			s.Model = fit.Spec{Kind: "boost", Loss: "alpha", Rounds: 10_000, Depth: 16}
		}, 100, 100},
		{"splines", small, func(s *runspec.Spec) { s.Splines = map[string]int{"b": 5} }, 1, 1.05},
		{"levels", table.Shape{Rows: 2000, Columns: []table.ColumnShape{{Name: "y", Levels: 2}, {Name: "z", Levels: 150}}},
			func(*runspec.Spec) {}, 3, 8},
	} {
		spec := base
		c.change(&spec)
		least, less := Memory(base, small), WorkOf(base, small)
		most, more := Memory(spec, c.shape), WorkOf(spec, c.shape)
		if float64(most) < c.memory*float64(least) || more.Total < c.work*less.Total {
			t.Errorf("%s: %s and %.3g multiply-adds beside %s and %.3g", c.name, cost.Bytes(most), more.Total, cost.Bytes(least),
				less.Total)
		}
		if more.Check("This run", more.Total) != nil || more.Check("This run", math.Nextafter(more.Total, 0)) == nil {
			t.Errorf("%s: the limit of the work is not where it is", c.name)
		}
		budget := cost.NewMemory(2 * most).Jobs
		if budget.Check("This run", most) != nil || budget.Check("This run", most+1) == nil {
			t.Errorf("%s: the limit of the memory is not where it is", c.name)
		}
	}
	if most := Memory(base, shape(math.MaxInt32, 1000)); most <= 0 || cost.NewMemory(1<<40).Jobs.Check("This run", most) == nil {
		t.Errorf("more than an int64 counts fits as %d", most)
	}
}
