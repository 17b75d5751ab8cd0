package web

import (
	"context"

	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/page/report"
	"taper/internal/web/resultview"
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

// keptPage shows a run whose data are wiped: what was found, as the report has
// it, and what the model can still do.
func (s *Server) keptPage(ctx context.Context, r store.Run, p *templates.Page, v *templates.Run) error {
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
	p.Open = templates.OpenQuestions(resultview.Unanswered(r.Result, nil))
	p.Result = templates.Sentence("The model was kept, its data were deleted", "on "+store.Day(r.Wiped)+".")
	v.Verdict, v.Use = k.Verdict, templates.RunUseView(use)
	v.Kept = &templates.KeptModel{Fact: "No row of the data is left on this machine.",
		Text: "The settings, the model and the report as it stood remain; counts of 1 to 9 are masked in it. Names of " +
			"columns and levels stay in the model. Anything that needs the rows is gone: the list of rows, comparisons, " +
			"audits, checks by refits.",
		Sections: runSections(k.Parts())}
	if r.Spec.Several() || m.Link != engine.LinkLogistic && m.Link != engine.LinkScaled || len(m.Trees) > 0 {
		return nil
	}
	say := report.Clinical{Run: r, Result: r.Result, Model: m}
	if say.Origin, err = s.db.RunOrigin(ctx, r.ID); err != nil {
		return err
	}
	if say.Asked, err = s.app.RecalibratedBy(ctx, say.Origin); err != nil {
		return err
	}
	v.Kept.Sections = append(v.Kept.Sections, runSections(say.Population())...)
	return nil
}
