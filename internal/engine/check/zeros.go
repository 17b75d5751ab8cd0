package check

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/table"
)

// Measurements of the living are not 0: by whole header, or by a word of it.
var (
	neverZeroNames = table.WordSet(`bp sbp dbp pressure hr hb hgb hct wbc rbc plt temp weight height tc ldl hdl na k
		ca cr trestbps thalach skinfold skin skinthickness bmi glucose insulin gewicht grösse größe groesse poids
		taille kor`)
	neverZeroWords = table.WordSet(`bmi glucose glukose glycemia pressure bloodpressure systolic diastolic sbp dbp
		trestbps chol cholesterol cholesterin triglycerides weight gewicht height skinfold skinthickness skin
		insulin pulse heartrate thalach hemoglobin haemoglobin hämoglobin hematocrit albumin creatinine kreatinin
		platelet platelets sodium potassium natrium kalium temperature spo2 saturation blutdruck blutzucker hba1c
		waist circumference`)
)

// zeros asks about 0 where it is impossible: in a measurement of that kind, or
// far below many other values, the smallest other value well above 0 either way.
func (d *checker) zeros() {
	found := make([][]apart, len(d.t.Columns))
	parallel.Each(len(found), 0, func(_, j int) { found[j] = []apart{impossibleZero(d.t.Columns[j])} })
	found = slices.DeleteFunc(found, func(f []apart) bool { return f[0].rows == 0 || f[0].column.Name == d.outcome })
	d.askMissing("impossible-zero", "Missing?", "Kept as zero.", found)
}

// impossibleZero returns the zeros of the column, none if they may be real.
func impossibleZero(c *table.Column) apart {
	if c.Num == nil || c.Type == table.Date || c.Type == table.Identifier || c.Distinct < 5 {
		return apart{}
	}
	lo, hi, n := table.Extremes(c.Num)
	if lo != 0 || n == 0 {
		return apart{}
	}
	zeros, least := 0, math.Inf(1)
	for _, v := range c.Num {
		if v == 0 {
			zeros++
		} else if v < least {
			least = v
		}
	}
	if 2*zeros > n {
		return apart{} // mostly zero: zero is what it measures
	}
	named := table.HeaderHas(c.Name, neverZeroNames, neverZeroWords)
	if zeroed := table.Median(c.Num, 0, hi, n); named && least > .05*zeroed || least > .6*zeroed &&
		c.Distinct > 20 && 5*zeros < n {
		return apart{c, 0, zeros}
	}
	return apart{}
}
