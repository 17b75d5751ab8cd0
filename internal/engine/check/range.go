package check

import "taper/internal/engine/prep"

// OutsideData replaces the band or class of a row so far from the training rows that a prediction would
// be a guess.
const OutsideData = "outside the data"

// farShare is the distance from the training range, relative to its width, beyond which a value counts as
// far: some extrapolation is acceptable, more is not.
const farShare = 0.25

// FarOutsideRange reports whether v lies outside the training range by more than a quarter of its width.
// A constant column has no such range.
func FarOutsideRange(v, low, high float64) bool {
	least, most, has := FarLimits(low, high)
	return has && (v < least || v > most)
}

// FarLimits are the values beyond which a number is far outside the training range from low to high. has is false for
// a constant column.
func FarLimits(low, high float64) (least, most float64, has bool) {
	room := (high - low) * farShare
	return low - room, high + room, room > 0
}

// IssuesOutsideData returns the issues that place a row outside the data: a number far outside the range
// of a column that the model uses, or a level that did not occur in training. If there is none the row
// gets a prediction, possibly with warnings.
func IssuesOutsideData(doubts []prep.Issue, used func(column string) bool) (far []prep.Issue) {
	for _, d := range doubts {
		if d.Kind == prep.IssueUnseen || d.Kind == prep.IssueRange && used(d.Column) && FarOutsideRange(d.Value,
			d.Low, d.High) {
			far = append(far, d)
		}
	}
	return far
}
