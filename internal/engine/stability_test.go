package engine

import (
	"context"
	"reflect"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table/tabletest"
)

// TestLiveStability: the refits of a page have the λ that its result chose. So they are those of a
// bootstrap of a run with this λ, which chooses none.
func TestLiveStability(t *testing.T) {
	data := tabletest.FromRecords(tabletest.Clinic(160, 4))
	spec := clinicSpec()
	spec.Model.L2 = fit.L2{Mode: "cv"}
	p, err := Prepare(context.Background(), data, spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := BootstrapOptions{Replicates: LeastReplicates, Seed: 3}
	got, err := p.Stability(context.Background(), spec, r, o)
	if err != nil {
		t.Fatal(err)
	}
	held := spec
	held.Model.L2 = fit.L2{Value: r.L2}
	of, err := Fit(context.Background(), data, held, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bootstrapped(context.Background(), data, held, of, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*got, b.Stability) || *got.Mean == 0 {
		t.Errorf("%+v, a bootstrap with λ = %v has %+v", got, r.L2, b.Stability)
	}
	tuned, err := bootstrapped(context.Background(), data, spec, r, o, nil)
	if err != nil || reflect.DeepEqual(*got, tuned.Stability) {
		t.Errorf("choosing λ anew in every sample changes nothing here: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := p.Stability(ctx, spec, r, o); err == nil {
		t.Error("refits go on for nobody")
	}
}

// TestRefittable: a page refits linear models of moderate size, counted with their starts.
func TestRefittable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Result)
		want   bool
	}{
		"linear":        {func(*Result) {}, true},
		"at the limit":  {func(r *Result) { r.Flow.Trained = mostRefitted / 2 }, true},
		"too large":     {func(r *Result) { r.Flow.Trained = mostRefitted/2 + 1 }, false},
		"trees":         {func(r *Result) { r.Coefficients = nil }, false},
		"two starts":    {func(r *Result) { r.Starts = make([]Start, 2) }, true},
		"many starts":   {func(r *Result) { r.Flow.Trained, r.Starts = mostRefitted/4+1, make([]Start, 2) }, false},
		"no predictors": {func(r *Result) { r.NoPredictor = true }, false},
		"classes":       {func(r *Result) { r.Classes = &ClassResult{} }, false},
	} {
		r := Result{Coefficients: make([]Coefficient, 2), Flow: Flow{Trained: 100}}
		if c.change(&r); r.Refittable() != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}
