package review

import (
	"testing"

	"taper/internal/web/form/formtest"
)

// FuzzState: the address of an accepted state parses back to the state, except for the message about an import,
// which is shown once.
func FuzzState(f *testing.F) {
	seeds := []string{"", "sort=margin&state=open&label=a+b&row=3&page=2&blind=1", "page=0", "row=-1", "imported=4",
		"imported=-1", "page=1&blind=", "blind=0", "label=%00&sort=review"}
	at := func(st State) string { return st.URL("r/1") }
	formtest.Address(f, seeds, Parse, at, "/audit/r%2F1", func(first, _ *State) {
		first.Imported = nil
		if first.Page == 1 { // page 1 needs no key
			first.Page = 0
		}
	})
}
