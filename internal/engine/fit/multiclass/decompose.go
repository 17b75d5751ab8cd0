package multiclass

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// decomposer maximises the dual of a kernel score by working sets: it selects the rows that contribute
// most to the duality gap, optimises their multipliers on their small Gram matrix, and then updates the
// scores of all rows at once (Joachims 1999, with the gap as the criterion for selecting rows).
type decomposer struct {
	*duals
	ctx    context.Context
	gram   *gram
	z      [][]float64 // scores Σ a_j κ(x_j, ·): m slices of n
	rows   []int       // in the order of the current round
	set    []int       // current working set
	size   int         // its largest number of rows
	pocket pocket
	climb  *climber
	random *rand.Rand
}

const (
	workingSet  = 96 // rows per working set
	largeSet    = 192
	manyRows    = 2000 // number of rows from which large sets are faster: their columns do not fit into caches
	innerSweeps = 3
)

// decompose fits a kernel score.
func (p *problem) decompose(ctx context.Context, o Options) (*Fitted, error) {
	s := newDecomposer(ctx, p)
	s.gram.blocked = o.Brief || p.x.Rows >= manyRows
	s.random = rand.New(rand.NewPCG(o.Seed, 0))
	limit := cmp.Or(o.MaxIter, maxSweeps)
	best := proof{objective: math.Inf(1), dual: math.Inf(-1)}
	steps := 0
	for ; ; steps++ {
		value, gap := s.measureAt(ctx, 8, s.at)
		if err := parallel.Yield(ctx); err != nil {
			return nil, err
		}
		if s.judge(&best, value, gap, s.norm(s.u), s.u, s.repaired) {
			for l, e := range s.eta {
				s.eta[l] += e - s.center[l]
				s.center[l] = e
			}
		}
		o.tell(steps, limit, best)
		if best.gap() <= o.Gap || steps >= limit {
			break
		}
		if steps == patience && p.x.Rows*p.head.m <= newtonSize {
			return s.handOver(o, steps)
		}
		if err := s.round(best); err != nil {
			return nil, err
		}
	}
	fit := best.fitted(o)
	fit.Iterations, fit.Evaluations = steps, s.evals
	fit.Model = s.model(best)
	return fit, nil
}

// handOver continues with a linear score on features that span the kernel, which accepts the same
// multipliers and has Newton steps.
func (s *decomposer) handOver(o Options, steps int) (*Fitted, error) {
	f := newNystrom(*s.p.kernel, s.p.draw(s.p.x.Rows, o.Seed))
	q := *s.p
	q.x, q.kernel = f.features(s.ctx, s.p.x), nil
	t := newSweeper(s.ctx, &q)
	t.hulls, t.u, t.center = s.hulls, s.u, s.center
	fit, err := t.fit(o, steps, 0)
	if err != nil {
		return nil, err
	}
	fit.Model.kernelize(f)
	return fit, nil
}

func newDecomposer(ctx context.Context, p *problem) *decomposer {
	n := p.x.Rows
	s := &decomposer{ctx: ctx, gram: newGram(*p.kernel, p.x), size: workingSet}
	if n >= manyRows {
		s.size = largeSet
	}
	for range p.head.m {
		s.z = append(s.z, make([]float64, n))
	}
	m := p.head.m
	s.pocket = pocket{make([]float64, s.size*s.size), make([]float64, m*s.size),
		make([]float64, m*s.size), make([]float64, m), make([]float64, p.head.r)}
	sum := 0.0
	for i, v := range p.v {
		sum += v * s.gram.diagonal(i)
	}
	for i := range n {
		s.rows = append(s.rows, i)
	}
	s.duals = newDuals(p, p.grip(sum))
	s.climb = newClimber(s.duals)
	return s
}

// at fills f with the potentials of a row.
func (s *decomposer) at(f, z []float64, i int) {
	for l := range z {
		z[l] = s.z[l][i]
	}
	s.p.head.apply(f, z, s.eta)
}

// norm returns ‖W‖² in the kernel's feature space, −(1/λ) Σ v u·S·z.
func (s *decomposer) norm(u []float64) float64 {
	sum := 0.0
	f, z, none := make([]float64, s.k), make([]float64, len(s.z)), make([]float64, len(s.eta))
	for i, v := range s.p.v {
		if zero(u[i*s.k : (i+1)*s.k]) {
			continue
		}
		for l := range z {
			z[l] = s.z[l][i]
		}
		s.p.head.apply(f, z, none)
		sum -= v * dot(u[i*s.k:(i+1)*s.k], f)
	}
	return sum / s.p.l2
}

func zero(u []float64) bool {
	for _, v := range u {
		if v != 0 {
			return false
		}
	}
	return true
}

// repaired is sweeper.repaired for a kernel. The shrunk multipliers have another norm, for which the
// change of the scores is computed.
func (s *decomposer) repaired() float64 {
	shrink := s.balance()
	u := slices.Clone(s.u)
	sum := 0.0
	for i, v := range s.p.v {
		for l, h := range s.hulls[i*s.parts : (i+1)*s.parts] {
			t := shrink[l][side(u[i*s.k+l])]
			u[i*s.k+l] *= t
			for _, e := range h {
				sum += v * t * e.a * e.b
			}
		}
	}
	return sum - s.p.l2/2*s.normOf(u)
}

// normOf returns ‖W‖² for any multipliers.
func (s *decomposer) normOf(u []float64) float64 {
	var rows []int
	m := len(s.z)
	a, none := make([]float64, len(s.p.v)*m), make([]float64, len(s.eta))
	for i, v := range s.p.v {
		if row := u[i*s.k : (i+1)*s.k]; v > 0 && !zero(row) {
			rows = append(rows, i)
			s.p.head.back(a[i*m:(i+1)*m], none, row, v/s.p.l2)
		}
	}
	return s.gram.norm(rows, func(i int) []float64 { return a[i*m : (i+1)*m] })
}

// round visits all rows once, in random order (a fixed order would be many times slower), and optimises
// those that contribute to the gap and those whose multipliers are inside their range. A row is evaluated
// only when it is visited, so many columns of the Gram matrix are never computed.
func (s *decomposer) round(best proof) error {
	share := 1e-2 * max(0, best.objective-best.dual) / float64(len(s.gaps))
	s.random.Shuffle(len(s.rows), func(i, j int) { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] })
	s.set = s.set[:0]
	for n, i := range s.rows {
		if s.worth(i, share) {
			s.set = append(s.set, i)
		}
		if len(s.set) == s.size || n == len(s.rows)-1 && len(s.set) > 0 {
			s.gram.need(s.set)
			if err := s.work(); err != nil {
				return err
			}
			s.set = s.set[:0]
		}
	}
	return nil
}

// worth reports whether a row contributes more than its share to the gap, or its multipliers are inside
// their range.
func (s *decomposer) worth(i int, share float64) bool {
	if s.p.v[i] == 0 || s.mixed(i) {
		return s.p.v[i] > 0
	}
	s.at(s.climb.f, s.climb.z, i)
	_, gap := s.gap(i, s.climb.f, s.climb.g)
	return s.p.v[i]*gap > share
}

// model expands the score in the rows with a non-zero multiplier.
func (s *decomposer) model(best proof) *Model {
	m := s.p.model(best.eta)
	m.Kernel = s.p.kernel
	for i, v := range s.p.v {
		u := best.w[i*s.k : (i+1)*s.k]
		if v == 0 || zero(u) {
			continue
		}
		a := make([]float64, len(s.z))
		s.p.head.back(a, make([]float64, len(s.eta)), u, -v/s.p.l2)
		m.Rows = append(m.Rows, slices.Clone(s.p.x.Row(i)))
		m.Coefficients = append(m.Coefficients, s.p.entries(a))
	}
	if m.Rows == nil { // the score is 0
		m.Rows, m.Coefficients = [][]float64{slices.Clone(s.p.x.Row(0))}, [][]float64{s.p.entries(make([]float64, len(s.z)))}
	}
	return m.must()
}

// pocket is the part of the problem that belongs to the working set.
type pocket struct {
	gram []float64 // q×q
	z    []float64 // scores: m slices of q
	coef []float64 // change of a_j: m slices of q
	dz   []float64 // m
	deta []float64
}

// work optimises the multipliers of the working set, then updates all scores.
func (s *decomposer) work() error {
	k := s.cut()
	for range innerSweeps {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		moved := false
		for a := range s.set {
			if s.stepIn(k, a) {
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	s.move(k.coef)
	return nil
}

// cut copies the part of the problem that belongs to the working set.
func (s *decomposer) cut() *pocket {
	q, k := len(s.set), &s.pocket
	for a, i := range s.set {
		c := s.gram.columns[i]
		for b, j := range s.set[:a+1] { // the rest is the same, and half of the time goes into waiting for memory
			k.gram[a*q+b], k.gram[b*q+a] = c[j], c[j]
		}
		for l, z := range s.z {
			k.z[l*q+a] = z[i]
		}
	}
	clear(k.coef)
	return k
}

// stepIn optimises the multipliers of the working set's row a.
func (s *decomposer) stepIn(k *pocket, a int) bool {
	q, i := len(s.set), s.set[a]
	for l := range s.z {
		k.dz[l] = k.z[l*q+a]
	}
	s.p.head.apply(s.climb.f, k.dz, s.eta)
	if !s.climb.climb(i, k.gram[a*q+a]) {
		return false
	}
	clear(k.dz)
	clear(k.deta)
	s.p.head.back(k.dz, k.deta, s.climb.du, -s.p.v[i])
	for l, v := range k.deta {
		s.eta[l] += v / s.rho
	}
	for l, v := range k.dz {
		if v != 0 {
			k.coef[l*q+a] += v / s.p.l2
			axpy(v/s.p.l2, k.gram[a*q:(a+1)*q], k.z[l*q:(l+1)*q])
		}
	}
	return true
}

// move adds the change of the set's coefficients to the scores of all rows.
func (s *decomposer) move(coef []float64) {
	q := len(s.set)
	by, columns := make([][]float64, len(s.z)), make([][][]float64, len(s.z))
	for l := range s.z {
		for a, i := range s.set {
			if v := coef[l*q+a]; v != 0 {
				by[l], columns[l] = append(by[l], v), append(columns[l], s.gram.columns[i])
			}
		}
	}
	spread(s.blocks.count, s.p.x.Rows*q*len(s.z), func(b int) {
		lo, hi := s.blocks.span(b)
		for l, z := range s.z {
			vector.Combine(z[lo:hi], columns[l], by[l], lo)
		}
	})
}
