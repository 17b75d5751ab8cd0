package engine

import (
	"context"
)

// besideWords names logistic regression beside a result, in a sentence.
func (r *Result) besideWords() string {
	if len(r.Splines) > 0 {
		return "logistic regression in straight lines cut at the same boundaries"
	}
	return "logistic regression cut at the same boundaries"
}

// straightened is p without splines, on the same rows, folds and noise: what
// plain regression beside a model is fitted on. It is made when first asked for.
func (p *Prepared) straightened(ctx context.Context) (*Prepared, error) {
	if len(p.spec.Splines) == 0 {
		return p, nil
	}
	p.making.Lock()
	defer p.making.Unlock()
	if p.straight != nil {
		return p.straight, nil
	}
	q := &Prepared{t: p.t, spec: p.spec, cohort: p.cohort, noise: p.noise}
	q.spec.Splines = nil
	q.final = &part{Fold: p.final.Fold, keep: true}
	for _, parts := range p.parts {
		var own []*part
		for _, from := range parts {
			to := q.final
			if from != p.final {
				to = &part{Fold: from.Fold, keep: from.keep}
			}
			own = append(own, to)
		}
		q.parts = append(q.parts, own)
	}
	if err := q.build(ctx); err != nil {
		return nil, err
	}
	p.straight = q
	return q, nil
}
