package web

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// TestBundleManyChanges: a run in which 30,000 labels were changed, more than fit into a spec of 1 MB, is bundled and
// verified.
func TestBundleManyChanges(t *testing.T) {
	s, _ := testServer(t, Config{})
	var text strings.Builder
	text.WriteString("x,ill\n")
	for i := range 30_000 {
		fmt.Fprintf(&text, "%d,%s\n", i%17+i%5, []string{"yes", "no"}[i%2])
	}
	d := bringAnswered(t, s, text.String())
	spec := runspec.Spec{Dataset: d.ID, Outcome: "ill", Positive: table.Levels{"yes"}, Task: "interval",
		Boundaries: []float64{.5}, Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}},
		Validation: runspec.Validation{Kind: "split", Test: .5}, Seed: 7, Review: &runspec.Review{Parent: "r1"}}
	for i := range 30_000 {
		to := []string{"yes", "no"}[i%7%2]
		if i%100 == 0 {
			to = ""
		}
		spec.Review.Changes = append(spec.Review.Changes, runspec.Relabel{Row: i, To: to})
	}
	file := bundled(t, s, trained(t, s, spec).ID, "?data=1")
	if v := verified(t, s, file, nil); v.Verdict != app.SameBits {
		t.Errorf("%+v %+v", v, v.First)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name == "changes.json" {
			// The first row is trained on: the check notices that the model is another one.
			v := verified(t, s, rewritten(t, file, f.Name, replace(`],"to":[-1,`, `],"to":[0,`)), nil)
			if v.Verdict != app.Differs {
				t.Errorf("another change: %+v", v)
			}
			return
		}
	}
	t.Error("no changes.json")
}
