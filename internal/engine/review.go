package engine

import (
	"fmt"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// clone shares no memory with r.
func (r *Review) clone() *Review {
	if r == nil {
		return nil
	}
	c := *r
	c.Changes = slices.Clone(r.Changes)
	return &c
}

// review puts the changed labels into the outcome that the cohort reads; what
// was uploaded stays beside it.
func (f *fieldErrors) review(s *Spec, c *cohort) {
	c.recorded = c.outcome
	if s.Review == nil || len(s.Review.Changes) == 0 {
		return
	}
	if s.Bins != nil {
		f.add("review", "cannot change labels that are cut from a number")
		return
	}
	changed := *c.outcome
	changed.Code = slices.Clone(c.outcome.Code)
	last := -1
	for i, r := range s.Review.Changes {
		at := fmt.Sprintf("review.changes[%d]", i)
		switch k := c.relabel(r.To); {
		case r.Row < 0 || r.Row >= len(changed.Code):
			f.add(at+".row", "must be a data row, from 0 to %d (got %d)", len(changed.Code)-1, r.Row)
		case r.Row <= last:
			f.add(at+".row", "must be larger than that of the change before (got %d)", r.Row)
		case !c.target.Has(c.outcome.Code[r.Row]):
			f.add(at+".row", "must be a row of a class that is trained on (got row %d)", r.Row)
		case r.To == "":
			changed.Code[r.Row] = -1
			c.excluded++
		case k < 0 || !c.target.Has(k):
			f.add(at+".to", "must be a class that is trained on, or empty to leave the row out (got %q)", r.To)
		default:
			if k != changed.Code[r.Row] {
				c.relabelled++
			}
			changed.Code[r.Row] = k
		}
		last = r.Row
	}
	c.outcome = &changed
}

// relabel is the code that a changed label gets, −1 without one: of a level its
// own, of a class of several levels its first.
func (c *cohort) relabel(to string) int32 {
	if k := c.code(to); k >= 0 || to == "" {
		return k
	}
	for class, name := range c.target.Levels {
		if name == to {
			return c.target.Codes[class][0]
		}
	}
	return -1
}

// reviewed says what a review changed.
func (p *Prepared) reviewed() []Warning {
	r, c := p.spec.Review, p.cohort
	if r == nil || len(r.Changes) == 0 {
		return nil
	}
	return []Warning{check.Note(WarnReviewed, "",
		"Trained and judged on reviewed labels: %s changed, %s left out of training. Rows are listed with the label as "+
			"uploaded. "+
			"Agreeing with a model raises its AUC by construction: compare on rows whose label nobody touched.",
		phrase.Plural(c.relabelled, "label", "labels"), phrase.Plural(c.excluded, "row", "rows"))}
}

// WarnReviewed says that labels were changed by a review.
const WarnReviewed = "reviewed-labels"

// uploaded is the outcome column before a review.
func (c *cohort) uploaded() *table.Column {
	if c.recorded != nil {
		return c.recorded
	}
	return c.outcome
}
