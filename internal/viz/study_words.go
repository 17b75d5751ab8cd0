package viz

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
)

// xTitle is the title of the axis with its unit.
func (p *panel) xTitle() string {
	if p.X.Of == "noise" {
		return p.X.Title + ", %"
	}
	return p.X.Title
}

// table lists the drawn values.
func (p *panel) table() (head []string, rows [][]string) {
	what := "Mean"
	if p.Median {
		what = "Median"
	}
	head = []string{cmp.Or(p.xTitle(), "Of"), what, "95" + phrase.NBSP + "% interval", "SD", "Replicates"}
	named := len(p.series) > 1 || p.series[0].name != ""
	if named {
		head = append([]string{cmp.Or(p.Series.Title, "Series")}, head...)
	}
	for _, s := range p.series {
		for i, c := range s.cells {
			row := []string{p.xText(s.x[i]), p.write(p.middle(c)), p.interval(c), p.maybe(c.SD), phrase.Int(c.N)}
			if named {
				row = append([]string{s.name}, row...)
			}
			rows = append(rows, row)
		}
	}
	return head, rows
}

// uprightWords gives the positions of the vertical reference lines.
func (p *panel) uprightWords() string {
	var places []string
	for _, at := range p.uprights() {
		places = append(places, Short(at, 3))
	}
	if len(places) == 0 {
		return ""
	}
	return "Dashed: " + p.Uprights.Title + ", " + phrase.Join(places) + "."
}

func (p *panel) xText(x float64) string {
	if p.labels != nil {
		return p.labels[int(x)]
	}
	return Short(x, 4)
}

// xUnit is a value of x with its unit.
func (p *panel) xUnit(x float64) string {
	if p.X.Of == "noise" && p.labels == nil {
		return p.xText(x) + phrase.NBSP + "% noise"
	}
	return p.xText(x)
}

func (p *panel) interval(c study.Cell) string {
	lo, hi := p.ends(c)
	if math.IsNaN(lo) {
		return None
	}
	return Range(p.write(lo), p.write(hi))
}

func (p *panel) maybe(v *float64) string {
	if v == nil {
		return None
	}
	return p.write(*v)
}

// made says what a mark represents.
func (p *panel) made() string {
	n := p.replicates()
	switch {
	case p.Kind == study.DrawScatter:
		return "Each mark is a value" + of(n) + "."
	case p.Kind == study.DrawBox && n != "1":
		return "Boxes: interquartile range" + of(n) + ", with median; whiskers: 1.5 × IQR."
	case n == "1":
		return "Computed once."
	case p.Kind == study.DrawHistogram:
		return "Means" + of(n) + "."
	}
	what := "Means"
	if p.Median {
		what = "Medians"
	}
	if most := p.mostReplicates(); most < FewestBanded {
		return what + of(n) + "; intervals appear from " + phrase.Numeral(FewestBanded) + " replicates."
	}
	if p.Median {
		return what + of(n) + ", with 1.96 bootstrap standard errors either side."
	}
	made := "Means" + of(n) + " with 95" + phrase.NBSP + "% confidence intervals"
	switch {
	case p.cut() && p.Y.Log: // such an axis has no 0
		made += "; those that reach 0 are drawn to the lower edge"
	case p.cut():
		made += ", cut at 0"
	}
	return made + "."
}

// cut reports whether an interval is drawn from 0 because it would reach below.
func (p *panel) cut() bool {
	for _, s := range p.series {
		for _, c := range s.cells {
			if c.Low == nil || c.N < FewestBanded {
				continue
			}
			if _, cut := LowerEnd(p.metric, c); cut {
				return true
			}
		}
	}
	return false
}

func of(n string) string {
	if n == "1" {
		return ""
	}
	return " of " + n + " replicates"
}

// mostReplicates is the largest number of values in a cell.
func (p *panel) mostReplicates() (most int) {
	for _, s := range p.series {
		for _, c := range s.cells {
			most = max(most, c.N)
		}
	}
	return most
}

// replicates is their number: "20", or "12 – 20".
func (p *panel) replicates() string {
	least, most := math.MaxInt, p.mostReplicates()
	for _, s := range p.series {
		for _, c := range s.cells {
			least = min(least, c.N)
		}
	}
	if least == most {
		return strconv.Itoa(most)
	}
	return Range(strconv.Itoa(least), strconv.Itoa(most))
}

// lower adapts a title for the middle of a sentence; symbols are kept.
func lower(s string) string {
	r := []rune(s)
	if len(r) > 1 && r[1] >= 'a' && r[1] <= 'z' {
		return strings.ToLower(string(r[0])) + string(r[1:])
	}
	return s
}
