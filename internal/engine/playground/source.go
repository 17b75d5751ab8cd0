package playground

import (
	"context"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Point is one placed by hand.
type Point struct {
	X, Y  float64
	Class int
}

// NewSample makes a sample of rows whose classes are known. Held is the share of them
// that only test.
func NewSample(ctx context.Context, columns []string, x linear.Matrix, class []int, levels []string, held float64,
	seed uint64) (*Sample, error) {
	s := &Sample{Columns: columns, X: x, Class: class, Levels: levels}
	if err := s.hold(ctx, held, seed); err != nil {
		return nil, err
	}
	return s.check()
}

// SampleFromPoints makes a sample of points placed by hand. Their classes are numbered
// from 0 without gaps, and there are two at least.
func SampleFromPoints(ctx context.Context, points []Point, held float64, seed uint64) (*Sample, error) {
	x := linear.Matrix{Rows: len(points), Cols: 2}
	class, most := make([]int, len(points)), 1
	for i, p := range points {
		x.Data = append(x.Data, p.X, p.Y)
		class[i] = p.Class
		most = max(most, p.Class)
	}
	levels := make([]string, most+1)
	for c := range levels {
		levels[c] = string(rune('0' + c))
	}
	return NewSample(ctx, []string{"x1", "x2"}, x, class, levels, held, seed)
}

// GenerateSample draws a sample, and the new rows that test it: the rows after
// the first n, so that the sample is that of the generator alone.
func GenerateSample(ctx context.Context, id string, n int, seed uint64, held float64) (*Sample, error) {
	if n < MinRows || n > MaxRows {
		return nil, usererr.BadField("n", "must be from %d to %d (got %d)", MinRows, MaxRows, n)
	}
	rows := n + FreshRows
	if id == "adni-like" || held > 0 { // its groups are dealt to all rows at once
		rows = n
	}
	t, meta, err := synth.Generate(id, rows, seed, Recipe(id))
	if err != nil {
		return nil, err
	}
	s := &Sample{Ordered: synth.Ordered(id)}
	if s.Levels = meta.Levels; meta.Positive != "" && len(meta.ScoreOnly) == 0 {
		s.Levels = []string{meta.Negative, meta.Positive}
	}
	y := t.Column(meta.Outcome)
	class := make([]int, rows)
	for i, k := range y.Code {
		class[i] = slices.Index(s.Levels, y.Levels[k])
	}
	all := matrix(t, meta.Outcome, &s.Columns)
	if id == "long-servedio-2d" {
		mirror(all, class)
	}
	s.X, s.FreshX = cut(all, 0, n), cut(all, n, rows)
	s.Class, s.FreshClass = class[:n:n], class[n:]
	s.play(id)
	if id == "adni-like" && held == 0 {
		held = .3
	}
	if err := s.hold(ctx, held, seed); err != nil {
		return nil, err
	}
	return s.check()
}

// Recipe are the parameters that make a generator two-dimensional.
func Recipe(id string) map[string]float64 {
	switch {
	case len(id) > 6 && id[:6] == "kimes-":
		return map[string]float64{"p": 2}
	case id == "long-servedio-2d":
		return map[string]float64{"copies": 99}
	}
	return nil
}

// mirror turns every other round of Long and Servedio's four points into their
// mirror images of the other class, and takes the flips back that the recipe
// brings: with f(−x) = −f(x) the problem is the same, and a free intercept
// cannot win it by answering one class alone.
func mirror(x linear.Matrix, class []int) {
	for i := range class {
		if class[i] = 1; i/4%2 == 1 {
			class[i] = 0
			x.Row(i)[0], x.Row(i)[1] = -x.Row(i)[0], -x.Row(i)[1]
		}
	}
}

// cut is the rows from lo to hi, sharing memory.
func cut(x linear.Matrix, lo, hi int) linear.Matrix {
	return linear.Matrix{Rows: hi - lo, Cols: x.Cols, Data: x.Data[lo*x.Cols : hi*x.Cols]}
}

// matrix is a simulated table without its outcome: numbers as they are, a level
// as a column of 0 and 1, the first level being the reference.
func matrix(t *table.Table, outcome string, names *[]string) linear.Matrix {
	type source struct {
		c     *table.Column
		level int32 // −1 = the number
	}
	var from []source
	for _, c := range t.Columns {
		switch {
		case c.Name == outcome:
		case c.Num != nil:
			from = append(from, source{c, -1})
			*names = append(*names, c.Name)
		default:
			for _, k := range levelOrder(c)[1:] {
				from = append(from, source{c, int32(k)})
				*names = append(*names, termName(c, k))
			}
		}
	}
	x := linear.Matrix{Rows: t.Rows, Cols: len(from), Data: make([]float64, t.Rows*len(from))}
	for i := range t.Rows {
		row := x.Row(i)
		for j, f := range from {
			switch {
			case f.level < 0:
				row[j] = f.c.Num[i]
			case f.c.Code[i] == f.level:
				row[j] = 1
			}
		}
	}
	return x
}

// levelOrder lists the levels by name: the order in which they turn up hangs on
// the seed.
func levelOrder(c *table.Column) []int {
	order := make([]int, len(c.Levels))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if c.Levels[a] < c.Levels[b] {
			return -1
		}
		return 1
	})
	return order
}

func termName(c *table.Column, k int) string {
	if len(c.Levels) == 2 && c.Levels[k] == "1" {
		return c.Name
	}
	return c.Name + " = " + c.Levels[k]
}

// Roles of Long and Servedio's points (docs/math.md, Datasets and noise).
var longServedioRoles = []string{"large margin", "puller", "penalizer"}

// play finds the roles of the points.
func (s *Sample) play(id string) {
	if id != "long-servedio" && id != "long-servedio-2d" {
		return
	}
	s.Roles, s.Role = longServedioRoles, make([]int, len(s.Class))
	for i, c := range s.Class {
		sign, x := float64(2*c-1), s.X.Row(i)
		if id == "long-servedio-2d" {
			s.Role[i] = planeRole(sign*x[0], sign*x[1])
			continue
		}
		s.Role[i] = synth.LongServedioRole(x, c)
	}
}

func planeRole(x, y float64) int {
	switch {
	case y == 0:
		return 0
	case y > 0:
		return 1
	}
	return 2
}

// forNoise is the stream that noise has in a run, so that the same rows are
// corrupted there.
const forNoise = 3

func source(seed uint64, purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<48))
}

// hold takes a share of the rows out of training, those that a run holds out.
func (s *Sample) hold(ctx context.Context, share float64, seed uint64) (err error) {
	if !(share > 0) {
		return nil
	}
	s.FreshX, s.FreshClass = linear.Matrix{}, nil
	s.HeldOut, err = resample.HoldOut(ctx, s.Class, len(s.Levels), share, seed)
	return err
}
