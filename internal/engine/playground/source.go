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

// Point is a point placed by hand.
type Point struct {
	X, Y  float64
	Class int
}

// NewSample makes a sample of rows with known classes. held is the proportion held out for
// testing.
func NewSample(ctx context.Context, columns []string, x linear.Matrix, class []int, levels []string, held float64,
	seed uint64) (*Sample, error) {
	s := &Sample{Columns: columns, X: x, Class: class, Levels: levels}
	if err := s.hold(ctx, held, seed); err != nil {
		return nil, err
	}
	return s.check()
}

// SampleFromPoints makes a sample of points placed by hand. Classes are numbered from 0 without
// gaps, and there must be at least two.
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

// GenerateSample draws a sample and its fresh test rows. Test rows are those after the first n,
// so the sample equals a generated dataset of n rows.
func GenerateSample(ctx context.Context, id string, n int, seed uint64, held float64) (*Sample, error) {
	if n < MinRows || n > MaxRows {
		return nil, usererr.BadField("n", "must be from %d to %d (got %d)", MinRows, MaxRows, n)
	}
	rows := n + FreshRows
	if id == "adni-like" || held > 0 { // its groups depend on all rows drawn together
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

// Recipe returns the parameters for two dimensions of a generator.
func Recipe(id string) map[string]float64 {
	switch {
	case len(id) > 6 && id[:6] == "kimes-":
		return map[string]float64{"p": 2}
	case id == "long-servedio-2d":
		return map[string]float64{"copies": 99}
	}
	return nil
}

// mirror replaces every other block of Long and Servedio's four points by their mirror images
// with the other class, and undoes the recipe's flips. Since f(−x) = −f(x) the problem is the
// same, but a model with a free intercept can no longer reach a low loss by predicting a single
// class.
func mirror(x linear.Matrix, class []int) {
	for i := range class {
		if class[i] = 1; i/4%2 == 1 {
			class[i] = 0
			x.Row(i)[0], x.Row(i)[1] = -x.Row(i)[0], -x.Row(i)[1]
		}
	}
}

// cut returns the rows from lo to hi, sharing memory.
func cut(x linear.Matrix, lo, hi int) linear.Matrix {
	return linear.Matrix{Rows: hi - lo, Cols: x.Cols, Data: x.Data[lo*x.Cols : hi*x.Cols]}
}

// matrix converts a simulated table without its outcome to numbers; a category becomes 0/1
// columns, with the first level as reference.
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

// levelOrder lists the levels by name, because their order of appearance depends on the seed.
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

// play determines the roles of the points.
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

// forNoise is the random stream for noise in a run; using the same one corrupts the same rows.
const forNoise = 3

func source(seed uint64, purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<48))
}

// hold holds out a share of the rows, the same ones as in a run.
func (s *Sample) hold(ctx context.Context, share float64, seed uint64) (err error) {
	if !(share > 0) {
		return nil
	}
	s.FreshX, s.FreshClass = linear.Matrix{}, nil
	s.HeldOut, err = resample.HoldOut(ctx, s.Class, len(s.Levels), share, seed)
	return err
}
