package runlist

import (
	"testing"

	"taper/internal/web/form/formtest"
)

// FuzzState: a state that is taken has an address that reads as itself, and asks for no more
// runs than a page has.
func FuzzState(f *testing.F) {
	seeds := []string{"", "ids=a,b&q=x+y&sort=auc&desc=true&limit=20&offset=40", "ids=,&status=done", "desc=true",
		"loss=%25&dataset=%2C&limit=0", "sort=name&desc=1&offset=-1"}
	at := func(st State) string {
		if len(st.Chosen) > Most || st.Limit > Most {
			return "/more-than-" + st.URL("a-page")
		}
		return st.URL("/runs")
	}
	formtest.Address(f, seeds, Parse, at, "/runs", nil)
}
