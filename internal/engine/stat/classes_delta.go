package stat

import "math"

// Macro F1 and kappa are smooth functions of the shares p_ij of the confusion matrix, so that the
// delta method gives their variance, (Σ p·g² − (Σ p·g)²)/n, with g_ij the derivative by p_ij (macro F1:
// Takahashi et al. 2022; kappa: Fleiss, Cohen and Everitt 1969). Stored runs have the counts, so this needs neither
// rows nor a bootstrap.

// deltaInterval returns the normal interval of a metric by the delta method; none where its variance is 0, since an
// interval without width would promise certainty, and none for macro F1 as earlier versions defined it, of which the
// derivatives are not.
func (c *Classes) deltaInterval(s Statistic, value float64) (low, high *float64) {
	if c.Answered == 0 || len(c.PerClass) == 0 || len(c.Confusion) != len(c.PerClass) {
		return nil, nil
	}
	if s.ofClasses(Answers{}, c).Value == nil || s.ID == "macro_f1" && !c.F1OverRows() {
		return nil, nil
	}
	g, n := s.slope(c), float64(c.Answered)
	mean, square := 0.0, 0.0
	for i, row := range c.Confusion {
		for j, count := range row {
			if count > 0 {
				d := g(i, j)
				mean, square = mean+float64(count)/n*d, square+float64(count)/n*d*d
			}
		}
	}
	variance := (square - mean*mean) / n
	e := Estimate{Value: &value, Low: Finite(value), High: Finite(value)}
	if variance > 1e-16 {
		e = normal(value, math.Sqrt(variance)).within(s.least, 1)
	}
	if s.ID == "macro_f1" {
		c.widen(&e)
	}
	if *e.Low == *e.High {
		return nil, nil
	}
	return e.Low, e.High
}

// widen adds to the interval of macro F1 what the delta method leaves out: a class whose F1 is 0 or 1 has no variance
// in it, as if its F1 were certain. The squared distance of such an F1 to its Wilson limit is added to the squared half
// width, as in balancedInterval.
func (c *Classes) widen(e *Estimate) {
	below, above, classes := 0.0, 0.0, 0.0
	for _, row := range c.PerClass {
		f1 := row.f1OfRows()
		if f1 == nil {
			continue
		}
		classes++
		if low, high := row.f1Interval(); low != nil && (*f1 == 0 || *f1 == 1) {
			below += (*f1 - *low) * (*f1 - *low)
			above += (*high - *f1) * (*high - *f1)
		}
	}
	if below+above > 0 {
		*e.Low = max(0, *e.Value-math.Hypot(*e.Value-*e.Low, math.Sqrt(below)/classes))
		*e.High = min(1, *e.Value+math.Hypot(*e.High-*e.Value, math.Sqrt(above)/classes))
	}
}

// balancedInterval is the square-and-add interval of the mean recall: each class adds the square of the distance to its
// Wilson limit (Zou and Donner 2008). The classes have different rows, so their recalls are independent. Unlike the
// delta method it has a width where every answer of a class is right.
func (c *Classes) balancedInterval(value float64) (low, high *float64) {
	below, above, classes := 0.0, 0.0, 0.0
	for _, row := range c.PerClass {
		if r := row.Recall; r.Value != nil && r.Low != nil && r.High != nil {
			below += (*r.Value - *r.Low) * (*r.Value - *r.Low)
			above += (*r.High - *r.Value) * (*r.High - *r.Value)
			classes++
		}
	}
	if classes == 0 {
		return nil, nil
	}
	return new(max(0, value-math.Sqrt(below)/classes)), new(min(1, value+math.Sqrt(above)/classes))
}

// macroF1Slope: F1 of class c is 2·p_cc / (r_c + k_c) with its shares of rows r and of predictions k.
func macroF1Slope(c *Classes) func(i, j int) float64 {
	defined := 0.0
	each := make([]float64, len(c.PerClass)) // F1 over rows and predictions
	for k, row := range c.PerClass {
		if f1 := row.f1OfRows(); f1 != nil {
			defined++
			each[k] = *f1 / float64(row.Support+row.Predicted)
		}
	}
	return func(i, j int) float64 {
		d := -each[i] - each[j]
		if i == j {
			d += 2 / float64(c.PerClass[i].Support+c.PerClass[i].Predicted)
		}
		return d * float64(c.Answered) / defined
	}
}

// kappaSlope: kappa is 1 − a/b with the mean squared distance a and the one expected by chance b.
func kappaSlope(c *Classes) func(i, j int) float64 {
	n := float64(c.Answered)
	_, squares := c.distances()
	ofRow, ofAnswer := make([]float64, len(c.PerClass)), make([]float64, len(c.PerClass))
	b := 0.0
	for i, row := range c.PerClass {
		for j, column := range c.PerClass {
			w := float64((i - j) * (i - j))
			ofRow[i] += w * float64(column.Predicted) / n
			ofAnswer[j] += w * float64(row.Support) / n
			b += w * float64(row.Support) / n * float64(column.Predicted) / n
		}
	}
	a := squares / n
	return func(i, j int) float64 {
		return a/(b*b)*(ofRow[i]+ofAnswer[j]) - float64((i-j)*(i-j))/b
	}
}
