package multiclass

import (
	"cmp"
	"math"
	"math/rand/v2"

	"taper/internal/engine/parallel"
)

// fit continues from the present multipliers after this many sweeps. After patience sweeps, Newton steps
// follow.
func (s *sweeper) fit(o Options, sweeps, patience int) (*Fitted, error) {
	limit := cmp.Or(o.MaxIter, maxSweeps)
	random := rand.New(rand.NewPCG(o.Seed, 0))
	best := proof{objective: math.Inf(1), dual: math.Inf(-1)}
	rows, handed := s.all(), false
	report := func() { o.tell(sweeps, limit, best) }
	for {
		if err := s.check(&best); err != nil {
			return nil, err
		}
		report()
		if best.gap() <= o.Gap || sweeps >= limit {
			break
		}
		if !handed && sweeps >= patience && len(s.w)+len(s.eta) <= newtonSize {
			handed = true
			before := sweeps
			steps, err := newNewton(s, o.Brief).finish(&best, o.Gap, limit-sweeps,
				func(steps int) { o.tell(before+steps, limit, best) })
			if err != nil {
				return nil, err
			}
			sweeps += steps
			continue
		}
		rows = s.busy(rows[:0], best)
		stride := min(limit-sweeps, 1+min(sweeps/2, 9))
		for range stride {
			random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			if err := s.visit(rows); err != nil {
				return nil, err
			}
		}
		sweeps += stride
	}
	fit := best.fitted(o)
	fit.Iterations, fit.Evaluations = sweeps, s.evals
	fit.Model = s.p.linearModel(best.w, best.eta)
	return fit, nil
}

// patience is how many sweeps are made before Newton steps.
func (s *sweeper) patience(o Options) int {
	switch few := len(s.w)+len(s.eta) <= fewParameters; {
	case few && o.Patience > 0:
		return o.Patience
	case !few && o.Brief:
		return longPatience
	}
	return patience
}

// busy lists the rows worth visiting: those that contribute to the gap and those whose multipliers are
// inside their range. The others are at an end of their range and stay there until the next check.
func (s *sweeper) busy(rows []int, best proof) []int {
	share := 1e-3 * max(0, best.objective-best.dual) / float64(len(s.gaps))
	for i, g := range s.gaps {
		if s.p.v[i] > 0 && (g > share || s.mixed(i)) {
			rows = append(rows, i)
		}
	}
	return rows
}

const breath = 256 // rows between two checks of the context

func (s *sweeper) visit(rows []int) error {
	for n, i := range rows {
		if n%breath == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		x := s.x.Row(i)
		s.scores(s.climb.f, s.z, x)
		if !s.climb.climb(i, s.square[i]) {
			continue
		}
		clear(s.dz)
		clear(s.deta)
		s.p.head.back(s.dz, s.deta, s.climb.du, -s.p.v[i])
		for l, v := range s.dz {
			if v != 0 {
				axpy(v/s.p.l2, x, s.w[l*len(x):(l+1)*len(x)])
			}
		}
		for l, v := range s.deta {
			s.eta[l] += v / s.rho
		}
	}
	return parallel.Yield(s.ctx)
}
