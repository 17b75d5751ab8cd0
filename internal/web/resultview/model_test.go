package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
)

// TestHeadlineWeight: a title with w comes with what w is, and one without w does not.
func TestHeadlineWeight(t *testing.T) {
	for _, m := range []fit.Spec{
		{Kind: "linear", Loss: "al-zero-one", Params: map[string]any{"weight": 1.}},
		{Kind: "linear", Loss: "al-zero-one"},
		{Kind: "linear", Loss: "softmax"},
	} {
		h := modelHeadline(&engine.Result{}, runspec.Spec{Model: m}, nil)
		if named := strings.Contains(h.Strong, "w = 1"); named != strings.Contains(h.Rest, "w is the cost of one unit of error") ||
			named != (m.Loss == "al-zero-one") {
			t.Errorf("%s: %q %q", m.Loss, h.Strong, h.Rest)
		}
	}
}
