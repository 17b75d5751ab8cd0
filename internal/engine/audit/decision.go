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
	Exclude Kind = "exclude" // neither label fits: do not train on the row
	Unsure  Kind = "unsure"  // reviewed, no decision
)

// Kinds lists them in the order of the keys k, f, e, u.
var Kinds = []Kind{Keep, Flip, Exclude, Unsure}

// Valid reports whether the kind is one of them.
func (k Kind) Valid() bool { return slices.Contains(Kinds, k) }

// Wrong reports whether the decision says that the label is an error.
func (k Kind) Wrong() bool { return k == Flip }

// MaxNote is the largest length of a note in bytes.
const MaxNote = 2000

// Decision is a reviewer's decision about one row. The last one of a row is valid; undoing it restores
// the previous one.
type Decision struct {
	Key     Key
	Row     int    // position of the row at the time of the decision
	Kind    Kind   // "" = only a note
	Label   string // as uploaded: it never changes
	To      string // of a flip: the class that is right
	Note    string
	Control bool // the row was shown as a random control
	Blind   bool // the model's evidence was hidden at the time
	Made    time.Time
}

// Tally counts the decisions of a review.
type Tally struct {
	Reviewed, Errors, Excluded, Unsure int
	Controls, ControlErrors            int
	ControlsExcluded, ControlsUnsure   int
	ControlsBlind                      int // decided while the model's evidence was hidden
}

// Verdicts returns for each decision that reviews a label whether it found an error, in order of time.
func Verdicts(decisions []Decision) (wrong []bool) {
	for _, d := range decisions {
		if d.Kind != "" {
			wrong = append(wrong, d.Kind.Wrong())
		}
	}
	return wrong
}

// Count tallies the valid decisions. Unsure counts as reviewed without an error; excluded rows are
// counted separately.
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
			switch d.Kind {
			case Flip:
				t.ControlErrors++
			case Exclude:
				t.ControlsExcluded++
			case Unsure:
				t.ControlsUnsure++
			}
			if d.Blind {
				t.ControlsBlind++
			}
		}
	}
	return t
}
