package crossfit

import (
	"context"
)

// Straight returns p without splines, on the same rows, folds and noise, to fit the comparison
// regression. It is built on first use.
func (p *Folds) Straight(ctx context.Context) (*Folds, error) {
	if len(p.Spec.Splines) == 0 {
		return p, nil
	}
	p.making.Lock()
	defer p.making.Unlock()
	if p.straight != nil {
		return p.straight, nil
	}
	q := &Folds{Table: p.Table, Spec: p.Spec, Cohort: p.Cohort, Noise: p.Noise}
	q.Spec.Splines = nil
	q.Final = &Part{Fold: p.Final.Fold, keep: true}
	for _, parts := range p.Parts {
		var own []*Part
		for _, from := range parts {
			to := q.Final
			if from != p.Final {
				to = &Part{Fold: from.Fold, keep: from.keep}
			}
			own = append(own, to)
		}
		q.Parts = append(q.Parts, own)
	}
	if err := q.build(ctx); err != nil {
		return nil, err
	}
	p.straight = q
	return q, nil
}
