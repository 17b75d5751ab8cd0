package explore

import (
	"io"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// chart is a chart of the explorer: the plot, with the same numbers as a table and as a file.
type chart struct {
	plot   viz.Plot
	height string // as in templates.Chart
	half   bool
	drag   string
	fit    bool
	inline bool // label lines in the plot where there is room

	head   []string
	legend []viz.LegendItem
	rows   func(fine bool) [][]float64 // values of the table, on a finer grid for the file; NaN is a gap
	text   func(v float64, column int) string
}

// card is the chart for the page.
func (c chart) card(st State) templates.ExploreChart {
	t := control.Figure(c.plot.Figure)
	t.Height, t.Fit = c.height, c.fit
	if c.drag == "z" {
		t.Group = "margin" // charts of a group share the crosshair
	}
	t.Open = slices.Contains(st.Open, t.ID)
	t.CSV = "/explore.csv" + withPair(st, "chart", t.ID)
	if c.rows != nil {
		t.Table = c.table()
	}
	return templates.ExploreChart{Chart: t, Half: c.half, Drag: c.drag, Inline: c.inline}
}

// table holds the numbers of the chart, at margins a unit apart.
func (c chart) table() *templates.Table {
	t := &templates.Table{Label: "Data of " + c.plot.Title, Class: "tbl-tight", Tall: true}
	for _, h := range c.head {
		t.Columns = append(t.Columns, templates.Column{Label: h, Num: true})
	}
	for _, r := range c.rows(false) {
		var cells []templates.Cell
		for j, v := range r {
			cells = append(cells, templates.Cell{Text: c.cell(v, j)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	return t
}

func (c chart) cell(v float64, column int) string {
	if c.text != nil {
		return c.text(v, column)
	}
	return amount(v)
}

// amount writes a number of a table: three decimals, ∞ and "–" for NaN.
func amount(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v) >= 1e5:
		return viz.Short(v, 3)
	}
	return viz.Number(v, 3)
}

// file writes the chart's numbers as CSV with all digits.
func (c chart) file(w io.Writer) error {
	out := table.NewCSV(w)
	out.Write(c.head...)
	for _, r := range c.rows(true) {
		line := make([]string, len(r))
		for j, v := range r {
			if !math.IsNaN(v) {
				line[j] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
		out.Write(line...)
	}
	return out.Flush()
}

// gridded tabulates functions over an axis: at steps for the table, at 400 points for the file.
func gridded(lo, hi, step float64, fs ...func(float64) float64) func(bool) [][]float64 {
	return func(fine bool) [][]float64 {
		n := int(math.Round((hi - lo) / step))
		if fine {
			n = 400
		}
		rows := make([][]float64, n+1)
		for i := range rows {
			x := lo + (hi-lo)*float64(i)/float64(n)
			rows[i] = append(rows[i], x)
			for _, f := range fs {
				rows[i] = append(rows[i], f(x))
			}
		}
		return rows
	}
}

// withPair adds a key to the query of a state.
func withPair(st State, key, value string) string {
	q := st.Query()
	if q == "" {
		return "?" + key + "=" + value
	}
	return q + "&" + key + "=" + value
}

// view is what the explorer shows for one state.
type view struct {
	st         State
	title      string
	lead, more []chart
	strong     []string // bold parts of the summary sentence
	rest       []string // text around the bold parts: as many, or one more

	regime  templates.ExploreRegime
	cross   *templates.ExploreCross
	formula templates.ExploreFormula
	where   *templates.ExploreWhere
	readout templates.Table
	tables  []templates.Table // instead of charts
}

func (v view) charts() []chart {
	return append(append([]chart(nil), v.lead...), v.more...)
}

// chart finds a chart by its id.
func (v view) chart(id string) (chart, bool) {
	for _, c := range v.charts() {
		if c.plot.ID == id {
			return c, true
		}
	}
	return chart{}, false
}
