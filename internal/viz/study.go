package viz

import (
	"math"
	"slices"
	"strings"

	"taper/internal/engine/study"
)

// StudyFigures draws one metric of a study as its drawing says: a figure for
// each panel that has cells. Where every cell stands at one place of the axis,
// what is left to compare is drawn: models, or parts of the data.
func StudyFigures(d study.Drawing, cells []study.Cell, m study.Metric) []Figure {
	var own []study.Cell
	for _, c := range cells {
		if c.Metric == m.ID && c.N > 0 {
			own = append(own, c)
		}
	}
	if d.Kind == study.DrawTable && d.X.Of == "data" && d.Series.Of == "model" {
		d.Kind = drawDots // a forest
	}
	if len(own) == 0 || d.Kind == study.DrawTable {
		return nil
	}
	if d.Kind == study.DrawScatter && d.X.Of == "" {
		return []Figure{pairFigure(d, cells)}
	}
	if d.Panels.Of == "metric" {
		d.Panels = study.Axis{}
	}
	var figures []Figure
	for i, p := range panels(d, own) {
		p.metric = m
		figures = append(figures, p.figure(i))
	}
	return figures
}

// panel is one chart of a study.
type panel struct {
	study.Drawing
	name   string
	metric study.Metric
	series []series
	labels []string // of X, where it is no number
	write  func(float64) string
	left   int // series that are not drawn
}

// series are the cells of one line, ascending in x.
type series struct {
	name  string
	mark  string
	x     []float64
	cells []study.Cell
}

func panels(d study.Drawing, cells []study.Cell) []*panel {
	var all []*panel
	byName := map[string]*panel{}
	write := writer(cells)
	for _, c := range cells {
		name := part(d.Panels, c)
		p := byName[name]
		if p == nil {
			p = &panel{Drawing: d, name: name, write: write}
			byName[name], all = p, append(all, p)
		}
		p.add(c)
	}
	for _, p := range all {
		if n := len(p.series) - mostSeries; n > 0 {
			p.series, p.left = p.series[:mostSeries], n
		}
		p.settle()
	}
	return all
}

// mostSeries is the number of series that a chart shows: more are a thicket.
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

// settle places the cells along x and gives the lines their marks.
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

// flat reports whether all cells stand at one place of a numeric axis, several
// of them in one series.
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

// spread draws such cells as dots with whiskers: parts of the data across, a
// series for each model.
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

// drawDots is a dot with its interval for each cell.
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

// place is where a cell stands along x; what is no number takes its turn.
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

// palette are the marks of lines in their order; the second is the reference's.
var palette = []string{"s1", "s3", "s4", "s5", "s6", "s7", "esc", "ref0", "ref1", "ref2", "step"}

// marks gives what stands for the ordinary model the mark of a reference.
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

// ordinary reports whether a series is what the others are held against.
func ordinary(name string) bool {
	for _, start := range []string{"Logistic", "logistic", "LR", "AdaBoost (", "Global optimum"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

func numeric(a study.Axis) bool { return a.Of == "at" || a.Of == "noise" }

// place is a cell's number on a numeric axis; shares of noise are in per cent.
func place(a study.Axis, c study.Cell) float64 {
	if a.Of == "noise" {
		return math.Round(1e10*c.Noise) / 1e8
	}
	return c.At
}

// part is the part of a key that an axis spreads out, in words.
func part(a study.Axis, c study.Cell) string {
	switch a.Of {
	case "at":
		return Short(c.At, 4)
	case "noise":
		return Short(100*c.Noise, 4) + nbsp + "%"
	case "model":
		return c.Model
	case "data":
		return c.Data
	case "metric":
		return c.Metric
	}
	return ""
}

// writer writes the numbers of one metric alike: so many decimals that the
// largest has four digits, or powers of ten where they span many.
func writer(cells []study.Cell) func(float64) string {
	least, most := math.Inf(1), 0.0
	for _, c := range cells {
		if c.Mean == nil {
			continue
		}
		if v := math.Abs(*c.Mean); v > 0 {
			least, most = math.Min(least, v), math.Max(most, v)
		}
	}
	if most > 1e4*least || most >= 1e5 || most > 0 && most < 1e-4 {
		return func(v float64) string { return Short(v, 3) }
	}
	decimals := 3
	if most > 0 {
		decimals = max(0, 3-max(0, int(math.Floor(math.Log10(most*(1+1e-9))))))
		if most < 0.05 {
			decimals = 5
		}
	}
	return func(v float64) string { return Number(v, decimals) }
}

// StudyWriter is how numbers of these cells, of one metric, are written.
func StudyWriter(cells []study.Cell) func(float64) string { return writer(cells) }

// middle and ends are what is drawn of a cell: the mean with its interval, or
// the median within two standard errors.
func (p *panel) middle(c study.Cell) float64 {
	v := c.Mean
	if p.Median {
		v = c.Median
	}
	if v == nil {
		return math.NaN()
	}
	return *v
}

func (p *panel) ends(c study.Cell) (lo, hi float64) {
	if !p.Median {
		if c.Low == nil || c.High == nil {
			return math.NaN(), math.NaN()
		}
		return *c.Low, *c.High
	}
	if c.Median == nil || c.MedianSE == nil {
		return math.NaN(), math.NaN()
	}
	return *c.Median - 1.96**c.MedianSE, *c.Median + 1.96**c.MedianSE
}
