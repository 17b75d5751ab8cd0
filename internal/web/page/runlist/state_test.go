package runlist

import (
	"net/url"
	"reflect"
	"testing"
)

// FuzzState: whatever the query, a state that is taken has an address that reads as itself.
func FuzzState(f *testing.F) {
	for _, text := range []string{"", "ids=a,b&q=x+y&sort=auc&desc=true&limit=20&offset=40", "ids=,&status=done", "desc=true",
		"loss=%25&dataset=%2C&limit=0", "sort=name&desc=1&offset=-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, err := Parse(q)
		if err != nil {
			return
		}
		at, err := url.Parse(st.URL("/runs"))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := Parse(at.Query())
		if err != nil || at.Path != "/runs" || !reflect.DeepEqual(st, again) || len(st.Chosen) > Most || st.Limit > Most {
			t.Errorf("%q is %+v, %s is %+v: %v", text, st, at, again, err)
		}
	})
}
