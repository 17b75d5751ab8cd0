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
	tail := " of the strength logistic regression gives it."
	switch r := l.regime; {
	case pull6(l.Shape) > 1.005:
		return []string{viz.Short(pull6(l.Shape), 3) + " times"},
			[]string{"The more absurd a label, the harder it pulls on the fit: at z = −6 it pulls ",
				" as strongly as logistic regression lets it."}
	case viz.Finite(r.Bound) && viz.Finite(r.GivesUp):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A label the model finds absurd costs at most ",
			", and pulls on the fit less the more absurd it is: at z = −6 it pulls with ", tail}
	case viz.Finite(r.Bound):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A label the model finds absurd costs at most ",
			": at z = −6 it pulls with ", tail}
	case viz.Finite(r.GivesUp):
		return []string{"no cap", share}, []string{"What a label costs has ",
			", but it pulls on the fit less the more absurd it is: at z = −6 it pulls with ", tail}
	}
	return []string{"never given up", share}, []string{"A label is ",
		", however absurd the model finds it: at z = −6 it pulls with ", tail}
}
