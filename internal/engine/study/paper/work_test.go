package paper

import (
	"testing"

	"taper/internal/engine/cost"
	"taper/internal/engine/study"
)

// TestPresetsAreAdmitted: each preset that a page offers can be started in every size under the limit of work that
// Taper has unless a flag sets another. The papers' own sizes must not need a flag.
func TestPresetsAreAdmitted(t *testing.T) {
	for _, p := range Presets {
		for _, size := range study.Sizes {
			spec := study.Spec{Preset: p.ID, Size: size, Seed: 1}.WithDefaults()
			plan, err := study.NewPlan(Presets, spec, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", p.ID, size, err)
				continue
			}
			if plan.Work.Total <= 0 || plan.Memory <= 0 {
				t.Errorf("%s, %s: costs %v and %d bytes", p.ID, size, plan.Work.Total, plan.Memory)
			}
			if err := plan.Work.Check("This study", cost.DefaultWork); err != nil {
				t.Errorf("%s, %s: %v", p.ID, size, err)
			}
		}
	}
}
