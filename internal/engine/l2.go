package engine

import (
	"encoding/json"
	"math"
	"strconv"

	"taper/internal/engine/errs"
)

// L2 is the penalty λ: a positive number, or chosen by cross-validation ("cv",
// or "cv-1se": the largest λ within one standard error of the best). The zero
// value means "cv": a λ of 0 is refused, because a file whose classes a plane
// separates has no finite fit without a penalty.
type L2 struct {
	Value float64
	Mode  string // "" = Value, "cv", "cv-1se"
}

const l2Rule = `must be a number above 0, "cv" or "cv-1se" (got %s)`

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

// UnmarshalJSON reads a positive number, "cv" or "cv-1se".
func (l *L2) UnmarshalJSON(b []byte) error {
	*l = L2{}
	if string(b) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text != "cv" && text != "cv-1se" {
			return errs.BadField("model.l2", l2Rule, strconv.Quote(text))
		}
		l.Mode = text
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return errs.BadField("model.l2", l2Rule, b)
	}
	l.Value = v
	return nil
}
