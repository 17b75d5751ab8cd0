package comparison

import (
	"testing"

	"taper/internal/web/form/formtest"
)

// FuzzState: the address of an accepted state parses back to the state.
func FuzzState(f *testing.F) {
	seeds := []string{"ids=a,b", "ids=a,+b,,c&base=b&all=1&x=age&y=%00", "ids=a,a", "ids=a,b&base=a&all=", "ids=%2C&x=1"}
	at := func(st State) string { return st.URL("/compare") }
	formtest.Address(f, seeds, Parse, at, "/compare", func(first, again *State) {
		if first.base() == 0 { // the first run needs no key
			first.Base, again.Base = "", ""
		}
	})
}
