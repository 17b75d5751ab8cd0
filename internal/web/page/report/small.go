package report

import (
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
)

// SmallCounts says whether print shows counts of 1 to 9. The zero value masks them,
// with whatever would tell them.
type SmallCounts bool

// What print does with small counts.
const (
	MaskSmall SmallCounts = false
	ShowSmall SmallCounts = true
)

// smallFact labels the line of a report's head that says what was done with small counts.
const smallFact = "Small counts"

// stamp writes on a document, in its head and at its foot, what was done with small
// counts. A document that has the line keeps it.
func (s SmallCounts) stamp(d *doc.Document) {
	for _, f := range d.Facts {
		if f.Label == smallFact {
			return
		}
	}
	head, foot := "1 to 9 masked", "Counts of 1 to 9 are masked"
	if s == ShowSmall {
		head, foot = "shown in full", "Small counts are shown in full: patients may be recognised"
	}
	if s == MaskSmall && !strings.Contains(d.Use, maskedUse[:28]) { // which earlier versions kept without the line
		d.Use += maskedUse
	}
	d.Facts, d.Foot = append(d.Facts, doc.Fact{Label: smallFact, Value: head}), append(d.Foot, foot)
}

// release is what print says of a table of counts.
func (s SmallCounts) release(rows []mask.Split) mask.Table {
	if s == ShowSmall {
		return mask.Show(rows)
	}
	return mask.Hide(rows)
}

// answers are the answers by true class as print may tell them, and whether it may tell how
// many are right.
func (s SmallCounts) answers(counts [][]int) (spans [][]mask.Span, counted bool) {
	if s == MaskSmall {
		return mask.Answers(counts)
	}
	for _, row := range counts {
		var shown []mask.Span
		for _, n := range row {
			shown = append(shown, mask.Span{Low: n, High: n})
		}
		spans = append(spans, shown)
	}
	return spans, true
}

// few reports whether print masks a count.
func (s SmallCounts) few(n int) bool { return s == MaskSmall && few(n) }

func (s SmallCounts) span(n int) mask.Span {
	if s.few(n) {
		return hideSmall(n)
	}
	return mask.Span{Low: n, High: n}
}

// rows writes a number of rows, masked from 1 to 9.
func (s SmallCounts) rows(n int) string {
	switch {
	case n == 0:
		return "none"
	case s.few(n):
		return "fewer than 10 rows"
	}
	return phrase.Count(n, "row")
}

// text is a sentence that was written for the screen as print says it.
func (s SmallCounts) text(sentence string) string {
	if s == ShowSmall {
		return sentence
	}
	return masked(sentence)
}
