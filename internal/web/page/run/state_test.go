package run

import (
	"net/url"
	"reflect"
	"testing"

	"taper/internal/web/form"
)

func TestState(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "/runs/r1",
		"band=-1":                     "band must be a whole number from 0 to 3, not ‘-1’",
		"band=4":                      "band must be a whole number from 0 to 3, not ‘4’",
		"band=0&page=1":               "/runs/r1/patients?band=0",
		"page=2&band=3&starts=50":     "/runs/r1/model?band=3&page=2&starts=50",
		"starts=51":                   "starts must be a whole number from 1 to 50, not ‘51’",
		"by=site&order=b,a&then=else": "/runs/r1/performance?by=site&order=b%2Ca&then=else",
	} {
		q, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		st, got := State{Bands: 4}, ""
		if bad := form.Parse(&st, q); len(bad) > 0 {
			got = bad[0].Field + " " + bad[0].Message
		} else {
			got = st.URL("r1")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzState: for every query, the address of the parsed state parses back to the state.
func FuzzState(f *testing.F) {
	for _, text := range []string{"", "band=2&page=3", "starts=7&by=a+b&order=", "band=x&page=0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, again := State{Bands: 4}, State{Bands: 4}
		form.Parse(&st, q)
		if bad := form.Parse(&again, form.Values(&st)); len(bad) > 0 || !reflect.DeepEqual(st, again) {
			t.Errorf("%q is %+v, that %+v: %v", text, st, again, bad)
		}
	})
}
