package viz

import (
	"strconv"
	"strings"
)

// Person is one icon of a hundred.
type Person struct {
	Outcome Outcome
	Came    bool // moved from another band
}

// Outcome is the known outcome of a person.
type Outcome int

// The outcomes with their icons: triangle, circle, and dash if counts are masked.
const (
	NoEvent Outcome = iota
	Event
	MaskedOutcome
)

// personSide is the side of the square per icon.
const personSide = 16.0

// PeopleSVG draws icons in rows of ten, from the top in the given order, as IconsSVG does; a ring
// marks those who moved.
func PeopleSVG(people []Person, label string) string {
	d := drawing{w: 10 * personSide, h: 10 * personSide}
	d.people(people)
	return d.svg("people", label)
}

// PersonSVG is the legend sample of an icon.
func PersonSVG(p Person) string {
	d := drawing{w: personSide, h: personSide}
	d.people([]Person{p})
	return d.svg("", "")
}

// people draws icons in rows of ten.
func (d *drawing) people(people []Person) {
	var marks [3]strings.Builder
	var rings strings.Builder
	for i, p := range people {
		x, y := personSide*(float64(i%10)+.5), personSide*(float64(i/10)+.5)
		switch p.Outcome {
		case Event:
			marks[Event].WriteString(outline("triangle", x, y, 10))
		case MaskedOutcome:
			marks[MaskedOutcome].WriteString("M" + px(x-4.5) + " " + px(y) + "h9")
		default:
			marks[NoEvent].WriteString(outline("circle", x, y, 8))
		}
		if p.Came {
			rings.WriteString(outline("circle", x, y, 14))
		}
	}
	for kind, class := range []string{"icn", "c1", "people-unsure"} {
		if marks[kind].Len() > 0 {
			d.path(class, marks[kind].String())
		}
	}
	if rings.Len() > 0 {
		d.path("people-came", rings.String())
	}
}

// CrowdSVG draws a group as a hundred icons in columns of the given number of lines, sorted and
// tinted by band. people has the number of icons per band, came how many of them moved there.
func CrowdSVG(pi []float64, people, came []int, lines int, label string) string {
	d := drawing{w: float64(100/lines) * personSide, h: float64(lines) * personSide}
	var rings strings.Builder
	at := 0
	for j, n := range people {
		low, high := edges(pi, j)
		var own strings.Builder
		for k := range n {
			x, y := personSide*(float64(at/lines)+.5), personSide*(float64(at%lines)+.5)
			own.WriteString(outline("circle", x, y, 11.6))
			if k < came[j] {
				rings.WriteString(outline("circle", x, y, 14.4))
			}
			at++
		}
		if n > 0 {
			d.path("crowd p"+strconv.Itoa(BandTint(low, high)), own.String())
		}
	}
	if rings.Len() > 0 {
		d.path("people-came", rings.String())
	}
	return d.svg("people", label)
}
