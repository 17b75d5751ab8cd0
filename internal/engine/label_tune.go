package engine

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
)

// Rules by which an audit chooses λ of a loss that gives up; "" is the audit's
// own, the others are there to hold it against.
const (
	RuleLeast = "own-loss-least" // the least held-out mean of the own loss
	RuleRuns  = "runs"           // as runs do: by the log-loss of the probabilities
)

// candidate is the audited model. λ of one that gives up is tuned by the held-out
// mean of its own loss; that is bounded and flat towards small λ, where it has many
// minima, so the largest λ within one standard error of the least is taken.
func (w *auditor) candidate() (*candidate, error) {
	c, err := w.p.candidate(&w.spec, w.how, penaltyOf(&w.spec), "")
	if err == nil && w.byOwnLoss() && w.rule != RuleRuns {
		if c.criterion = task.OwnLoss(w.how.Loss); w.rule != RuleLeast {
			c.penalty.Mode = "cv-1se"
		}
	}
	return c, err
}

// byOwnLoss reports a model whose λ the audit tunes by its own loss.
func (w *auditor) byOwnLoss() bool { return givesUp(w.how) }

func givesUp(how fit.Method) bool {
	_, gives := how.Loss.(loss.Weigher)
	return gives && !how.Spec.Plain() && !how.Spec.GammaTuned()
}

// GivesUpAnew reports a model whose λ, tuned anew for an audit, is chosen by its
// own loss, which gives up on labels, and not by what its run went by.
func (s *Spec) GivesUpAnew() bool {
	d := s.WithDefaults()
	how, err := fit.Parse(d.Model)
	return err == nil && !d.Multiclass() && givesUp(how)
}

// auditPlan is how parameters are found over the folds themselves.
func (p *Prepared) auditPlan(ctx context.Context, c *candidate) (plan, error) {
	pl, err := p.newPlan(ctx, c, TuningSame)
	pl.work-- // no final fit
	return pl, err
}

// auditSettings are λ and γ of each fold: given, or found for all of them.
func (p *Prepared) auditSettings(ctx context.Context, c *candidate, pl plan, t *tracker) ([]tune.Setting, error) {
	s := c.space.Given
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, c, pl, t); err != nil {
			return nil, err
		}
		s = c.chosen(pl.curves[0])
	}
	return repeated(s, len(p.parts[0])), nil
}

// auditFits fits each fold and returns the outputs for the rows that each did not
// see, by position.
func (p *Prepared) auditFits(ctx context.Context, c *candidate, s []tune.Setting, t *tracker) ([]*fit.Model,
	[]float64, error) {
	parts := p.parts[0]
	fits, raw := make([]*fit.Model, len(parts)), make([][]float64, len(parts))
	err := parallel.ForEach(ctx, len(parts), 0, func(k int) error {
		d, err := p.designOf(ctx, parts[k])
		if err != nil {
			return err
		}
		if fits[k], err = c.at(s[k]).Fit(ctx, d.data(), s[k].L2, fit.Options{}); err != nil {
			return err
		}
		raw[k] = scores(fits[k], d.xt)
		t.step(1, "%sFitting fold %d of %d", c.what, k+1, len(parts))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	k := fits[0].Outputs()
	all := make([]float64, len(p.cohort.rows)*k)
	for i, q := range parts {
		for row, at := range q.test() {
			copy(all[at*k:(at+1)*k], raw[i][row*k:])
		}
	}
	return fits, all, nil
}
