package paper

import (
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
)

// abstainers are the methods of Table 6.
var abstainers = bothKernels(contender{name: "AL abstain", family: "al-abstain"},
	contender{name: "OVA, τ = 0", family: "ova"}, contender{name: "CS, τ = 0.5", family: "cs"})

var fathonyAbstain = []study.Preset{{
	ID: "fathony-table6", Title: "Abstention loss at cost ½", Source: fathonySource, Figure: "Table 6", Uploads: true,
	Protocol: "Iris, or an uploaded table. A wrong answer costs 1, none ½. The adversarial loss with abstention " +
		"answers where its margin over the next class is at least ½; one against all where a score is above 0, " +
		"Crammer and Singer’s loss where this margin is above ½. " + fathonyWords + costWords + "The folds " +
		"choose by the abstention loss.",
	UploadTexts: []string{"Iris, or an uploaded table. ", ""},
	Build: func(in study.Input) (p study.Plan, err error) {
		t, err := irisOr(in)
		if err != nil {
			return p, err
		}
		p.Units = fathonyTable{t, abstainers, ifAtAll, costGrid, func(c contender) []study.Key {
			return []study.Key{abstainKey(t.name, c, "loss"), abstainKey(t.name, c, "silent")}
		}, func(cost, silent float64) []float64 { return []float64{cost, silent} }}.units(in)
		return p, t.check()
	},
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and kernel", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Totals: true, Metrics: []study.Metric{
			{ID: "loss", Title: study.MetricOf("abstention_loss", "").Title, Higher: false},
			{ID: "silent", Title: stat.ByID("abstention_rate").Label, Higher: false}}},
	Data: classTable(study.OnSet{Set: glass, References: abstainReferences(glass, .380, .40)},
		study.OnSet{Set: vehicle, References: abstainReferences(vehicle, .214, .23)}),
	Grid:       gridOf(study.Source{}, "abstention_loss", abstainers),
	References: abstainReferences(irisSet, .037, .07, .122, .038),
}}

// abstainReferences are the paper's numbers for a dataset: loss and abstention rate of the first method,
// then the losses of the others.
func abstainReferences(s study.Set, loss, silent float64, others ...float64) []study.Reference {
	of := func(c contender, metric string, value, digit float64) study.Reference {
		return study.Reference{Key: abstainKey(s.Name, c, metric), Value: value, N: fathonySplits, Digit: digit,
			Where: "Fathony et al. 2018, Table 6"}
	}
	refs := []study.Reference{of(abstainers[0], "loss", loss, 1e-3), of(abstainers[0], "silent", silent, .01)}
	for i, v := range others {
		refs = append(refs, of(abstainers[1+i], "loss", v, 1e-3))
	}
	key := func(i int) study.Key { return abstainKey(s.Name, abstainers[i], "loss") }
	differences := contrasts(refs, [][2]study.Key{{key(0), key(1)}, {key(0), key(2)}})
	for i := range differences {
		if s.ID == irisSet.ID && differences[i].Against.Model == abstainers[2].name {
			differences[i].Differs = sameAnswers
		}
	}
	return append(refs, differences...)
}

func abstainKey(data string, c contender, metric string) study.Key {
	return study.Key{Data: c.on(data), Model: c.name, Metric: metric}
}
