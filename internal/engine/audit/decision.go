package audit

import (
	"slices"
	"time"
)

// Kind is what a reviewer decided about a label.
type Kind string

// The kinds. None of them changes the label as uploaded.
const (
	Keep    Kind = "keep"    // the label is right
	Flip    Kind = "flip"    // it is wrong: another class is right
	Exclude Kind = "exclude" // the row should not train: neither label fits
	Unsure  Kind = "unsure"  // looked at, left open
)

// Kinds lists them in the order of the keys k, f, e, u.
var Kinds = []Kind{Keep, Flip, Exclude, Unsure}

// Valid reports whether the kind is one of them.
func (k Kind) Valid() bool { return slices.Contains(Kinds, k) }

// Wrong reports whether the decision says that the label is an error.
func (k Kind) Wrong() bool { return k == Flip }

// MaxNote bounds a note, in bytes.
const MaxNote = 2000

// Decision is what stands about one row. The last one of a row counts; undoing
// it brings back the one before.
type Decision struct {
	Key     Key
	Row     int    // where the row stood when it was decided
	Kind    Kind   // "" = a note alone
	Label   string // as uploaded: it never changes
	To      string // of a flip: the class that is right
	Note    string
	Control bool // the row came up as a random control
	Blind   bool // the model's evidence was hidden
	Made    time.Time
}

// Tally counts a review.
type Tally struct {
	Reviewed, Errors, Excluded, Unsure int
	Controls, ControlErrors            int
	ControlsBlind                      int // decided while the model's evidence was hidden
}

// Verdicts tells of each decision that reviews a label whether it found an error,
// in the order in which they were made.
func Verdicts(decisions []Decision) (wrong []bool) {
	for _, d := range decisions {
		if d.Kind != "" {
			wrong = append(wrong, d.Kind.Wrong())
		}
	}
	return wrong
}

// Count tallies the decisions that stand. What is unsure is reviewed and no
// error; excluded rows are counted apart.
func Count(decisions []Decision) (t Tally) {
	for _, d := range decisions {
		if d.Kind == "" {
			continue
		}
		t.Reviewed++
		switch d.Kind {
		case Flip:
			t.Errors++
		case Exclude:
			t.Excluded++
		case Unsure:
			t.Unsure++
		}
		if d.Control {
			t.Controls++
			if d.Kind.Wrong() {
				t.ControlErrors++
			}
			if d.Blind {
				t.ControlsBlind++
			}
		}
	}
	return t
}
