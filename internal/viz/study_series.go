package viz

import (
	"slices"
	"strings"

	"taper/internal/engine/study"
)

// series are the cells of one line, ascending in x.
type series struct {
	name  string
	mark  string
	x     []float64
	cells []study.Cell
}

// mostSeries is the largest number of series per chart; more are not readable.
const mostSeries = 24

func (p *panel) add(c study.Cell) {
	name := part(p.Series, c)
	i := slices.IndexFunc(p.series, func(s series) bool { return s.name == name })
	if i < 0 {
		i = len(p.series)
		p.series = append(p.series, series{name: name})
	}
	p.series[i].cells = append(p.series[i].cells, c)
}

// settle computes the x of the cells and assigns the marks.
func (p *panel) settle() {
	if p.flat() {
		p.spread()
	}
	for i := range p.series {
		s := &p.series[i]
		for _, c := range s.cells {
			s.x = append(s.x, p.place(c))
		}
		if numeric(p.X) {
			s.sort()
		}
	}
	p.marks()
}

// flat reports whether all cells have the same x on a numeric axis, with several of them in one
// series.
func (p *panel) flat() bool {
	if p.Kind != study.DrawLine || !numeric(p.X) {
		return false
	}
	var first *float64
	several := false
	for _, s := range p.series {
		several = several || len(s.cells) > 1
		for _, c := range s.cells {
			at := place(p.X, c)
			if first == nil {
				first = &at
			}
			if at != *first {
				return false
			}
		}
	}
	return several
}

// spread draws such cells as dots with whiskers: parts of the data along x, and a series per
// model.
func (p *panel) spread() {
	var all []study.Cell
	for _, s := range p.series {
		all = append(all, s.cells...)
	}
	p.Kind, p.X, p.Series, p.series = drawDots, study.Axis{Of: "data"}, study.Axis{Of: "model"}, nil
	for _, c := range all {
		p.add(c)
	}
}

// drawDots is the kind of drawing with a dot and its interval for each cell.
const drawDots = "dots"

func (s *series) sort() {
	order := make([]int, len(s.x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.x[a] < s.x[b]:
			return -1
		case s.x[a] > s.x[b]:
			return 1
		}
		return 0
	})
	x, cells := make([]float64, len(order)), make([]study.Cell, len(order))
	for i, k := range order {
		x[i], cells[i] = s.x[k], s.cells[k]
	}
	s.x, s.cells = x, cells
}

// place is the x of a cell; on a categorical axis its index.
func (p *panel) place(c study.Cell) float64 {
	if numeric(p.X) && p.Kind != study.DrawBox && p.Kind != study.DrawHistogram {
		return place(p.X, c)
	}
	label := part(p.X, c)
	i := slices.Index(p.labels, label)
	if i < 0 {
		i = len(p.labels)
		p.labels = append(p.labels, label)
	}
	return float64(i)
}

// palette are the marks of lines in order. s2 is left out: it is reserved for the reference.
var palette = []string{"s1", "s3", "s4", "s5", "s6", "s7", "esc", "ref0", "ref1", "ref2", "step"}

// marks gives the comparison model the mark of the reference.
func (p *panel) marks() {
	next := 0
	usual := slices.IndexFunc(p.series, func(s series) bool { return ordinary(s.name) })
	for i := range p.series {
		if i == usual {
			p.series[i].mark = "s2"
			continue
		}
		p.series[i].mark = palette[next%len(palette)]
		next++
	}
}

// ordinary reports whether a series is a comparison model.
func ordinary(name string) bool {
	for _, start := range []string{"Logistic", "logistic", "LR", "AdaBoost (", "Global optimum"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// panel is one chart of a study.
type panel struct {
	study.Drawing
	name   string
	metric study.Metric
	series []series
	labels []string // of X, if it is categorical
	write  func(float64) string
	left   int // number of series not drawn
}
