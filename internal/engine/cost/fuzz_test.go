package cost

import (
	"strings"
	"testing"
)

// FuzzParseMemory: every accepted amount is one that the program can work with.
func FuzzParseMemory(f *testing.F) {
	for _, text := range []string{"2GB", " 2048 ", "1e3m", "NaN", "Inf G", "-1", "0x1p12", "4gB", "1e300G"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseMemory(text)
		if err == nil && (n < leastMemory || n > 1<<50) {
			t.Errorf("%q is %d bytes", text, n)
		}
		if padded, err2 := ParseMemory(" " + text + " "); text != "" && strings.TrimSpace(text) != "" && ((err == nil) != (err2 == nil) || padded != n) {
			t.Errorf("%q is %d (%v), with blanks %d (%v)", text, n, err, padded, err2)
		}
	})
}
