package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
)

// reviewOf turns the decisions that stand into a review: flips and exclusions,
// rows ascending. Keeping a label, and leaving it open, changes nothing.
func reviewOf(run string, decisions []audit.Decision) *engine.Review {
	v := &engine.Review{Parent: run}
	for _, d := range decisions {
		switch d.Kind {
		case audit.Flip:
			v.Changes = append(v.Changes, engine.Relabel{Row: d.Row, To: d.To})
		case audit.Exclude:
			v.Changes = append(v.Changes, engine.Relabel{Row: d.Row})
		}
	}
	slices.SortFunc(v.Changes, func(a, b engine.Relabel) int { return a.Row - b.Row })
	v.ID = reviewID(v)
	return v
}

// reviewID names the changes of a review.
func reviewID(v *engine.Review) string {
	b, err := json.Marshal(v.Changes)
	if err != nil {
		panic("rows and classes always have JSON")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// startChild queues a run on the labels as reviewed.
func (s *Server) startChild(ctx context.Context, r store.Run) (store.Run, error) {
	decisions, err := s.db.Decisions(ctx, store.LabelsOf(r))
	if err != nil {
		return store.Run{}, err
	}
	spec := r.Spec
	spec.Review = reviewOf(r.ID, decisions)
	if len(spec.Review.Changes) == 0 {
		return store.Run{}, usererr.New(usererr.Conflict,
			"No label was flipped and no row excluded: a run on the reviewed labels would be the same run.")
	}
	spec.Name = format.Cut(r.Name, datasets.MaxName-20) + ", reviewed"
	return s.startRunAs(ctx, spec, r.Reading)
}
