package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestMaskedSentence masks small counts in sentences written for the screen.
func TestMaskedSentence(t *testing.T) {
	for in, want := range map[string]string{
		"3 rows above 75\u00a0%.":           "Fewer than 10 rows above 75\u00a0%.",
		"14 identical rows: keep?":          "14 identical rows: keep?",
		"1,203 rows lack it.":               "1,203 rows lack it.",
		"1 label changed, 2 rows left out":  "Fewer than 10 labels changed, fewer than 10 rows left out",
		"BMI = 0 in 1 row. Missing?":        "BMI = 0 in fewer than 10 rows. Missing?",
		"23\u00a0rows, 4\u00a0events":       "23\u00a0rows, fewer than 10 events",
		"212 events for 30 parameters (7.1": "212 events for 30 parameters (7.1",
	} {
		if got := masked(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// judgedRun is a run with one band per pair of rows and events.
func judgedRun(pi []float64, counts ...[2]int) store.Run {
	var band []int
	var event []bool
	for j, c := range counts {
		for i := range c[0] {
			band, event = append(band, j), append(event, i < c[1])
		}
	}
	r := &engine.Result{Boundaries: pi, Strata: stat.Strata(pi, band, event)}
	r.Monotone = stat.Monotone(r.Strata)
	for _, s := range r.Strata {
		r.Flow.Scored, r.Flow.ScoredEvents = r.Flow.Scored+s.N, r.Flow.ScoredEvents+s.Events
	}
	return store.Run{Result: r}
}

// TestRangeOfLossIsNoInterval: in a sentence a range that masked counts leave must not read as a confidence interval.
func TestRangeOfLossIsNoInterval(t *testing.T) {
	loss := 0.1575
	for name, c := range map[string]struct {
		counts [][2]int
		ranged bool
	}{
		"masked": {[][2]int{{115, 14}, {22, 7}, {25, 15}, {38, 34}}, true},
		"shown":  {[][2]int{{115, 14}, {32, 12}, {45, 25}, {68, 54}}, false},
	} {
		run := judgedRun([]float64{0.25, 0.5, 0.75}, c.counts...)
		run.Result.Metrics.Test.IntervalLoss = &loss
		p := New(run, store.Dataset{}, Clinical{}).printed()
		if got := strings.Contains(p.LossText(), "–"); got != c.ranged {
			t.Fatalf("%s: the loss is %q", name, p.LossText())
		}
		if got := p.lossSentence(); strings.Contains(got, "not a confidence interval") != c.ranged {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestVerdictOfMaskedBands: of 50 rows, 41 events are compatible with the band and 44 are inside. A report that
// prints 41 to 49 must therefore give neither verdict, in the table or in sentences. Of 40 rows, 1 to 4 events are
// inside and 9 are compatible. Where all counts of the range have the same verdict it is printed: 1 to 9 of 326 are
// inside.
func TestVerdictOfMaskedBands(t *testing.T) {
	pi := []float64{0.25, 0.5, 0.75}
	for _, c := range []struct {
		name   string
		counts [][2]int
		words  string
		say    []string
	}{
		{"two that would tell", [][2]int{{40, 4}, {40, 16}, {40, 24}, {50, 42}}, "masked compatible compatible masked",
			[]string{"No band whose verdict is printed has a confidence interval that lies inside its limits; rates rise from band to band.",
				"The bands from 25 to 50 % and from 50 to 75 % are compatible with their limits; their confidence intervals reach beyond them.",
				"The verdicts on the bands at most 25 % and above 75 % are masked with their counts."}},
		{"ranges of one verdict", [][2]int{{326, 9}, {21, 10}, {24, 13}, {176, 175}}, "inside masked too few inside",
			[]string{"Of 547 rows, 502 lie in two bands whose whole confidence interval lies within the limits: at most 25 % and above 75 %.",
				"The band from 50 to 75 % has too few rows or events to judge; the verdict on the band from 25 to 50 % is masked with its counts."}},
		{"one masked, one empty", [][2]int{{326, 9}, {21, 10}, {0, 0}, {176, 175}}, "inside masked too few inside",
			[]string{"Of 523 rows, 502 lie in two bands whose whole confidence interval lies within the limits: at most 25 % and above 75 %.",
				"The band from 50 to 75 % has no rows; the verdict on the band from 25 to 50 % is masked with its counts."}},
		{"all masked", [][2]int{{47, 4}, {17, 8}, {16, 11}, {14, 13}}, "masked masked masked masked",
			[]string{"The verdicts on the bands at most 25 %, from 25 to 50 %, from 50 to 75 % and above 75 % are masked with their counts."}},
	} {
		p := New(judgedRun(pi, c.counts...), store.Dataset{}, Clinical{}).printed()
		var words []string
		for j := range c.counts {
			words = append(words, p.strataTable("").Rows[j].Cells[6].Chip)
		}
		if got := strings.Join(words, " "); got != c.words {
			t.Errorf("%s: the table says %q", c.name, got)
		}
		got := p.seen()
		for i := range got {
			got[i] = strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(got[i])
		}
		if !slices.Equal(got[:len(got)-1], c.say) {
			t.Errorf("%s: the sentences are %q", c.name, got)
		}
		for j, kept := range p.Numbers().Strata {
			if kept.Verdict != words[j] {
				t.Errorf("%s: band %d is printed as %q and kept as %q", c.name, j, words[j], kept.Verdict)
			}
		}
		is := New(store.Run{Result: p.Numbers()}, store.Dataset{}, Clinical{}).printed()
		if is.strata.Total != p.strata.Total || is.LossText() != p.LossText() {
			t.Errorf("%s: a kept run prints %+v, loss %s; was %+v, %s", c.name, is.strata.Total, is.LossText(),
				p.strata.Total, p.LossText())
		}
		for j, m := range is.strata.Rows {
			shown := m.N.Shown() && m.Events.Shown()
			if masked := is.r.Strata[j].Masked; shown == masked || shown && m != p.strata.Rows[j] {
				t.Errorf("%s: band %d of a kept run prints %+v, was %+v", c.name, j, m, p.strata.Rows[j])
			}
		}
	}
}

// TestCorrectedBesideUncorrected: the comparison with other models has no corrected values, so a corrected value of
// the model alone says so; where no other model is named it needs no such sentence.
func TestCorrectedBesideUncorrected(t *testing.T) {
	own, regression, none := engine.Beside{ID: "model"}, engine.Beside{ID: "logistic"}, engine.Beside{ID: "null"}
	for _, c := range []struct {
		beside []engine.Beside
		named  bool
	}{{nil, false}, {[]engine.Beside{own}, false}, {[]engine.Beside{own, none}, true}, {[]engine.Beside{own, regression, none}, true}} {
		run := judgedRun([]float64{0.5}, [2]int{200, 40}, [2]int{200, 160})
		run.Result.Beside = c.beside
		b := &engine.Bootstrap{Replicates: 200}
		for _, id := range []string{"interval_loss", "auc"} {
			b.Metrics = append(b.Metrics, engine.Corrected{ID: id, Optimism: stat.Optimism{Corrected: interval(.2, .1, .3)}})
		}
		p := New(run, store.Dataset{}, Clinical{Result: run.Result, Refits: &store.Bootstrap{Result: b}}).printed()
		all := p.withRefits(nil)
		if len(all) != 1 || !strings.Contains(all[0], "interval loss 0.200") ||
			strings.Contains(all[0], "The other models are not corrected") != c.named {
			t.Errorf("%d models: %q", len(c.beside), all)
		}
	}
}

// TestLossElsewhereWithInterval: the interval loss of an external validation has its interval, which a report with masked
// bands leaves out with the reason.
func TestLossElsewhereWithInterval(t *testing.T) {
	for want, counts := range map[string][][2]int{
		"0.157 (0.131\u00a0–\u2060\u00a00.183)":               {{115, 14}, {32, 12}, {45, 25}, {68, 54}},
		"(its interval would disclose masked counts)":         {{400, 60}, {300, 100}, {300, 190}, {300, 295}},
		"range that the printed counts leave, not a confiden": {{115, 14}, {22, 7}, {25, 15}, {38, 34}},
	} {
		run := judgedRun([]float64{0.25, 0.5, 0.75}, counts...)
		loss := 0.1572
		run.Result.Metrics.Test.IntervalLoss = &loss
		x := External{e: &external.Evaluation{Performance: &stat.Performance{IntervalLoss: interval(loss, .1312, .1832)}},
			p: New(run, store.Dataset{}, Clinical{Result: run.Result}).printed()}
		if got := x.lossHere(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q (%d decimals)", got, want, x.p.decimals)
		}
	}
}

// TestTrainingRowsRankNoModel: evaluated on its training rows, a model is called better or worse than logistic
// regression nowhere in the report, with counts masked or not, and one note says why.
func TestTrainingRowsRankNoModel(t *testing.T) {
	loss, worse, diff, se := .1575, .1975, .04, .004
	for name, counts := range map[string][][2]int{
		"masked": {{115, 14}, {22, 7}, {25, 15}, {38, 34}},
		"shown":  {{115, 14}, {32, 12}, {45, 25}, {68, 54}},
	} {
		for _, apparent := range []bool{true, false} {
			run := judgedRun([]float64{.25, .5, .75}, counts...)
			r := run.Result
			r.Apparent, r.Metrics.Test.IntervalLoss = apparent, &loss
			r.Beside = []engine.Beside{{ID: "model", Title: "Boosting", Metrics: r.Metrics.Test},
				{ID: "logistic", Title: "Logistic regression", Metrics: stat.Binary{IntervalLoss: &worse}, Difference: &diff,
					DifferenceSE: &se}}
			lost := stat.LossDifference{Difference: interval(.01, .005, .015)}
			r.DropRanks()
			p := New(run, store.Dataset{}, Clinical{Known: true, Statistics: engine.Statistics{Paired: &stat.Comparison{
				AUC: stat.AUCDifference{Difference: interval(.03, .01, .05)}, Brier: lost, LogLoss: lost}}}).printed()
			verdict := strings.Join(append(p.seen(), p.lossSentence(), p.outdone()), " ")
			if said := strings.Contains(verdict, "igher interval loss"); said == apparent {
				t.Errorf("%s, apparent %t: %s", name, apparent, verdict)
			}
			if said := strings.Contains(verdict, "Worse than logistic regression"); said == apparent {
				t.Errorf("%s, apparent %t: %s", name, apparent, verdict)
			}
			if table := p.pairedTable(); (table == nil) != apparent {
				t.Errorf("%s, apparent %t: %+v", name, apparent, table)
			}
			if note := p.besideTable().Note; strings.Contains(note, engine.CloserFit) != apparent {
				t.Errorf("%s, apparent %t: %q", name, apparent, note)
			}
		}
	}
}

// TestReservedInPrint: the printed verdict says first that the rows trained the model, or that a review changed labels,
// also of several classes; the flow of rows does not begin with "none".
func TestReservedInPrint(t *testing.T) {
	for want, change := range map[string]func(r *engine.Result){
		"": func(*engine.Result) {}, "Evaluated on the rows that trained": func(r *engine.Result) { r.Apparent, r.Validation = true, "none: evaluated on the training rows" },
		"Evaluated after a review": func(r *engine.Result) { r.Warnings = []engine.Warning{{Code: engine.WarnReviewed}} },
	} {
		run := judgedRun([]float64{.25, .5, .75}, [2]int{115, 14}, [2]int{32, 12}, [2]int{45, 25}, [2]int{68, 54})
		change(run.Result)
		p := New(run, store.Dataset{}, Clinical{}).printed()
		if got := p.verdict()[0]; want != "" && !strings.HasPrefix(got, want) || want == "" && strings.HasPrefix(got, "Evaluated") {
			t.Errorf("%q, want %q", got, want)
		}
		if flow := fmt.Sprint(p.flow()); strings.Contains(flow, "none: evaluated") {
			t.Error(flow)
		}
		several := classRun(52, 61)
		change(several.r)
		if got := strings.Join(several.verdict(), " "); strings.Contains(got, "Evaluated after") != (strings.HasSuffix(want, "review")) {
			t.Errorf("classes: %q", got)
		}
	}
}
