package fit

import (
	"encoding/json"
	"strconv"

	"taper/internal/engine/usererr"
)

// MinL2 and MaxL2 bound λ: beyond them ‖w‖² or λ‖w‖² overflows or underflows.
const MinL2, MaxL2 = 1e-30, 1e30

// L2 is the penalty λ: a number from MinL2 to MaxL2, "cv" for cross-validation, or "cv-1se" for
// the one-standard-error rule (the largest λ, at the γ of the minimum, whose mean is within one
// standard error of it). The zero value means "cv". λ = 0 is refused: with linearly separable
// classes no finite minimiser exists.
type L2 struct {
	Value float64
	Mode  string // "" = Value, "cv", "cv-1se"
}

const L2Rule = "must be a number from 1e-30 to 1e30, ‘cv’ or ‘cv-1se’ (got %s)"

// Tuned reports whether cross-validation chooses λ.
func (l L2) Tuned() bool { return l.Mode != "" || l.Value == 0 }

// MarshalJSON writes the number or the mode.
func (l L2) MarshalJSON() ([]byte, error) {
	switch {
	case l.Mode != "":
		return json.Marshal(l.Mode)
	case l.Value == 0:
		return json.Marshal("cv")
	}
	return json.Marshal(l.Value)
}

func InL2(v float64) bool { return v >= MinL2 && v <= MaxL2 }

// UnmarshalJSON reads a number, "cv" or "cv-1se".
func (l *L2) UnmarshalJSON(b []byte) error {
	*l = L2{}
	if string(b) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text != "cv" && text != "cv-1se" {
			return usererr.BadField("model.l2", L2Rule, usererr.Sprintf("%q", text))
		}
		l.Mode = text
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !InL2(v) {
		return usererr.BadField("model.l2", L2Rule, b)
	}
	l.Value = v
	return nil
}
