package explore

import (
	"taper/internal/viz"
	"taper/internal/web/format"
)

// marginView is the explorer of a loss of the margin.
func marginView(st State) view {
	ls := st.lines()
	v := view{st: st, title: ls[0].family.Title + " loss"}
	if st.Family == Alpha {
		v.title = "α-loss"
	}
	v.lead = []chart{lossChart(st, ls)}
	v.more = []chart{pullChart(st, ls), thirdChart(st, ls)}
	v.strong, v.rest = marginSentence(st, ls[0])
	v.regime = marginRegime(st, ls[0].Shape)
	v.cross = marginCross(st, ls)
	if f, ok := st.listed(); ok {
		v.formula = listedFormula(st, f, ls[0].Shape)
	} else {
		v.formula, v.where = marginFormula(st, ls[0].Shape), temperatureMap(st)
	}
	v.readout = marginReadout(ls)
	return v
}

func marginSentence(st State, l line) (strong []string, rest []string) {
	share := viz.Percent(pull6(l.Shape), 0) + format.Pc
	if pull6(l.Shape) < .01 {
		share = viz.Percent(pull6(l.Shape), 1) + format.Pc
	}
	tail := " of that under logistic regression."
	switch r := l.regime; {
	case pull6(l.Shape) > 1.005:
		return []string{viz.Short(pull6(l.Shape), 3) + " times"},
			[]string{"The further an example is on the wrong side, the more it influences the fit: at z = −6 its gradient is ",
				" that of logistic regression."}
	case viz.Finite(r.Bound) && viz.Finite(r.GivesUp):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A badly mislabelled example costs at most ",
			", and its influence shrinks the more wrong it is: at z = −6 its gradient is ", tail}
	case viz.Finite(r.Bound):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A badly mislabelled example costs at most ",
			": at z = −6 its gradient is ", tail}
	case viz.Finite(r.GivesUp):
		return []string{"no upper bound", share}, []string{"The loss has ",
			", but the influence of an example shrinks the more wrong it is: at z = −6 its gradient is ", tail}
	}
	return []string{"never shrinks", share}, []string{"The influence of a mislabelled example ",
		", however wrong it is: at z = −6 its gradient is ", tail}
}
