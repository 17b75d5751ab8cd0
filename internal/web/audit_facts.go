package web

import (
	"context"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/store"
	"taper/internal/web/page/report"
)

// auditFacts are the facts about an audit for the report; Made is false without an audit.
func (s *Server) auditFacts(ctx context.Context, r store.Run) (f report.Audit, err error) {
	queue, err := s.app.Review(ctx, r)
	if err != nil || queue == nil {
		return f, err
	}
	decisions, err := s.app.Decisions(ctx, queue)
	if err != nil {
		return f, err
	}
	f.Made, f.Estimate, f.Basis, f.Tally = true, queue.Audit.Summary.Estimate, queue.Audit.Summary.Basis,
		audit.Count(decisions)
	f.Before, f.After = classCounts(queue, decisions)
	f.Children, err = s.db.Children(ctx, r.ID)
	return f, err
}

// classCounts are the rows of each class before and after the decisions.
func classCounts(queue *app.ReviewQueue, decisions []audit.Decision) (before, after []report.ClassCount) {
	was, is := queue.Counts(decisions)
	for _, class := range queue.Audit.Summary.Classes {
		before, after = append(before, report.ClassCount{Class: class, Rows: was[class]}),
			append(after, report.ClassCount{Class: class, Rows: is[class]})
	}
	return before, after
}
