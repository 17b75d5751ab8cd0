package check

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/table"
)

// Names of measurements that cannot be 0 in a living person, by whole header or by word.
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

// zeros asks about 0 where it is implausible: in such a measurement, or with many other values that are
// all well above 0.
func (d *checker) zeros() {
	found := make([][]apart, len(d.t.Columns))
	parallel.Each(len(found), 0, func(_, j int) { found[j] = []apart{impossibleZero(d.t.Columns[j])} })
	found = slices.DeleteFunc(found, func(f []apart) bool { return f[0].rows == 0 || f[0].column.Name == d.outcome })
	d.askMissing("impossible-zero", zeroQuestion, "Kept as zero.", found)
}

func zeroQuestion([]apart) string { return "Does 0 mean that the value is missing?" }

// impossibleZero returns the zeros of the column, or none if they can be real.
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
		return apart{} // mostly 0, so 0 is a real value
	}
	named := table.HeaderHas(c.Name, neverZeroNames, neverZeroWords)
	if zeroed := table.Median(c.Num, 0, hi, n); named && least > .05*zeroed || least > .6*zeroed &&
		c.Distinct > 20 && 5*zeros < n {
		return apart{c, 0, zeros}
	}
	return apart{}
}
