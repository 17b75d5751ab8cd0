package review

import (
	"testing"

	"taper/internal/web/form/formtest"
)

// FuzzState: a state that is taken has an address that reads as itself, but for what an import
// says once.
func FuzzState(f *testing.F) {
	seeds := []string{"", "sort=margin&state=open&label=a+b&row=3&page=2&blind=1", "page=0", "row=-1", "imported=4",
		"imported=-1", "page=1&blind=", "label=%00&sort=review"}
	at := func(st State) string { return st.URL("r/1") }
	formtest.Address(f, seeds, Parse, at, "/audit/r%2F1", func(first, _ *State) {
		first.Imported = nil
		if first.Page == 1 { // the first needs no key
			first.Page = 0
		}
	})
}
