package playground

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// show computes the answer of a state.
func (p *Playground) show(ctx context.Context, st state, bad []usererr.Field) (*Answer, error) {
	start := time.Now()
	leave, err := p.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := p.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	if n := newState(st.Data).N; st.dataset() != "" && st.N < n {
		if all, err := p.rows(ctx, st); err == nil && all <= st.N {
			st.N = n // a file that is used completely has no number in its address
		}
	}
	a := &Answer{bench: b, Hash: b.hash, Points: b.points(), Problems: bad}
	st = a.suit(st, b)
	if err := p.admit(ctx, st, b, 0, 1); err != nil {
		return nil, err
	}
	shown, err := p.both(ctx, st, b)
	if err != nil {
		return nil, err
	}
	a.Models = pair{shown[0], shown[1]}
	a.URL, a.st = st.url(), st
	a.Axes = axes{X: axis{b.view.X[0], b.view.X[1], b.view.XName}, Y: axis{b.view.Y[0], b.view.Y[1], b.view.YName},
		Note: b.view.Note}
	a.tell(st)
	ms := float64(time.Since(start).Microseconds()) / 1000
	a.MS = &ms
	return a, nil
}

// turn waits for a free slot. The caller must call leave; if ctx ends while waiting, no slot is taken.
func (p *Playground) turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// suit replaces methods that cannot classify these points by the defaults for such points, and reports this if the
// method was requested.
func (a *Answer) suit(st state, b *bench) state {
	kind := b.kind()
	for k, m := range st.Models {
		if h := mustMethod(m.Method); !h.parts(kind) {
			st.Models[k] = newModel(firstMethods[kind][k])
			if st.Settings != ownSettings && form.Text(st.Shared.L2) == st.usualL2() {
				st.Shared.L2 = st.Models[k].L2 // the default penalty of these methods
			}
			if m.Named || !st.open() {
				a.Problems = append(a.Problems, usererr.Field{Field: slots[k] + "method", Message: h.Title +
					" needs two classes, and these points have " + phrase.Numeral(len(b.sample.Levels)) + "; " +
					mustMethod(st.Models[k].Method).Title + " is used instead"})
			}
		}
	}
	linear := func(features *string, prefix string) {
		if b.sample.X.Cols != 2 && *features != playground.Linear {
			*features = playground.Linear
			a.Problems = append(a.Problems, usererr.Field{Field: prefix + "features",
				Message: "must be linear where there are " + strconv.Itoa(b.sample.X.Cols) + " columns"})
		}
	}
	if st.Settings != ownSettings {
		linear(&st.Shared.Features, "")
		st.share()
		return st
	}
	for k := range st.Models {
		linear(&st.Models[k].Features, slots[k])
	}
	return st
}

// both fits and evaluates the two models in parallel.
func (p *Playground) both(ctx context.Context, st state, b *bench) (shown [2]*modelView, err error) {
	var failed [2]error
	group, going := errgroup.WithContext(ctx)
	for k := range shown {
		group.Go(func() error {
			shown[k], failed[k] = p.one(going, st, k, b)
			return failed[k]
		})
	}
	first := group.Wait()
	for _, err := range failed { // if both fail, A's error is returned: the result must not depend on timing
		if err != nil && !errors.Is(err, context.Canceled) {
			return shown, err
		}
	}
	if err := ctx.Err(); err != nil {
		return shown, err
	}
	return shown, first
}

// one fits and evaluates one model.
func (p *Playground) one(ctx context.Context, st state, k int, b *bench) (*modelView, error) {
	m, err := p.atFrame(ctx, st, k, b)
	if err != nil || !m.ok() {
		return m, err
	}
	m.look = m.fit.Look(m.Steps.At, m.model)
	m.surface = playground.NewSurface(m.fit, m.model, b.view)
	if m.verdict, err = m.fit.Evaluate(ctx, m.model); err != nil {
		return nil, err
	}
	m.fill(b.view, b.sample.Levels, b.sample.Roles)
	return m, nil
}

// atFrame fits a model and moves to its frame. Errors that a user can correct are shown in the place of the model.
func (p *Playground) atFrame(ctx context.Context, st state, k int, b *bench) (*modelView, error) {
	set, err := st.Models[k].setting(len(b.sample.Levels), st.Seed)
	if err != nil {
		return refused(mustMethod(st.Models[k].Method).Title, err)
	}
	m := &modelView{Title: titleOf(st.Models[k], set)}
	fit, err := p.fit(ctx, st.Models[k], set, b)
	if err != nil {
		return refused(m.Title, err)
	}
	m.Steps.At = fit.fit.Place(st.Step)
	m.fit, m.MS = fit.fit, fit.ms
	if m.model, err = fit.fit.ModelAt(ctx, m.Steps.At); err != nil {
		return refused(m.Title, err)
	}
	return m, nil
}

// refused is a model that shows a user error.
func refused(title string, err error) (*modelView, error) {
	if e, ok := usererr.As(err); ok && e.Code == usererr.Invalid {
		text := e.Detail
		if len(e.Fields) > 0 {
			text = phrase.UpperFirst(e.Fields[0].Field) + " " + e.Fields[0].Message + "."
		}
		return &modelView{Title: title, Error: text}, nil
	}
	return nil, err
}
