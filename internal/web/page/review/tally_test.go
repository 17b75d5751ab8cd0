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
		if got := noError(n.Unsure, n.Excluded); got != want {
			t.Errorf("%v: %q, want %q", kinds, got, want)
		}
		if note := controlsNote(n); strings.Contains(note, "count as no error") != (want != "") {
			t.Errorf("%v: %q", kinds, note)
		}
	}
}

// TestNoErrorAmongControls: the note of the random controls speaks of unsure and excluded rows among the controls alone.
func TestNoErrorAmongControls(t *testing.T) {
	for want, control := range map[string]audit.Kind{"": audit.Keep, "; unsure rows count as no error": audit.Unsure,
		"; excluded rows count as no error": audit.Exclude} {
		n := audit.Count([]audit.Decision{{Kind: audit.Unsure}, {Kind: audit.Exclude}, {Kind: control, Control: true}})
		if got := controlsNote(n); got != "estimates the overall error rate"+want+"; 0 of 1 decided with the evidence hidden" {
			t.Errorf("a control that is %s: %q", control, got)
		}
	}
}
