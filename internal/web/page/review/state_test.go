package review

import (
	"net/url"
	"reflect"
	"testing"
)

// FuzzState: whatever the query, a state that is taken has an address that reads as itself,
// but for what an import says once.
func FuzzState(f *testing.F) {
	for _, text := range []string{"", "sort=margin&state=open&label=a+b&row=3&page=2&blind=1", "page=0", "row=-1", "imported=4",
		"imported=-1", "page=1&blind=", "label=%00&sort=review"} {
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
		at, err := url.Parse(st.URL("r/1"))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := Parse(at.Query())
		st.Imported = nil
		if st.Page == 1 { // the first needs no key
			st.Page = 0
		}
		if err != nil || at.EscapedPath() != "/audit/r%2F1" || !reflect.DeepEqual(st, again) {
			t.Errorf("%q is %+v, %s is %+v: %v", text, st, at, again, err)
		}
	})
}
