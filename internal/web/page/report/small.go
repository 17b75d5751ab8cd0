package report

import (
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
)

// SmallCounts says whether a report shows counts of 1 to 9. The zero value masks them and everything that would
// reveal them.
type SmallCounts bool

// The two ways to treat small counts.
const (
	MaskSmall SmallCounts = false
	ShowSmall SmallCounts = true
)

// smallFact labels the line of a report's header that says how small counts are treated.
const smallFact = "Small counts"

// stamp writes into the header and the footer of a document how small counts are treated. It changes nothing in a
// document that says it already.
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
	if s == MaskSmall && !strings.Contains(d.Use, maskedUse[:28]) { // earlier versions stored reports without this line
		d.Use += maskedUse
	}
	d.Facts, d.Foot = append(d.Facts, doc.Fact{Label: smallFact, Value: head}), append(d.Foot, foot)
}

// release masks a table of counts.
func (s SmallCounts) release(rows []mask.Split) mask.Table {
	if s == ShowSmall {
		return mask.Show(rows)
	}
	return mask.Hide(rows)
}

// answers masks the answers by true class and says whether the number of correct answers may be printed.
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

// few reports whether a count is masked.
func (s SmallCounts) few(n int) bool { return s == MaskSmall && few(n) }

func (s SmallCounts) span(n int) mask.Span {
	if s.few(n) {
		return hideSmall(n)
	}
	return mask.Span{Low: n, High: n}
}

// rows writes a number of rows; 1 to 9 are masked.
func (s SmallCounts) rows(n int) string {
	switch {
	case n == 0:
		return "none"
	case s.few(n):
		return "fewer than 10 rows"
	}
	return phrase.Count(n, "row")
}

// text masks the small counts of a sentence that was written for the screen.
func (s SmallCounts) text(sentence string) string {
	if s == ShowSmall {
		return sentence
	}
	return masked(sentence)
}
