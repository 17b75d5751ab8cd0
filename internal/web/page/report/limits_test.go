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
	"taper/internal/engine/crossfit"
	"taper/internal/engine/external"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/web/render"
)

func interval(v, low, high float64) stat.Estimate {
	return stat.Estimate{Value: &v, Low: &low, High: &high}
}

// judgedElsewhere is an external validation with two bands.
func judgedElsewhere(name string, events int) store.Evaluation {
	return store.Evaluation{ID: "e1", Name: name, Result: &external.Evaluation{Rows: 300, Events: events,
		Strata:      []stat.Stratum{{Upper: .5, N: 200, Events: events / 2}, {Lower: .5, Upper: 1, N: 100, Events: events - events/2}},
		Performance: &stat.Performance{AUC: interval(.812, .76, .864), ObservedExpected: interval(1.2, 1.01, 1.43)}}}
}

// TestElsewhere: the report names the validations, masked as in their own reports; the validation that gave the
// recalibration is not one of them.
func TestElsewhere(t *testing.T) {
	r := &engine.Result{Validation: "5 folds"}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{Result: r}).printed()
	say := func() string { return strings.Join(p.elsewhere(), " ") }
	if got := say(); !strings.HasSuffix(got, "There was no external validation.") {
		t.Error(got)
	}
	p.c.Validations = []store.Evaluation{judgedElsewhere("b.csv", 90), judgedElsewhere("c.csv", 6)}
	got := say()
	if strings.Contains(got, "no external") || !strings.Contains(got, "“b.csv”: 300 rows, AUC 0.812 (0.760\u00a0–\u2060\u00a00.864), O/E 1.20 (1.01\u00a0–\u2060\u00a01.43).") {
		t.Error(got)
	}
	if _, c, _ := strings.Cut(got, "“c.csv”"); !strings.Contains(c, "AUC 0.812") || strings.Contains(c, "O/E") {
		t.Errorf("few events: %s", c)
	}
	accuracy := .9
	if got = p.judgedBy(store.Evaluation{Accuracy: &accuracy, Result: &external.Evaluation{Rows: 150, Classes: &stat.Classes{}}}); got != "150 rows, accuracy 90.0\u00a0%" {
		t.Error(got)
	}
	rate := .66
	if got = p.judgedBy(store.Evaluation{Accuracy: &accuracy, Result: &external.Evaluation{Rows: 150, Classes: &stat.Classes{AbstentionRate: &rate}}}); got != "150 rows, accuracy of the answers 90.0\u00a0%" {
		t.Error(got)
	}
	repeated := judgedElsewhere("c.csv", 6)
	repeated.Result.Same = new(3)
	for small, want := range map[SmallCounts]string{MaskSmall: "0.864); 1\u00a0–\u2060\u00a09 of", ShowSmall: "O/E 1.20 (1.01\u00a0–\u2060\u00a01.43); 3 of"} {
		if p.Small = small; !strings.Contains(p.judgedBy(repeated), want) {
			t.Errorf("small counts shown %v: %s", small, p.judgedBy(repeated))
		}
	}
	p.Small = MaskSmall
	asked := judgedElsewhere("b.csv", 90)
	p.c.Validations, p.c.Asked, p.c.Origin = nil, &asked, &store.Origin{Evaluation: "e1", How: external.RecalibrateSlope}
	if got = say(); !strings.Contains(got, "As recalibrated it has no external validation") || !strings.Contains(got, "O/E 1.20") || !strings.Contains(got, "cannot evaluate it") {
		t.Error(got)
	}
}

// TestLimitsCountParametersOnce: of the two counts of events per parameter the report shows only that of the fit.
func TestLimitsCountParametersOnce(t *testing.T) {
	epp := 5.4
	r := &engine.Result{Flow: engine.Flow{Trained: 500, TrainedEvents: 161}, Warnings: []engine.Warning{{Code: check.WarnFewEvents, Message: "161 events for 29 parameters (5.5 each): exploratory only."}}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true}
	for _, known := range []bool{false, true} {
		if known {
			c.Statistics.SampleSize.EPP = &epp
		}
		p := New(store.Run{Result: r}, store.Dataset{}, c).printed()
		var html strings.Builder
		if err := render.Parts(p.limitParts())[0].Render(t.Context(), &html); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(html.String(), "29 parameters") == known || strings.Contains(html.String(), "5.4 events per parameter") != known {
			t.Errorf("known %v: %s", known, html.String())
		}
	}
}

// TestLimitsAtLarge: a calibration intercept off 0 is reported where the interval of the ratio barely contains 1.
func TestLimitsAtLarge(t *testing.T) {
	for want, m := range map[string]stat.Performance{
		"":                      {ObservedExpected: interval(.9, .7, 1.1), CalibrationIntercept: interval(-.1, -.4, .2)},
		"too high on the whole": {ObservedExpected: interval(.86, .73, 1.01), CalibrationIntercept: interval(-.98, -1.43, -.53)},
		"too low on the whole":  {CalibrationIntercept: interval(.98, .53, 1.43)},
		"ratio excludes 1":      {ObservedExpected: interval(.8, .7, .9), CalibrationIntercept: interval(-.98, -1.43, -.53)},
	} {
		if got := atLarge(m); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	off := stat.Performance{CalibrationSlope: interval(.7, .5, .9)}
	x := External{e: &external.Evaluation{Same: new(int), Performance: &off, Expected: new(float64)}, run: store.Run{Result: &engine.Result{}}}
	x.p.released = mask.Released{bands: mask.Hide([]mask.Split{{N: 300, Events: 60}})}
	if got := fmt.Sprint(x.limits()); !strings.Contains(got, "slope’s interval excludes 1: the spread of the risks is too wide") {
		t.Error(got)
	}
}

// TestLimitsOutdone: significant differences to logistic regression are limits, with numbers where these reveal no
// masked count.
func TestLimitsOutdone(t *testing.T) {
	r := &engine.Result{}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{Result: r, Known: true}).printed()
	p.c.Statistics.Paired = &stat.Comparison{Brier: stat.LossDifference{Difference: interval(.004, .001, .007)}, LogLoss: stat.LossDifference{Difference: interval(.01, -.01, .03)}}
	p.strata.Total.Events = mask.Span{Low: 30, High: 30}
	if got := p.outdone(); !strings.HasSuffix(got, "Brier score +0.0040 (+0.0010\u00a0–\u2060\u00a0+0.0070).") {
		t.Error(got)
	}
	p.strata.Total.Events.Low = 1
	if got := p.outdone(); !strings.HasSuffix(got, "model − logistic regression: Brier score.") {
		t.Error(got)
	}
	p.c.Statistics.Paired.AUC.Difference = interval(-.0098, -.0178, -.0017)
	if got := p.outdone(); !strings.Contains(got, "AUC −0.010 (−0.018\u00a0–\u2060\u00a0−0.002) and Brier score.") {
		t.Error(got)
	}
	p.c.Statistics.Paired.AUC.Difference = interval(.0098, .0017, .0178)
	p.c.Statistics.Paired.Brier.Difference = interval(-.004, -.007, -.001)
	if got := p.outdone(); got != "" {
		t.Error(got)
	}
}

// TestStartsInPlainWords: the report says what several initialisations mean, without objective values.
func TestStartsInPlainWords(t *testing.T) {
	r := &engine.Result{Warnings: []engine.Warning{{Code: engine.WarnStarts, Message: "3 of 4 starts ended at a worse point (from zero: objective 0.0326984; kept, from graduated: 0.03)."}}}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{}).printed()
	if got := p.warning(r.Warnings[0]); strings.Contains(got, "objective") || !strings.Contains(got, "a better one may exist") {
		t.Error(got)
	}
	if slices.ContainsFunc(p.measured(true), func(l limit) bool { return l.text == "" }) {
		t.Error("an empty limit")
	}
}

// TestSampleSizeSaid: the page lists the criterion for the error of the risks with its source, or why there is none, and
// does not call a sample enough by R² of these same data.
func TestSampleSizeSaid(t *testing.T) {
	for _, c := range []struct {
		n, parameters int
		coxSnell      float64
		says          []string
	}{
		{600, 13, math.NaN(), []string{"Required by these criteria at least, and available 682 rows, 600 training rows: fewer than required",
			"no R²: the model has no probabilities"}},
		{700, 13, .4, []string{"van Smeden et al. 2019) 682 rows", "in Nagelkerke R²", "700 training rows: no fewer than required",
			"R² is that of these data"}},
		{600, 13, .4, []string{"682 rows, 600 training rows: fewer than required"}},
		{700, 31, .4, []string{"van Smeden et al. 2019) none: its equation holds up to 30 parameters"}},
	} {
		var clinical Clinical
		clinical.Result = &engine.Result{}
		clinical.Statistics.SampleSize = stat.Riley(c.n, 41*c.n/100, c.parameters, c.coxSnell)
		var text strings.Builder
		for _, f := range clinical.sampleSize() {
			text.WriteString(f.Label + " " + f.Value + "\n")
		}
		for _, want := range c.says {
			if got := text.String(); !strings.Contains(got, want) || strings.Contains(got, "enough") {
				t.Errorf("%d rows, %d parameters: %q lacks %q", c.n, c.parameters, got, want)
			}
		}
	}
}

// TestSimulatedFoot: the foot of a report, which the verdict card has too, names simulated data.
func TestSimulatedFoot(t *testing.T) {
	for _, simulated := range []bool{false, true} {
		r := &engine.Result{Validation: "5 folds"}
		p := New(store.Run{Result: r}, store.Dataset{Simulated: simulated}, Clinical{Result: r}).printed()
		if got := slices.Contains(p.foot(), "Simulated data"); got != simulated {
			t.Errorf("simulated %v: %q", simulated, p.foot())
		}
	}
}

// TestChoiceOfPenalty: the report names the rule that chose λ; the value of the other rule is said not to be used.
func TestChoiceOfPenalty(t *testing.T) {
	other := 0.0625
	for mode, want := range map[string]string{
		"cv":     ", the value with the lowest cross-validated loss (the one-standard-error rule would give 0.0625 and was not used)",
		"cv-1se": ", the largest value whose cross-validated loss is within one standard error of the lowest",
		"":       ", as given",
	} {
		p := Printed{r: &engine.Result{L2: 0.000244, L2OneSE: &other}}
		if mode != "" {
			p.r.Tuning = make([]crossfit.TuningPoint, 2)
		}
		if p.run.Spec.Model.L2.Mode = mode; mode == "cv-1se" {
			p.r.L2 = other
		}
		if got := p.lambdaHow(); got != want {
			t.Errorf("%q: %q, want %q", mode, got, want)
		}
	}
}

// TestMasksPromiseNoMore: intervals are printed beside masked counts and depend on them, so the report must not claim
// that nothing narrower follows from its other numbers.
func TestMasksPromiseNoMore(t *testing.T) {
	for _, n := range MaskSmall.masks() {
		for _, text := range n.(doc.List) {
			if strings.HasPrefix(text, "Counts of 1 to 9") && (strings.Contains(text, "all other numbers") ||
				!strings.Contains(text, "can narrow it")) {
				t.Error(text)
			}
		}
	}
}

// TestRecalibratedIsNotJudgedByItsShift: the rows of the parent run cannot show how a model recalibrated for another
// population is calibrated, so neither the headline nor a limit says so.
func TestRecalibratedIsNotJudgedByItsShift(t *testing.T) {
	for _, moved := range []bool{false, true} {
		r := &engine.Result{Flow: engine.Flow{Trained: 400, TrainedEvents: 100}}
		if moved {
			r.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated, Message: "Recalibrated for another population."}}
		}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true}
		c.Statistics.Judged = stat.Performance{AUC: interval(.8, .7, .9), CalibrationSlope: interval(1.43, 1.2, 1.7),
			ObservedExpected: interval(.6, .5, .7)}
		strong, rest := c.Headline()
		limits := strings.Join(c.Limits(store.Dataset{}), " ")
		if strings.Contains(rest, "slope 1.43") == moved || !strings.Contains(strong, "AUC 0.800") {
			t.Errorf("moved %v: %s %s", moved, strong, rest)
		}
		if strings.Contains(limits, "not extreme enough") == moved || strings.Contains(limits, "their ratio excludes 1") == moved {
			t.Errorf("moved %v: %s", moved, limits)
		}
	}
}

// TestCallNamesNoRow: the request that repeats a run on reviewed labels names single rows and gives the number of
// changes, which the report masks; it stands there without them.
func TestCallNamesNoRow(t *testing.T) {
	run := store.Run{ID: "r1", Result: &engine.Result{}}
	run.Spec.Review = &runspec.Review{ID: "v", Parent: "a", Changes: []runspec.Relabel{{Row: 7321, To: "x"}, {Row: 8432}}}
	text, noted := "", false
	for _, n := range New(run, store.Dataset{}, Clinical{}).redoParts() {
		switch n := n.(type) {
		case doc.Code:
			text += string(n)
		case doc.Note:
			noted = noted || strings.Contains(string(n), "name single rows, so the request leaves them out")
		}
	}
	if strings.Contains(text, "7321") || strings.Contains(text, "8432") || !strings.Contains(text, `"parent":"a"`) || !noted {
		t.Errorf("noted %v: %s", noted, text)
	}
	if len(run.Spec.Review.Changes) != 2 {
		t.Error("the run lost its changes")
	}
}
