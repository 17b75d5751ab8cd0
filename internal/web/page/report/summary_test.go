package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
)

// key returns the key figures of a table as text, one per line.
func key(t doc.Table) (lines []string) {
	for _, r := range t.Rows {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{r.Cells[0].Text() + ":", r.Cells[1].Text(), r.Cells[1].Small()}, " ")))
	}
	return lines
}

// TestKeyFigures: there are five numbers, for a model without probabilities those that it has. Masked, the net
// benefit and the events in the outer bands are ranges over all tables that the printed bands allow.
func TestKeyFigures(t *testing.T) {
	pi := []float64{0.25, 0.75}
	v := func(x float64) *float64 { return &x }
	soft := stat.Performance{AUC: interval(.9, .85, .95), CalibrationSlope: interval(1.02, .9, 1.14),
		ObservedExpected: interval(1.1, 1, 1.2), Brier: stat.Estimate{Value: v(.08)}, IntervalLoss: stat.Estimate{Value: v(.05)}}
	hard := stat.Performance{AUC: interval(.9, .85, .95), IntervalLoss: stat.Estimate{Value: v(.05)}}
	benefit := func(tp, fp, n int, pi float64) float64 {
		return 100 * (float64(tp) - float64(fp)*pi/(1-pi)) / float64(n)
	}
	estimated := func(tp, fp, n int, pi float64) string {
		// Zou and Donner's limits of tp/n − w·fp/n, whose two shares have the correlation of multinomial ones.
		mean, w, of := benefit(tp, fp, n, pi)/100, pi/(1-pi), float64(n)
		p, q := float64(tp)/of, float64(fp)/of
		pl, ph := stat.Wilson(tp, n)
		ql, qh := stat.Wilson(fp, n)
		twice := 2 * math.Sqrt(p*q/(1-p)/(1-q))
		down, up := p-pl, ph-p
		less, more := w*(qh-q), w*(q-ql)
		return fmt.Sprintf("%.1f (%.1f – %.1f)", 100*mean, 100*(mean-math.Sqrt(down*down+less*less+twice*down*less)),
			100*(mean+math.Sqrt(up*up+more*more+twice*up*more)))
	}
	for _, c := range []struct {
		name   string
		counts [][2]int
		judged stat.Performance
		want   []string
	}{
		{"probabilities", [][2]int{{300, 20}, {100, 40}, {200, 180}}, soft, []string{"AUC: 0.900 (0.850 – 0.950)",
			"Calibration slope: 1.020 (0.900 – 1.140)", "Observed / expected: 1.100 (1.000 – 1.200)",
			"Net benefit: " + estimated(220, 80, 600, .25), "Brier score: 0.0800"}},
		{"bands alone", [][2]int{{300, 20}, {100, 40}, {200, 180}}, hard, []string{"AUC: 0.900 (0.850 – 0.950)",
			"Net benefit: " + estimated(220, 80, 600, .25),
			"Interval loss: 0.0500", fmt.Sprintf("Events in the highest band: %.1f", 100*180./240), fmt.Sprintf("Events in the lowest band: %.1f", 100*20./240)}},
		// 4 of 300 and 6 of 100 mask each other: 1 to 9 each, 10 in all.
		{"masked", [][2]int{{300, 4}, {100, 6}, {200, 180}}, hard, []string{"AUC: 0.900 (0.850 – 0.950)",
			fmt.Sprintf("Net benefit: %.1f – %.1f ", benefit(181, 119, 600, .25), benefit(189, 111, 600, .25)) + leftByMasks,
			fmt.Sprintf("Events in the highest band: %.1f", 100*180./190),
			fmt.Sprintf("Events in the lowest band: %.1f – %.1f ", 100*1./190, 100*9./190) + leftByMasks}},
		// At 50 % nothing is masked.
		{"masked below", [][2]int{{300, 4}, {100, 6}, {100, 40}, {200, 180}}, hard, []string{"AUC: 0.900 (0.850 – 0.950)",
			"Net benefit: " + estimated(220, 80, 700, .5),
			fmt.Sprintf("Events in the highest band: %.1f", 100*180./230),
			fmt.Sprintf("Events in the lowest band: %.1f – %.1f ", 100*1./230, 100*9./230) + leftByMasks}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pi := pi
			if len(c.counts) == 4 {
				pi = []float64{.25, .5, .75}
			}
			run := judgedRun(pi, c.counts...)
			run.Result.Metrics.Test.IntervalLoss = c.judged.IntervalLoss.Value
			clinical := Clinical{Run: run, Result: run.Result, Known: true, Statistics: engine.Statistics{Judged: c.judged}}
			for k := range pi {
				b := stat.Boundary{Threshold: pi[k]}
				for j, n := range c.counts {
					if j > k {
						b.TP, b.FP = b.TP+n[1], b.FP+n[0]-n[1]
					} else {
						b.FN, b.TN = b.FN+n[1], b.TN+n[0]-n[1]
					}
				}
				clinical.Statistics.Boundaries = append(clinical.Statistics.Boundaries, b)
			}
			p := New(run, store.Dataset{}, clinical).printed()
			got := key(p.masked(p.c.keyFigures("Cross-validated")).(doc.Table))
			if strings.HasPrefix(c.name, "masked") { // the interval loss with the precision that the ranges allow, or left out
				got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "Interval loss") })
			}
			for i := range c.want {
				c.want[i] = strings.NewReplacer(" – ", "\u00a0–\u2060\u00a0", "-", "−").Replace(c.want[i])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if t2 := (Clinical{Result: &engine.Result{}}).keyFigures(""); len(t2.Rows) != 0 {
		t.Errorf("of a run whose rows are gone: %v", key(t2))
	}
}

// TestMainLimits: the first page has at most three limits, the most serious first, and repeats none of the verdict.
func TestMainLimits(t *testing.T) {
	warn := func(code string) engine.Warning { return engine.Warning{Code: code, Message: code + "."} }
	ask := func(code string) engine.Warning { return engine.Warning{Code: code, Level: "ask", Message: code + "?"} }
	for _, c := range []struct {
		name      string
		simulated bool
		warnings  []engine.Warning
		want      []string
	}{
		{"few", false, nil, []string{"Evaluated only on the development data"}},
		{"by harm, not by order", false, []engine.Warning{warn(engine.WarnTrees), warn(engine.WarnNotCertified), warn(engine.WarnApparent)},
			[]string{"Apparent.", "Not-certified.", "Evaluated only on the development data"}},
		{"made-up data first", true, []engine.Warning{warn(engine.WarnSeparation), warn(engine.WarnOptimistic), warn(engine.WarnNotCertified)},
			[]string{"The data are simulated", "Optimistic.", "Separation."}},
		{"not what the verdict says", false, []engine.Warning{ask("leak"), warn(check.WarnFewEvents), warn(engine.WarnLogisticBetter), warn(engine.WarnTrees)},
			[]string{"Evaluated only on the development data", "Trees."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := store.Run{Result: &engine.Result{Warnings: c.warnings, Validation: "5 folds"}}
			p := New(run, store.Dataset{Simulated: c.simulated}, Clinical{}).printed()
			got := p.gravest()[0].(doc.List)
			if len(got) != len(c.want) {
				t.Fatalf("%q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.HasPrefix(strings.ToLower(got[i]), strings.ToLower(c.want[i])) {
					t.Errorf("%d: %q, want %q", i, got[i], c.want[i])
				}
			}
		})
	}
}

// TestVerdictLeavesRoom: of many open questions the verdict states three and the number of others; the section
// Limits lists all.
func TestVerdictLeavesRoom(t *testing.T) {
	for _, c := range []struct {
		questions, sentences int
		last                 string
	}{{3, 3, "Not answered"}, {4, 4, "Not answered"}, {6, 4, "3 more questions about the data had no answer: see Limits."}} {
		var all []engine.Warning
		for i := range c.questions {
			all = append(all, engine.Warning{Code: "leak", Level: "ask", Column: fmt.Sprint("c", i), Message: fmt.Sprintf("c%d alone has AUC 0.99. Is it known?", i)})
		}
		p := New(store.Run{Result: &engine.Result{Warnings: all}}, store.Dataset{}, Clinical{}).printed()
		got := p.gravestOpen()
		if len(got) != c.sentences || !strings.HasPrefix(got[len(got)-1], c.last) {
			t.Errorf("%d questions: %q", c.questions, got)
		}
		if n := len(p.limits()); n < c.questions {
			t.Errorf("%d questions: %d limits", c.questions, n)
		}
	}
}

// TestFirstPage: every document starts with the summary, and its figures are masked like the rest.
func TestFirstPage(t *testing.T) {
	run := judgedRun([]float64{0.25, 0.75}, [2]int{300, 4}, [2]int{100, 40}, [2]int{200, 195})
	d := New(run, store.Dataset{}, Clinical{}).Report()
	var titles []string
	for _, s := range d.Sections {
		if s.Level == doc.Summary {
			titles = append(titles, s.Title)
		}
	}
	if want := []string{"Verdict", "Strata", "Main limits"}; !slices.Equal(titles, want) || d.Sections[2].Title != want[2] {
		t.Errorf("the first page has %q", titles)
	}
	people := d.Sections[1].Body[1].(doc.Pair)[0][1].(doc.Icons)
	if people[0].SVG != "" || people[1].SVG != viz.IconsSVG(40, false, "40 of 100 in the band 25\u00a0–\u2060\u00a075\u00a0%") {
		t.Errorf("the people of a masked band are drawn, or those of another are not: %+v", people)
	}
	if _, ok := d.Sections[1].Body[0].(doc.Table).Rows[0].Cells[3].Value.(mask.Span); !ok {
		t.Error("the events of the lowest band are not masked")
	}
}

// TestMaskedFiguresOfTheTask: only statistics that the task has are said to be masked.
func TestMaskedFiguresOfTheTask(t *testing.T) {
	for want, c := range map[string]*engine.ClassResult{
		"Macro F1 is masked: with the answers by true class it would disclose small counts.": {Task: "multiclass"},
		"Mean cost and macro F1 are masked: with the answers by true class they would disclose small counts.": {
			Task: "multiclass", Criterion: "mean cost"},
		"Mean absolute error, quadratic weighted kappa and macro F1 are masked: with the answers by true class they would disclose " +
			"small counts.": {Task: "ordinal"},
	} {
		if got := (answerMask{hidden: true, counted: true}).note(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMaskedClassFigures: of ordered classes the first page has mean absolute error and weighted kappa, and where small
// counts mask them and the metrics of the probabilities, it says which are masked.
func TestMaskedClassFigures(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name      string
		confusion [][]int
		want      []string
	}{
		{"shown", [][]int{{80, 20, 0}, {20, 60, 20}, {0, 20, 80}}, []string{"Log loss", "Brier score", "Mean absolute error",
			"Accuracy", "Quadratic weighted kappa"}},
		{"answers masked", [][]int{{90, 4, 6}, {5, 85, 10}, {7, 3, 90}}, []string{"Log loss", "Brier score", "Accuracy",
			"Mean absolute error, quadratic weighted kappa and macro F1 are masked"}},
		{"a class masked", [][]int{{4, 2, 0}, {20, 60, 20}, {0, 20, 80}}, []string{"Accuracy",
			probabilitiesMasked, "Mean absolute error, quadratic weighted kappa and macro F1 are masked"}},
	} {
		m := stat.Classes{Levels: []string{"a", "b", "c"}, Confusion: c.confusion, Abstained: make([]int, 3), MAE: v(.2),
			Accuracy: v(.8), Kappa: v(.7), MacroF1: v(.75), LogLoss: v(.5), Brier: v(.3)}
		r := &engine.Result{Classes: &engine.ClassResult{Task: "ordinal", Levels: m.Levels, Criterion: "mean absolute error"}}
		for k, row := range c.confusion {
			n := row[0] + row[1] + row[2]
			m.N += n
			r.Classes.Rows = append(r.Classes.Rows, engine.ClassRows{Level: m.Levels[k], Trained: n, Scored: n})
			r.Flow.Trained, r.Flow.Scored = r.Flow.Trained+n, r.Flow.Scored+n
		}
		r.Classes.Metrics.Test = m
		parts := New(store.Run{Result: r}, store.Dataset{}, Clinical{Known: true}).printed().classAnswers()
		var got []string
		for _, n := range parts[len(parts)-1].(doc.Pair)[0] {
			switch n := n.(type) {
			case doc.Facts:
				for _, f := range n {
					got = append(got, f.Label)
				}
			case doc.Note:
				got = append(got, string(n))
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", c.name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q", c.name, got[i], c.want[i])
			}
		}
	}
}

// TestCriterionMasked: where small counts mask what the model is meant to keep low, the verdict, which then has the
// accuracy, says so. The checklist names the measures of ranking and probabilities, and no tuning of a given penalty.
func TestCriterionMasked(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	for name, c := range map[string]struct {
		confusion [][]int
		penalty   fit.L2
		want      bool
	}{
		"shown":  {[][]int{{80, 20, 0}, {20, 60, 20}, {0, 20, 80}}, fit.L2{Mode: "cv"}, false},
		"masked": {[][]int{{90, 4, 6}, {5, 85, 10}, {7, 3, 90}}, fit.L2{Value: .1}, true},
	} {
		m := stat.Classes{Levels: []string{"a", "b", "c"}, Confusion: c.confusion, Abstained: make([]int, 3), MAE: v(.2),
			Accuracy: v(.8), LogLoss: v(.5), Brier: v(.3), N: 300, Answered: 300}
		r := &engine.Result{Classes: &engine.ClassResult{Task: "ordinal", Levels: m.Levels, Criterion: "mean absolute error",
			Pictures: &engine.ClassPictures{Classes: []engine.ClassPicture{{Level: "a"}}}}}
		for k := range c.confusion {
			r.Classes.Rows = append(r.Classes.Rows, engine.ClassRows{Level: m.Levels[k], Trained: 100, Scored: 100})
		}
		r.Flow.Trained, r.Flow.Scored, r.Classes.Metrics.Test = 300, 300, m
		run := store.Run{Result: r, Spec: runspec.Spec{Model: fit.Spec{Loss: "al-ordinal", L2: c.penalty}}}
		p := New(run, store.Dataset{}, Clinical{Known: true}).printed()
		text := strings.Join(p.classVerdict(), " ")
		if got := strings.Contains(text, "The criterion of this model is the mean absolute error, not the accuracy; it is "+
			"masked."); got != c.want {
			t.Errorf("%s: %q", name, text)
		}
		if got := classItems["12e"](p); !strings.Contains(got, "AUC of each class against the others, log loss, Brier score.") {
			t.Errorf("%s: %q", name, got)
		}
		if got := classItems["13"](p); strings.Contains(got, "tuning minimises the mean absolute error") != c.penalty.Tuned() {
			t.Errorf("%s: %q", name, got)
		}
	}
}
