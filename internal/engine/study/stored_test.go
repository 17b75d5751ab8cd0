package study

import (
	"bytes"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestStoredRoundTrip(t *testing.T) {
	s := Stored{Preset: "sypherd-fig3", Size: Quick, Seed: 5, Version: "0.2.0", Date: "2026-11-20", Values: Values{"a": {1. / 3, math.NaN()}, "b": {}}}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := WriteStored(w, s); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same result has other bytes")
	}
	got, err := ReadStored(&first)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read", got.Values, s.Values)
	got.Values, s.Values = nil, nil
	if !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, want %+v", got, s)
	}
	if _, err := ReadStored(bytes.NewReader([]byte("no gzip"))); err == nil {
		t.Error("read what is no result")
	}
	if _, ok, err := StoredResult("nobody-fig1"); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

// TestStoredResults: each that ships is of a preset's plan, is complete, meets
// the preset's references, and is what this version computes.
func TestStoredResults(t *testing.T) {
	files, err := results.ReadDir("results")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		id, ok := cutSuffix(f.Name())
		if !ok {
			continue
		}
		t.Run(id, func(t *testing.T) {
			s, ok, err := StoredResult(id)
			if err != nil || !ok || s.Preset != id || s.Version == "" || s.Date == "" {
				t.Fatalf("%v %v: %s of %s", ok, err, s.Preset, s.Version)
			}
			p, err := s.Plan()
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			cells := Summarise(p, s.Values)
			t.Logf("%d units, %d cells, %v to sum up", len(p.Units), len(cells), time.Since(begin))
			if len(s.Values) != len(p.Units) || slices.ContainsFunc(p.Units, func(u Unit) bool { return !s.Values.has(u) }) {
				t.Fatal("the stored units are not those of the plan: store it anew")
			}
			preset, _ := PresetByID(id)
			for _, v := range preset.Verdicts(cells) {
				if !v.Holds {
					t.Errorf("%+v", v)
				}
			}
			if !p.Alone && runtime.GOARCH == "amd64" { // others fuse products, which moves last digits
				again(t, p, s.Values)
			}
		})
	}
}

func cutSuffix(name string) (string, bool) {
	const suffix = ".json.gz"
	if len(name) <= len(suffix) || name[len(name)-len(suffix):] != suffix {
		return "", false
	}
	return name[:len(name)-len(suffix)], true
}

// again computes the last unit of each kind.
func again(t *testing.T, p Plan, stored Values) {
	t.Helper()
	last := map[string]Unit{}
	for _, u := range p.Units {
		last[u.Kind] = u
	}
	var few Plan
	for _, u := range last {
		few.Units = append(few.Units, u)
	}
	for id, v := range mustRun(t, few, nil) {
		for i, x := range v {
			if was := stored[id][i]; math.Float64bits(was) != math.Float64bits(x) && !(math.IsNaN(was) && math.IsNaN(x)) {
				t.Errorf("unit %s: %v, stored %v", id, x, was)
				break
			}
		}
	}
}
