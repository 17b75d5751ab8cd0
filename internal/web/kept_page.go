package web

import (
	"context"

	"taper/internal/engine/loss"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
	"taper/web/templates"
)

// keptReport reads the report of a run whose data are wiped.
func (s *Server) keptReport(ctx context.Context, id string) (k report.Kept, err error) {
	text, err := s.db.KeptReport(ctx, id)
	if err != nil {
		return k, err
	}
	return report.ReadKept(text)
}

// wipedRun reads what is left of a run whose data are wiped: what was found, as the
// report has it, and what the model can still do.
func (s *Server) wipedRun(ctx context.Context, shown *runpage.Record) error {
	r := shown.Run
	k, err := s.keptReport(ctx, r.ID)
	if err != nil {
		return err
	}
	m, err := s.db.RunModel(ctx, r.ID)
	if err != nil {
		return err
	}
	use, err := s.runUse(ctx, r)
	if err != nil {
		return err
	}
	shown.Verdict, shown.Report, shown.Use = k.Verdict, k.Parts(), templates.RunUseView(use)
	if r.Spec.Multiclass() || m.Link != loss.LinkLogistic && m.Link != loss.LinkScaled || len(m.Trees) > 0 {
		return nil
	}
	say := report.Clinical{Run: r, Result: r.Result, Model: m}
	if say.Origin, err = s.db.RunOrigin(ctx, r.ID); err != nil {
		return err
	}
	if say.Asked, err = s.app.RecalibratedBy(ctx, say.Origin); err != nil {
		return err
	}
	shown.Report = append(shown.Report, say.Population()...)
	return nil
}
