package job

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"taper/internal/engine/parallel"
)

// spread lets a crew compute pieces of the steps of a unit, and keeps them in the notes of the job. Without a crew or
// a recipe all are computed here; without notes, too, it changes nothing. The names of the helping machines are added
// to what the unit reports.
func spread(ctx context.Context, id string, s Session, here Here, report *func(Progress)) (on context.Context,
	release func()) {
	by := &spreader{id: id, here: here, shared: travels(s, here)}
	if by.shared {
		by.recipe, _ = s.(Travels).Recipe()
	} else {
		if here.notes == nil {
			return ctx, func() {}
		}
		return parallel.WithSpreader(ctx, by), func() {}
	}
	outer := *report
	*report = func(p Progress) {
		p.Message = strings.TrimSpace(p.Message + " " + by.helpers(nil))
		outer(p)
	}
	return parallel.WithSpreader(ctx, by), here.Crew.Hold(id)
}

// spreader computes the steps of one job, each as a stage of units.
type spreader struct {
	id      string
	here    Here
	recipe  Recipe
	shared  bool       // a crew helps
	stage   int        // number of the next step
	history [][][]byte // encoded answers of the steps before, for the crew

	mu  sync.Mutex
	who string // description of the helping machines
}

func (s *spreader) helpers(who *string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if who != nil {
		s.who = *who
	}
	return s.who
}

// Spread computes a step, without the pieces of it that were kept.
func (s *spreader) Spread(ctx context.Context, step parallel.Step) error {
	if step.N == step.Home {
		return step.AtHome(ctx)
	}
	one := stepSession{recipe: s.recipe, step: step}
	plan, err := one.Stage(nil)
	if err != nil {
		return err
	}
	bodies, stage := make(Bodies, len(plan.Units)), s.stage
	s.stage++
	if err := s.here.notes.found(ctx, stage, plan.Units, one.Decode, bodies); err != nil {
		return err
	}
	if !s.shared {
		return s.alone(ctx, step, stage, plan.Units, bodies)
	}
	for i, body := range bodies {
		if body != nil {
			step.Take(step.Home+i, body.([]float64))
		}
	}
	w := newWork(one, plan, nil, bodies, func(p Progress) {
		who := strings.TrimSpace(p.Message)
		s.helpers(&who)
	})
	w.id, w.maker, w.class, w.number, w.notes = s.id, s.here.Maker, s.here.Class, stage, s.here.notes
	w.crew, w.staff, w.history = s.here.Crew, unasked, s.history
	all, going := errgroup.WithContext(ctx)
	all.Go(func() error { return step.AtHome(going) })
	all.Go(func() error { return w.run(going) })
	if err := all.Wait(); err != nil {
		return err
	}
	answers := make([][]byte, len(bodies))
	for i := 0; i < len(bodies) && !step.Last; i++ {
		answers[i] = EncodeNumbers(bodies[i].([]float64))
	}
	s.history = append(s.history[:len(s.history):len(s.history)], answers)
	return nil
}

// alone computes a step in this process, in the order and on the goroutines of a job without notes.
func (s *spreader) alone(ctx context.Context, step parallel.Step, stage int, units []Unit, kept Bodies) error {
	do := step.Do
	step.Do = func(ctx context.Context, i int) ([]float64, error) {
		at := i - step.Home
		if at >= 0 && kept[at] != nil {
			return kept[at].([]float64), nil
		}
		answer, err := do(ctx, i)
		if err == nil && at >= 0 && ctx.Err() == nil {
			s.here.notes.keep(ctx, stage, Answer{Unit: units[at].ID, Text: EncodeNumbers(answer), Maker: s.here.Maker})
		}
		return answer, err
	}
	return parallel.Spread(ctx, step)
}

// stepSession is a step as a stage of units, without the pieces that must be computed at home.
type stepSession struct {
	recipe Recipe
	step   parallel.Step
}

var (
	_ Portable = stepSession{}
	_ Journal  = stepSession{}
)

// Stage plans the pieces of the step.
func (s stepSession) Stage([]Bodies) (p Stage, err error) {
	p.Workers, p.Message = s.step.Workers, func(int, int) string { return "" }
	for i := s.step.Home; i < s.step.N; i++ {
		p.Units = append(p.Units, Unit{ID: fmt.Sprintf("%s %d of %d", s.step.Name, i+1, s.step.N)})
	}
	return p, nil
}

// Unit computes a piece.
func (s stepSession) Unit(ctx context.Context, _ []Bodies, number int, _ func(Progress)) (Body, error) {
	return s.step.Do(ctx, s.step.Home+number)
}

// Keep passes the answers to the step.
func (s stepSession) Keep(_ int, units []Kept) error {
	for _, u := range units {
		s.step.Take(s.step.Home+u.Number, u.Body.([]float64))
	}
	return nil
}

// Gather does nothing: the work itself goes on after the step.
func (stepSession) Gather(context.Context, []Bodies) error { return nil }

// Recipe is the recipe of the whole work.
func (s stepSession) Recipe() (Recipe, bool) { return s.recipe, true }

// Encode encodes the numbers of a piece.
func (stepSession) Encode(body Body) ([]byte, error) { return EncodeNumbers(body.([]float64)), nil }

// Decode decodes the numbers of a piece.
func (stepSession) Decode(_ int, text []byte) (Body, error) { return DecodeNumbers(text) }

// Numbers returns all numbers of a piece.
func (stepSession) Numbers(body Body) []float64 { return body.([]float64) }

// EncodeNumbers encodes numbers without loss.
func EncodeNumbers(v []float64) []byte {
	text := make([]byte, 0, 8*len(v))
	for _, x := range v {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x))
	}
	return text
}

// DecodeNumbers reverses EncodeNumbers.
func DecodeNumbers(text []byte) ([]float64, error) {
	if len(text)%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no list of numbers", len(text))
	}
	v := make([]float64, len(text)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return v, nil
}

// Replay is a Whole as another machine opens it. It runs the same work, which stops at each
// step. The machine then computes pieces of that step; once it is given the answers of all
// pieces, the work goes on to the next step.
type Replay struct {
	stepSession
	work    func(ctx context.Context) error
	ctx     context.Context
	end     context.CancelFunc
	begin   sync.Once
	reached chan parallel.Step
	answers chan Bodies
	ended   chan struct{} // closed after err is set
	err     error

	mu    sync.Mutex
	steps []parallel.Step
	given int // number of steps whose answers the work has received
}

var _ Portable = (*Replay)(nil)

// NewReplay prepares a replay of work. It runs until Close or the end of ctx.
func NewReplay(ctx context.Context, work func(ctx context.Context) error) *Replay {
	r := &Replay{work: work, reached: make(chan parallel.Step), answers: make(chan Bodies), ended: make(chan struct{})}
	r.ctx, r.end = context.WithCancel(ctx)
	r.ctx = parallel.WithSpreader(r.ctx, r)
	return r
}

// Close ends the work and waits for its goroutine.
func (r *Replay) Close() error {
	r.end()
	r.begin.Do(func() { close(r.ended) })
	<-r.ended
	return nil
}

// Replays marks the spreader as one that replays steps.
func (r *Replay) Replays() {}

// Spread blocks the work at a step until the answers of all pieces are given.
func (r *Replay) Spread(ctx context.Context, s parallel.Step) error {
	if s.N == s.Home {
		return nil
	}
	select {
	case r.reached <- s:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case answers := <-r.answers:
		for i := 0; i < len(answers) && !s.Last; i++ {
			s.Take(s.Home+i, answers[i].([]float64))
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stage advances the work to the step after those in before, and plans its pieces.
func (r *Replay) Stage(before []Bodies) (Stage, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin.Do(func() { go r.run() })
	for len(r.steps) <= len(before) {
		if r.given < len(r.steps) {
			bodies := before[r.given]
			if want := r.steps[r.given].N - r.steps[r.given].Home; len(bodies) != want {
				return Stage{}, fmt.Errorf("step %d has %d answers, want %d", r.given, len(bodies), want)
			}
			select {
			case r.answers <- bodies:
				r.given++
			case <-r.ended:
				return Stage{}, r.over()
			}
		}
		select {
		case s := <-r.reached:
			r.steps = append(r.steps, s)
		case <-r.ended:
			return Stage{}, r.over()
		}
	}
	return stepSession{step: r.steps[len(before)]}.Stage(nil)
}

func (r *Replay) over() error {
	if r.err != nil {
		return r.err
	}
	return fmt.Errorf("the work has %d steps and no further", len(r.steps))
}

func (r *Replay) run() {
	defer close(r.ended)
	defer func() {
		if v := recover(); v != nil {
			r.err = &PanicError{v, debug.Stack()}
		}
	}()
	r.err = r.work(r.ctx)
}

// Unit computes a piece of the step after those in before. Nested steps are not shared again.
func (r *Replay) Unit(ctx context.Context, before []Bodies, number int, _ func(Progress)) (Body, error) {
	r.mu.Lock()
	step := r.steps[len(before)]
	r.mu.Unlock()
	return step.Do(ctx, step.Home+number)
}
