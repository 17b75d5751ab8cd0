package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestFlaggedOfMaskedBands: the number of rows of a band may be printed where its events are masked. Rows per 100
// above a boundary are then exact, with an interval, and the sensitivity there is a range.
func TestFlaggedOfMaskedBands(t *testing.T) {
	pi := []float64{0.5, 0.75}
	run := judgedRun(pi, [2]int{243, 60}, [2]int{100, 60}, [2]int{50, 42})
	b := stat.Boundary{Threshold: 0.75, TP: 42, FP: 8, FN: 120, TN: 223}
	p := New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result, Known: true, Statistics: engine.Statistics{Boundaries: []stat.Boundary{{}, b}}}).printed()
	if p.strata.Rows[2].Events.Shown() {
		t.Fatalf("events are shown: %v", p.strata.Rows)
	}
	if c := atBoundary(p.strata, b, 1, stat.ByID("flagged_per_100")); c.Text() != "12.7" || !strings.Contains(c.Small(), "9.8") || !strings.Contains(c.Small(), "16.4") {
		t.Errorf("flagged %q %q", c.Text(), c.Small())
	}
	band := bandRatio(p.strata, stat.BandRatio{RowsPer1000: stat.Proportion(50, 393), LR: stat.Estimate{Value: new(float64)}}, 2)
	if band[1].Small() == "" || band[0].Small() != "" {
		t.Errorf("the band prints %v", band)
	}
	if c := atBoundary(p.strata, b, 1, stat.ByID("sensitivity")); !strings.Contains(c.Text(), "–") || c.Small() != "" {
		t.Errorf("sensitivity %q %q", c.Text(), c.Small())
	}
}

// TestRatioWithoutBounds: a range from 0 to infinity is printed as a dash, since it excludes nothing.
func TestRatioWithoutBounds(t *testing.T) {
	for _, c := range []struct {
		a, b ends
		want string
	}{
		{ends{0, 1, true}, ends{0, 1, true}, "–"},
		{ends{0.001, 1, true}, ends{0, 0.5, true}, "–"},
		{ends{0.5, 1, true}, ends{0, 0.25, true}, "≥ 2.00"},
		{ends{0.5, 1, true}, ends{0.125, 0.25, true}, "2.00 – 8.00"},
	} {
		if got := ratioCell(quotient(c.a, c.b)).Text(); strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(got) != c.want {
			t.Errorf("%v / %v prints %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestInfiniteRatios: where no non-event is, a likelihood ratio is infinite, and not a dash as for too few rows; with
// masked counts only if it is infinite whatever they are.
func TestInfiniteRatios(t *testing.T) {
	pi := []float64{.5}
	run := judgedRun(pi, [2]int{200, 40}, [2]int{60, 60})
	at := stat.Boundary{Threshold: .5, TP: 60, FP: 0, FN: 40, TN: 160}
	bands := []stat.BandRatio{{Upper: .5, N: 200, Events: 40, LR: stat.Ratio(40, 100, 160, 160)},
		{Lower: .5, Upper: 1, N: 60, Events: 60, LR: stat.Ratio(60, 100, 0, 160)}}
	c := Clinical{Run: run, Result: run.Result, Known: true, Statistics: engine.Statistics{Boundaries: []stat.Boundary{at}, Bands: bands}}
	const infinite = "∞ (25.6\u00a0–\u2060\u00a0∞)" // with its lower limit
	table := c.boundaries(0, 1)
	for _, r := range table.Rows {
		if got := r.Cells[1].Text(); (r.Cells[0].Value == "LR+") != (got == infinite) {
			t.Errorf("%v is %s", r.Cells[0].Value, got)
		}
	}
	for j, want := range []string{"0.40", infinite} {
		if got := c.bands().Rows[j].Cells[1].Text(); got != want {
			t.Errorf("the likelihood ratio of band %d is %s, want %s", j, got, want)
		}
	}
	p := New(run, store.Dataset{}, c).printed()
	if got := atBoundary(p.strata, at, 0, stat.ByID("lr_positive")).Text(); got != infinite {
		t.Errorf("LR+ of printed counts is %s", got)
	}
	hidden := New(judgedRun([]float64{.3, .6}, [2]int{8, 0}, [2]int{2, 2}, [2]int{43, 43}), store.Dataset{}, Clinical{})
	hidden.c.Statistics.Boundaries = []stat.Boundary{{Threshold: .3, TP: 45, TN: 8}, {Threshold: .6, TP: 43, FN: 2, TN: 8}}
	hidden = hidden.printed()
	if got := atBoundary(hidden.strata, hidden.c.Statistics.Boundaries[1], 1, stat.ByID("lr_positive")).Text(); got != "∞" {
		t.Errorf("LR+ of masked counts, all of them events, is %s", got)
	}
	one := stat.Boundary{TP: 3, FN: 2}
	if one.Infinite("lr_positive") || at.Infinite("lr_negative") || !(stat.Boundary{TP: 1, FP: 3, FN: 2}).Infinite("lr_negative") {
		t.Error("a ratio over nothing at all counts as infinite, or an infinite one does not")
	}
}

// TestGroupTellsNoHiddenCount: a group masked to protect another must not reveal whether it has enough events,
// neither by "too few" nor by its AUC.
func TestGroupTellsNoHiddenCount(t *testing.T) {
	auc := .8
	for _, c := range []struct {
		name   string
		n      int
		events mask.Span
		said   string
		auc    bool
	}{
		{"few for certain", 60, mask.Span{Low: 1, High: 9}, "too few", false},
		{"few or not", 60, mask.Span{Low: 0, High: 40}, "0.0 – 66.7", false},
		{"enough for certain", 80, mask.Span{Low: 30, High: 50}, "37.5 – 62.5", true},
		{"few non-events for certain", 60, mask.Span{Low: 51, High: 59}, "too few", false},
		{"few non-events or not", 60, mask.Span{Low: 45, High: 59}, "75.0 – 98.3", false},
	} {
		m := mask.Row{N: mask.Span{Low: c.n, High: c.n}, Events: c.events, Others: mask.Span{Low: c.n - c.events.High, High: c.n - c.events.Low}}
		for _, few := range []bool{true, false} {
			g := stat.Subgroup{Level: "a", N: c.n, Suppressed: few, AUC: stat.Estimate{Value: &auc}, Slope: stat.Estimate{Value: &auc}}
			cells := groupRow(g, m).Cells
			if got := strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(cells[3].Text()); got != c.said ||
				(cells[4].Text() == "0.800") != c.auc {
				t.Errorf("%s: %q and AUC %q", c.name, got, cells[4].Text())
			}
			if cells[6].Text() == "0.800" {
				t.Errorf("%s: the calibration slope is printed, whose interval tells the events", c.name)
			}
		}
	}
}

// TestRangesAtBoundaries compares each printed range at a boundary with the exact range over all tables that the
// printed bands allow.
func TestRangesAtBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []mask.Split
		for range rapid.IntRange(2, 3).Draw(t, "bands") {
			n := rapid.IntRange(0, 12).Draw(t, "n")
			rows = append(rows, mask.Split{N: n, Events: rapid.IntRange(0, n).Draw(t, "events")})
		}
		q := printedTable(mask.Hide(rows)).at(rapid.IntRange(0, len(rows)-2).Draw(t, "boundary"))
		const pi = 0.3
		for _, s := range stat.Which(stat.Statistic.AtBoundaries) {
			want, got := spread(q.every(pi), s.ID), spread(q.corners(pi), s.ID)
			undefined := want[2] == 1 && got[2] == 1 // a ratio is then printed as at least its minimum, other statistics as unknown
			over := s.Digits == stat.Figures && got[0] > want[0]+1e-12 && !math.IsInf(got[0], 1)
			differ := math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 || got[2] != want[2]
			if undefined && over || !undefined && differ {
				t.Fatalf("%s of %v: %v, over every table %v", s.ID, q, got, want)
			}
		}
	})
}

// every lists all tables at a boundary that the printed bands allow.
func (q quad) every(pi float64) (all []stat.Boundary) {
	within := func(n int, s mask.Span) bool { return s.Low <= n && n <= s.High }
	for tp := q.tp.Low; tp <= q.tp.High; tp++ {
		for fp := q.fp.Low; fp <= q.fp.High; fp++ {
			for fn := q.fn.Low; fn <= q.fn.High && within(tp+fp, q.above); fn++ {
				for tn := q.tn.Low; tn <= q.tn.High; tn++ {
					if within(fn+tn, q.below) {
						all = append(all, stat.Boundary{Threshold: pi, TP: tp, FP: fp, FN: fn, TN: tn})
					}
				}
			}
		}
	}
	return all
}

// spread is the range of a statistic over tables; the third value is 1 where some tables leave it undefined.
func spread(all []stat.Boundary, id string) (v [3]float64) {
	v[0], v[1] = math.Inf(1), math.Inf(-1)
	for _, b := range all {
		if e := b.Of(id); e.Value != nil {
			v[0], v[1] = min(v[0], *e.Value), max(v[1], *e.Value)
		} else {
			v[2] = 1
		}
	}
	return v
}

// TestLiftChart: the page has the whole curve; the masked report has points at least ten events and ten non-events
// apart, and no chart where a band is masked.
func TestLiftChart(t *testing.T) {
	s := stat.Scores{}
	for i := range 200 {
		s.Score, s.Event, s.Band = append(s.Score, float64(-i)), append(s.Event, i%3 == 0 && i < 120), append(s.Band, 0)
	}
	events := 0
	for _, e := range s.Event {
		if e {
			events++
		}
	}
	c := Clinical{Result: &engine.Result{Flow: engine.Flow{Scored: 200, ScoredEvents: events}},
		Statistics: engine.Statistics{Curves: stat.Draw(s, false)}}
	lift := func(figures doc.Figures) *doc.Figure {
		for i := range figures {
			if figures[i].Lines != nil && figures[i].Lines.ID == "lift" {
				return &figures[i]
			}
		}
		return nil
	}
	page := lift(c.liftFigure())
	if page != nil && page.Title != "Cumulative gains curve" { // sensitivity, not lift, is drawn
		t.Errorf("its title is %q", page.Title)
	}
	if page == nil || len(page.Lines.Lines[0].X) != len(c.Statistics.Gains) || page.Lines.Lines[1].X[1] != 100*float64(events)/200 {
		t.Fatalf("the chart of the page: %+v", page)
	}
	for _, hidden := range []bool{false, true} {
		split := []mask.Split{{N: 100, Events: 30}, {N: 100, Events: 10}}
		if hidden {
			split = []mask.Split{{N: 100, Events: 37}, {N: 100, Events: 3}}
		}
		d := doc.Mask(doc.Document{Counts: map[string][]mask.Split{bands: split},
			Sections: []doc.Section{{Title: "Classification", Body: doc.Nodes{c.liftFigure()}}}},
			func(_ string, rows []mask.Split) mask.Table { return mask.Hide(rows) })
		var print *doc.Figure
		if len(d.Sections) > 0 {
			print = lift(d.Sections[0].Body[0].(doc.Figures))
		}
		if hidden != (print == nil) {
			t.Fatalf("hidden %v: printed %v", hidden, print)
		}
		if print == nil {
			continue
		}
		// Numbers read off the coarse curve differ from those of the page.
		if strings.Contains(page.Lines.Sentence, "about") || strings.Count(print.Lines.Sentence, " about ") != 2 {
			t.Errorf("page %q, print %q", page.Lines.Sentence, print.Lines.Sentence)
		}
		x, y := print.Lines.Lines[0].X, print.Lines.Lines[0].Y
		if len(x) < 3 {
			t.Errorf("only %d points are printed", len(x))
		}
		for i := 1; i < len(x); i++ {
			found, flagged := math.Round((y[i]-y[i-1])/100*float64(events)), math.Round((x[i]-x[i-1])/100*200)
			if found < leastRows || flagged-found < leastRows {
				t.Errorf("%v events among %v rows lie between two points of print", found, flagged)
			}
		}
	}
}

// TestReclassificationIntervals: the shares that move, and the difference in AUC, name level and method of their
// intervals.
func TestReclassificationIntervals(t *testing.T) {
	moves := stat.Reclassify([]int{0, 0, 1, 1, 0, 1}, []int{1, 0, 0, 1, 0, 0}, []bool{true, true, true, false, false, false}, 2)
	auc := stat.CompareAUC([]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, []bool{true, false, true, false})
	c := Clinical{Result: &engine.Result{Boundaries: []float64{.5}},
		Statistics: engine.Statistics{Reclassified: &moves, AUC: &auc}}
	nodes := c.reclassified()
	for _, part := range nodes[0].(doc.Pair) {
		note := part[0].(doc.Table).Note
		if want := "CI: up and down Wilson, NRI normal interval of a mean)."; !strings.HasSuffix(note, want) {
			t.Errorf("%q does not end with %q", note, want)
		}
	}
	// One event moves up and one down, one non-event moves down, which is in favour of the model.
	for k, want := range []string{"NRI of events, up − down: 0.0 %", "NRI of non-events, down − up: 33.3 %"} {
		note := strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(nodes[0].(doc.Pair)[k][0].(doc.Table).Note)
		if !strings.Contains(note, want) {
			t.Errorf("%q lacks %q", note, want)
		}
	}
	note := string(nodes[1].(doc.Note))
	for _, want := range []string{"NRI, the sum of that of events and that of non-events: 0.333 (", "CI: normal interval of a mean).", "DeLong, paired"} {
		if !strings.Contains(note, want) {
			t.Errorf("%q does not have %q", note, want)
		}
	}
}

// TestReclassificationAlike: where no row moves, the note names the interval that has a width all the same.
func TestReclassificationAlike(t *testing.T) {
	moves := stat.Reclassify([]int{0, 0, 1, 1}, []int{0, 1, 1, 1}, []bool{true, false, true, false}, 2)
	nodes := Clinical{Result: &engine.Result{Boundaries: []float64{.5}}, Statistics: engine.Statistics{Reclassified: &moves}}.reclassified()
	for k, want := range []string{"CI: up and down Wilson, NRI Newcombe).", "CI: up and down Wilson, NRI normal interval of a mean)."} {
		if note := nodes[0].(doc.Pair)[k][0].(doc.Table).Note; !strings.HasSuffix(note, want) {
			t.Errorf("%q does not end with %q", note, want)
		}
	}
	if note := string(nodes[1].(doc.Note)); !strings.Contains(note, "CI: from the intervals of both).") {
		t.Errorf("the sum: %q", note)
	}
}

// TestAUCAgainstLogistic: beside its interval a difference is higher or lower by a number, never better or worse.
func TestAUCAgainstLogistic(t *testing.T) {
	of := func(v, low, high float64) stat.Estimate { return stat.Estimate{Value: &v, Low: &low, High: &high} }
	alone := .02
	for want, d := range map[string]stat.Estimate{
		"The AUC is 0.0049 higher than logistic regression’s (95\u00a0% CI 0.0006 – 0.0092, DeLong, paired: it excludes 0).":                         of(.0049, .0006, .0092),
		"The AUC is 0.0049 lower than logistic regression’s (95\u00a0% CI 0.0006 – 0.0092, DeLong, paired: it excludes 0).":                          of(-.0049, -.0092, -.0006),
		"The AUC is 0.005 lower than logistic regression’s (95\u00a0% CI −0.001 – 0.010, DeLong, paired: it includes 0, no significant difference).": of(-.0049, -.0104, .0006),
		"The AUC is 0.0200 higher than logistic regression’s.":                                                                                       {Value: &alone},
		"The AUC is 0.00490 higher than logistic regression’s (95\u00a0% CI 0.00003 – 0.00920, DeLong, paired: it excludes 0).":                      of(.0049, .00003, .0092),
		"The AUC equals logistic regression’s (95\u00a0% CI −0.0010 – 0.0010, DeLong, paired: it includes 0, no significant difference).":            of(0, -.001, .001),
	} {
		if got := aucAgainstLogistic(d); strings.ReplaceAll(got, "\u00a0–\u2060\u00a0", " – ") != want {
			t.Errorf("says %q,\nwant %q", got, want)
		}
	}
}

// TestTrainingRowsCompareNoAUC: below the reclassification of the training rows no AUC is compared.
func TestTrainingRowsCompareNoAUC(t *testing.T) {
	moves := stat.Reclassify([]int{0, 1}, []int{1, 1}, []bool{true, false}, 2)
	for _, apparent := range []bool{true, false} {
		nodes := fmt.Sprint(Clinical{Result: &engine.Result{Boundaries: []float64{.5}, Apparent: apparent},
			Statistics: engine.Statistics{Reclassified: &moves,
				AUC: &stat.AUCDifference{Difference: interval(.03, .01, .05)}}}.reclassified())
		if strings.Contains(nodes, "The AUC is") == apparent {
			t.Errorf("apparent %t: %s", apparent, nodes)
		}
	}
}

// TestTrainingRowsReclassify: the reclassification of the training rows has no interval, and a note says why.
func TestTrainingRowsReclassify(t *testing.T) {
	moves := stat.Reclassify([]int{0, 0, 1, 1}, []int{0, 1, 1, 0}, []bool{true, true, false, false}, 2)
	for _, apparent := range []bool{true, false} {
		kept := moves
		r := &engine.Result{Boundaries: []float64{.5}, Apparent: apparent, Clinical: &engine.Clinical{Reclassified: &kept}}
		r.DropRanks()
		st, _ := r.KeptStatistics()
		text := fmt.Sprint(Clinical{Result: r, Statistics: st}.reclassified())
		if strings.Contains(text, "CI") == apparent || strings.Contains(text, engine.CloserFit) != apparent {
			t.Errorf("apparent %t: %s", apparent, text)
		}
		if !strings.Contains(text, "non-events: 1.000") {
			t.Errorf("apparent %t, without the NRI: %s", apparent, text)
		}
	}
}

// TestTrainingRowsMoveNoWay: the printed reclassification of the training rows names no right way to move, and says why.
func TestTrainingRowsMoveNoWay(t *testing.T) {
	table := stat.Reclassify([]int{0, 0, 1, 1}, []int{0, 1, 1, 0}, []bool{true, true, false, false}, 2)
	for _, apparent := range []bool{true, false} {
		run := judgedRun([]float64{.5}, [2]int{115, 34}, [2]int{68, 54})
		run.Result.Apparent = apparent
		p := New(run, store.Dataset{}, Clinical{Statistics: engine.Statistics{Reclassified: &table}}).printed()
		note := p.movesTable().Note
		if strings.Contains(note, "should move") == apparent || strings.Contains(note, engine.CloserFit) != apparent {
			t.Errorf("apparent %t: %s", apparent, note)
		}
	}
}
