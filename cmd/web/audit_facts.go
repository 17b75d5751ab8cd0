package main

import (
	"context"
	"maps"

	"taper/internal/engine/audit"
	"taper/internal/store"
)

// auditFacts is what a run's page and report say of its audit: REPORT's section 9.
type auditFacts struct {
	Made     bool
	Estimate *audit.Estimate // nil without probabilities
	Basis    string
	Tally    audit.Tally
	Before   []classCount // labels as uploaded, of the rows audited
	After    []classCount // with flips and exclusions
	Children []store.Child
}

// auditFacts gathers them; Made is false where no audit was made.
func (s *Server) auditFacts(ctx context.Context, r store.Run) (f auditFacts, err error) {
	room, err := s.auditRoom(ctx, r)
	if err != nil || room == nil {
		return f, err
	}
	decisions, err := s.db.Decisions(ctx, room.labels)
	if err != nil {
		return f, err
	}
	f.Made, f.Estimate, f.Basis, f.Tally = true, room.audit.Summary.Estimate, room.audit.Summary.Basis, audit.Count(decisions)
	f.Before, f.After = room.counts(decisions)
	f.Children, err = s.db.Children(ctx, r.ID)
	return f, err
}

// classCount is the number of rows of a class.
type classCount struct {
	Class string
	Rows  int
}

// counts counts the labels before and after the decisions.
func (r *auditRoom) counts(decisions []audit.Decision) (before, after []classCount) {
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
		before, after = append(before, classCount{class, n[class]}), append(after, classCount{class, m[class]})
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
