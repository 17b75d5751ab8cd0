package studyreport

import (
	"net/url"
	"testing"

	"taper/internal/web/form"
)

// FuzzState: for every query, the address of the parsed state parses back to the state.
func FuzzState(f *testing.F) {
	for _, text := range []string{"", "metric=auc&setting=0&page=3", "setting=-1", "page=0", "metric=%00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		var st, again State
		form.Parse(&st, q)
		if bad := form.Parse(&again, form.Values(&st)); len(bad) > 0 || st != again || st.Page < 1 || st.Setting < -1 {
			t.Errorf("%q is %+v, that %+v: %v", text, st, again, bad)
		}
	})
}
