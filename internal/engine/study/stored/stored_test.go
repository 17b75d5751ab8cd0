package stored_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
)

// TestStoredAreOfThisVersion: every result that ships is labelled, and is of a
// preset as it is now: of the units and the keys of its plan. One that is not
// must be made again by bench/store.
func TestStoredAreOfThisVersion(t *testing.T) {
	ids := []string{stored.Robustness}
	for _, p := range study.Presets {
		ids = append(ids, p.ID)
	}
	found := 0
	for _, id := range ids {
		r, ok := stored.Get(id)
		if !ok {
			continue
		}
		found++
		if _, err := time.Parse(time.DateOnly, r.Date); err != nil || r.Version == "" || r.ID != id {
			t.Errorf("%s is labelled %q, %q, %q", id, r.ID, r.Version, r.Date)
		}
		plan, err := study.NewPlan(r.Spec, nil)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		cells := slices.DeleteFunc(study.Summarise(plan, nil), func(c study.Cell) bool { return slices.Contains(plan.Measured, c.Metric) })
		if len(plan.Units) != r.Units || len(cells) != len(r.Cells) {
			t.Errorf("%s has %d units and %d cells; stored are %d and %d", id, len(plan.Units), len(cells), r.Units, len(r.Cells))
			continue
		}
		for i, c := range cells {
			if c.Key != r.Cells[i].Key {
				t.Errorf("%s: cell %d is %+v, stored %+v", id, i, c.Key, r.Cells[i].Key)
				break
			}
		}
	}
	if found < 5 {
		t.Errorf("%d results ship", found)
	}
}

// TestStoredRepeats: a unit computed again has the stored numbers, to the bit.
func TestStoredRepeats(t *testing.T) {
	r, ok := stored.Get("sypherd-fig6")
	if !ok {
		t.Fatal("not stored")
	}
	plan, err := study.NewPlan(r.Spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := plan.Units[len(plan.Units)-1]
	got, err := u.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range u.Keys {
		c := study.Find(r.Cells, k)
		at := -1
		for j, n := range c.Replicates {
			if n == u.Replicate {
				at = j
			}
		}
		if at < 0 || c.Values[at] == nil || *c.Values[at] != got[i] {
			t.Errorf("%+v of replicate %d is %v now, stored otherwise", k, u.Replicate, got[i])
		}
	}
}

// TestWriteRepeats: a file reads back, and is the same bytes each time.
func TestWriteRepeats(t *testing.T) {
	spec := stored.RobustnessSpec(study.Smoke, 3)
	spec.Models, spec.Noise.Rates, spec.Dataset.Rows, spec.Replicates = spec.Models[:1], spec.Noise.Rates[:2], 100, 2
	plan, err := study.NewPlan(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	var files [2]bytes.Buffer
	for i := range files {
		values, err := study.Run(t.Context(), plan, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := stored.Result{ID: "x", Spec: spec, Version: "1", Date: "2026-01-02", Units: len(plan.Units), Cells: study.Summarise(plan, values)}
		if err := r.Write(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two files of one spec differ")
	}
	r, err := stored.Read(&files[0])
	if err != nil || r.Units != 4 || !cmp.Equal(r.Spec.Noise, spec.Noise) || len(r.Cells) != 2 {
		t.Errorf("reads back as %+v, %v", r, err)
	}
	if _, err := stored.Read(bytes.NewReader([]byte("no file"))); err == nil {
		t.Error("what is no file is read")
	}
}
