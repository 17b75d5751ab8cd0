package web

import (
	"context"
	"maps"

	"taper/internal/engine/audit"
	"taper/internal/store"
	"taper/internal/web/page/report"
)

// auditFacts gathers them; Made is false where no audit was made.
func (s *Server) auditFacts(ctx context.Context, r store.Run) (f report.Audit, err error) {
	room, err := s.auditRoom(ctx, r)
	if err != nil || room == nil {
		return f, err
	}
	decisions, err := s.db.Decisions(ctx, room.labels)
	if err != nil {
		return f, err
	}
	f.Made, f.Estimate, f.Basis, f.Tally = true, room.audit.Summary.Estimate, room.audit.Summary.Basis,
		audit.Count(decisions)
	f.Before, f.After = room.counts(decisions)
	f.Children, err = s.db.Children(ctx, r.ID)
	return f, err
}

// counts counts the labels before and after the decisions.
func (r *auditRoom) counts(decisions []audit.Decision) (before, after []report.ClassCount) {
	n := r.asUploaded()
	m := maps.Clone(n)
	for _, d := range decisions {
		if _, known := r.place[d.Key]; !known {
			continue
		}
		switch d.Kind {
		case audit.Flip:
			m[d.Label]--
			m[d.To]++
		case audit.Exclude:
			m[d.Label]--
		}
	}
	for _, class := range r.audit.Summary.Classes {
		before, after = append(before, report.ClassCount{Class: class, Rows: n[class]}),
			append(after, report.ClassCount{Class: class, Rows: m[class]})
	}
	return before, after
}

// asUploaded counts the labels as uploaded, once; nobody changes it.
func (r *auditRoom) asUploaded() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.uploaded == nil {
		r.uploaded = map[string]int{}
		for i := range r.audit.Rows {
			r.uploaded[r.label(r.audit.Rows[i].Row)]++
		}
	}
	return r.uploaded
}
