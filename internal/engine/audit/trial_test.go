package audit

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// cancerTrial is the trial on breast cancer data in docs/clinical.md, Label audit.
func cancerTrial(t testing.TB) (*table.Table, runspec.Spec) {
	return tabletest.CSV(t, "../../../testdata/csv/wdbc.csv"), runspec.Spec{Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Task: "binary", Seed: 1,
		Model: fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}}}
}

// `make bench-science` tests the targets of docs/clinical.md, Label audit, over ten seeds. This
// test uses one seed each, and requires that plain logistic regression does worse.
func TestTryAudit(t *testing.T) {
	tab, spec := cancerTrial(t)
	for _, c := range []struct {
		o     TrialOptions
		least float64
	}{{TrialOptions{Kind: TrialSymmetric, Rate: .1, Seed: 1}, .955}, {TrialOptions{Kind: TrialOneSided, Rate: .2, Seed: 1}, .87}} {
		v, err := Try(context.Background(), tab, spec, c.o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if *v.Model.AveragePrecision < c.least || *v.Plain.AveragePrecision >= *v.Model.AveragePrecision {
			t.Errorf("%+v: average precision %v, logistic %v", c.o, *v.Model.AveragePrecision, *v.Plain.AveragePrecision)
		}
		if v.Flipped != v.Model.Flips || v.Model.N != 569 || len(v.Model.At) != 4 || v.Basis != ByProbability {
			t.Errorf("%+v", v)
		}
		if v.Estimate.Low > float64(v.Flipped) || v.Estimate.High < float64(v.Flipped) {
			t.Errorf("%d flips, estimated %v to %v", v.Flipped, v.Estimate.Low, v.Estimate.High)
		}
		if e := v.Estimate; e.Against() != 1 || !(math.Abs(e.Wrong-e.Expected.Mean-float64(v.Flipped)) <= 5+.2*float64(v.Flipped)) {
			t.Errorf("%d flips, %v wrong of %+v", v.Flipped, e.Wrong, e.Expected)
		}
		again, err := Try(context.Background(), tab, spec, c.o, func(engine.Progress) {})
		if again.ElapsedS = v.ElapsedS; err != nil || !reflect.DeepEqual(again, v) {
			t.Error("a seed is not a trial", err)
		}
	}
}

// One-sided flips affect events only, and a higher rate flips a superset.
func TestSpoil(t *testing.T) {
	tab, spec := cancerTrial(t)
	_, few, err := corrupted(context.Background(), tab, spec, TrialOptions{Kind: TrialOneSided, Rate: .1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s, more, err := corrupted(context.Background(), tab, spec, TrialOptions{Kind: TrialOneSided, Rate: .2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for row := range few {
		if !more[row] {
			t.Errorf("row %d flips at 10 %% and not at 20 %%", row)
		}
	}
	y := tab.Column("diagnosis")
	for _, r := range s.Review.Changes {
		if y.Levels[y.Code[r.Row]] != "malignant" || r.To != "benign" || !more[r.Row] {
			t.Errorf("%+v", r)
		}
	}
	if len(few) == 0 || len(more) != len(s.Review.Changes) || len(more) <= len(few) {
		t.Errorf("%d and %d flips", len(few), len(more))
	}
}

// countdown is a context that ends at the n-th check.
type countdown struct {
	context.Context
	end   context.CancelFunc
	looks atomic.Int64
	last  int64
}

func endsAt(last int64) *countdown {
	c := &countdown{last: last}
	c.Context, c.end = context.WithCancel(context.Background())
	return c
}

func (c *countdown) Err() error {
	if c.looks.Add(1) == c.last {
		c.end()
	}
	return c.Context.Err()
}

// TestTryErrors: a trial cancelled at any stage returns the error and no result.
func TestTryErrors(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(120, 5))
	spec := runspec.Spec{Outcome: tab.Columns[len(tab.Columns)-1].Name, Positive: table.Levels{"died"}, Task: "binary", Seed: 1,
		Model: fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 2.}}}
	try := func(ctx context.Context) (*Trial, error) {
		return Try(ctx, tab, spec, TrialOptions{Kind: TrialSymmetric, Rate: .2, Seed: 1}, nil)
	}
	whole := endsAt(0)
	if v, err := try(whole); err != nil || v.Plain == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	looks := whole.looks.Load()
	for k := range int64(60) {
		// Every check at first, where the stages are short, then some of them.
		last := 1 + k
		if k >= 40 {
			last += (k - 40) * looks / 20
		}
		ctx := endsAt(last)
		v, err := try(ctx)
		if ctx.Context.Err() != nil && (v != nil || !errors.Is(err, context.Canceled)) {
			t.Errorf("ended at look %d of %d: %+v, %v", ctx.last, looks, v, err)
		}
		ctx.end()
	}
}

func TestTryAuditSeveralClasses(t *testing.T) {
	tab := clinicThree(t)
	spec := runspec.Spec{Outcome: "class", Task: "multiclass", Seed: 3, Model: fit.Spec{Loss: "softmax", L2: fit.L2{Value: .01}}}
	v, err := Try(context.Background(), tab, spec, TrialOptions{Kind: TrialSymmetric, Rate: .1, Seed: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *v.Model.AveragePrecision < 5**v.Model.BaseRate.Value || v.Plain != nil {
		t.Errorf("average precision %v at a base rate of %v", *v.Model.AveragePrecision, *v.Model.BaseRate.Value)
	}
	if _, err := Try(context.Background(), tab, spec, TrialOptions{Kind: TrialOneSided, Rate: .1, Seed: 2}, nil); err == nil {
		t.Error("one-sided flips of several classes")
	}
	softmax := v
	spec.Model = fit.Spec{Loss: "tempered-multiclass", L2: fit.L2{Mode: "cv"}}
	last := 0.0
	v, err = Try(context.Background(), tab, spec, TrialOptions{Kind: TrialSymmetric, Rate: .1, Seed: 2}, func(p engine.Progress) { last = max(last, p.Fraction) })
	if err != nil {
		t.Fatal(err)
	}
	if v.Plain == nil || v.Flipped != softmax.Flipped || v.Plain.Flips != v.Flipped || v.L2 == nil || *v.Plain.AveragePrecision < .5 {
		t.Errorf("beside it: %+v", v)
	}
	if last < .99 || last > 1 {
		t.Errorf("progress ends at %v", last)
	}
}

func TestTryAuditRefuses(t *testing.T) {
	tab, spec := cancerTrial(t)
	for _, o := range []TrialOptions{{Rate: .1, Seed: 1}, {Kind: TrialSymmetric, Seed: 1}, {Kind: TrialSymmetric, Rate: .6, Seed: 1}} {
		if _, err := Try(context.Background(), tab, spec, o, nil); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// clinicThree has three classes a few standard deviations apart.
func clinicThree(t testing.TB) *table.Table {
	t.Helper()
	records := [][]string{{"x", "y", "class"}}
	for _, r := range tabletest.Clinic(300, 8)[1:] {
		class := []string{"a", "b", "c"}[len(records)%3]
		records = append(records, []string{r[0], r[1], class})
	}
	tab := tabletest.FromRecords(records)
	for i := range tab.Rows {
		x, y := tab.Columns[0], tab.Columns[1]
		x.Num[i] = x.Num[i]/10 + 4*float64(i%3)
		if i%3 == 1 {
			y.Num[i] += 4
		}
	}
	for _, c := range tab.Columns[:2] {
		c.Code, c.Levels, c.Count = nil, nil, nil
	}
	return tab
}

// A model with splines is compared with plain logistic regression.
func TestTryWithCurves(t *testing.T) {
	tab, o := tabletest.FromRecords(tabletest.Clinic(240, 9)), TrialOptions{Kind: TrialSymmetric, Rate: .1, Seed: 2}
	trial := func(knots int) *Trial {
		t.Helper()
		s := clinicSpec()
		s.Task, s.Boundaries, s.Splines = "binary", nil, map[string]int{"age": knots}
		s.Model = fit.Spec{Loss: "logistic", L2: fit.L2{Mode: "cv"}}
		v, err := Try(t.Context(), tab, s, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	line, curve := trial(0), trial(4)
	if line.Plain != nil || curve.Plain == nil || !reflect.DeepEqual(*curve.Plain, line.Model) || curve.Method != "Logistic with curves" {
		t.Errorf("%s: beside it %+v, alone %+v", curve.Method, curve.Plain, line.Model)
	}
}
