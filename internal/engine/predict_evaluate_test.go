package engine

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
	"taper/testdata/oracle"
)

// handMade is the model of bench/external.py, kept without its data: a level of
// sex that it does not name may be one it pooled, so that no row of that file is
// outside the data.
func handMade() *model.Model {
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return &model.Model{
		Format: model.Format, Kind: "linear", Loss: "logistic", Link: loss.LinkLogistic, Cut: 0.5, Params: map[string]any{},
		Columns: []prep.Column{{Name: "age", Kind: prep.Number, Median: 60, Min: 40, Max: 95}, {Name: "marker", Kind: prep.Number, Median: 2, Max: 100, Indicator: true}, {Name: "sex", Kind: prep.Category, Reference: "F", Levels: []string{"M"}}},
		Terms: []prep.Term{{Name: "age", Column: "age", Kind: "value", Mean: 60, SD: 1}, {Name: "marker", Column: "marker", Kind: "value", Mean: 2, SD: 1},
			{Name: "marker missing", Column: "marker", Kind: prep.MissingLevel, SD: 1}, {Name: "sex = M", Column: "sex", Kind: prep.Level, Level: "M", SD: 1},
			{Name: "sex = (other)", Column: "sex", Kind: prep.OtherLevel, SD: 1}},
		Weights: []float64{0.045, 0.35, 0.2, 0.5, 0}, Intercept: -0.9,
		Boundaries: []float64{0.25, 0.5, 0.75}, Delta: []float64{logit(0.25), 0, logit(0.75)},
		Outcome: "outcome", Positive: table.Levels{"died"}, Negative: table.Levels{"alive"}, Levels: []string{"alive", "died"}, Decimal: ".",
	}
}

type externalValues struct {
	CSV                  string
	Read, N, Events      int
	NoOutcome            int `json:"no_outcome"`
	Unknown              map[string]int
	AUC, Expected, Joint float64
	Intercept, Slope     [2]float64 // value, standard error
	Performance          map[string]float64
	MovedIntercept       map[string]float64 `json:"moved_intercept"`
	MovedBoth            map[string]float64 `json:"moved_both"`
	Strata               [][2]int
	StrataIntercept      [][2]int           `json:"strata_intercept"`
	StrataBoth           [][2]int           `json:"strata_both"`
	NetBenefit           map[string]float64 `json:"net_benefit"`
	Age, Marker          [2][3]float64
	MarkerMissing        int `json:"marker_missing"`
	AgeOutside           int `json:"age_outside"`
	Sex                  map[string][2]int
	Site                 map[string][4]float64
}

// TestEvaluationBySklearn holds an external validation to what numpy, scipy and
// scikit-learn make of the same rows (bench/external.py).
func TestEvaluationBySklearn(t *testing.T) {
	want := oracle.Read[externalValues](t, "external")[0]
	e, err := external.EvaluateCSV(context.Background(), handMade(), []byte(want.CSV), model.PredictOptions{}, external.EvaluateOptions{By: "site", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil {
			t.Errorf("%s is missing, want %v", what, want)
		} else if !(math.Abs(*got-want) <= 1e-6*(1+math.Abs(want))) {
			t.Errorf("%s is %v, want %v", what, *got, want)
		}
	}
	counts := func(what string, got []stat.Stratum, want [][2]int) {
		t.Helper()
		for k, s := range got {
			if s.N != want[k][0] || s.Events != want[k][1] {
				t.Errorf("%s, band %d: %d of %d, want %v", what, k, s.Events, s.N, want[k])
			}
		}
	}
	performed := func(what string, p stat.Performance, want map[string]float64) {
		t.Helper()
		near(what+" Brier", p.Brier.Value, want["brier"])
		near(what+" scaled Brier", p.ScaledBrier.Value, want["scaled_brier"])
		near(what+" log-loss", p.LogLoss.Value, want["log_loss"])
		near(what+" O/E", p.ObservedExpected.Value, want["observed_expected"])
	}
	if e.Read != want.Read || e.Rows != want.N || e.Events != want.Events || e.NoOutcome != want.NoOutcome || e.Skipped != want.Read-want.N {
		t.Errorf("rows %d, %d, %d, %d", e.Read, e.Rows, e.Events, e.NoOutcome)
	}
	if diff := cmp.Diff([]table.LevelRows{{Level: "moved", Rows: 12}, {Level: "", Rows: 1}}, e.Unknown); diff != "" {
		t.Error(diff)
	}
	near("AUC", e.Performance.AUC.Value, want.AUC)
	near("expected", e.Expected, want.Expected)
	performed("plain", *e.Performance, want.Performance)
	near("intercept", e.Recalibration.Intercept.Value, want.Intercept[0])
	near("its end", e.Recalibration.Intercept.Low, want.Intercept[0]-stat.Z95*want.Intercept[1])
	near("slope", e.Recalibration.Slope.Value, want.Slope[0])
	near("its end", e.Recalibration.Slope.High, want.Slope[0]+stat.Z95*want.Slope[1])
	near("joint intercept", e.Recalibration.JointIntercept, want.Joint)
	counts("strata", e.Strata, want.Strata)

	one, both := e.RecalibratedModel(external.RecalibrateIntercept), e.RecalibratedModel(external.RecalibrateSlope)
	performed("intercept moved", one.Performance, want.MovedIntercept)
	performed("both moved", both.Performance, want.MovedBoth)
	counts("intercept moved", one.Strata, want.StrataIntercept)
	counts("both moved", both.Strata, want.StrataBoth)
	near("slope after both", both.Performance.CalibrationSlope.Value, 1)
	near("AUC after both", both.Performance.AUC.Value, want.AUC)

	for _, d := range e.Decisions {
		for text, v := range map[float64]float64{0.2: want.NetBenefit["0.2"], 0.5: want.NetBenefit["0.5"], 0.75: want.NetBenefit["0.75"]} {
			if d.Threshold == text {
				near("net benefit", d.Model.Value, v)
			}
		}
	}
	age, marker, sex := e.Predictors[0], e.Predictors[1], e.Predictors[2]
	for c := range 2 {
		for q := range 3 {
			near("age", &age.Quartiles[c][q], want.Age[c][q])
			near("marker", &marker.Quartiles[c][q], want.Marker[c][q])
		}
	}
	f, m, x := want.Sex["F"], want.Sex["M"], want.Sex["X"]
	if diff := cmp.Diff([]external.ShiftLevel{{Level: "F", N: f[:]}, {Level: "M", N: m[:]}, {Level: external.Unseen, N: x[:]}}, sex.Levels); diff != "" || sex.Outside != x[0]+x[1] {
		t.Error(sex.Outside, diff)
	}
	if age.Outside != want.AgeOutside || marker.Missing != want.MarkerMissing || age.Missing != 0 {
		t.Errorf("age outside in %d rows, marker missing in %d", age.Outside, marker.Missing)
	}
	for _, g := range e.Subgroups {
		w := want.Site[g.Level]
		if float64(g.N) != w[0] || float64(g.Events) != w[1] {
			t.Errorf("site %s: %d of %d", g.Level, g.Events, g.N)
		}
		near("AUC of site "+g.Level, g.AUC.Value, w[2])
		near("O/E of site "+g.Level, g.ObservedExpected.Value, w[3])
	}
	if len(e.Subgroups) != 3 || e.Performance.ICI.Low == nil || e.Same != nil || e.Refusal() != "" {
		t.Errorf("%d subgroups, ICI %+v, same %v, refused %q", len(e.Subgroups), e.Performance.ICI, e.Same, e.Refusal())
	}
}

// TestEvaluationBand: the band of a moved risk is that of the recalibrated model.
func TestEvaluationBand(t *testing.T) {
	want := oracle.Read[externalValues](t, "external")[0]
	m := handMade()
	e, err := external.EvaluateCSV(context.Background(), m, []byte(want.CSV), model.PredictOptions{}, external.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	to := e.RecalibratedModel(external.RecalibrateSlope)
	r := &Result{Outcome: m.Outcome, Positive: m.Positive, Negative: m.Negative, Boundaries: m.Boundaries, Cut: m.Cut, Coefficients: []Coefficient{{Name: "intercept"}}}
	moved, err := Recalibrated(r, runspec.Spec{}, m, nil, to.Intercept, to.Slope)
	if err != nil {
		t.Fatal(err)
	}
	again, err := external.EvaluateCSV(context.Background(), moved.Model, []byte(want.CSV), model.PredictOptions{}, external.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range again.Strata {
		if s.N != to.Strata[k].N || s.Events != to.Strata[k].Events {
			t.Errorf("band %d: %d of %d, foretold %d of %d", k, s.Events, s.N, to.Strata[k].Events, to.Strata[k].N)
		}
	}
	if !(math.Abs(*again.Performance.Brier.Value-*to.Performance.Brier.Value) <= 1e-12) {
		t.Errorf("Brier %v, foretold %v", *again.Performance.Brier.Value, *to.Performance.Brier.Value)
	}
}

// TestKnownRows tells the training file, a shuffled part of it, a file with some
// of its rows, and another file.
func TestKnownRows(t *testing.T) {
	records := tabletest.Clinic(300, 31)
	tab := tabletest.FromRecords(records)
	spec := clinicSpec()
	spec.Model.Loss = "logistic"
	r := mustFit(t, tab, spec)
	known := external.KnownRows(r.Model, tab, SeenRows(r.Rows))
	judge := func(rows [][]string) *external.Evaluation {
		t.Helper()
		var b strings.Builder
		for _, rec := range append([][]string{records[0]}, rows...) {
			b.WriteString(strings.Join(rec, ",") + "\n")
		}
		e, err := external.EvaluateCSV(context.Background(), r.Model, []byte(b.String()), model.PredictOptions{}, external.EvaluateOptions{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	other := tabletest.Clinic(200, 77)[1:]
	var part, mixed [][]string
	for i := 300; i > 100; i -= 2 {
		part = append(part, records[i])
	}
	mixed = append(append(mixed, other...), records[5], records[9], records[40])
	for _, x := range []struct {
		name        string
		rows        [][]string
		least, most int
		refused     bool
	}{{"all", records[1:], 250, 300, true}, {"part", part, 80, 100, true}, {"other", other, 0, 0, false}, {"mixed", mixed, 3, 3, false}} {
		e := judge(x.rows)
		if *e.Same < x.least || *e.Same > x.most || (e.Refusal() != "") != x.refused {
			t.Errorf("%s: %d rows known, refused: %q", x.name, *e.Same, e.Refusal())
		}
	}
	if e := judge(mixed); !strings.Contains(e.Warnings[0].Message, "3 evaluated rows are equal to a row the model was trained on") {
		t.Errorf("%q", e.Warnings[0].Message)
	}
}

// TestEvaluationRefused reads the sentences for what cannot be evaluated.
func TestEvaluationRefused(t *testing.T) {
	m := handMade()
	judge := func(file, by string) (*external.Evaluation, error) {
		return external.EvaluateCSV(context.Background(), m, []byte(file), model.PredictOptions{}, external.EvaluateOptions{By: by})
	}
	head := "age,marker,sex,site,outcome\n"
	e, err := judge(head+strings.Repeat("61,1,F,A,alive\n", 40), "")
	if err != nil || e.Refusal() != "Only ‘alive’ is present in ‘outcome’: without a second class the model cannot be evaluated." || e.Performance.AUC.Value != nil {
		t.Errorf("one class: %v, %v", e, err)
	}
	// 40 equal rows without an event lie in one band, at a rate of 0 and far below its limits or inside them: whatever the
	// interval says, it says so of the choice of the rows.
	rows := 0
	for _, s := range e.Strata {
		rows += s.N
		if s.Verdict != stat.NoVerdict {
			t.Errorf("verdict %q without a second class", s.Verdict)
		}
	}
	if rows != 40 || e.Metrics.Brier != nil || e.Metrics.Accuracy != nil || e.Performance.Brier.Value != nil ||
		e.Performance.N != 40 || e.Boundaries != nil || e.Recalibration != nil || len(e.Warnings) != 1 {
		t.Errorf("one class: %d rows, Brier score %v, %+v", rows, e.Metrics.Brier, e.Warnings)
	}
	if _, err = judge(head+strings.Repeat("61,1,F,A,gone\n", 12)+"61,1,F,A,Mr Jones\n", ""); err == nil || !strings.Contains(err.Error(), `Levels the model does not know: ‘gone’ (12) and rare levels (1).`) || strings.Contains(err.Error(), "Jones") {
		t.Errorf("other levels: %v", err)
	}
	for by, file := range map[string]string{
		"ward":    head + "61,1,F,A,died\n61,1,F,A,alive\n",
		"outcome": head + "61,1,F,A,died\n61,1,F,A,alive\n",
		"site":    head + strings.Join(strings.Split(strings.Repeat("61,1,F,#,died\n", 13), "#"), "") + many("61,1,F,", ",alive\n", 13),
	} {
		if _, err := judge(file, by); !usererr.Is(err, usererr.Invalid) || !strings.HasPrefix(err.Error(), "by must ") {
			t.Errorf("by %s: %v", by, err)
		}
	}
}

// many writes lines with a text of their own each.
func many(before, after string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(before + strings.Repeat("x", i+1) + after)
	}
	return b.String()
}

// FuzzEvaluate: whatever a file holds, it is refused with a sentence or evaluated by
// counts that add up, and what is kept of it can be written as JSON.
func FuzzEvaluate(f *testing.F) {
	f.Add("age,marker,sex,site,outcome\n61,1,F,A,died\n62,2,M,B,alive\n", "site")
	f.Add("age;marker;sex;outcome\n61,5;;X;died\n1e300;-1e300;F;alive\n;;;\n", "age")
	f.Add("outcome,sex,marker,age\nDied.,F,NaN,Inf\n,,,\nother,M,0x1,1_0\n", "")
	f.Fuzz(func(t *testing.T, file, by string) {
		m := handMade()
		m.OutcomeJoin = true
		e, err := external.EvaluateCSV(context.Background(), m, []byte(file), model.PredictOptions{}, external.EvaluateOptions{By: by, Known: &external.Known{}})
		if err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Fatalf("%v", err)
			}
			return
		}
		rows := e.NoOutcome
		for _, u := range e.Unknown {
			rows += u.Rows
		}
		if rows != e.Skipped || e.Read != e.Rows+e.Skipped+e.Outside {
			t.Fatalf("%d read, %d judged, %d outside, %d skipped, %d of them told", e.Read, e.Rows, e.Outside, e.Skipped, rows)
		}
		for _, s := range e.Predictors {
			n := s.Missing
			for _, k := range s.N {
				n += k
			}
			if n != e.Rows || s.Outside > e.Rows {
				t.Fatalf("%s: %d of %d rows", s.Name, n, e.Rows)
			}
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	})
}
