package stat

// The verdicts on a difference; "" means none.
const (
	Better    = "better"
	Worse     = "worse"
	Unsettled = "unclear" // the interval includes 0
)

// Verdict returns the verdict on a difference, first minus second value: better or worse where its 95 %
// interval excludes 0. There is no verdict without an interval, nor for statistics that are best at a target
// value, because a difference of two values does not say which is closer to it.
func (d Direction) Verdict(e Estimate) string {
	if e.Low == nil || e.High == nil || d != HigherBetter && d != LowerBetter {
		return ""
	}
	switch higher := d == HigherBetter; {
	case *e.Low > 0 && higher, *e.High < 0 && !higher:
		return Better
	case *e.Low > 0, *e.High < 0:
		return Worse
	}
	return Unsettled
}

// VerdictWords words the verdict on a difference of the statistic: "lower AUC", "no significant difference in
// AUC"; "" without one.
func (s Statistic) VerdictWords(e Estimate) string {
	return s.Better.VerdictWords(s.Better.Verdict(e), s.InSentence())
}

// VerdictWords words a verdict by the side of the first value; measure is a label as within a sentence.
func (d Direction) VerdictWords(verdict, measure string) string {
	switch verdict {
	case "":
		return ""
	case Unsettled:
		return VerdictWord(verdict) + " in " + measure
	}
	if (verdict == Better) == (d == HigherBetter) {
		return "higher " + measure
	}
	return "lower " + measure
}

// VerdictWord words a verdict for a table whose row names the statistic.
func VerdictWord(verdict string) string {
	if verdict == Unsettled {
		return "no significant difference"
	}
	return verdict
}

// WithError returns a difference with its normal 95 % interval, or without one if there is no standard error.
func WithError(difference, se *float64) Estimate {
	if difference == nil || se == nil {
		return Estimate{Value: difference}
	}
	return normal(*difference, *se)
}
