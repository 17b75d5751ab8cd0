package loss

import "slices"

// An adversarial loss is defined by a matrix game (Fathony et al. 2018; docs/math.md, Adversarial
// surrogate losses): AL(f, y) = v(f) − f_y with the value v(f) = min_p max_q pᵀLq + f·q. A subgradient is
// q* − e_y.
//
// All games are solved in one normal form: potentials are shifted by the largest and divided by the unit
// of the loss, g_j = (f_j − max f)/w ≤ 0, and cut at a floor far below the point where a label leaves the
// support of every optimal q. So no difference of potentials overflows, and a true class with a large
// margin has a loss of exactly 0.
type game interface {
	Outputs() int
	// unit is w, by which potentials are divided; floor is below any g_j in the support.
	unit() float64
	floor() float64
	// play returns v(g) and fills q unless it is nil. q and g may be the same slice.
	play(q, g []float64) float64
	Options() int
	// predict fills p with the predictor's optimal mixture.
	predict(p, g []float64)
}

// room is the largest number of classes whose buffers fit on the stack.
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

// Predict fills dst, of length Options, with an optimal p.
func (a adversarial) Predict(dst, f []float64) {
	g := make([]float64, len(f))
	normal(a.game, g, f)
	a.predict(dst, g)
}

// Decide returns the class with the largest potential, with which these losses are consistent. Losses
// with abstention or a cost matrix have their own rule.
func (a adversarial) Decide(f []float64) int { return Argmax(f) }

// weightName is the parameter w of losses whose scale alone it sets; their titles name it.
const weightName = "weight"

// TitleNote explains the w in the title of a loss, "" for losses without it.
func TitleNote(id string) string {
	f, _ := FamilyByID(id)
	if !slices.ContainsFunc(f.Params, func(p Param) bool { return p.Name == weightName }) {
		return ""
	}
	return "w is the cost of one unit of error; it changes the fit only as λ does."
}

func weight() Param {
	return Param{
		Name: weightName, Symbol: "w", Type: Number, Min: 0, ExclusiveMin: true, Max: inf,
		SliderMin: .1, SliderMax: 10, Log: true, Step: .01, Default: Value{Number: 1},
		Description: "cost of one unit of error",
	}
}

var weightCases = []Case{{"w = 1", "weight=1"}, {"w = ¼", "weight=0.25"}, {"w = 10", "weight=10"},
	{"tiny", "weight=1e-300"}, {"huge", "weight=1e300"}}
