package parallel

import "context"

// Step is work in pieces, each of which answers in numbers and depends on nothing but its number and
// the steps before. So other machines can do pieces, where there are any (WithSpreader): elsewhere the
// steps are replayed with the answers that are known.
type Step struct {
	Name    string // of its pieces, for errors
	N       int
	Home    int // the first pieces answer with more than numbers, and are done on this machine alone
	Workers int // pieces at a time on this machine; 0: Cores

	Do   func(ctx context.Context, i int) ([]float64, error)
	Take func(i int, answer []float64) // of each piece once; pieces may be taken side by side
	Last bool                          // no later step depends on the answers: a replay does not have them
}

// Spread does a step and returns as ForEach does.
func Spread(ctx context.Context, s Step) error {
	if by, _ := ctx.Value(spreadKey{}).(Spreader); by != nil {
		return by.Spread(WithSpreader(ctx, nil), s)
	}
	return ForEach(ctx, s.N, s.Workers, func(i int) error { return s.do(ctx, i) })
}

// AtHome does the pieces of a step that are done on this machine alone.
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

// Spreader does steps on several machines, in the order in which they are asked for.
type Spreader interface {
	Spread(ctx context.Context, s Step) error
}

type spreadKey struct{}

// WithSpreader has the steps of a context done by a spreader; by none in pieces themselves.
func WithSpreader(ctx context.Context, by Spreader) context.Context {
	return context.WithValue(ctx, spreadKey{}, by)
}

// Replayer is a spreader that replays steps for their pieces alone.
type Replayer interface {
	Spreader
	Replays()
}

// Replayed reports whether the steps of a context are replayed for their pieces alone. Then what no
// later step depends on need not be made.
func Replayed(ctx context.Context) bool {
	_, ok := ctx.Value(spreadKey{}).(Replayer)
	return ok
}
