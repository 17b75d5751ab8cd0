package main

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// FuzzPlayState: whatever an address says, the state it stands for has an
// address of its own that stands for it.
func FuzzPlayState(f *testing.F) {
	for _, text := range playTexts {
		f.Add(strings.ReplaceAll(text, ";", "%3B"))
	}
	f.Add("a.matrix=1,2/3&a.method=al-cost&n=1e3&rate=-0&ax=0,1e-320,0,1&pts=%3B%3B1,1,1&data=own&brush=b:19&a.gamma=∞")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, _ := parsePlay(q)
		back, err := url.ParseQuery(strings.TrimPrefix(st.query(), "?"))
		if err != nil {
			t.Fatal(err)
		}
		again, bad := parsePlay(back)
		if len(bad) > 0 || !reflect.DeepEqual(st, again) {
			t.Errorf("%q: %q reads as another state: %v\n%+v\n%+v", text, st.query(), bad, st, again)
		}
		for _, m := range st.Models {
			if _, err := m.setting(2, 1); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
