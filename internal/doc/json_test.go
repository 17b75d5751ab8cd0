package doc

import (
	"encoding/json"
	"testing"
)

// FuzzDocument: any stored document that can be read has a stable JSON form.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{`{}`, `{"Title":"t","Sections":[{"ID":"a","Body":[{"kind":"note","node":"n"}]}]}`,
		`{"Sections":[{"Body":[{"kind":"table","node":{"Rows":[{"Cells":[{"Value":{"count":3}},{"Value":{"number":0.5}},{"Value":{"text":""}}]}]}}]}]}`,
		`{"Sections":[{"Body":[{"kind":"block","node":[{"kind":"group","node":{}}]},{"kind":"curves","node":null}]}]}`,
		`{"Sections":[{"Body":[{"kind":"pair","node":{}},{"kind":"figure","node":{}},{"kind":"flow","node":{}}]}]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d, again Document
		if json.Unmarshal([]byte(text), &d) != nil {
			return
		}
		first, err := json.Marshal(d)
		if err != nil {
			t.Fatalf("%q is read and not written: %v", text, err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%q is written as %s: %v", text, first, err)
		}
		if second, err := json.Marshal(again); err != nil || string(second) != string(first) {
			t.Errorf("%q is %s, then %s: %v", text, first, second, err)
		}
	})
}
