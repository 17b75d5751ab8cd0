package engine

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/stat"
)

// leastPenalty is a λ that changes a fit only where the likelihood has no finite maximum.
const leastPenalty = 1e-6

// wald sets the intervals of the odds ratios of a logistic regression without penalty. It returns how they were
// computed or why there are none; "" for other models.
func (j *eventRun) wald(r *Result, of *fit.Fitted) string {
	d := j.p.Final.Design
	switch {
	case !j.spec.Model.Plain() || r.L2 > leastPenalty:
		return ""
	case j.spec.Weights != "":
		return "Rows are weighted, which Wald intervals would take for as many rows."
	case j.spec.Group != "":
		return "Rows of a group depend on each other, which Wald intervals leave out."
	}
	x, f, event := make([]float64, 0, d.X.Rows*(d.X.Cols+1)), make([]float64, d.X.Rows), make([]bool, d.X.Rows)
	for i := range f {
		f[i], event[i] = of.B, d.Label[i] > 0
		for k, v := range d.X.Row(i) {
			f[i] += of.W[k] * v
		}
		x = append(append(x, 1), d.X.Row(i)...)
	}
	se, ok := stat.StandardErrors(x, d.X.Cols+1, f, event)
	if !ok {
		return "The classes are separated, or predictors determine each other: the likelihood has no clear maximum, and so " +
			"no Wald intervals."
	}
	for k := range r.Coefficients {
		if c := &r.Coefficients[k]; k > 0 && c.OddsRatio != nil {
			if e := stat.Wald(c.Value, se[k]/d.Pre.Terms[k-1].SD); e.Low != nil && e.High != nil {
				c.OddsRatioCI = &[2]float64{*e.Low, *e.High}
			}
		}
	}
	return "95 % CI: Wald, from the observed information. The penalty is too small to move the fit from the maximum of " +
		"the likelihood."
}
