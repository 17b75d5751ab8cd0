package explore

import (
	"strings"
	"testing"
)

// TestTailSaid: only t₂ > 1 gives p̂ a heavy tail; with t₂ = 1 it decays exponentially, as the slider says.
func TestTailSaid(t *testing.T) {
	for t2, heavy := range map[float64]bool{1: false, .7: false, 1.2: true} {
		st := State{Family: TwoTemperature}
		st.T1, st.T2 = .6, t2
		if got := linkSentence(st); strings.Contains(got, "heavy tail") != heavy || !strings.Contains(got, "escort") {
			t.Errorf("t₂ = %v: %s", t2, got)
		}
	}
}
