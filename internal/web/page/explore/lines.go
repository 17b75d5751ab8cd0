package explore

import (
	"strings"

	"taper/internal/viz"
)

// line is a curve of the explorer with its line style.
type line struct {
	Shape
	mark   string
	pinned bool
	id     string
}

// The line styles: references keep theirs, other curves take free ones.
var (
	ownMarks = map[string]string{"logistic": "s2", "t-logistic:" + same: "s4", "zero-one": "step", "exponential": "ref0",
		"hinge": "ref1"}
	pinMarks  = []string{"s3", "s5", "s6", "s7"}
	moreMarks = []string{"s4", "s7", "s6", "s5", "s3", "s2", "ref2", "ref0", "ref1"}
)

// lines are the steered curve, the compared curves, and the pins.
func (st State) lines() []line {
	out := []line{{Shape: mustShape(st.steered()), mark: "s1", id: "steered"}}
	used := map[string]bool{}
	take := func(from []string) string {
		for _, m := range from {
			if !used[m] {
				used[m] = true
				return m
			}
		}
		return "ref2"
	}
	for _, spec := range st.With {
		if m := ownMarks[spec.String()]; m != "" {
			used[m] = true
		}
	}
	marks := make([]string, len(st.Pins))
	for i := range st.Pins {
		marks[i] = take(pinMarks)
	}
	for _, spec := range st.With {
		m := ownMarks[spec.String()]
		if m == "" {
			m = take(moreMarks)
		}
		out = append(out, line{Shape: mustShape(st.resolve(spec)), mark: m, id: "with " + spec.String()})
	}
	for i, spec := range st.Pins {
		out = append(out, line{Shape: mustShape(st.resolve(spec)), mark: marks[i], pinned: true, id: "pin " + spec.String()})
	}
	return out
}

// label is the name of a line in a table.
func (l line) label() string {
	if l.id == "steered" {
		return upper(l.Name)
	}
	return l.Name
}

func legend(ls []line) []viz.LegendItem {
	var out []viz.LegendItem
	for _, l := range ls {
		name := l.Name
		if l.pinned {
			name += ", pinned"
		}
		out = append(out, viz.LegendItem{Series: name, Text: name, Mark: l.mark})
	}
	return out
}

// short is the name without numbers, for narrow places.
func (l line) short() string {
	if l.spec.ID == "tempered" && l.id == "steered" {
		return "two-temp."
	}
	if l.spec.ID == "tempered" {
		return strings.Replace(l.Name, "two-temperature", "two-temp.", 1)
	}
	return l.Name
}

func upper(s string) string {
	r := []rune(s)
	if len(r) > 0 && r[0] >= 'a' && r[0] <= 'z' && !(len(r) > 1 && r[1] == '-') {
		r[0] -= 'a' - 'A'
	}
	return string(r)
}
