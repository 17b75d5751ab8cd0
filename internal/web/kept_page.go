package web

import (
	"context"

	"taper/internal/engine/loss"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
)

// keptReport reads the report of a run whose data were deleted.
func (s *Server) keptReport(ctx context.Context, id string) (k report.Kept, err error) {
	text, err := s.db.KeptReport(ctx, id)
	if err != nil {
		return k, err
	}
	return report.ReadKept(text)
}

// wipedRun reads the page of a run whose data were deleted: its results from the report, and the uses of its model.
func (s *Server) wipedRun(ctx context.Context, shown *runpage.Record) error {
	r := shown.Run
	if shown.Page == runpage.Patients {
		return s.patientForms(ctx, shown)
	}
	k, err := s.keptReport(ctx, r.ID)
	if err != nil {
		return err
	}
	shown.Verdict = k.Verdict
	shown.Sections = k.Parts(func(title string) bool { return runpage.KeptPage(title, r) == shown.Page })
	switch shown.Page {
	case runpage.Performance:
		validations, err := s.validationsOf(ctx, r.ID)
		if err != nil {
			return err
		}
		shown.Sections = append(shown.Sections, externals(r, validations))
	case runpage.Model:
		return s.keptPopulation(ctx, shown)
	}
	return nil
}

// keptPopulation adds recalibration for another population, which needs no rows.
func (s *Server) keptPopulation(ctx context.Context, shown *runpage.Record) error {
	r := shown.Run
	m, err := s.db.RunModel(ctx, r.ID)
	if err != nil {
		return err
	}
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
	shown.Sections = append(shown.Sections, say.Population()...)
	return nil
}
