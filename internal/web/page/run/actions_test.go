package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/runspec"
	"taper/internal/store"
)

// TestAPICall executes the command that a run's page offers for copying.
func TestAPICall(t *testing.T) {
	spec := runspec.Spec{Name: "it's", Dataset: "d1", Boundaries: []float64{.5}}
	call := apiCall("127.0.0.1:8080", spec)
	head, body, ok := strings.Cut(call, " -d '")
	if !ok || head != "curl -X POST http://127.0.0.1:8080/api/v1/runs -H 'Content-Type: application/json'" {
		t.Fatal(call)
	}
	body = strings.ReplaceAll(strings.TrimSuffix(body, "'"), `'\''`, "'")
	got, err := runspec.Decode(strings.NewReader(body))
	if err != nil || got.Name != "it's" || got.Dataset != "d1" || got.Boundaries[0] != .5 {
		t.Errorf("%v %+v", err, got)
	}
}

// TestSQLOffered: the menu offers SQL, with its dialect, for links that a query can compute, and nothing else changes.
func TestSQLOffered(t *testing.T) {
	offered := func(link string) (all []string) {
		r := store.Run{ID: "r1", Result: &engine.Result{Link: engine.LinkWords{ID: link}}}
		for _, b := range takeAway(r) {
			all = append(all, b.Label)
		}
		return all
	}
	with := offered(loss.LinkLogistic)
	for _, dialect := range []string{"SQLite", "PostgreSQL"} {
		if !slices.Contains(with, "Model as SQL, for "+dialect) {
			t.Errorf("%s is not offered: %q", dialect, with)
		}
	}
	for _, link := range []string{loss.LinkTempered, loss.LinkEscort} {
		if got, want := offered(link), slices.DeleteFunc(slices.Clone(with), func(s string) bool {
			return strings.Contains(s, "SQL")
		}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

// TestBootstrapStep: the step is to start a bootstrap that was not started or has failed, and to read one that is done.
func TestBootstrapStep(t *testing.T) {
	for want, b := range map[string]*store.Bootstrap{
		"Watch the bootstrap":        {Status: store.Running},
		"Correct for optimism":       {Status: store.Cancelled, Finished: time.Unix(1, 0)},
		"See optimism and stability": {Status: store.Done, Finished: time.Unix(1, 0), Result: &engine.Bootstrap{}},
	} {
		if label, say := bootstrapStep(b); label != want || say == "" {
			t.Errorf("%+v: %q, want %q", b, label, want)
		}
	}
	if label, _ := bootstrapStep(nil); label != "Correct for optimism" {
		t.Errorf("not started: %q", label)
	}
}

// TestStabilityBesidePatients: beside the forms for patients stands how often refits change the band, or that it was not
// estimated.
func TestStabilityBesidePatients(t *testing.T) {
	done := &store.Bootstrap{Result: &engine.Bootstrap{Replicates: 200, Stability: engine.Stability{Mean: new(0.063)}}}
	binary := store.Run{Result: &engine.Result{}}
	for _, c := range []struct {
		run  store.Run
		b    *store.Bootstrap
		want string
	}{
		{binary, nil, "was not estimated: start the bootstrap"}, {binary, &store.Bootstrap{}, "is being estimated: see"},
		{binary, &store.Bootstrap{Finished: time.Unix(1, 0)}, "was not estimated: start"},
		{store.Run{Result: binary.Result, Wiped: time.Unix(1, 0)}, nil, "cannot be estimated: the rows were deleted"},
		{binary, done, "In 200 bootstrap refits a row fell into another band than here in 6.3\u00a0% of them"},
		{store.Run{Spec: runspec.Spec{Task: "multiclass"}, Result: &engine.Result{}}, nil, "multiclass runs have no bootstrap"},
	} {
		if got := Stability(c.run, c.b); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
