// Package oracle reads golden values from independent high-precision programs
// (docs/math.md, JSON format of the golden files) for the tests that compare with them.
package oracle

import (
	"embed"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

//go:embed *.json
var files embed.FS

// Case is one golden case. Params and inputs are JSON doubles and mean exactly
// that double; expected numbers are decimal strings with 20 digits or more.
type Case struct {
	Name      string
	Params    map[string]json.RawMessage
	Inputs    map[string]json.RawMessage
	Expected  map[string]json.RawMessage
	Tolerance struct {
		Tolerance
		Fields map[string]Tolerance
	}
	Flags map[string]any
}

// Tolerance accepts |got − want| ≤ Abs + Rel·|want|.
type Tolerance struct{ Rel, Abs float64 }

// Exists reports whether there are golden values of a family.
func Exists(family string) bool {
	_, err := files.Open(family + ".json")
	return err == nil
}

// Load returns the cases of a family.
func Load(t testing.TB, family string) []Case {
	t.Helper()
	return Read[Case](t, family)
}

// Read returns the cases of a family in a shape of the test's own.
func Read[T any](t testing.TB, family string) []T {
	t.Helper()
	raw, err := files.ReadFile(family + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s: no cases", family)
	}
	return file.Cases
}

// Has reports whether the case defines a field.
func (c Case) Has(field string) bool {
	raw, ok := c.Expected[field]
	return ok && string(raw) != "null"
}

// Flag returns a flag of the case; a flag that is not there holds.
func (c Case) Flag(name string) bool {
	v, ok := c.Flags[name].(bool)
	return v || !ok
}

// Within reports whether got meets the expected field: a number, a list of
// numbers of any nesting, or the {lo, hi} of a kink. A field that is missing
// is undefined there, and any value will do.
func (c Case) Within(t testing.TB, field string, got ...float64) {
	t.Helper()
	if !c.Has(field) {
		return
	}
	tol, ok := c.Tolerance.Fields[field]
	if !ok {
		tol = c.Tolerance.Tolerance
	}
	want := spans(t, c.Expected[field])
	if len(want) != len(got) {
		t.Fatalf("%s %s: %d values, want %d", c.Name, field, len(got), len(want))
	}
	for i, w := range want {
		if !w.holds(got[i], tol) {
			t.Errorf("%s %s[%d] = %.17g, want %.17g … %.17g (rel %g, abs %g)", c.Name, field, i, got[i], w.lo, w.hi, tol.Rel,
				tol.Abs)
		}
	}
}

type span struct{ lo, hi float64 }

func (w span) holds(got float64, tol Tolerance) bool {
	if math.IsInf(w.lo, 0) || math.IsInf(w.hi, 0) { // a double that overflows is infinite
		return got >= w.lo && got <= w.hi
	}
	return got >= w.lo-tol.Abs-tol.Rel*math.Abs(w.lo) && got <= w.hi+tol.Abs+tol.Rel*math.Abs(w.hi)
}

func spans(t testing.TB, raw json.RawMessage) []span {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var all []span
		for _, r := range list {
			all = append(all, spans(t, r)...)
		}
		return all
	}
	var ends struct{ Lo, Hi json.RawMessage }
	if json.Unmarshal(raw, &ends) == nil && ends.Lo != nil {
		return []span{{decimal(t, ends.Lo), decimal(t, ends.Hi)}}
	}
	v := decimal(t, raw)
	return []span{{v, v}}
}

// decimal reads a number or the string of one; beyond the doubles it is ±Inf.
func decimal(t testing.TB, raw json.RawMessage) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil && !math.IsInf(v, 0) {
		t.Fatal(err)
	}
	return v
}

// Number reads a parameter or an input.
func Number(t testing.TB, raw json.RawMessage) float64 {
	t.Helper()
	return decimal(t, raw)
}

// List reads a list of numbers.
func List(t testing.TB, raw json.RawMessage) []float64 {
	t.Helper()
	var list []float64
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}
