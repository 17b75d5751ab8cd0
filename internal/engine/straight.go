package engine

import (
	"context"

	"taper/internal/engine/fit"
)

// Plain reports whether the model is plain logistic regression, straight lines
// throughout, which then stands beside nothing but the null model; of several
// classes softmax regression.
func (s *Spec) Plain() bool {
	m := s.Model
	if s.Multiclass() {
		return m.Kind == "linear" && m.Loss == "softmax" && bent(s.Splines) == nil
	}
	return m.Plain() && bent(s.Splines) == nil
}

// Title names the model in words. Regression with splines is told apart from
// the plain one beside it.
func (s *Spec) Title() string { return s.titled(s.Model.Title()) }

func (s *Spec) titleOf(how fit.Method) string { return s.titled(how.Title()) }

func (s *Spec) titled(title string) string {
	switch m := s.Model; {
	case m.Kind != "linear" || bent(s.Splines) == nil:
	case m.Loss == "logistic" && !s.Multiclass():
		return "Logistic with curves"
	case m.Loss == "softmax":
		return title + " with curves"
	}
	return title
}

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
	q.final = &part{fold: p.final.fold, keep: true}
	for _, parts := range p.parts {
		var own []*part
		for _, from := range parts {
			to := q.final
			if from != p.final {
				to = &part{fold: from.fold, keep: from.keep}
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
