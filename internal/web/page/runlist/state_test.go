package runlist

import (
	"testing"

	"taper/internal/web/form/formtest"
)

// FuzzState: the address of an accepted state parses back to the state, and the state asks for at most as many runs
// as a page has.
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
