// Package formtest asks of the state of a page what every state must keep.
package formtest

import (
	"net/url"
	"reflect"
	"testing"
)

// Address fuzzes the queries of a page, from the seeds on: a state that is taken has an address
// at path which reads as the same state. settle brings the state that was read, and the one that
// its address gave, to what both must be where a key may be left out; nil changes nothing.
func Address[S any](f *testing.F, seeds []string, read func(url.Values) (S, error), address func(S) string,
	path string, settle func(first, again *S)) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, err := read(q)
		if err != nil {
			return
		}
		at, err := url.Parse(address(st))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := read(at.Query())
		if settle != nil {
			settle(&st, &again)
		}
		if err != nil || at.EscapedPath() != path || !reflect.DeepEqual(st, again) {
			t.Errorf("%q is %+v, %s is %+v: %v", text, st, at, again, err)
		}
	})
}
