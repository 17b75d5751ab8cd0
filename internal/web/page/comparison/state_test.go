package comparison

import (
	"net/url"
	"reflect"
	"testing"
)

// FuzzState: whatever the query, a state that is taken has an address that reads as itself.
func FuzzState(f *testing.F) {
	for _, text := range []string{"ids=a,b", "ids=a,+b,,c&base=b&all=1&x=age&y=%00", "ids=a,a", "ids=a,b&base=a&all=", "ids=%2C&x=1"} {
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
		at, err := url.Parse(st.URL("/compare"))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := Parse(at.Query())
		if st.base() == 0 { // the first needs no key
			st.Base, again.Base = "", ""
		}
		if err != nil || at.Path != "/compare" || !reflect.DeepEqual(st, again) {
			t.Errorf("%q is %+v, %s is %+v: %v", text, st, at, again, err)
		}
	})
}
