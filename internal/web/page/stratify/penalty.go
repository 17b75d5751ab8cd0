package stratify

import (
	"math"
	"strconv"

	"taper/internal/engine/fit"
	"taper/internal/viz"
	"taper/internal/web/form"
)

// The range of penalties; it contains the grid of Kimes et al. 2016.
const (
	leastL2 = 1e-9
	mostL2  = 1e4
)

// readL2 takes l2: auto, 1se or λ.
func (st *State) readL2(text string) error {
	switch text {
	case "auto":
		st.L2 = fit.L2{Mode: "cv"}
		return nil
	case "1se":
		st.L2 = fit.L2{Mode: "cv-1se"}
		return nil
	}
	v, ok := form.ParseNumber(text)
	if !ok || !(v >= leastL2 && v <= mostL2) {
		return form.ReadError("λ must be auto, 1se or a number from " + viz.Short(leastL2, 3) + " to " +
			viz.Short(mostL2, 3) + ", not " + form.Quoted(text) + ". Using cross-validation.")
	}
	st.L2 = fit.L2{Value: snap(v)}
	return nil
}

// snap rounds a λ written with three digits to the power of two it stands for, so that entering the tuned value
// gives the same model.
func snap(v float64) float64 {
	if e := math.Round(math.Log2(v)); math.Abs(v/math.Exp2(e)-1) < .006 {
		return math.Exp2(e)
	}
	return v
}

// L2Text writes a penalty in a readable form that parses to the same value.
func L2Text(l fit.L2) string {
	switch {
	case l.Mode == "cv-1se":
		return "1se"
	case l.Tuned():
		return "auto"
	}
	if l.Value >= 1 && l.Value < 1e6 {
		return strconv.FormatFloat(l.Value, 'f', -1, 64) // 1024, not 1.02e+03
	}
	if short := strconv.FormatFloat(l.Value, 'g', 3, 64); snap(form.MustFloat(short)) == l.Value {
		return short
	}
	return strconv.FormatFloat(l.Value, 'g', -1, 64)
}
