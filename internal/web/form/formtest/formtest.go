// Package formtest tests the property that every page state must have: its address parses back to it.
package formtest

import (
	"net/url"
	"reflect"
	"testing"
)

// Address fuzzes the queries of a page, starting from seeds: the address at path of an accepted state must parse
// back to the state. settle normalises both states before they are compared, where a key may be left out; nil
// changes nothing.
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
