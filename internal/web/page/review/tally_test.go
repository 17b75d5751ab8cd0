package review

import (
	"strings"
	"testing"

	"taper/internal/engine/audit"
)

// TestNoErrorSaid: unsure and excluded rows are in the denominator of both error rates and never in the numerator, so
// the rates say so.
func TestNoErrorSaid(t *testing.T) {
	for want, kinds := range map[string][]audit.Kind{"": {audit.Flip, audit.Keep},
		"; unsure rows count as no error": {audit.Flip, audit.Unsure}, "; excluded rows count as no error": {audit.Exclude},
		"; unsure and excluded rows count as no error": {audit.Exclude, audit.Unsure, audit.Keep}} {
		var decisions []audit.Decision
		for _, k := range kinds {
			decisions = append(decisions, audit.Decision{Kind: k, Control: true})
		}
		n := audit.Count(decisions)
		if got := noError(n); got != want {
			t.Errorf("%v: %q, want %q", kinds, got, want)
		}
		if note := controlsNote(n); strings.Contains(note, "count as no error") != (want != "") {
			t.Errorf("%v: %q", kinds, note)
		}
	}
}
