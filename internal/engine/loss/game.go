package loss

// An adversarial loss is the value of a matrix game (Fathony et al. 2018; docs/math.md §7):
// AL(f, y) = v(f) − f_y with v(f) = min_p max_q pᵀLq + f·q. Its subgradient is
// q* − e_y.
//
// All of them play the game in one normal form: potentials are counted from
// the largest and in units of the loss, g_j = (f_j − max f)/w ≤ 0, and no lower
// than a floor far below the point where a label drops out of every optimal q.
// No spread of potentials then overflows, and a true class that wins by far
// costs exactly 0.
type game interface {
	Outputs() int
	// unit is w, in which potentials are counted; floor is below any g_j in the
	// support.
	unit() float64
	floor() float64
	// play returns v(g) and fills q unless it is nil. q may be g.
	play(q, g []float64) float64
	Options() int
	// predict fills p with the predictor's optimal mixture.
	predict(p, g []float64)
}

// room is how many classes fit on the stack.
const room = 32

func scratch(buf []float64, k int) []float64 {
	if k <= len(buf) {
		return buf[:k]
	}
	return make([]float64, k)
}

// normal fills g with the normal form of f and returns max f.
func normal(a game, g, f []float64) (top float64) {
	top = f[Argmax(f)]
	w, floor := a.unit(), a.floor()
	for j, v := range f {
		g[j] = max((v-top)/w, floor)
	}
	return top
}

// adversarial gives a game the methods of a loss.
type adversarial struct{ game }

func (a adversarial) Value(y int, f []float64) float64 {
	g := make([]float64, len(f))
	top := normal(a.game, g, f)
	return (top - f[y]) + a.unit()*a.play(nil, g)
}

func (a adversarial) Grad(dst []float64, y int, f []float64) float64 {
	top := normal(a.game, dst, f)
	v := a.play(dst, dst)
	dst[y]--
	return (top - f[y]) + a.unit()*v
}

// Adversary fills dst with an optimal q.
func (a adversarial) Adversary(dst, f []float64) {
	normal(a.game, dst, f)
	a.play(dst, dst)
}

// Predict fills dst with an optimal p; dst has Options entries.
func (a adversarial) Predict(dst, f []float64) {
	g := make([]float64, len(f))
	normal(a.game, g, f)
	a.predict(dst, g)
}

// Decide names the largest potential, which every loss here is consistent
// with; the ones that abstain or have a cost matrix say otherwise.
func (a adversarial) Decide(f []float64) int { return Argmax(f) }

func weight() Param {
	return Param{
		Name: "weight", Symbol: "w", Type: Number, Min: 0, ExclusiveMin: true, Max: inf,
		SliderMin: .1, SliderMax: 10, Log: true, Step: .01, Default: Value{Number: 1},
		Description: "cost of one unit of error",
	}
}

var weightCases = []Case{{"w = 1", "weight=1"}, {"w = ¼", "weight=0.25"}, {"w = 10", "weight=10"},
	{"tiny", "weight=1e-300"}, {"huge", "weight=1e300"}}
