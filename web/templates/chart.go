package templates

import "encoding/json"

// Chart is a figure: title, caption, legend, plot, data table. Option is an ECharts option as internal/viz makes
// it, with token names ("@s1") for colours; only chart.js passes it to ECharts.
type Chart struct {
	ID       string
	Title    string
	Sentence string
	Finding  string // aria-label of the plot; "" = title and sentence
	Legend   []LegendEntry
	Option   json.RawMessage
	Table    *Table // the same numbers for screen readers and for copying
	Height   string // "s" 180, "" 260, "l" 340, "xl" 420 px
	Group    string // charts of one group share a crosshair
	Digits   int    // significant digits in the tooltip, 0 = 3
	Fit      bool   // offers to fit the axes again after dragging
	Open     bool   // shows its data table
	CSV      string // URL of the same numbers as a file, "" for none
	Help     string // help topic, "" for that of what the chart is in
}

// LegendEntry shows the mark of a series and hides or shows the series.
type LegendEntry struct {
	Series string // name of the series in Option; "" for a mark without one
	Label  string // "" = Series
	Mark   string // class of its line (s1…s7, step, dens0…) or of its mark (c0, q0…)
	Sample SVG    // the drawn mark; "" = one made from Mark
}

// SVG is a drawing by internal/viz: names in it are escaped, and it contains no script and no style. No other text
// may be converted to it.
type SVG string

func (l LegendEntry) label() string {
	if l.Label != "" {
		return l.Label
	}
	return l.Series
}

// line reports whether the mark is a line rather than a point.
func (l LegendEntry) line() bool {
	switch l.Mark {
	case "s1", "s2", "s3", "s4", "s5", "s6", "s7", "step", "esc", "ref0", "ref1", "ref2", "thin", "c0l", "c1l", "c0b",
		"c1b", "dens0", "dens1":
		return true
	}
	return false
}

// shape is the outline of a point mark, centred in 16 by 12.
func (l LegendEntry) shape() string {
	switch l.Mark {
	case "c1", "q3":
		return "M8 1.5L12.5 10h-9z"
	case "q1", "c2":
		return "M4.5 2.5h7v7h-7z"
	case "q2", "c3":
		return "M8 1l4.5 5L8 11 3.5 6z"
	}
	return "M8 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"
}

// Spoken is the description of the plot for screen readers.
func (c Chart) Spoken() string {
	if c.Finding != "" {
		return c.Finding
	}
	return c.Title + ". " + c.Sentence
}

func (c Chart) digits() int {
	if c.Digits == 0 {
		return 3
	}
	return c.Digits
}
