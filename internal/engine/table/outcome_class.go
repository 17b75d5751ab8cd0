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

// OutcomeChoice names the column to predict and what counts as the event.
type OutcomeChoice struct {
	Column    string   `json:"column"`
	Positive  Levels   `json:"positive,omitempty"`   // levels that are the event
	Negative  Levels   `json:"negative,omitempty"`   // levels trained against it; none = the only other level
	ScoreOnly []string `json:"score_only,omitempty"` // levels scored, never trained on
}

// Levels are the levels of an outcome that count as one class: mostly one, or
// several, as "died" and "transferred" that are one event. In JSON one level is
// a string, as it always was, and several are a list. The zero value names none.
type Levels []string

// OneLevel is the class of a single level; none of "".
func OneLevel(level string) Levels {
	if level == "" {
		return nil
	}
	return Levels{level}
}

// Has reports whether a level is of the class.
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

// Check is what is wrong with the list itself, as the error of a field: an empty
// list, or a level that is there twice.
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

// UnmarshalJSON reads a string or a list of strings. Null and "" name none; an
// empty list stays one, for Check to refuse.
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
		// The decoder adds the field to an error of this type.
		return &json.UnmarshalTypeError{Value: cmp.Or(kind, "number"), Type: reflect.TypeFor[Levels]()}
	}
	*l = all
	return nil
}
