package loss

import (
	"taper/internal/engine/odds"

	"math"
	"slices"
	"testing"
)

// TestEachFamilyNamesItsLink: a family that recovers a probability names the link
// and no other family does; a straight link gives the probability of the loss.
func TestEachFamilyNamesItsLink(t *testing.T) {
	for _, f := range append(slices.Clone(Families), savage) {
		has := false
		for _, v := range settings(t, f) {
			link := f.LinkOf(v.Values)
			has = has || link.ID != LinkNone
			if (link.ID == LinkNone) != (link.Formula == "") {
				t.Errorf("%s, %s: link %q with the formula %q", f.ID, v.name, link.ID, link.Formula)
			}
			straight := link.ID == LinkLogistic && link.Scale == 1 || link.ID == LinkScaled
			if straight != (link.Scale > 0) {
				t.Errorf("%s, %s: link %q with the scale %v", f.ID, v.name, link.ID, link.Scale)
			}
			for z := -20.0; straight && z <= 20; z++ {
				if got, want := odds.Sigmoid(link.Scale*z), f.Margin(v.Values).(Prober).ClassProbability(z); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s, %s: the link says %v at %v, the loss %v", f.ID, v.name, got, z, want)
				}
			}
		}
		if has != (f.Link != nil) {
			t.Errorf("%s: a link that no setting has", f.ID)
		}
	}
}

// TestNoLinkIsGuessed: a new loss with a probability and no link fails at once.
func TestNoLinkIsGuessed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a loss that recovers a probability got a link that nobody named")
		}
	}()
	unnamed := savage
	unnamed.Link = nil
	unnamed.LinkOf(nil)
}
