package runspec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"taper/internal/engine/table"
)

// clone returns a copy that shares no memory with r.
func (r *Review) clone() *Review {
	if r == nil {
		return nil
	}
	c := *r
	c.Changes = slices.Clone(r.Changes)
	return &c
}

// Digest is an id derived from the changes.
func (r *Review) Digest() string {
	b, err := json.Marshal(r.Changes)
	if err != nil {
		panic("rows and classes always have JSON")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// WithoutRows returns the review without its changes, which name rows. The id always remains: by it alone the run is
// known to have other labels than those uploaded.
func (r *Review) WithoutRows() *Review {
	if r == nil || len(r.Changes) == 0 { // nothing was changed, or the changes went before
		return r
	}
	return &Review{ID: cmp.Or(r.ID, r.Digest()), Parent: r.Parent}
}

// mostWrongChanges is how many wrong changes are named: there may be as many as rows, and each takes a sentence.
const mostWrongChanges = 20

// review writes the changed labels into the outcome of the cohort, and keeps the uploaded
// column as recorded.
func (f *fieldErrors) review(s *Spec, c *Cohort) {
	c.recorded = c.Outcome
	if s.Review == nil || len(s.Review.Changes) == 0 {
		return
	}
	if s.Bins != nil {
		f.add("review", "cannot change labels that are cut from a number")
		return
	}
	changed := *c.Outcome
	changed.Code = slices.Clone(c.Outcome.Code)
	last, known := -1, len(*f)
	wrong := func(i int, field, format string, args ...any) {
		f.add(fmt.Sprintf("review.changes[%d].%s", i, field), format, args...)
	}
	for i, r := range s.Review.Changes {
		if len(*f)-known >= mostWrongChanges {
			break
		}
		switch k := c.relabel(r.To); {
		case r.Row < 0 || r.Row >= len(changed.Code):
			wrong(i, "row", "must be a data row, from 0 to %d (got %d)", len(changed.Code)-1, r.Row)
		case r.Row <= last:
			wrong(i, "row", "must be larger than that of the change before (got %d)", r.Row)
		case !c.Target.Has(c.Outcome.Code[r.Row]):
			wrong(i, "row", "must be a row of a class that is trained on (got row %d)", r.Row)
		case r.To == "":
			changed.Code[r.Row] = -1
			c.Excluded++
		case k < 0 || !c.Target.Has(k):
			wrong(i, "to", "must be a class that is trained on, or empty to leave the row out (got %q)", r.To)
		default:
			if k != changed.Code[r.Row] {
				c.Relabelled++
			}
			changed.Code[r.Row] = k
		}
		last = r.Row
	}
	c.Outcome = &changed
}

// relabel is the code for a changed label: the level's own, or the first code of a class with
// several levels; −1 if there is none.
func (c *Cohort) relabel(to string) int32 {
	if k := c.Code(to); k >= 0 || to == "" {
		return k
	}
	for class, name := range c.Target.Levels {
		if name == to {
			return c.Target.Codes[class][0]
		}
	}
	return -1
}

// uploaded is the outcome column before a review.
func (c *Cohort) uploaded() *table.Column {
	if c.recorded != nil {
		return c.recorded
	}
	return c.Outcome
}
