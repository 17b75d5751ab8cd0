package report

import (
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/render"
)

// TestReportOfRecalibrated: the report of a recalibrated run says in its verdict and its checklist how it was
// recalibrated and why there is no bootstrap, and has no empty column.
func TestReportOfRecalibrated(t *testing.T) {
	asked := judgedElsewhere("b.csv", 90)
	asked.Result.Performance.CalibrationSlope = interval(.93, .7, 1.2)
	asked.Result.Recalibrated = []external.RecalibratedModel{{How: external.RecalibrateSlope, Performance: stat.Performance{ObservedExpected: interval(1, .8, 1.2), CalibrationSlope: interval(1, .75, 1.29)}}}
	r := &engine.Result{Flow: engine.Flow{Trained: 400, TrainedEvents: 100}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true, Asked: &asked,
		Origin: &store.Origin{Parent: "r1", Intercept: .349, Slope: .934, Evaluation: "e1", How: external.RecalibrateSlope}}
	c.Statistics.Judged.AUC = interval(.8, .7, .9)
	p := New(store.Run{Result: r}, store.Dataset{}, c).printed()
	item := func(number string) string {
		for _, i := range tripodItems {
			if i.number == number {
				return i.says(p)
			}
		}
		return ""
	}
	want := "Recalibrated from run r1: intercept 0.349, slope 0.934 estimated on the external validation “b.csv”."
	if v := p.verdict(); v[0] != want || item("12f") != want {
		t.Errorf("%q, %q", v, item("12f"))
	}
	if got := item("24"); !strings.Contains(got, "O/E 1.20") || !strings.Contains(got, "slope 0.93") {
		t.Error(got)
	}
	few := asked.Result.Strata
	asked.Result.Strata = []stat.Stratum{{N: 90, Events: 6}}
	if got := item("24"); !strings.Contains(got, "calibration is masked") || strings.Contains(got, "0.93") {
		t.Error(got)
	}
	asked.Result.Strata = few
	table := p.masked(p.c.Performance()).(doc.Table).Shown()
	if len(table.Columns) != 2 || len(table.Rows[0].Cells) != 2 || table.Columns[1].Label == "Apparent" {
		t.Errorf("%+v", table)
	}
	var html strings.Builder
	if err := render.Parts(p.stabilityParts())[0].Render(t.Context(), &html); err != nil || strings.Contains(html.String(), "The page of the run does so") || !strings.Contains(html.String(), "those of run r1") {
		t.Error(html.String(), err)
	}
	p.c.Asked, p.c.Origin = nil, &store.Origin{Parent: "r1", Intercept: -1.0986122886681098, Slope: 1}
	if got := item("12f"); !strings.HasSuffix(got, "as for a prevalence of 10.0\u00a0%.") {
		t.Error(got)
	}
	p.r.Flow.TrainedEvents = 7 // with the intercept they would follow from the prevalence
	p = p.printed()
	if got := item("12f"); !strings.HasSuffix(got, "slope 1.000 as given.") {
		t.Error(got)
	}
	p.c.Origin = nil
	if item("12f") != "None." || item("24") != "Does not apply." {
		t.Error("a fitted run says it was updated")
	}
}

// TestNoPrevalenceOfTheParent: of a recalibrated run's bands only the likelihood ratio is of any population; rows and
// events per 1000 and the gains curve are of the parent's rows, and are withheld.
func TestNoPrevalenceOfTheParent(t *testing.T) {
	band, event := make([]int, 80), make([]bool, 80)
	for i := range band {
		band[i], event[i] = i/40, i%4 == 0 || i > 60
	}
	for columns, warnings := range map[int][]engine.Warning{4: nil, 2: {{Code: engine.WarnRecalibrated}}} {
		c := Clinical{Result: &engine.Result{Warnings: warnings, Boundaries: []float64{.5}}}
		c.Statistics.Bands = stat.BandRatios([]float64{.5}, band, event)
		c.Statistics.Gains = []stat.GainsPoint{{}, {Flagged: .5, Found: .7}, {Flagged: 1, Found: 1}}
		c.Result.Flow = engine.Flow{Scored: 80, ScoredEvents: 35}
		got := c.bands()
		if len(got.Columns) != columns || len(got.Rows[0].Cells) != columns ||
			got.Columns[1].Label != stat.ByID("likelihood_ratio").Label {
			t.Errorf("%d columns, %d cells; want %d", len(got.Columns), len(got.Rows[0].Cells), columns)
		}
		if drawn := c.liftFigure() != nil; drawn != (columns == 4) {
			t.Errorf("%v: gains curve %v", warnings, drawn)
		}
	}
}

// TestDropEmpty: only a column that has only dashes is dropped.
func TestDropEmpty(t *testing.T) {
	row := func(texts ...string) (r doc.Row) {
		for _, text := range texts {
			r.Cells = append(r.Cells, doc.Cell{Value: text})
		}
		return r
	}
	table := doc.Table{Columns: make([]doc.Column, 3), Rows: []doc.Row{row("a", viz.None, "1"), row("b", viz.None, viz.None)}}
	table.Lean = true
	table = table.Shown()
	if len(table.Columns) != 2 || table.Rows[0].Cells[1].Text() != "1" || len(table.Rows[1].Cells) != 2 {
		t.Errorf("%+v", table)
	}
}

// TestLeftOutColumns: columns dropped before storage are named with the reason, or the report says that it does not
// list them.
func TestLeftOutColumns(t *testing.T) {
	r := &engine.Result{Outcome: "y"}
	d := store.Dataset{Profiles: []table.Profile{{Name: "y"}, {Name: "age"}}}
	if got := New(store.Run{Result: r}, store.Dataset{State: store.Raw, Profiles: d.Profiles}, Clinical{Result: r}).excludedNote(); got != "Left out: age (not chosen)." {
		t.Errorf("before the confirmation: %q", got)
	}
	d.State = store.Kept
	for want, left := range map[string][]store.LeftOut{
		"Left out: age (not chosen). Columns dropped before storage are not listed.": nil,
		"Left out: age (not chosen).": {},
		"Left out: age (not chosen), id (identifier), time (may be known only after the outcome).": {{Name: "id", Reason: store.LeftIdentifier}, {Name: "time", Reason: store.LeftLeak}},
	} {
		d.LeftOut = left
		p := New(store.Run{Result: r}, d, Clinical{Result: r}).printed()
		if got := p.excludedNote(); got != want || strings.Contains(p.leftOutSay(), "not listed") != (left == nil) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCodesShortest: numeric codes are written in their shortest form; levels are not changed.
func TestCodesShortest(t *testing.T) {
	r := &engine.Result{}
	d := store.Dataset{Profiles: []table.Profile{{Name: "bmi", Type: table.Number, MissingCodes: []string{"0.0", "0", "-9.50"}}, {Name: "ward", Type: table.Category, MissingCodes: []string{"0.0"}}}}
	p := New(store.Run{Result: r}, d, Clinical{Result: r}).printed()
	if got := p.missingNote(); got != "Codes for missing: bmi 0 -9.5; ward 0.0." {
		t.Error(got)
	}
}

// TestChecklistOfPredictors: items 12b, 12d and 12g of TRIPOD+AI are present, in order.
func TestChecklistOfPredictors(t *testing.T) {
	var order []string
	for _, i := range tripodItems {
		if strings.HasPrefix(i.number, "12") {
			order = append(order, i.number)
		}
	}
	if got := strings.Join(order, " "); got != "12a 12b 12c 12d 12e 12f 12g" {
		t.Error(got)
	}
	r := &engine.Result{}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{Result: r}).printed()
	if p.clusters() != "" {
		t.Error("clusters of a run without groups are the author's")
	}
	p.run.Spec.Group = "clinic"
	if got := p.clusters(); !strings.Contains(got, "by clinic were kept together") {
		t.Error(got)
	}
	if got := p.handled(); !strings.Contains(got, "linearly") {
		t.Error(got)
	}
	p.run.Spec.Model.Kind = "boost"
	if got := p.handled(); strings.Contains(got, "linearly") {
		t.Error(got)
	}
}

// TestRecalibrationWords: the sentence gives the intercepts and the slope with their signs, each with its own
// interval.
func TestRecalibrationWords(t *testing.T) {
	joint := .125
	for _, c := range []struct {
		name string
		r    stat.Recalibration
		want string
	}{
		{"risks too high", stat.Recalibration{Intercept: interval(-.7, -.9, -.5), Slope: interval(.8, .6, 1.1), JointIntercept: &joint},
			"To meet the frequency here: logit P = −0.700 (−0.900 – −0.500) + logit p; to meet the spread too: logit P = " +
				"0.125 + 0.800 (0.600 – 1.100) · logit p. In parentheses: 95 % CI."},
		{"risks too low", stat.Recalibration{Intercept: interval(.7, .5, .9)},
			"To meet the frequency here: logit P = 0.700 (0.500 – 0.900) + logit p. In parentheses: 95 % CI."},
		{"one class", stat.Recalibration{}, "These rows allow no recalibration."},
	} {
		if got := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(recalibrationWords(c.r)); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// TestRecalibratedShowsRankingAlone: of the measures of a recalibrated run only those that do not depend on the
// prevalence of its rows are shown; a validation of it on other rows has all.
func TestRecalibratedShowsRankingAlone(t *testing.T) {
	r := &engine.Result{Warnings: []engine.Warning{{Code: engine.WarnRecalibrated, Message: "Recalibrated."}}, Boundaries: []float64{.5},
		Strata: []stat.Stratum{{Upper: .5, N: 200, Events: 40, Verdict: stat.Inside}, {Lower: .5, Upper: 1, N: 100, Events: 60, Verdict: stat.Outside}}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true}
	c.Statistics.Judged = stat.Performance{AUC: interval(.8, .7, .9), ObservedExpected: interval(2.7, 2.3, 3.1), Brier: interval(.2, .1, .3)}
	c.Statistics.Boundaries = []stat.Boundary{{Threshold: .5, TP: 60, FP: 40, FN: 40, TN: 160}}
	if rows := c.Performance().Rows; len(rows) != 1 || rows[0].Cells[0].Value != "AUC" {
		t.Errorf("%d measures", len(rows))
	}
	var lines []string
	for _, row := range c.boundaries(0, 1).Rows {
		lines = append(lines, row.Cells[0].Text())
	}
	if got := strings.Join(lines, ", "); got != "Sensitivity, Specificity, LR+, LR−" {
		t.Error(got)
	}
	c.Statistics.Judged.IntervalLoss = interval(.33, .3, .36)
	c.Statistics.Calibration = &stat.SmoothedCalibration{Points: []stat.SmoothPair{{Predicted: .1, Observed: .3}, {Predicted: .4, Observed: .8}}}
	if c.calibrationFigure() != nil {
		t.Error("a calibration curve on the parent's rows")
	}
	var key []string
	for _, row := range c.keyFigures("Out of fold").Rows {
		key = append(key, row.Cells[0].Text())
	}
	if got := strings.Join(key, ", "); got != "AUC, Events in the highest band, Events in the lowest band" {
		t.Error(got)
	}
	loss := .33
	r.Beside = []engine.Beside{{ID: "model", Metrics: stat.Binary{IntervalLoss: &loss, AUC: &loss, Brier: &loss}}, {ID: "null"}}
	p := New(c.Run, store.Dataset{}, c).printed()
	if columns := p.besideTable().Columns; len(columns) != 2 || columns[1].Label != "AUC" {
		t.Errorf("%+v", columns)
	}
	if got := p.measuresSay(); strings.Contains(got, "predictive values") || !strings.Contains(got, "specificity and likelihood ratios") {
		t.Error(got)
	}
	if len(c.Benefit()) > 0 || len(c.benefitRow()) > 0 {
		t.Error("net benefit at the parent's prevalence")
	}
	table := p.strataTable("")
	if last := table.Rows[0].Cells[len(table.Rows[0].Cells)-1]; last.Chip != "" || !strings.Contains(table.Note, "No verdicts") {
		t.Errorf("%+v: %s", last, table.Note)
	}
	e := judgedElsewhere("b.csv", 90)
	e.Result.Boundaries = []stat.Boundary{{Threshold: .5, TP: 45, FP: 55, FN: 45, TN: 155}}
	x := NewExternal(c.Run, nil, e, nil, "", MaskSmall)
	if x.p.r.IsRecalibrated() || len(x.p.c.boundaries(0, 1).Rows) < 6 || !c.Result.IsRecalibrated() {
		t.Error("the validation of a recalibrated run has no verdicts, or took them from the run")
	}
}

// TestMovedBandsNameTheirIntervals: the rates before and after recalibration have intervals, whose level stands in the
// heads and whose method in the note.
func TestMovedBandsNameTheirIntervals(t *testing.T) {
	rate, low, high := .2, .1, .3
	bands := []stat.Stratum{{Upper: 1, N: 60, Events: 12, Observed: &rate, Low: &low, High: &high, Verdict: stat.Inside}}
	table := movedBands(&external.Evaluation{Strata: bands}, &external.RecalibratedModel{Strata: bands})
	for _, k := range []int{2, 4} {
		if !strings.Contains(table.Columns[k].Unit, "CI)") || table.Rows[0].Cells[k].Low == nil {
			t.Errorf("%+v over %+v", table.Columns[k], table.Rows[0].Cells[k])
		}
	}
	if !strings.Contains(table.Note, "Wilson") {
		t.Error(table.Note)
	}
}

// TestRecalibratedSubgroups: the subgroups of a recalibrated run have no calibration, which is that to the rows of the
// parent run.
func TestRecalibratedSubgroups(t *testing.T) {
	for _, recalibrated := range []bool{false, true} {
		r := &engine.Result{}
		if recalibrated {
			r.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
		}
		c := Clinical{Run: store.Run{Result: r}, Result: r, By: "ward", Groups: []stat.Subgroup{{Level: "a", N: 60, Events: 30,
			Observed: interval(.5, .4, .6), AUC: interval(.8, .7, .9), ObservedExpected: interval(2.2, 1.5, 3.2), Slope: interval(1, .8, 1.2)}}}
		table := c.subgroupTable()
		cells := table.Rows[0].Cells
		if (cells[5].Low == nil) != recalibrated || (cells[6].Low == nil) != recalibrated || cells[4].Low == nil ||
			strings.Contains(table.Note, "parent run") != recalibrated {
			t.Errorf("recalibrated %t: %+v, %s", recalibrated, cells, table.Note)
		}
	}
}

// TestRecalibratedDevelopment: beside an external validation of a recalibrated run stands the AUC of its development
// alone, as its own rows are of the population of its parent.
func TestRecalibratedDevelopment(t *testing.T) {
	for _, recalibrated := range []bool{false, true} {
		r := &engine.Result{Boundaries: []float64{.5}, Strata: []stat.Stratum{{Upper: .5, N: 200, Events: 40}, {Lower: .5, Upper: 1, N: 100, Events: 60}},
			Clinical: &engine.Clinical{Judged: stat.Performance{AUC: interval(.8, .7, .9), ObservedExpected: interval(2.6, 2.3, 2.9), Brier: interval(.2, .1, .3)}}}
		if recalibrated {
			r.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
		}
		e := judgedElsewhere("b.csv", 90)
		e.Result.Performance.AUC, e.Result.Performance.Brier = interval(.85, .8, .9), interval(.19, .1, .3)
		x := NewExternal(store.Run{Result: r}, nil, e, nil, "", ShowSmall)
		for _, id := range []string{"auc", "brier", "observed_expected"} {
			row := x.measureRow(stat.ByID(id))
			if there := row.Cells[1].Value != nil; row.Cells[2].Value == nil || there != (!recalibrated || id == "auc") {
				t.Errorf("recalibrated %t, %s: %+v", recalibrated, id, row.Cells)
			}
		}
		if note := x.performance().Note; strings.Contains(note, "the AUC alone is") != recalibrated {
			t.Errorf("recalibrated %t: %s", recalibrated, note)
		}
		x.p, x.dev = x.p.printed(), x.dev.printed()
		rate, ok := x.rateRow()
		if there := rate.Cells[1].Value != nil; !ok || there == recalibrated || (rate.Cells[3].Value != nil) != there {
			t.Errorf("recalibrated %t, share of events: %+v", recalibrated, rate.Cells)
		}
		r.Clinical.Judged.AUC = stat.Estimate{} // as of a model kept without its data
		x = NewExternal(store.Run{Result: r}, nil, e, nil, "", ShowSmall)
		if note := x.performance().Note; strings.Contains(note, "alone") || strings.Contains(note, "nothing is") != recalibrated {
			t.Errorf("recalibrated %t, without an AUC: %s", recalibrated, note)
		}
	}
}
