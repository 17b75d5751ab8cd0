package comparison

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/doc"
	"taper/internal/doc/doctest"
	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// TestState: the address of a state parses back to the state and has no redundant keys.
func TestState(t *testing.T) {
	for _, x := range []struct {
		state State
		url   string
	}{
		{State{IDs: []string{"a", "b"}}, "/compare?ids=a,b"},
		{State{IDs: []string{"a", "b", "c"}, Base: "c", All: true}, "/compare?ids=a,b,c&base=c&all=1"},
		{State{IDs: []string{"a", "b"}, X: "blood pressure", Y: "a&b"}, "/compare?ids=a,b&x=blood+pressure&y=a%26b"},
	} {
		if got := x.state.URL("/compare"); got != x.url {
			t.Errorf("%+v is written %s, want %s", x.state, got, x.url)
		}
		u, err := url.Parse(x.url)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(u.Query()); err != nil || !cmp.Equal(got, x.state) {
			t.Errorf("%s is read as %+v, %v", x.url, got, err)
		}
	}
	if got := (State{IDs: []string{"a", "b"}, Base: "a"}).URL("/compare"); got != "/compare?ids=a,b" {
		t.Errorf("the first run is the baseline anyway: %s", got)
	}
}

// TestNames: runs with equal names are distinguished by their methods (alone where all names are equal), then by
// the ends of their ids, then by whole ids.
func TestNames(t *testing.T) {
	run := func(id, name, method string) compare.Run {
		return compare.Run{ID: id, Name: name, Result: &engine.Result{Method: method}}
	}
	byDefault := func(id, outcome, loss, number string, boundaries ...float64) compare.Run {
		s := runspec.Spec{Outcome: outcome, Task: "interval", Model: fit.Spec{Loss: loss}, Boundaries: boundaries}.WithDefaults()
		return compare.Run{ID: id, Name: s.DefaultName() + number, Spec: s, Result: &engine.Result{Method: s.Title()}}
	}
	for _, x := range []struct {
		runs []compare.Run
		want []string
	}{
		{[]compare.Run{byDefault("r1", "sick", "interval", "", .2, .6), byDefault("r2", "sick", "interval", " #2", .2, .6), byDefault("r3", "sick", "logistic", "", .2, .6)},
			[]string{"Interval surrogate", "Interval surrogate #2", "Logistic, thresholded"}},
		{[]compare.Run{byDefault("r1", "sick", "interval", "", .2, .6), byDefault("r2", "sick", "interval", "", .5)},
			[]string{"Interval surrogate (20, 60\u00a0%)", "Interval surrogate (50\u00a0%)"}},
		{[]compare.Run{byDefault("r1", "sick", "interval", "", .5), byDefault("r2", "dead", "interval", "", .5), run("r3", "Mine", "Hinge")},
			[]string{"sick: Interval surrogate (50\u00a0%)", "dead: Interval surrogate (50\u00a0%)", "Mine"}},
		{[]compare.Run{run("r0001", "A", "Logistic"), run("r0002", "B", "Logistic")}, []string{"A", "B"}},
		{[]compare.Run{run("r0001", "A", "Logistic"), run("r0002", "A", "Hinge"), run("r0003", "B", "Hinge")}, []string{"A, Logistic", "A, Hinge", "B"}},
		{[]compare.Run{run("r0001", "A", "Logistic"), run("r0002", "A", "Hinge")}, []string{"Logistic", "Hinge"}},
		{[]compare.Run{run("r0001", "A", "Logistic"), run("r0002", "A", "Logistic")}, []string{"Logistic, 0001", "Logistic, 0002"}},
		{[]compare.Run{run("r10001", "A", "Logistic"), run("r20001", "A", "Logistic")}, []string{"Logistic, 0001, r10001", "Logistic, 0001, r20001"}},
		{[]compare.Run{run("r0001", strings.Repeat("é", 45), "Hinge"), run("r0002", strings.Repeat("é", 44), "Hinge")}, []string{strings.Repeat("é", 43) + "…", strings.Repeat("é", 44)}},
	} {
		if got := names(x.runs); !cmp.Equal(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestUnpaired: a difference whose rows cannot be paired gives the reason in place of an interval.
func TestUnpaired(t *testing.T) {
	d := .1
	m := compare.Metric{ID: "auc", Values: []*float64{&d, &d}, Deltas: []*float64{nil, &d}, Verdicts: []string{"", ""}, PairedDifferences: []*compare.Difference{nil, nil}}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Metrics: []compare.Metric{m}, Reclassification: []compare.Reclassification{{Run: "b", Reason: "rows"}}}}
	if c := v.differenceCell(m, 1, stat.ByID("auc")); c.Small() != "different rows: no interval" || c.Text() != "+0.100" {
		t.Errorf("%+v", c)
	}
	if note := v.note(); !strings.Contains(note, "No difference has an interval: every one may be due to chance.") {
		t.Error(note)
	}
}

// TestReviewedLabelsNamed: two runs that differ in reviewed labels alone say so, and on which labels numbers are measured.
func TestReviewedLabelsNamed(t *testing.T) {
	child := runspec.Spec{Review: &runspec.Review{Parent: "a", Changes: []runspec.Relabel{{Row: 1, To: "x"}, {Row: 2}}}}
	r := &engine.Result{Flow: engine.Flow{Relabelled: 1, LeftOut: 1}}
	if got := settingText("review", compare.Run{Spec: child, Result: r}); got != "1 changed, 1 left out" {
		t.Error(got)
	}
	if got := settingText("review", compare.Run{}); got != "none" {
		t.Error(got)
	}
	v := Page{Comparison: &compare.Comparison{}, runs: []compare.Run{{}, {Spec: child}}}
	if note := v.note(); !strings.Contains(note, "measured on those labels") {
		t.Error(note)
	}
	if v.runs = v.runs[:1]; strings.Contains(v.note(), "measured on those labels") {
		t.Error(v.note())
	}
	for _, s := range []string{"data", "validation", "noise", "review", "seed", "rows", "version"} {
		if settingLabels[s] == "" {
			t.Errorf("%q has no label", s)
		}
	}
}

// TestFiguresDeclared: every figure of a comparison declares which counts it reveals.
func TestFiguresDeclared(t *testing.T) {
	data := tabletest.FromRecords(tabletest.Clinic(160, 4))
	var runs []compare.Run
	for i, loss := range []string{"logistic", "tempered"} {
		spec := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Task: "interval", Boundaries: []float64{0.3},
			Predictors: []string{"age", "marker"}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1}
		spec.Model.Kind, spec.Model.Loss = "linear", loss
		spec = spec.WithDefaults()
		r, err := engine.Fit(t.Context(), data, spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, compare.Run{ID: strconv.Itoa(i), Data: "d", SHA256: "s", Spec: spec, Result: r, Rows: r.Rows, Model: r.Model})
	}
	v, err := New(t.Context(), State{IDs: []string{"0", "1"}}, runs)
	if err != nil {
		t.Fatal(err)
	}
	d, err := v.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doctest.Of(t, d.Sections, nil).Check(7)
}

// TestFormText: the form of a score is said in words, for each id that a spec may have.
func TestFormText(t *testing.T) {
	for id, want := range map[string]string{multiclass.Thresholds: "one score and thresholds",
		multiclass.PerClass: "a score for each class", "": ""} {
		if got := settingText("model.features", compare.Run{Spec: runspec.Spec{Model: fit.Spec{Features: id}}}); got != want {
			t.Errorf("%q reads %q, want %q", id, got, want)
		}
	}
}

// TestThresholdNamed: rows that depend on a threshold name it, for each run where it differs.
func TestThresholdNamed(t *testing.T) {
	run := func(loss string, cut float64, pi ...float64) compare.Run {
		return compare.Run{Spec: runspec.Spec{Model: fit.Spec{Loss: loss}}, Result: &engine.Result{Boundaries: pi, Cut: cut}}
	}
	x, y := .5, .6
	for want, runs := range map[string][]compare.Run{
		"Sensitivity (threshold: 40 %), %":                           {run("interval", .4, .2, .4), run("logistic", .4, .2, .4)},
		"Sensitivity (threshold: a score of 0 for A, 50 % for B), %": {run("interval", .5, .4, .6), run("logistic", .5, .4, .6)},
		"Sensitivity (threshold: 40 % for A, a score of 0 for B), %": {run("interval", .4, .4), run("interval", .5, .4, .6)},
	} {
		v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Metrics: []compare.Metric{{ID: "sensitivity",
			Values: []*float64{&x, &y}, Deltas: make([]*float64, 2), Verdicts: make([]string, 2),
			PairedDifferences: make([]*compare.Difference, 2)}}, Names: []string{"A", "B"}}, runs: runs}
		rows, _ := v.metricRows()
		var b strings.Builder
		if err := rows[0].Cells[0].View.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(b.String()); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestDifferenceOfItsInterval: with repeats the values are means over them and rows are paired in the first, so the
// difference beside an interval is the paired one; the page names the repeat. Three repeats against one: the rows of
// the first are the same, and so are both limits 0.
func TestDifferenceOfItsInterval(t *testing.T) {
	from, to, zero := .2033, .2065, 0.
	delta := to - from
	m := compare.Metric{ID: "interval_loss", Direction: stat.LowerBetter, Values: []*float64{&from, &to},
		Deltas: []*float64{nil, &delta}, Verdicts: []string{"", stat.Unsettled}, PairedDifferences: []*compare.Difference{nil,
			{N: 300, Value: &zero, Low: &zero, High: &zero, Method: compare.Bootstrap, Draws: 2000}}}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"a", "b"}, Metrics: []compare.Metric{m}},
		runs: make([]compare.Run, 2)}
	v.runs[1].Spec.Validation.Repeats = 3
	if c := v.differenceCell(m, 1, stat.ByID(m.ID)); c.Text() != "0.0000" || c.Small() != "0.0000\u00a0–\u2060\u00a00.0000" {
		t.Errorf("%q %q", c.Text(), c.Small())
	}
	if note := v.note(); !strings.Contains(note, "differences with an interval those of the first repeat") {
		t.Error(note)
	}
	if _, rest := v.Finding(); !strings.Contains(rest, "tested by both in the first repeat") {
		t.Error(rest)
	}
	v.runs[1].Spec.Validation.Repeats = 1
	if note := v.note(); strings.Contains(note, "repeat") {
		t.Error(note)
	}
}

// TestIntervalsOfBandsNamed: the intervals of the rates and of the NRI have a method, as on the page of a run.
func TestIntervalsOfBandsNamed(t *testing.T) {
	bands := stat.Strata([]float64{.5}, []int{0, 1}, []bool{false, true})
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"a", "b"}, Strata: []compare.Strata{{Bands: bands}, {Bands: bands}}}}
	v.runs = []compare.Run{{ID: "a", Result: &engine.Result{}}, {ID: "b", Result: &engine.Result{}}}
	if table, ok := v.bands()[0].(doc.Table); !ok || !strings.Contains(table.Note, "Wilson") {
		t.Errorf("the rates of the bands: %+v", v.bands()[0])
	}
	for method, after := range map[string][]int{stat.MeanInterval: {0, 1, 1, 1}, "Newcombe": {0, 0, 1, 1}} {
		moves := stat.Reclassify([]int{0, 0, 1, 1}, after, []bool{true, true, true, true}, 2)
		var page strings.Builder
		for _, part := range v.bandMoves("Events", 1, moves.Events, 1)[0].(doc.Block) {
			if note, ok := part.(doc.Part); ok {
				if err := note.View.Render(t.Context(), &page); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !strings.Contains(page.String(), ", "+method+").") {
			t.Errorf("%v: %s", after, page.String())
		}
	}
}

// TestWrongToNone: a row whose wrong answer becomes an abstention, or another wrong answer, did not keep its answer.
func TestWrongToNone(t *testing.T) {
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"a", "b"}}}
	said := func(list []compare.Answers) string {
		var page strings.Builder
		for _, part := range v.answerMoves(1, list)[0][0].(doc.Block) {
			if note, ok := part.(doc.Part); ok {
				if err := note.View.Render(t.Context(), &page); err != nil {
					t.Fatal(err)
				}
			}
		}
		return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page.String(), " ")), " ")
	}
	// Of class x: 5 right stay, 4 wrong become none, 2 wrong stay, 1 becomes right.
	abstains := []compare.Answers{{Level: "x", N: 12, Counts: [][]int{{5, 0, 0}, {1, 2, 4}, {0, 0, 0}}},
		{Level: "y", Counts: [][]int{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}}
	if got := said(abstains); !strings.Contains(got, "4 changed between a wrong answer and none") || !strings.Contains(got, "7 answered the same") {
		t.Error(got)
	}
	none := [][]int{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
	answers := []compare.Answers{{Level: "x", N: 9, Counts: [][]int{{5, 0, 0, 0}, {0, 1, 3, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}},
		{Level: "y", Counts: none}, {Level: "z", Counts: none}}
	if got := said(answers); !strings.Contains(got, "3 changed from one wrong answer to another") || !strings.Contains(got, "6 answered the same") {
		t.Error(got)
	}
}

// TestMetricsApart: where the runs do not share what a metric depends on, it says so and has no better direction.
func TestMetricsApart(t *testing.T) {
	run := func(cost, abstained float64) compare.Run {
		c := engine.ClassResult{Levels: []string{"x", "y"}, Costs: [][]float64{{0, 1}, {1, 0}, {cost, cost}}}
		c.Metrics.Test.AbstentionRate = &abstained
		return compare.Run{Result: &engine.Result{Classes: &c}}
	}
	one, other := .2, .3
	metric := func(id string) compare.Metric {
		return compare.Metric{ID: id, Values: []*float64{&one, &other}, Deltas: make([]*float64, 2), Verdicts: make([]string, 2),
			PairedDifferences: make([]*compare.Difference, 2)}
	}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"a", "b"},
		Metrics: []compare.Metric{metric("accuracy"), metric("macro_f1"), metric("cost"), metric("abstention_rate")}}}
	v.runs = []compare.Run{run(.2, .1), run(.3, .2)}
	rows, _ := v.metricRows()
	var html strings.Builder
	for _, r := range rows {
		if err := r.Cells[0].View.Render(t.Context(), &html); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Accuracy of the answers", "Macro F1 of the answers", "Mean cost (each by its own costs)"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("no %q in %s", want, html.String())
		}
	}
	if strings.ContainsAny(html.String(), "↑↓") {
		t.Errorf("a better direction: %s", html.String())
	}
}

// TestTieHasNoWinner: where the digits shown are equal the page names no best run.
func TestTieHasNoWinner(t *testing.T) {
	a, b := .83701, .83699
	d := b - a
	m := compare.Metric{ID: "auc", Direction: stat.HigherBetter, Values: []*float64{&a, &b}, Deltas: []*float64{nil, &d},
		Verdicts: []string{"", ""}, PairedDifferences: []*compare.Difference{nil, nil}}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"first", "second"}, Metrics: []compare.Metric{m}},
		runs: make([]compare.Run, 2)}
	for base := range 2 {
		v.Base = base
		m.Deltas[base], m.Deltas[1-base] = nil, &d
		if strong, rest := v.Finding(); strings.Contains(rest, "highest") || !strings.Contains(strong+rest, "the same to the digits shown, 0.837") {
			t.Errorf("baseline %d: %s %s", base, strong, rest)
		}
	}
}

// TestAgreeRowByRow: where the paired difference is 0 in every row, as of a run and the same one with more repeats, the
// finding says so and has no verdict on chance.
func TestAgreeRowByRow(t *testing.T) {
	zero, some := 0.0, .01
	v := Page{Comparison: &compare.Comparison{Names: []string{"a", "b"}}, runs: make([]compare.Run, 2)}
	for high, want := range map[*float64]bool{&zero: true, &some: false} {
		m := compare.Metric{ID: "brier", Direction: stat.LowerBetter, Verdicts: make([]string, 2),
			PairedDifferences: []*compare.Difference{nil, {N: 40, Value: &zero, Low: &zero, High: high}}}
		if got := v.sureness(m, 1); strings.Contains(got, "Over 40 rows tested by both, the two agree row by row.") != want {
			t.Errorf("up to %v: %q", *high, got)
		}
	}
}

// TestTrainingRowsDecideNothing: of runs evaluated on their training rows the finding says so, and cells and note say
// why no difference has an interval.
func TestTrainingRowsDecideNothing(t *testing.T) {
	worse, better, d := .7, .9, .2
	m := compare.Metric{ID: "auc", Direction: stat.HigherBetter, Values: []*float64{&worse, &better},
		Deltas: []*float64{nil, &d}, Verdicts: []string{"", ""}, PairedDifferences: []*compare.Difference{nil, nil}}
	on := compare.Run{Result: &engine.Result{Apparent: true}}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"A", "B"},
		Metrics: []compare.Metric{m}}, runs: []compare.Run{on, on}}
	if c := v.differenceCell(m, 1, stat.ByID("auc")); c.Small() != "training rows: no interval" {
		t.Errorf("%+v", c)
	}
	if _, rest := v.Finding(); !strings.HasSuffix(rest, ", on the training rows. There a closer fit looks better, whatever "+
		"it does on new rows.") {
		t.Error(rest)
	}
	if note := v.note(); !strings.HasSuffix(note, "the runs were evaluated on their training rows.") {
		t.Error(note)
	}
}

// TestMovesNoRightWay: to a run recalibrated for another population, or evaluated on its training rows, rows move, none
// of them the right way; of training rows a note says why.
func TestMovesNoRightWay(t *testing.T) {
	table := stat.Reclassify([]int{1, 1, 0, 0}, []int{0, 1, 0, 1}, []bool{true, true, false, false}, 2)
	bands := compare.Strata{Boundaries: []float64{.5}, Bands: []stat.Stratum{{Upper: .5}, {Lower: .5, Upper: 1}}}
	for _, of := range []string{"held-out rows", "another population", "training rows"} {
		neutral := of != "held-out rows"
		v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"A", "B"}, Strata: []compare.Strata{bands, bands},
			Reclassification: []compare.Reclassification{{Run: "b", Baseline: "a", N: 4, Table: &table}}}}
		v.runs = []compare.Run{{Result: &engine.Result{}}, {Result: &engine.Result{}}}
		switch of {
		case "another population":
			v.runs[1].Result.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
		case "training rows":
			v.runs[0].Result.Apparent, v.runs[1].Result.Apparent = true, true
		}
		html, body := "", v.moves()[0].Body
		for _, side := range body[0].(doc.Pair) {
			block := side[0].(doc.Block)
			var b strings.Builder
			if err := block[1].(doc.Part).View.Render(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			html += b.String()
			for _, row := range block[0].(doc.Table).Rows {
				for _, c := range row.Cells {
					if neutral && (c.Class == "better" || c.Class == "worse") {
						t.Errorf("%s: a cell is %s", of, c.Class)
					}
				}
			}
		}
		if strings.Contains(html, "way") == neutral || strings.Contains(html, "1 moved, 1 stayed") != neutral {
			t.Errorf("%s: %s", of, html)
		}
		if said := strings.Contains(fmt.Sprint(body[1:]), engine.CloserFit); said != (of == "training rows") {
			t.Errorf("%s: %v", of, body[1:])
		}
	}
}

// TestAnswersOnTrainingRows: below the answers that became right on training rows it says what they do not show.
func TestAnswersOnTrainingRows(t *testing.T) {
	answers := []compare.Answers{{Level: "x", N: 5, Counts: [][]int{{5, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
		{Level: "y", N: 5, Counts: [][]int{{0, 1, 0}, {0, 4, 0}, {0, 0, 0}}}}
	for _, apparent := range []bool{false, true} {
		v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"A", "B"},
			Reclassification: []compare.Reclassification{{Run: "b", Baseline: "a", N: 10, Classes: answers}}}}
		v.runs = []compare.Run{{Result: &engine.Result{}}, {Result: &engine.Result{Apparent: apparent}}}
		if body := v.moves()[0].Body; strings.Contains(fmt.Sprint(body[1:]), engine.CloserFit) != apparent {
			t.Errorf("apparent %t: %v", apparent, body[1:])
		}
	}
}

// TestRelabelledHasNoWinner: values on other labels name no best run; the difference on the labels as uploaded stands in
// their place, in the summary and in the table.
func TestRelabelledHasNoWinner(t *testing.T) {
	parent, child, d, low, high := .2134, .2026, -.0018, -.0098, .0068
	m := compare.Metric{ID: "interval_loss", Direction: stat.LowerBetter, Values: []*float64{&parent, &child}, Deltas: make([]*float64, 2),
		Verdicts: []string{"", stat.Unsettled}, PairedDifferences: []*compare.Difference{nil,
			{N: 498, Value: &d, Low: &low, High: &high, Method: compare.Bootstrap, Draws: 2000}}}
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"parent", "child"}, Metrics: []compare.Metric{m}},
		runs: make([]compare.Run, 2)}
	strong, rest := v.Finding()
	got := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(strong + " " + rest)
	if got != "On the labels as uploaded: over 498 rows tested by both, ‘child’ − baseline: no significant difference in interval loss (95 % CI −0.0098 – +0.0068)." {
		t.Error(got)
	}
	if c := v.differenceCell(m, 1, stat.ByID(m.ID)); c.Text() != "−0.0018" || c.Low == nil {
		t.Errorf("%q", c.Text())
	}
}

// TestLinesNameTheClass: the coefficients of several classes have the class in their name, in the file as on the page.
func TestLinesNameTheClass(t *testing.T) {
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a"}, Names: []string{"A"}, Terms: []compare.Term{
		{Name: "age", Class: "x", Standardized: make([]*float64, 1), Deltas: make([]*float64, 1)},
		{Name: "age", Class: "y", Standardized: make([]*float64, 1), Deltas: make([]*float64, 1)}}}, runs: make([]compare.Run, 1)}
	lines := v.Lines()
	if len(lines) != 2 || lines[0][1] != "age, class x" || lines[1][1] != "age, class y" {
		t.Errorf("%q", lines)
	}
}

// TestLinesWarn: the file of a comparison has its warnings, for each run concerned, as the page has them.
func TestLinesWarn(t *testing.T) {
	v := Page{Comparison: &compare.Comparison{IDs: []string{"a", "b"}, Names: []string{"A", "B"}, Baseline: "a", Warnings: []compare.Warning{
		{Code: "recalibrated", Message: "This run was recalibrated.", Runs: []string{"b"}}}}, runs: make([]compare.Run, 2)}
	if lines := v.Lines(); len(lines) != 1 || !slices.Equal(lines[0][:6], []string{"warning", "recalibrated", "b", "B", "a", "This run was recalibrated."}) {
		t.Errorf("%q", lines)
	}
}
