package paper

import "taper/internal/engine/study"

// abstainers are the methods of Table 6.
var abstainers = bothKernels(contender{name: "AL abstain", family: "al-abstain"},
	contender{name: "OVA, τ = 0", family: "ova"}, contender{name: "CS, τ = 0.5", family: "cs"})

var fathonyAbstain = []study.Preset{{
	ID: "fathony-table6", Title: "Abstention loss at cost ½", Source: fathonySource, Figure: "Table 6", Uploads: true,
	Protocol: "Iris, or an uploaded table. A wrong answer costs 1, none ½. The adversarial loss with abstention " +
		"answers where its lead is at least ½; one against all where a score is above 0, Crammer and Singer's loss where " +
		"the lead is above ½. " + fathonyWords + costWords + "The folds choose by the abstention loss.",
	UploadTexts: []string{"Iris, or an uploaded table. ", ""},
	Build: func(in study.Input) (p study.Plan, err error) {
		t, err := irisOr(in)
		if err != nil {
			return p, err
		}
		p.Units = table001{t, abstainers, ifAtAll, costGrid, func(c contender) []study.Key {
			return []study.Key{abstainKey(t.name, c, "loss"), abstainKey(t.name, c, "silent")}
		}, func(cost, silent float64) []float64 { return []float64{cost, silent} }}.units(in)
		return p, t.check()
	},
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and kernel", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Totals: true, Metrics: []study.Metric{
			{ID: "loss", Title: study.MetricOf("abstention_loss", "").Title, Higher: false},
			{ID: "silent", Title: "Share without an answer", Higher: false}}},
	Data: classTable(study.OnSet{Set: glass}, linearOn(vehicle)),
	Grid: gridOf(study.Source{}, "abstention_loss", abstainers),
	References: []study.Reference{
		{Key: abstainKey("iris", abstainers[0], "loss"), Value: .037, N: fathonySplits, Digit: 1e-3, Where: "001, Table 6"},
		{Key: abstainKey("iris", abstainers[0], "silent"), Value: .07, N: fathonySplits, Digit: .01, Where: "001, Table 6"},
		{Key: abstainKey("iris", abstainers[1], "loss"), Value: .122, N: fathonySplits, Digit: 1e-3, Where: "001, Table 6"},
		{Key: abstainKey("iris", abstainers[2], "loss"), Value: .038, N: fathonySplits, Digit: 1e-3, Where: "001, Table 6"},
	},
}}

func abstainKey(data string, c contender, metric string) study.Key {
	return study.Key{Data: c.on(data), Model: c.name, Metric: metric}
}
