package compare

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// made is a two-class run on rows first, first+1, … with the given probabilities; "y" is the
// event. Bands are cut at ¼ and ¾, and events are predicted from ½.
func made(id string, first int, outcomes string, p ...float64) Run {
	r := Run{ID: id, Name: id, SHA256: "s", Spec: runspec.Spec{Outcome: "o", Positive: table.Levels{"y"}, Task: "interval", Boundaries: []float64{.25, .75}},
		Result: &engine.Result{Outcome: "o", Positive: table.Levels{"y"}, Negative: table.Levels{"n"}, Boundaries: []float64{.25, .75}, Cut: .5},
		Model:  &model.Model{Positive: table.Levels{"y"}, Negative: table.Levels{"n"}}}
	for i, q := range p {
		band := 0
		for _, b := range r.Result.Boundaries {
			if b < q {
				band++
			}
		}
		r.Rows = append(r.Rows, engine.RowScore{Row: first + i, Outcome: outcomes[i : i+1], Split: "1", Score: math.Log(q / (1 - q)), Probability: &q, Stratum: band})
	}
	return r
}

func near(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-12 }

// TestPaired compares differences with hand calculation on the five rows tested in both runs:
// row 10 was tested in the baseline only, row 16 in the other run only.
func TestPaired(t *testing.T) {
	x := made("a", 10, "nynyny", .1, .2, .3, .6, .8, .9)
	y := made("b", 11, "ynynyn", .8, .1, .9, .6, .4, .2)
	p := measuredPair(t, x, y)
	if p.n != 5 || p.reason != "" {
		t.Fatalf("%d rows, %q", p.n, p.reason)
	}
	// rows 11…15: y n y n y; p .2 .3 .6 .8 .9 against .8 .1 .9 .6 .4
	d := []float64{.04 - .64, .01 - .09, .01 - .16, .36 - .64, .36 - .01}
	mean := 0.0
	for _, v := range d {
		mean += v / 5
	}
	draws, scaled := make([]float64, 0, 2000), make([]float64, 0, 2000)
	for k := range uint64(2000) { // the ends from all sorted draws: the 50th and its neighbour on either side
		m, events := 0.0, 0.0
		for _, i := range stat.Rows(5).Draw(nil, x.Spec.Seed, k) {
			m += d[i] / 5
			events += []float64{1, 0, 1, 0, 1}[i] / 5
		}
		if draws = append(draws, m); events > .1 && events < .9 {
			scaled = append(scaled, -m/(events*(1-events)))
		}
	}
	end := func(list []float64, q float64) float64 {
		slices.Sort(list)
		at := q * float64(len(list)-1)
		k := int(at)
		return list[k]*(1-at+float64(k)) + list[k+1]*(at-float64(k))
	}
	if got := p.difference("brier"); got.N != 5 || !near(got.Value, mean) || !near(got.Low, end(draws, .025)) || !near(got.High, end(draws, .975)) || got.Method != Bootstrap || got.Draws != 2000 {
		t.Errorf("Brier %+v, want %v, %v to %v", got, mean, end(draws, .025), end(draws, .975))
	}
	rate := 3. / 5
	if got := p.difference("scaled_brier"); !near(got.Value, -mean/(rate*(1-rate))) || !near(got.Low, end(scaled, .025)) || !near(got.High, end(scaled, .975)) {
		t.Errorf("scaled Brier %+v, want %v, %v to %v", got, -mean/(rate*(1-rate)), end(scaled, .025), end(scaled, .975))
	}
	logs := (math.Log(.2/.8) + math.Log(.7/.9) + math.Log(.6/.9) + math.Log(.2/.4) + math.Log(.9/.4)) / 5
	if got := p.difference("log_loss"); !near(got.Value, logs) {
		t.Errorf("log loss %v, want %v", *got.Value, logs)
	}
	// ℓ_π over ¼, ¾ (docs/math.md, Interval classification): an event costs ¾+¼ in band 0 and ¼
	// in band 1, a non-event ¼ in band 1 and ¼+¾ in band 2. Bands 0 1 1 2 2 against 2 0 2 1 1.
	if got := p.difference("interval_loss"); !near(got.Value, (0+0+0+.25+.25-(1+.25+.25+1+0))/5) {
		t.Errorf("interval loss %v", *got.Value)
	}
	// concordant pairs: 3 of 6 (.6>.3 .9>.3 .9>.8), then 5 of 6
	if got := p.difference("auc"); !near(got.Value, 5./6-3./6) {
		t.Errorf("AUC %v", *got.Value)
	}
	// predicted above ½: n n y y y against y n y y n; correct: n y y n y against y y y n n
	want := stat.PairedDifference(2, 1, 1, 1)
	if got := p.difference("accuracy"); got == nil || got.N != 5 || !near(got.Value, 0) || !near(got.Low, *want.Low) {
		t.Errorf("accuracy %+v, want %v", got, *want.Low)
	}
	sens := stat.PairedDifference(1, 1, 1, 0)
	if got := p.difference("sensitivity"); got.N != 3 || !near(got.Value, *sens.Value) {
		t.Errorf("sensitivity %+v", got)
	}
	if got := p.difference("specificity"); got.N != 2 || !near(got.Value, 0) {
		t.Errorf("specificity %+v", got)
	}
	if got := p.difference("balanced_accuracy"); !near(got.Value, 0) || !(*got.Low < 0 && *got.High > 0) {
		t.Errorf("balanced accuracy %+v", got)
	}
	if got := p.difference("calibration_slope"); got != nil {
		t.Error("a slope is no mean over rows")
	}
}

// measuredPair is the pair of two runs with its differences.
func measuredPair(t *testing.T, x, y Run) pair {
	t.Helper()
	b := newJoined([]Run{x, y}, 0)
	if err := b.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b.pairs[1]
}

func compared(t *testing.T, runs []Run, base int) *Comparison {
	t.Helper()
	c, err := New(t.Context(), runs, base)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGone: an ended context stops the comparison with an error.
func TestGone(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	x := made("a", 0, "yynn", .1, .5, .9, .2)
	if c, err := New(gone, []Run{x, x}, 0); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}

// TestMoves compares reclassification counts with hand calculation, in both directions.
func TestMoves(t *testing.T) {
	x := made("a", 0, "yyynnn", .1, .5, .9, .1, .5, .9)
	y := made("b", 0, "yyynnn", .9, .5, .5, .5, .1, .1)
	c := compared(t, []Run{x, y}, 0)
	m := c.Reclassification[0]
	if m.Run != "b" || m.Baseline != "a" || m.N != 6 || m.Reason != "" {
		t.Fatalf("%+v", m)
	}
	moved := func(m stat.BandChanges) [3]float64 {
		n := float64(m.N)
		return [3]float64{math.Round(*m.Up.Value * n), math.Round(*m.Down.Value * n), math.Round(*m.Same.Value * n)}
	}
	if e := m.Table.Events; moved(e) != [3]float64{1, 1, 1} || e.Counts[0][2] != 1 || e.Counts[2][1] != 1 {
		t.Errorf("events %+v", e)
	}
	if o := m.Table.Others; moved(o) != [3]float64{1, 2, 0} {
		t.Errorf("others %+v", o)
	}
	back := compared(t, []Run{x, y}, 1).Reclassification[0]
	if moved(back.Table.Others) != [3]float64{2, 1, 0} || back.Run != "a" {
		t.Errorf("from the other side %+v", back.Table.Others.Counts)
	}
}

// TestReasons covers each reason for not pairing rows.
func TestReasons(t *testing.T) {
	base := made("a", 0, "yn", .9, .1)
	for reason, change := range map[string]func(*Run){
		"":           func(r *Run) { r.Spec.Seed = 9 },
		otherData:    func(r *Run) { r.SHA256 = "t" },
		otherEvent:   func(r *Run) { r.Result.Positive, r.Model.Positive = table.Levels{"z"}, table.Levels{"z"} },
		otherReading: func(r *Run) { r.Rows[1].Outcome = "y" },
		noRows:       func(r *Run) { r.Rows[0].Split, r.Rows[1].Split = "train", "scored" },
		otherTask: func(r *Run) {
			r.Spec.Task = "multiclass"
			r.Result.Classes = &engine.ClassResult{Levels: []string{"n", "y"}}
		},
		"boundaries": func(r *Run) { r.Result.Boundaries = []float64{.5} },
	} {
		other := made("b", 0, "yn", .8, .2)
		change(&other)
		c := compared(t, []Run{base, other}, 0)
		if got := c.Reclassification[0].Reason; got != reason {
			t.Errorf("reason %q, want %q", got, reason)
		}
		if (c.Reclassification[0].Table == nil) != (reason != "") {
			t.Errorf("%q: table %v", reason, c.Reclassification[0].Table)
		}
		if len(c.Warnings) == 0 {
			t.Errorf("%q: no warning", reason)
		}
	}
}

// TestSeveral compares paired costs of three classes with abstention with hand calculation.
func TestSeveral(t *testing.T) {
	run := func(id string, answers ...int) Run {
		r := Run{ID: id, SHA256: "s", Spec: runspec.Spec{Task: "abstain", Outcome: "o"}, Result: &engine.Result{Classes: &engine.ClassResult{
			Levels: []string{"a", "b", "c"}, Costs: [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {.4, .4, .4}}}}}
		for i, a := range answers {
			r.Rows = append(r.Rows, engine.RowScore{Row: i, Split: "test", Outcome: []string{"a", "b", "c", "c"}[i], Predicted: a})
		}
		return r
	}
	x, y := run("x", 0, 0, stat.Abstained, 2), run("y", 0, 1, 2, 2)
	p := measuredPair(t, x, y)
	// costs 0 1 .4 0 against 0 0 0 0
	if got := p.difference("cost"); got == nil || got.N != 4 || !near(got.Value, -.35) {
		t.Errorf("cost %+v", got)
	}
	if p.difference("accuracy") != nil || p.difference("auc") != nil || p.difference("sensitivity") != nil {
		t.Error("accuracy over answered rows is not paired, and classes have no AUC")
	}
	z := run("z", 0, 2, 2, 2)
	other := measuredPair(t, z, y)
	if got := other.difference("accuracy"); got == nil || !near(got.Value, .25) {
		t.Errorf("accuracy %+v, want 1 of 4", got)
	}
}

// TestVerdict: two values without an interval give no verdict; with an interval the paired
// difference decides, whatever the values over all rows.
func TestVerdict(t *testing.T) {
	from, to, low, high := .7, .8, .02, .2
	found := Difference{N: 9, Value: &high, Low: &low, High: &high}
	for _, test := range []struct {
		direction stat.Direction
		paired    map[string]Difference
		want      string
	}{
		{stat.HigherBetter, nil, ""}, {stat.LowerBetter, nil, ""},
		{stat.HigherBetter, map[string]Difference{"m": {N: 9, Value: &high}}, ""},
		{stat.HigherBetter, map[string]Difference{"m": found}, stat.Better},
		{stat.LowerBetter, map[string]Difference{"m": found}, stat.Worse},
		{stat.NoDirection, map[string]Difference{"m": found}, ""},
	} {
		m := Metric{ID: "m", Direction: test.direction, Values: []*float64{&from, &to}, Deltas: make([]*float64, 2),
			Verdicts: make([]string, 2), PairedDifferences: make([]*Difference, 2)}
		m.compare(0, 1, pair{found: test.paired}, true)
		if got := m.Verdicts[1]; got != test.want {
			t.Errorf("%s with %v: %q, want %q", test.direction, test.paired, got, test.want)
		}
	}
}

// TestWeights compares a histogram with hand calculation, with one weight above 1.
func TestWeights(t *testing.T) {
	var r Run
	for i, w := range []float64{0, .04, .3, .9, 1, 2} {
		r.Rows = append(r.Rows, engine.RowScore{Row: i, Weight: &w, Flipped: i < 2})
	}
	r.Rows = append(r.Rows, engine.RowScore{Row: 9})
	w := weights(r)
	if w.N != 6 || w.Top != 2 || w.Flipped != 2 || !near(w.Median, .6) || !near(w.FlipMedian, .02) || !near(w.CleanMedian, .95) || !(math.Abs(w.Below-.5) <= 1e-12) {
		t.Errorf("%+v", w)
	}
	want := make([]float64, weightBins) // of width 0.1
	want[0], want[3], want[9], want[10], want[19] = 2./6, 1./6, 1./6, 1./6, 1./6
	if !slices.EqualFunc(w.Shares, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("shares %v, want %v", w.Shares, want)
	}
}

// TestTerms joins coefficients by name, whatever their order.
func TestTerms(t *testing.T) {
	x, y := made("a", 0, "y", .5), made("b", 0, "n", .5)
	x.Result.Coefficients = []engine.Coefficient{{Name: "age", Value: 1, Standardized: new(float64(2))}, {Name: "sex", Value: 3, Standardized: new(float64(4))}}
	y.Result.Coefficients = []engine.Coefficient{{Name: "new", Value: 5, Standardized: new(float64(6))}, {Name: "age", Value: 7, Standardized: new(8.5)}}
	list := terms([]Run{y, x}, 1)
	if len(list) != 3 || list[0].Name != "age" || list[1].Name != "sex" || list[2].Name != "new" {
		t.Fatalf("%+v", list)
	}
	if !near(list[0].Deltas[0], 6.5) || list[0].Deltas[1] != nil || list[1].Standardized[0] != nil || list[2].Deltas[0] != nil || !near(list[2].Values[0], 5) {
		t.Errorf("%+v", list)
	}
}

// TestCalls: if the cut is a boundary, the band decides the predicted class; otherwise the
// probability does, and without one it is unknown. A model without predictors has no curves.
func TestCalls(t *testing.T) {
	p := []float64{.1, .3, .6, .9}
	for _, c := range []struct {
		name     string
		cut      float64
		probable bool
		want     []bool // for outcomes n n y y
	}{
		{"the lowest boundary", .25, true, []bool{true, false, true, true}},
		{"the highest boundary", .75, false, []bool{true, true, false, true}},
		{"the lowest boundary of scores", .25, false, []bool{true, false, true, true}},
		{"a probability", .2, true, []bool{true, false, true, true}},
		{"another", .6, true, []bool{true, true, false, true}}, // equal to the cut, not above it
		{"none", .6, false, nil},
	} {
		r := made("a", 10, "nnyy", p...)
		r.Result.Cut = c.cut
		s := events(r)
		if s.correct = nil; !c.probable {
			s.scores.Probability = nil
		}
		if s.call(r); !slices.Equal(s.correct, c.want) {
			t.Errorf("%s: right are %v, want %v", c.name, s.correct, c.want)
		}
	}
	r := made("a", 10, "nnyy", p...)
	if got := curves(r, events(r)); len(got.ROC) == 0 {
		t.Error("no ROC curve")
	}
	if r.Result.NoPredictor = true; len(curves(r, events(r)).ROC)+len(curves(r, sample{}).ROC) > 0 {
		t.Error("a model without predictors has a ROC curve")
	}
}

// TestCutByScore: a score of 0 of an interval model is the same threshold only with the same boundaries, and never that
// of a probability.
func TestCutByScore(t *testing.T) {
	run := func(id, loss string, pi ...float64) Run {
		r := made(id, 0, "nnyy", .2, .4, .6, .8)
		r.Spec.Model.Loss, r.Spec.Boundaries, r.Result.Boundaries = loss, pi, pi
		right := 1.0
		r.Result.Metrics.Test.Accuracy = &right
		return r
	}
	wide, same := run("wide", "interval", .25, .75), run("same", "interval", .25, .75)
	narrow := run("narrow", "interval", .1, .9)
	plain, third := run("plain", "logistic", .25, .75), run("third", "logistic", .1, .9)
	for _, c := range []struct {
		x, y Run
		want bool
	}{{wide, same, true}, {wide, narrow, false}, {wide, plain, false}, {plain, third, true}} {
		all := compared(t, []Run{c.x, c.y}, 0)
		i := slices.IndexFunc(all.Metrics, func(m Metric) bool { return m.ID == "accuracy" })
		warned := slices.ContainsFunc(all.Warnings, func(w Warning) bool { return w.Code == "cut" })
		if got := all.Metrics[i].Deltas[1] != nil; got != c.want || warned == c.want {
			t.Errorf("%s and %s: a difference %v, a warning %v", c.x.ID, c.y.ID, got, warned)
		}
	}
}

// TestFewPairs: two rows are compared, one is not; with events only there is a sensitivity, but
// no specificity and so no balanced accuracy.
func TestFewPairs(t *testing.T) {
	if p := measuredPair(t, made("a", 10, "n", .3), made("b", 10, "n", .2)); len(p.found) > 0 {
		t.Errorf("one row: %+v", p.found)
	}
	p := measuredPair(t, made("a", 10, "yy", .3, .8), made("b", 10, "yy", .9, .8))
	if d := p.difference("sensitivity"); d == nil || *d.Value != .5 || d.N != 2 {
		t.Errorf("two events: sensitivity %+v", d)
	}
	if p.difference("accuracy") == nil || p.difference("specificity") != nil || p.difference("balanced_accuracy") != nil {
		t.Errorf("two events: %+v", p.found)
	}
	if Least != 2 || Most != 6 {
		t.Errorf("%d to %d runs stand side by side", Least, Most)
	}
}

// TestPlace: fields are in the order of a spec, unknown ones last.
func TestPlace(t *testing.T) {
	last := -1
	for _, field := range []string{"data", "outcome", "predictors", "boundaries", "model.loss", "model.l2", "l2", "seed", "version", "unheard"} {
		at := Place(field)
		if at <= last {
			t.Errorf("%s stands at %d, after %d", field, at, last)
		}
		last = at
	}
}

// TestRecalibrated: a run moved to another prevalence has other losses on these rows by construction; its ranking is
// compared all the same.
func TestRecalibrated(t *testing.T) {
	outcomes, was, is := strings.Repeat("nynynnyy", 8), []float64{}, []float64{}
	for i := range outcomes {
		p := .05 + .9*math.Mod(float64(i)*.37, 1)
		was, is = append(was, p), append(is, p/4)
	}
	x, y := made("a", 0, outcomes, was...), made("b", 0, outcomes, is...)
	for _, recalibrated := range []bool{false, true} {
		if recalibrated {
			y.Result.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
		}
		for _, r := range []*Run{&x, &y} {
			r.Result.Metrics.Test.AUC, r.Result.Metrics.Test.Brier = new(float64), new(float64)
			r.Result.Metrics.Test.Sensitivity = new(float64)
		}
		for base := range 2 {
			c := compared(t, []Run{x, y}, base)
			if curve := c.Curves[1].Calibration; (len(curve) == 0) != recalibrated {
				t.Errorf("recalibrated %v: a calibration curve of %d points", recalibrated, len(curve))
			}
			said := slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Code == "recalibrated" })
			if said != recalibrated {
				t.Errorf("recalibrated %v: warnings %v", recalibrated, c.Warnings)
			}
			for _, m := range c.Metrics {
				if there := m.Values[1] != nil; there != (m.ID != "brier" || !recalibrated) {
					t.Errorf("recalibrated %v: a value of %s: %v", recalibrated, m.ID, there)
				}
				if there := m.Deltas[1-base] != nil; there != (m.ID == "auc" || !recalibrated) {
					t.Errorf("recalibrated %v: a difference of %s: %v", recalibrated, m.ID, there)
				}
			}
			if len(c.Metrics) < 2 {
				t.Errorf("%d metrics", len(c.Metrics))
			}
		}
	}
}

// TestOnTrainingRows: runs evaluated on their training rows have differences without interval and verdict, and a
// warning says why.
func TestOnTrainingRows(t *testing.T) {
	for name, want := range map[string]bool{"held out": true, "training": false} {
		x, y := made("a", 0, "nynynyny", .4, .5, .6, .7, .3, .6, .4, .8), made("b", 0, "nynynyny", .1, .9, .1, .9, .2, .8, .1, .9)
		for _, r := range []*Run{&x, &y} {
			r.Result.Metrics.Test.AUC, r.Result.Apparent = new(float64), name != "held out"
		}
		c := compared(t, []Run{x, y}, 0)
		m := c.Metrics[slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.ID == "auc" })]
		said := slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Code == "training" })
		if m.Deltas[1] == nil || (m.PairedDifferences[1] != nil) != want || (m.Verdicts[1] != "") != want || said == want {
			t.Errorf("%s: %+v, %v", name, m, c.Warnings)
		}
	}
}

// TestMovesUntested: a reclassification has intervals only where both runs are evaluated on rows that trained neither
// model and that are of their own population.
func TestMovesUntested(t *testing.T) {
	for name, alter := range map[string]func(x, y *Run){
		"tested":       nil,
		"one training": func(_, y *Run) { y.Result.Apparent = true },
		"baseline":     func(x, _ *Run) { x.Result.Apparent = true },
		"recalibrated": func(_, y *Run) { y.Result.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}} },
	} {
		x, y := made("a", 0, "nynynyny", .4, .5, .6, .7, .3, .6, .4, .8), made("b", 0, "nynynyny", .1, .9, .1, .9, .2, .8, .1, .9)
		if alter != nil {
			alter(&x, &y)
		}
		moves := compared(t, []Run{x, y}, 0).Reclassification[0].Table
		if net := moves.Events.Net; net.Value == nil || (net.Low != nil) != (alter == nil) {
			t.Errorf("%s: %+v", name, net)
		}
	}
}

// TestRelabelled: values of runs on other labels are not subtracted, and a warning says so; their paired difference is on
// the labels as uploaded.
func TestRelabelled(t *testing.T) {
	for _, reviewed := range []bool{false, true} {
		x, y := made("a", 0, "nynynyny", .4, .5, .6, .7, .3, .6, .4, .8), made("b", 0, "nynynyny", .1, .9, .1, .9, .2, .8, .1, .9)
		if reviewed {
			y.Spec.Review = &runspec.Review{Parent: "a", Changes: []runspec.Relabel{{Row: 1, To: "n"}}}
		}
		for _, r := range []*Run{&x, &y} {
			r.Result.Metrics.Test.AUC = new(float64)
		}
		c := compared(t, []Run{x, y}, 0)
		m := c.Metrics[slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.ID == "auc" })]
		said := slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Code == "labels" })
		if (m.Deltas[1] == nil) != reviewed || m.PairedDifferences[1] == nil || said != reviewed {
			t.Errorf("reviewed %t: %+v, %v", reviewed, m, c.Warnings)
		}
	}
}

// TestRelabelledBaseline: the warning holds where the baseline alone has reviewed labels, and for losses, which get lower.
func TestRelabelledBaseline(t *testing.T) {
	x, y := made("a", 0, "nynynyny", .4, .5, .6, .7, .3, .6, .4, .8), made("b", 0, "nynynyny", .1, .9, .1, .9, .2, .8, .1, .9)
	y.Spec.Review = &runspec.Review{Parent: "a", Changes: []runspec.Relabel{{Row: 1, To: "n"}}}
	for base := range 2 {
		c := compared(t, []Run{x, y}, base)
		said := c.Warnings[slices.IndexFunc(c.Warnings, func(w Warning) bool { return w.Code == "labels" })].Message
		if !strings.HasPrefix(said, "Labels or rows other than the baseline’s, since a review changed or left out some: ‘") ||
			!strings.Contains(said, "improves them") {
			t.Errorf("baseline %d: %q", base, said)
		}
	}
}
