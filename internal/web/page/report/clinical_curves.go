package report

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/web/resultview"
)

// Curves are those of a run with the bands of its check; nil without any.
func (c Clinical) Curves(print bool) doc.Curves {
	d := resultview.Curves{Result: c.Result, Refits: c.checked()}
	if c.Origin != nil {
		d.Without = "A recalibrated run has no refits of its own, and so no bands: see its parent."
	}
	if print {
		d.Print, d.Step = bulk, 2*leastRows
	}
	return d.Nodes()
}

// bulk is the range of a curve that holds most values: a quartile range beyond
// the quartiles, the knots, and nothing beyond the data.
func bulk(c engine.SplineCurve) (from, to float64) {
	wide := c.Quartiles[1] - c.Quartiles[0]
	from, to = min(c.Quartiles[0]-wide, c.Knots[0]), max(c.Quartiles[1]+wide, c.Knots[len(c.Knots)-1])
	return max(from, c.X[0]), min(to, c.X[len(c.X)-1])
}
