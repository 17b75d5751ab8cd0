package table

import (
	"encoding/json"
	"slices"
	"testing"

	"taper/internal/engine/usererr"
)

// TestLevelsJSON: one level is a string, as it was before there could be
// several, and several are a list.
func TestLevelsJSON(t *testing.T) {
	for text, c := range map[string]struct {
		want Levels
		back string
	}{
		`"died"`: {Levels{"died"}, `"died"`}, `["died"]`: {Levels{"died"}, `"died"`}, `["died","transferred"]`: {Levels{"died", "transferred"}, `["died","transferred"]`},
		`""`: {nil, `""`}, `null`: {nil, `""`}, `[]`: {Levels{}, `""`},
	} {
		l := Levels{"left over"}
		if err := json.Unmarshal([]byte(text), &l); err != nil || !slices.Equal(l, c.want) || (l == nil) != (c.want == nil) {
			t.Errorf("%s is read as %#v, %v", text, l, err)
		}
		if b, err := json.Marshal(l); err != nil || string(b) != c.back {
			t.Errorf("%s is written as %s, %v", text, b, err)
		}
	}
	for _, text := range []string{`5`, `true`, `{}`, `["a",5]`, `[["a"]]`} {
		var l Levels
		if err := json.Unmarshal([]byte(text), &l); err == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLevels(t *testing.T) {
	for want, l := range map[string]Levels{"": nil, "died": {"died"}, "died or transferred": {"died", "transferred"}, "a, b or c": {"a", "b", "c"}} {
		if l.String() != want {
			t.Errorf("%q is called %q", []string(l), l)
		}
	}
	for field, l := range map[string]Levels{"": {"a", "b"}, "x": {}, "x[2]": {"a", "b", "a"}} {
		err := l.Check("x")
		if e, ok := usererr.As(err); ok != (field != "") || ok && e.Fields[0].Field != field {
			t.Errorf("%q: %v, want field %q", []string(l), err, field)
		}
	}
	if !(Levels{"a", "b"}).SameSet(Levels{"b", "a"}) || (Levels{"a"}).SameSet(Levels{"a", "b"}) || !(Levels{"a", "b"}).Has("b") || Levels(nil).Has("") {
		t.Error("lists are compared wrongly")
	}
}
