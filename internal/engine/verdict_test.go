package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// bands makes a result with the given rows and events in each band.
func bands(pi []float64, n, events []int) *Result {
	var band []int
	var event []bool
	for k := range n {
		for i := range n[k] {
			band, event = append(band, k), append(event, i < events[k])
		}
	}
	loss := stat.IntervalLoss(pi, band, event)
	r := &Result{Boundaries: pi, Strata: stat.Strata(pi, band, event)}
	r.Monotone = stat.Monotone(r.Strata)
	r.Flow.Scored = len(band)
	r.Metrics.Test.IntervalLoss = &loss
	diff, se, other := 0.0008, 0.002, loss+0.0008
	r.Beside = []Beside{{ID: "model", Metrics: r.Metrics.Test}, {ID: "logistic", Metrics: stat.Binary{IntervalLoss: &other}, Difference: &diff, DifferenceSE: &se}}
	return r
}

func plain(s string) string { return strings.ReplaceAll(s, phrase.NBSP, " ") }

// TestVerdict uses the counts of design/report: 326, 43, 24 and 176 rows.
func TestVerdict(t *testing.T) {
	r := bands([]float64{0.25, 0.5, 0.75}, []int{326, 43, 24, 176}, []int{9, 13, 15, 175})
	want := []string{
		"Of 569 rows, 502 lie in two bands whose whole confidence interval lies within the limits: at most 25 % and above 75 %; rates rise from band to band.",
		"The band from 25 to 50 % is compatible with its limits; its confidence interval reaches below 25 %.",
		"The band from 50 to 75 % has 24 rows (about 62 rows in this band would suffice for the verdict inside or outside, if the rate stays the same), too few to judge.",
		"Interval loss (the mean cost of rows on the wrong side of a boundary) on rows not seen in training: 0.050; logistic regression cut at the same boundaries: 0.051, no significant difference in interval loss.",
	}
	got := Verdict(r)
	for i := range got {
		got[i] = plain(got[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	bold, rest := Headline(r)
	if plain(bold) != "Two of four bands" || plain(rest) != " (502 of 569 rows) are inside their limits; "+
		"one (43 rows) is compatible with its limits; one (24 rows) is too small to judge. Rates rise from band to band." {
		t.Errorf("headline %q %q", bold, rest)
	}
	if got, want := plain(check.TooFew(r.Boundaries, 2, r.Strata[2])), "24 rows between 50 and 75 %: the 95 % CI runs from 43 to 79 %. About 62 rows in this band would suffice for the verdict inside or outside, if the rate stays the same."; got != want {
		t.Errorf("few: %q, want %q", got, want)
	}
}

// TestFewSaysWhatWouldTell: of rows enough the rarer class is too few, and print
// says how many rows would settle the verdict.
func TestFewSaysWhatWouldTell(t *testing.T) {
	pi := []float64{0.25, 0.75}
	for _, tt := range []struct {
		k, n, events int
		want         string
	}{
		{0, 30, 4, "4 events among 30 rows at most 25 %: the 95 % CI runs from 5 to 30 %. About 53 rows in this band would suffice for the verdict inside or outside, if the rate stays the same. Too few events to judge."},
		{2, 30, 26, "4 non-events among 30 rows above 75 %: the 95 % CI runs from 70 to 95 %. About 53 rows in this band would suffice for the verdict inside or outside, if the rate stays the same. Too few non-events to judge."},
		{1, 4, 3, "4 rows between 25 and 75 %: the 95 % CI runs from 30 to 95 %. Not even 100\u202f000 rows in this band would suffice for the verdict inside or outside, if the rate stays the same."},
		{1, 0, 0, "No rows between 25 and 75 %."},
	} {
		n, events := make([]int, 3), make([]int, 3)
		n[tt.k], events[tt.k] = tt.n, tt.events
		if got := plain(check.TooFew(pi, tt.k, bands(pi, n, events).Strata[tt.k])); got != tt.want {
			t.Errorf("%d of %d in band %d: %q, want %q", tt.events, tt.n, tt.k, got, tt.want)
		}
	}
}

func TestVerdictOfAllRows(t *testing.T) {
	r := bands([]float64{0.5}, []int{220, 180}, []int{20, 170})
	bold, rest := Headline(r)
	if got := plain(Verdict(r)[0]); !strings.HasPrefix(got, "All 400 rows lie in two bands whose") || bold != "Both bands" || rest != " (400 rows) are inside their limits. Rates rise from band to band." {
		t.Errorf("%q, headline %q %q", got, bold, rest)
	}
}

// TestHeadlineAndVerdictsAgree: a compatible band has its rate within its limits too, and an unclear one is not
// outside. A rate is printed with a decimal where it would else round to a limit that it exceeds.
func TestHeadlineAndVerdictsAgree(t *testing.T) {
	r := bands([]float64{0.2, 0.5, 0.8}, []int{400, 86, 68, 200}, []int{20, 39, 55, 150})
	var verdicts []string
	for _, s := range r.Strata {
		verdicts = append(verdicts, s.Verdict)
	}
	if want := []string{stat.Inside, stat.Compatible, stat.Unclear, stat.Unclear}; !slices.Equal(verdicts, want) {
		t.Fatalf("the test needs %v: %v", want, verdicts)
	}
	bold, rest := Headline(r)
	if got, want := plain(bold+rest), "One of four bands (400 of 754 rows) is inside its limits; one (86 rows) is "+
		"compatible with its limits; two (268 rows) are unclear. Rates do not rise from band to band."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, tt := range []struct {
		n, events []int
		want      string
	}{
		{[]int{400, 86, 500, 200}, []int{20, 39, 402, 50}, "The observed rate is 80.4 % in the band from 50 to 80 %, outside " +
			"its limits, which its confidence interval overlaps; the observed rate is 25 % in the band above 80 %, outside " +
			"its limits, as its whole confidence interval is."},
		{[]int{400, 86, 68, 200}, []int{20, 39, 55, 150}, "The observed rates are 81 % in the band from 50 to 80 % and 75 % " +
			"in the band above 80 %, outside their limits, which their confidence intervals overlap."},
		{[]int{400, 86, 250, 200}, []int{20, 39, 124, 180}, "The observed rate is 49.6 % in the band from 50 to 80 %, outside " +
			"its limits, which its confidence interval overlaps."},
		{[]int{4000, 86, 250, 200}, []int{801, 39, 125, 180}, "The observed rates are 20.03 % in the band at most 20 % and " +
			"exactly 50 % in the band from 50 to 80 %, outside their limits, which their confidence intervals overlap."},
	} {
		if got := plain(bands(r.Boundaries, tt.n, tt.events).off()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestHeadlineTellsFewRowsFromFewEvents(t *testing.T) {
	bold, rest := Headline(bands([]float64{0.25, 0.5, 0.75}, []int{446, 15, 18, 30}, []int{4, 10, 12, 26}))
	if got, want := plain(bold+rest), "One of four bands (446 of 509 rows) is inside its limits; "+
		"one (30 rows) has too few events or non-events for a verdict; two (33 rows) are too small to judge. Rates rise from band to band."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestVerdictNamesEmptyBands: the headline counts the bands without rows, and the sentence about bands too small to judge
// names them.
func TestVerdictNamesEmptyBands(t *testing.T) {
	for _, tt := range []struct {
		n, events      []int
		headline, says string
	}{
		{[]int{326, 0, 0, 176}, []int{9, 0, 0, 175}, "Two of four bands (502 of 502 rows) are inside their limits; two have no rows. " +
			"Rates rise from band to band.", "The bands from 25 to 50 % and from 50 to 75 % have no rows."},
		{[]int{326, 0, 24, 176}, []int{9, 0, 15, 175}, "Two of four bands (502 of 526 rows) are inside their limits; " +
			"one (24 rows) is too small to judge; one has no rows. Rates rise from band to band.",
			"The band from 50 to 75 % has 24 rows (about 62 rows in this band would suffice for the verdict inside or outside, if the rate " +
				"stays the same), too few to judge; the band from 25 to 50 % has no rows."},
	} {
		r := bands([]float64{0.25, 0.5, 0.75}, tt.n, tt.events)
		bold, rest := Headline(r)
		if got := plain(bold + rest); got != tt.headline {
			t.Errorf("%q, want %q", got, tt.headline)
		}
		if got := plain(r.tooFew()); got != tt.says {
			t.Errorf("%q, want %q", got, tt.says)
		}
	}
}

// TestTiesAreSaidInWords: two losses that read the same are not set against
// each other.
func TestTiesAreSaidInWords(t *testing.T) {
	r := bands([]float64{0.25, 0.5, 0.75}, []int{326, 43, 24, 176}, []int{9, 13, 15, 175}) // 0.0501
	diff, se, other := -0.0002, 0.002, *r.Metrics.Test.IntervalLoss-0.0002
	r.Beside[1].Metrics.IntervalLoss, r.Beside[1].Difference, r.Beside[1].DifferenceSE = &other, &diff, &se
	if got := outdone(r); got != "" {
		t.Errorf("a difference whose interval holds 0 is a warning: %q", got)
	}
	se = 0.00005
	want := "Logistic regression cut at the same boundaries has a lower interval loss: both round to 0.050."
	if got := outdone(r); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOneIntervalOfTheLoss: of a kept run the sentence, the warning and the comparison table follow
// the interval of the paired bootstrap, which stands in the table of differences; the model
// without predictors has the normal one.
func TestOneIntervalOfTheLoss(t *testing.T) {
	r := bands([]float64{0.1, 0.3}, []int{100, 100, 100}, []int{50, 15, 60})
	diff, se, other := -0.02, 0.004, 0.38 // normal: −0.028 – −0.012
	r.Beside[1].Metrics.IntervalLoss, r.Beside[1].Difference, r.Beside[1].DifferenceSE = &other, &diff, &se
	value, low, high := .02, -.001, .041
	r.Clinical = &Clinical{Paired: &stat.Comparison{IntervalLoss: stat.LossDifference{
		Difference: stat.Estimate{Value: &value, Low: &low, High: &high}}}}
	if d := r.LossDifference(r.Beside[1]); *d.Value != -.02 || *d.Low != -.041 || *d.High != .001 {
		t.Errorf("%v (%v – %v)", *d.Value, *d.Low, *d.High)
	}
	if text := strings.Join(Verdict(r), " "); !strings.Contains(text, "no significant difference in interval loss") || outdone(r) != "" {
		t.Errorf("verdict %q, warning %q", text, outdone(r))
	}
	low = .001
	if text := strings.Join(Verdict(r), " "); !strings.Contains(text, ", lower interval loss") || outdone(r) == "" {
		t.Errorf("verdict %q, warning %q", text, outdone(r))
	}
	null := Beside{ID: "null", Difference: &diff, DifferenceSE: &se}
	if d := r.LossDifference(null); *d.High > -.012 || *d.High < -.0122 {
		t.Errorf("without predictors the interval ends at %v", *d.High)
	}
}

func TestVerdictNamesTheBetterModel(t *testing.T) {
	r := bands([]float64{0.1, 0.3}, []int{100, 100, 100}, []int{50, 15, 60})
	diff, se := -0.02, 0.004
	r.Beside[1].Difference, r.Beside[1].DifferenceSE = &diff, &se
	text := plain(strings.Join(Verdict(r), " "))
	for _, says := range []string{
		"rates do not rise from band to band",
		"The observed rate is 50 % in the band at most 10 %, outside its limits, as its whole confidence interval is.",
		"logistic regression cut at the same boundaries: 0.384, lower interval loss",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("%q does not say %q", text, says)
		}
	}
	if outdone(r) == "" {
		t.Error("a clear difference is no warning")
	}
	seen := *r // a closer fit to the training rows is not better
	seen.Apparent, seen.Beside = true, slices.Clone(r.Beside)
	seen.DropRanks()
	if text := strings.Join(Verdict(&seen), " "); outdone(&seen) != "" || strings.Contains(text, ", lower interval loss") {
		t.Errorf("on the training rows: warning %q, verdict %q", outdone(&seen), text)
	}
	se = 0.02
	if text := strings.Join(Verdict(r), " "); outdone(r) != "" || !strings.Contains(text, "no significant difference in") {
		t.Errorf("warning %q, verdict %q", outdone(r), text)
	}
	diff, se = 0.1, 0.004
	if outdone(r) != "" || !strings.Contains(strings.Join(Verdict(r), " "), ", higher interval loss") {
		t.Error("a worse logistic regression is called better")
	}
}

func TestVerdictHasFiveSentencesAtMost(t *testing.T) {
	pi := make([]float64, 9)
	for i := range pi {
		pi[i] = float64(i+1) / 10
	}
	r := bands(pi, []int{500, 200, 40, 500, 8, 60, 60, 12, 0, 300}, []int{20, 30, 20, 175, 3, 33, 30, 9, 0, 290})
	got := Verdict(r)
	if len(got) > 5 {
		t.Errorf("%d sentences", len(got))
	}
	for _, s := range got {
		if strings.Count(s, ". ") > 0 || !strings.HasSuffix(s, ".") || strings.ContainsAny(s, "!") {
			t.Errorf("not one sentence: %q", s)
		}
	}
}

// TestRareOutcomeTrap: 5 % events and boundaries at the quarters.
func TestRareOutcomeTrap(t *testing.T) {
	records := [][]string{{"x", "y"}}
	for i := range 400 {
		y := "0"
		if i%20 == 0 {
			y = "1"
		}
		records = append(records, []string{strconv.Itoa(i*7919%400) + ".5", y})
	}
	r := mustFit(t, tabletest.FromRecords(records), runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Model: fit.Spec{L2: fit.L2{Value: 1}}})
	i := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Code == WarnOneBand })
	if i != 0 {
		t.Fatalf("warnings %v", r.Warnings)
	}
	if got, want := plain(r.Warnings[0].Message), "All rows fall in one band: at this prevalence the interval model does not split the data. Try boundaries near 2, 5, 10 %."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Boundaries that suit the prevalence need another reason.
	for says, m := range map[string]fit.Spec{
		"All rows fall in one band: a penalty of λ = 1000 shrinks the scores almost to a constant. Try a smaller λ, or let cross-validation choose it.": {L2: fit.L2{Value: 1000}},
		"All rows fall in one band: these predictors say too little about the outcome to tell the rows apart.":                                          {},
	} {
		r := mustFit(t, tabletest.FromRecords(records), runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Model: m, Boundaries: []float64{0.02, 0.05, 0.1}, Seed: 1})
		if oneBand(r) >= 0 && r.Warnings[0].Message != says || m.L2.Value > 0 && oneBand(r) < 0 {
			t.Errorf("%+v: %q, want %q", r.Strata, r.Warnings[0].Message, says)
		}
	}
	bold, rest := Headline(r)
	if bold != "No predictor is used:" || !strings.Contains(rest, "every row the same answer") || len(Verdict(r)) != 2 {
		t.Errorf("headline %q %q, verdict %q", bold, rest, Verdict(r))
	}
	for p, want := range map[float64]string{0.05: "2, 5, 10", 0.2: "10, 20, 40", 0.8: "40, 80, 90", 0.95: "90, 95, 98",
		3e-7: "1e−5, 2e−5, 5e−5"} { // as one types them
		if got := suggested(p); got != want {
			t.Errorf("at %v: %s, want %s", p, got, want)
		}
	}
}

func TestDoubtsOfTheFit(t *testing.T) {
	records := tabletest.Clinic(120, 21)
	records[0] = append(records[0], "twin", "answer")
	for i, r := range records[1:] {
		answer := "0.5"
		if r[5] == "died" {
			answer = "1.5"
		}
		age, _ := strconv.ParseFloat(r[0], 64)
		records[i+1] = append(r, strconv.FormatFloat(2*age+1, 'f', 2, 64), answer)
	}
	s := clinicSpec()
	s.Predictors = []string{"age", "twin", "answer"}
	s.Model.Solver = "subgradient"
	r := mustFit(t, tabletest.FromRecords(records), s)
	for code, says := range map[string]string{
		WarnSeparation:   "‘answer’ predicts perfectly: the penalty decides its size.",
		WarnCollinear:    "‘age’ and ‘twin’ correlate at 1.000: their coefficients share one effect.",
		WarnNotCertified: "The subgradient method gives no bound",
	} {
		if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == code && strings.HasPrefix(w.Message, says) }) {
			t.Errorf("no warning %s: %s", code, says)
		}
	}
	s.Model = fit.Spec{Kind: "boost", Rounds: 5}
	trees := mustFit(t, tabletest.FromRecords(records), s)
	if !warned(trees, WarnSeparation) {
		t.Errorf("of trees nothing is said of the predictor that separates: %v", trees.Warnings)
	}
	for _, w := range trees.Warnings {
		if strings.Contains(w.Message, "coefficient") || strings.Contains(w.Message, "penalty") {
			t.Errorf("trees have neither coefficients nor a penalty: %s", w.Message)
		}
	}
	if fair := mustFit(t, tabletest.FromRecords(tabletest.Clinic(400, 22)), clinicSpec()); warned(fair, WarnSeparation) || warned(fair, WarnCollinear) || warned(fair, WarnNotCertified) {
		t.Errorf("fair data are warned of: %v", fair.Warnings)
	}
}

func TestOddsRatiosNeedALink(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 23))
	s := clinicSpec()
	for _, c := range mustFit(t, tab, s).Coefficients {
		if c.OddsRatio != nil {
			t.Errorf("an interval model has an odds ratio for %s", c.Name)
		}
	}
	s.Task, s.Boundaries, s.Model.Loss = "binary", nil, ""
	r := mustFit(t, tab, s)
	if c := r.Coefficients; c[0].Name != "(intercept)" || c[0].OddsRatio != nil || c[1].OddsRatio == nil || *c[1].OddsRatio != math.Exp(c[1].Value) {
		t.Errorf("coefficients of logistic regression: %+v", c)
	}
	if len(r.Beside) != 2 || !cmp.Equal(r.Metrics.Baselines["logistic"], r.Metrics.Test) {
		t.Error("logistic regression stands beside itself")
	}
}

// TestVerdictOfRepeats: the losses are means over the repeats and their difference is of the first, which is said.
func TestVerdictOfRepeats(t *testing.T) {
	r := bands([]float64{.5}, []int{100, 100}, []int{10, 90})
	for validation, want := range map[string]string{
		"given, 7, nested":                   "no significant difference in interval loss.", // a number that is no number of repeats
		"5 folds, stratified, nested tuning": "no significant difference in interval loss.",
		"5 folds, stratified, 12 repeats, nested tuning": "no significant difference in interval loss (losses are means of 12 repeats, " +
			"a difference and its interval are of the first repeat).",
	} {
		r.Validation = validation
		if got := Verdict(r); !strings.HasSuffix(got[len(got)-1], want) {
			t.Errorf("%s: %q", validation, got[len(got)-1])
		}
	}
}

// TestRecalibratedHasNoVerdicts: the rows of a recalibrated run are of another population, so its verdict compares no
// rates and no losses.
func TestRecalibratedHasNoVerdicts(t *testing.T) {
	spec := clinicSpec()
	spec.Model, spec.Validation = fit.Spec{Loss: "logistic", L2: fit.L2{Value: 0.02}}, runspec.Validation{Kind: "cv", Folds: 5, Repeats: 3}
	r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(200, 12)), spec)
	moved, err := Recalibrated(r, spec, r.Model, r.Rows, -.7, 1.3)
	if err != nil {
		t.Fatal(err)
	}
	was, is := Verdict(r), Verdict(moved)
	if last := was[len(was)-1]; !strings.Contains(last, "(losses are means of 3 repeats") {
		t.Errorf("before: %q", last)
	}
	if len(is) != 1 || is[0] != phrase.UpperFirst(NotTested) {
		t.Errorf("recalibrated: %q", is)
	}
	if bold, rest := Headline(moved); !strings.Contains(rest, NotTested) || strings.Contains(bold+rest, "limits") {
		t.Errorf("recalibrated: %s%s", bold, rest)
	}
}

// TestReservedVerdict: a verdict on rows that trained the model, or after a review, says so first, and the headline names
// the training rows in a sentence of its own, also where all rows fall in one band. A review need not have changed
// labels.
func TestReservedVerdict(t *testing.T) {
	for want, change := range map[string]func(r *Result){
		"":                                   func(*Result) {},
		"Evaluated on the rows that trained": func(r *Result) { r.Apparent = true },
		"Evaluated after a review changed labels or left rows out:": func(r *Result) {
			r.Warnings = []Warning{{Code: WarnReviewed}}
		},
	} {
		r := bands([]float64{0.1, 0.3}, []int{100, 100, 100}, []int{5, 15, 60})
		change(r)
		if got := Verdict(r)[0]; want != "" && !strings.HasPrefix(got, want) || want == "" && strings.HasPrefix(got, "Evaluated") {
			t.Errorf("%q, want %q", got, want)
		}
		for _, n := range [][]int{{100, 100, 100}, {100, 12, 0}, {300, 0, 0}} {
			s := bands([]float64{0.1, 0.3}, n, []int{5, n[1] / 6, n[2] / 2})
			s.Apparent = r.Apparent
			if bold, rest := Headline(s); strings.HasSuffix(rest, ". Evaluated on the training rows.") != r.Apparent ||
				strings.Contains(rest, ", on the training rows") {
				t.Errorf("%s%s", bold, rest)
			}
		}
	}
}

// TestUnevaluatedIsNotReserved: a recalibrated copy of a run whose data are gone was not evaluated, so it has no
// optimistic figures; a recalibrated run with rows has.
func TestUnevaluatedIsNotReserved(t *testing.T) {
	spec := clinicSpec()
	spec.Model, spec.Validation.Kind = fit.Spec{Loss: "logistic", L2: fit.L2{Value: 0.02}}, "none"
	r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(200, 12)), spec)
	reviewed := *r
	reviewed.Apparent, reviewed.Warnings = false, append(slices.Clone(r.Warnings), Warning{Code: WarnReviewed})
	for name, parent := range map[string]*Result{"training rows": r, "reviewed labels": &reviewed} {
		moved, err := Recalibrated(parent, spec, r.Model, r.Rows, -.7, 1.3)
		if err != nil {
			t.Fatal(err)
		}
		if len(Reserved(moved)) != 1 {
			t.Errorf("%s, evaluated: %q", name, Verdict(moved))
		}
		bare, err := RecalibratedModel(parent, spec, r.Model, -.7, 1.3)
		if err != nil {
			t.Fatal(err)
		}
		if got := Reserved(bare); got != nil {
			t.Errorf("%s, not evaluated: %q", name, got)
		}
	}
}
