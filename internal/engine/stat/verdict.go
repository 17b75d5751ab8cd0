package stat

// The verdicts on a difference; "" is none.
const (
	Better    = "better"
	Worse     = "worse"
	Unsettled = "unclear" // the interval holds 0
)

// Verdict says what the 95 % interval of a difference, one value less another, tells of
// the one: better or worse where the interval excludes 0. Without an interval there is
// no verdict, nor of two distances from a target, whose difference has no side.
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

// VerdictWords says the verdict on a difference of the statistic: "worse in AUC", "no
// clear difference in AUC"; "" without one.
func (s Statistic) VerdictWords(e Estimate) string {
	return VerdictWords(s.Better.Verdict(e), s.InSentence())
}

// VerdictWords says a verdict of a measure, its label as within a sentence.
func VerdictWords(verdict, measure string) string {
	if verdict == "" {
		return ""
	}
	return VerdictWord(verdict) + " in " + measure
}

// VerdictWord is a verdict in a table whose row names the measure.
func VerdictWord(verdict string) string {
	if verdict == Unsettled {
		return "no clear difference"
	}
	return verdict
}

// WithError is a difference with its normal 95 % interval, none without a standard error.
func WithError(difference, se *float64) Estimate {
	if difference == nil || se == nil {
		return Estimate{Value: difference}
	}
	return normal(*difference, *se)
}
