package boundary

import (
	"slices"
	"strings"
	"testing"
)

// FuzzParse: accepted boundaries increase between 0 and 1, and their text parses back to them.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "0.25,0.5", "0,25|0,5", "0,25", ".1,.2,.3", "1e-3, 0.5", "NaN", "0.5|0.5", "1", "-0,0.1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pi, err := parse("pi", strings.Split(text, "|"))
		if err != nil || pi == nil {
			return
		}
		for i, p := range pi {
			if !(p > 0 && p < 1) || i > 0 && !(p > pi[i-1]) {
				t.Fatalf("%q is %v", text, pi)
			}
		}
		if again, err := parse("pi", []string{Param(pi)}); err != nil || !slices.Equal(again, pi) {
			t.Errorf("%q is %v, written %q, which is %v: %v", text, pi, Param(pi), again, err)
		}
	})
}
