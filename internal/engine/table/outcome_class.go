package table

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
)

// OutcomeChoice names the column to predict and its event.
type OutcomeChoice struct {
	Column    string   `json:"column"`
	Positive  Levels   `json:"positive,omitempty"`   // levels that count as the event
	Negative  Levels   `json:"negative,omitempty"`   // levels that count as non-events; empty means the only other level
	ScoreOnly []string `json:"score_only,omitempty"` // levels that are scored and not used for training
}

// Levels are the outcome levels that form one class: usually one, sometimes several, such as "died" and
// "transferred" as one event. In JSON a single level is a string, as in the first version, and several are a
// list. The zero value has none.
type Levels []string

// OneLevel returns a class of a single level; none for "".
func OneLevel(level string) Levels {
	if level == "" {
		return nil
	}
	return Levels{level}
}

// Has reports whether a level belongs to the class.
func (l Levels) Has(level string) bool { return slices.Contains(l, level) }

// SameSet reports whether two lists hold the same levels, whatever their order.
func (l Levels) SameSet(other Levels) bool {
	return slices.Equal(slices.Sorted(slices.Values(l)), slices.Sorted(slices.Values(other)))
}

// String names the class: "died", "died or transferred", "a, b or c".
func (l Levels) String() string {
	if len(l) < 2 {
		return strings.Join(l, "")
	}
	last := len(l) - 1
	return strings.Join(l[:last], ", ") + " or " + l[last]
}

// Check returns an error about the field for an empty list or a repeated level.
func (l Levels) Check(field string) error {
	if l != nil && len(l) == 0 {
		return usererr.BadField(field, "must hold at least one level (got an empty list)")
	}
	for i, level := range l {
		if slices.Contains(l[:i], level) {
			return usererr.BadField(field+"["+strconv.Itoa(i)+"]", "names %q a second time", level)
		}
	}
	return nil
}

// MarshalJSON writes one level as a string and several as a list.
func (l Levels) MarshalJSON() ([]byte, error) {
	if len(l) < 2 {
		return json.Marshal(l.String())
	}
	return json.Marshal([]string(l))
}

// UnmarshalJSON reads a string or a list of strings. Null and "" mean none; an empty list is kept, so that
// Check can refuse it.
func (l *Levels) UnmarshalJSON(b []byte) error {
	*l = nil
	if string(b) == "null" {
		return nil
	}
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = OneLevel(one)
		return nil
	}
	var all []string
	if err := json.Unmarshal(b, &all); err != nil {
		kind := map[byte]string{'t': "bool", 'f': "bool", '{': "object", '[': "array"}[b[0]]
		// The decoder adds the name of the field to an error of this type.
		return &json.UnmarshalTypeError{Value: cmp.Or(kind, "number"), Type: reflect.TypeFor[Levels]()}
	}
	*l = all
	return nil
}
