package report

import "testing"

// FuzzReadKept: every text stored as a kept report, as in a backup, opens or is refused without a panic.
func FuzzReadKept(f *testing.F) {
	for _, text := range []string{"", "{}", `{"Title":"t","Sections":[{"Title":"Verdict","HTML":"<p>","Body":null}],"Verdict":["v"]}`,
		`{"sections":[],"Sections":[{}]}`, `{"Sections":[{"Body":[{"kind":"verdict","node":["a"]},{"kind":"table","node":{}}]}]}`,
		`{"Sections":null}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ReadKept(text)
		if err != nil {
			return
		}
		if parts := k.Parts(func(string) bool { return true }); len(parts) > len(k.Document.Sections) {
			t.Errorf("%q has %d parts of %d sections", text, len(parts), len(k.Document.Sections))
		}
	})
}
