package app

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// TestOverflowed: a result with an infinite number fails with a sentence.
func TestOverflowed(t *testing.T) {
	_, err := json.Marshal([]float64{1, math.Inf(1)})
	err = overflowed(err)
	if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "overflowed (it is +Inf)") || !strings.Contains(err.Error(), "model.standardize") {
		t.Errorf("%v", err)
	}
	if overflowed(nil) != nil {
		t.Error("a sound result overflowed")
	}
}
