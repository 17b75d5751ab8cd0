package datasets

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/strict"
)

// FuzzPatch: any request body is refused with a sentence, or gives a record that can be stored
// and that the same request does not change again.
func FuzzPatch(f *testing.F) {
	for _, text := range []string{`{}`, `{"name":" n ","settle":["leak:age"],"reopen":["leak:age"]}`,
		`{"dialect":{"delimiter":";","header_row":null,"sheet":"b"},"columns":[{"name":"age","missing_codes":["-9"],"role":"exclude"}]}`,
		`{"columns":[{"name":"y","role":"outcome"},{"name":"age","type":"category","levels":{"a":["b"]}}]}`,
		`{"outcome":"y","positive":"a","negative":["b"],"score_only":[],"group":"age","weights":""}`,
		`{"dialect":null,"columns":[null]}`, `{"columns":[{"name":"age","extreme":{"above":5,"below":null}}]}`} {
		f.Add([]byte(text))
	}
	given := func() store.Dataset {
		return store.Dataset{State: store.Raw, Name: "d",
			Choice:   store.Choice{Outcome: "y", Positive: table.Levels{"a"}, Negative: table.Levels{"b"}},
			Profiles: []table.Profile{{Name: "age", Type: table.Number}, {Name: "y", Type: table.Category}}}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p Patch
		d := given()
		err := strict.Decode(raw, &p)
		if err == nil {
			err = p.Apply(&d)
		}
		if _, ok := usererr.As(err); err != nil && !ok {
			t.Fatalf("%q: no sentence: %v", raw, err)
		}
		if err != nil {
			return
		}
		once, err := json.Marshal(d)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if slices.ContainsFunc(p.Settle, func(k string) bool { return slices.Contains(p.Reopen, k) }) {
			return // a swap: applied twice it restores the order
		}
		if err := p.Apply(&d); err != nil {
			t.Fatalf("%q, once more: %v", raw, err)
		}
		if twice, err := json.Marshal(d); err != nil || string(twice) != string(once) {
			t.Errorf("%q: %s, once more %s: %v", raw, once, twice, err)
		}
	})
}

// TestRefusedConfirmation: a change whose confirmation is refused, because a question is open or because of the columns
// in use, is not stored either.
func TestRefusedConfirmation(t *testing.T) {
	s, _ := service(t, mappedFrom)
	id := uploaded(t, s).ID
	d, err := s.db.Dataset(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := s.Table(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(p Patch) {
		t.Helper()
		p.Confirm = true
		if _, err := s.Patch(t.Context(), d.ID, p); err == nil {
			t.Errorf("%+v is confirmed", p)
		}
		now, err := s.db.Dataset(t.Context(), d.ID)
		if diff := cmp.Diff(d, now); err != nil || diff != "" {
			t.Errorf("%+v is refused and changes the record: %v%s", p, err, diff)
		}
	}
	refused(Patch{Name: new("other"), Outcome: new("")})
	enough := s.memory
	s.memory = cost.NewMemory(tab.Shape().Memory() / 2)
	refused(Patch{Name: new("other")})
	s.memory = enough
	if d, err = s.Patch(t.Context(), id, Patch{Name: new("other"), Confirm: true}); err != nil || d.State != store.Kept ||
		d.Name != "other" {
		t.Errorf("the record is %s %q: %v", d.State, d.Name, err)
	}
}
