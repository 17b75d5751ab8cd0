package parallel

import "context"

// Step is work divided into pieces. A piece returns numbers and depends only on its index and
// on the steps before. With a Spreader, other machines can compute pieces: they replay the
// earlier steps with the answers already known.
type Step struct {
	Name    string // name of a piece, for errors
	N       int
	Home    int // number of first pieces that produce more than numbers and stay on this machine
	Workers int // pieces at a time on this machine; 0 = Cores

	Do   func(ctx context.Context, i int) ([]float64, error)
	Take func(i int, answer []float64) // called once for each piece; calls may be concurrent
	Last bool                          // no later step depends on the answers: a replay does not get them
}

// Spread computes a step, with the errors of ForEach.
func Spread(ctx context.Context, s Step) error {
	if by, _ := ctx.Value(spreadKey{}).(Spreader); by != nil {
		return by.Spread(WithSpreader(ctx, nil), s)
	}
	return ForEach(ctx, s.N, s.Workers, func(i int) error { return s.do(ctx, i) })
}

// AtHome computes the pieces of a step that stay on this machine.
func (s Step) AtHome(ctx context.Context) error {
	return ForEach(ctx, s.Home, s.Workers, func(i int) error { return s.do(ctx, i) })
}

func (s Step) do(ctx context.Context, i int) error {
	v, err := s.Do(ctx, i)
	if err == nil {
		s.Take(i, v)
	}
	return err
}

// Spreader computes steps on several machines, in the order of the calls.
type Spreader interface {
	Spread(ctx context.Context, s Step) error
}

type spreadKey struct{}

// WithSpreader has the steps in a context computed by a spreader; nil = on this machine.
func WithSpreader(ctx context.Context, by Spreader) context.Context {
	return context.WithValue(ctx, spreadKey{}, by)
}

// Replayer is a spreader that only replays steps in order to compute pieces.
type Replayer interface {
	Spreader
	Replays()
}

// Replayed reports whether the steps of a context are only replayed. Work that no later step
// depends on can then be skipped.
func Replayed(ctx context.Context) bool {
	_, ok := ctx.Value(spreadKey{}).(Replayer)
	return ok
}
