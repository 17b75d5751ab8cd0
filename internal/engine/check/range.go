package check

import "taper/internal/engine/prep"

// OutsideData stands in place of a band, or of a class, where a row lies so far
// from the training rows that the model's answer would be a guess.
const OutsideData = "outside the data"

// farShare is the share of the training range beyond which a value is far: a
// model may carry on a little past its data, and no colleague would trust it
// further.
const farShare = 0.25

// FarOutsideRange reports whether v lies more than a quarter of the training range outside
// it. A column that never varied has no range to be outside of.
func FarOutsideRange(v, low, high float64) bool {
	room := (high - low) * farShare
	return room > 0 && (v < low-room || v > high+room)
}

// IssuesOutsideData returns those doubts about a row that put it outside the data: a
// number far beyond the range of a column that the model uses, or a level that
// training never saw. None: the row gets its answer, with warnings at most.
func IssuesOutsideData(doubts []prep.Issue, used func(column string) bool) (far []prep.Issue) {
	for _, d := range doubts {
		if d.Kind == prep.IssueUnseen || d.Kind == prep.IssueRange && used(d.Column) && FarOutsideRange(d.Value,
			d.Low, d.High) {
			far = append(far, d)
		}
	}
	return far
}
