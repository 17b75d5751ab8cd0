package report

import (
	"context"
	"slices"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/doctest"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/internal/web/resultview"
)

// drawnRun is a run on rareData with all that its page and its report can draw; a logistic run also has a
// bootstrap.
func drawnRun(t *testing.T, change func(*runspec.Spec)) (store.Run, Clinical) {
	run, data := rareRun(t, 12, change), rareData(160, 12)
	r := run.Result
	c := Clinical{Run: run, Result: r, Model: r.Model, Known: true, By: "ward",
		Statistics: r.Statistics(run.Spec, r.Rows, nil), Groups: r.Subgroups(run.Spec, r.Rows, data.Column("ward"))}
	if m := run.Spec.Model; m.Kind == "linear" && m.Loss == "logistic" {
		w, err := engine.NewRefits(t.Context(), data, run.Spec, r, engine.BootstrapOptions{Replicates: engine.LeastReplicates})
		if err != nil {
			t.Fatal(err)
		}
		w.Keep = func(_ context.Context, b *engine.Bootstrap) error {
			c.Refits = &store.Bootstrap{Result: b}
			return nil
		}
		if err := job.Do(t.Context(), w, nil); err != nil {
			t.Fatal(err)
		}
	}
	return run, c
}

// TestFiguresDeclared checks that every figure of a report and of a run's page declares what it reveals, masked and
// unmasked, before and after the data are deleted.
func TestFiguresDeclared(t *testing.T) {
	kinds := map[string]func(*runspec.Spec){
		"interval": nil,
		"logistic": func(s *runspec.Spec) { s.Model.Loss = "logistic" },
		"splines": func(s *runspec.Spec) {
			s.Model.Loss, s.Splines = "logistic", map[string]int{"age": 3}
		},
		"reject":           func(s *runspec.Spec) { s.Mode = "reject" },
		"two temperatures": func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "linear", Loss: "tempered"} },
		"trees":            func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "boost", Loss: "alpha"} },
		"kernel":           func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "kernel", Loss: "logistic"} },
	}
	for name, change := range kinds {
		t.Run(name, func(t *testing.T) {
			run, c := drawnRun(t, change)
			p := New(run, store.Dataset{}, c)
			p.Audit = Audit{Made: true, Estimate: &audit.Estimate{Wrong: 20}}
			for _, small := range []SmallCounts{MaskSmall, ShowSmall} {
				p.Small = small
				doctest.Of(t, p.document().Sections, p.printed().released).Check(4)
			}
			on := resultview.Bands{Result: c.Result, Spec: run.Spec, Curves: c.Curves()}
			terms, fitted := on.ModelPage(doc.Section{})
			doctest.Of(t, slices.Concat(on.AnswerPage(), on.PerformancePage(), terms, fitted), nil).Check(4)
			page := append(append(c.PerformanceSections(nil), c.ModelSections()...), doc.Section{Title: "Performance", Body: doc.Nodes{c.Benefit()}},
				doc.Section{Title: "Classification", Body: c.AtBoundaries()})
			doctest.Of(t, page, mask.Released{bands: {}}).Check(2)
			if run.Result.Model.HoldsRows() {
				return
			}
			run, c.Model = WithoutRows(run, c.Model)
			p = New(run, store.Dataset{}, c)
			p.Kept = true
			doctest.Of(t, p.document().Sections, p.printed().released).Check(2)
		})
	}
}

// TestClassFiguresDeclared is TestFiguresDeclared for several classes.
func TestClassFiguresDeclared(t *testing.T) {
	for _, task := range []string{"multiclass", "ordinal", "abstain"} {
		t.Run(task, func(t *testing.T) {
			p, _ := classReport(t, task, false, 1)
			doctest.Of(t, p.document().Sections, p.printed().released).Check(0)
			doctest.Of(t, p.classes().View().Sections, nil).Check(3)
		})
	}
}

// TestExternalFiguresDeclared is TestFiguresDeclared for the report and the page of an
// external validation.
func TestExternalFiguresDeclared(t *testing.T) {
	run := rareRun(t, 12, func(s *runspec.Spec) { s.Model.Loss, s.Predictors = "logistic", []string{"age", "dose"} })
	rows := []map[string]any{}
	data := rareData(200, 3)
	for i := range data.Rows {
		rows = append(rows, map[string]any{"age": data.Column("age").Num[i], "dose": data.Column("dose").Num[i],
			"sick": data.Column("sick").Levels[data.Column("sick").Code[i]]})
	}
	_, e, err := external.EvaluateRows(t.Context(), run.Result.Model, rows, external.EvaluateOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := NewExternal(run, run.Result.Model, store.Evaluation{ID: "e1", Result: e}, run.Result.Rows, "host", MaskSmall)
	released := x.p.printed().released
	released[development] = x.dev.release(bands, x.dev.c.counts()[bands])
	doctest.Of(t, x.document().Sections, released).Check(2)
	doctest.Of(t, []doc.Section{{Body: ExternalParts(x.m, x.e)}}, nil).Check(1)
}
