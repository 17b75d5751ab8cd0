package tune

import "math"

// Grid holds the settings that a search tries.
type Grid struct {
	Stages []Stage
	Trials int // number of settings, for progress
}

// Powers are 2^high, 2^(high−step), … down to 2^low.
func Powers(high, low, step int) []float64 {
	var all []float64
	for e := high; e >= low; e -= step {
		all = append(all, math.Ldexp(1, e))
	}
	return all
}

// PowersAround are 4v, 2v, v, v/2 and v/4.
func PowersAround(v float64) []float64 { return []float64{4 * v, 2 * v, v, v / 2, v / 4} }

// Cross lists all pairs of γ and λ, each as a path of its own, so that no fit starts from
// another.
func Cross(l2s, gammas []float64) []Path {
	var all []Path
	for _, g := range gammas {
		for _, l := range l2s {
			all = append(all, Path{Gamma: g, L2s: []float64{l}})
		}
	}
	return all
}

// SingleStage is a grid with one stage, which does not depend on the data.
func SingleStage(paths ...Path) Grid {
	trials := 0
	for _, p := range paths {
		trials += len(p.L2s)
	}
	return Grid{Trials: trials, Stages: []Stage{func(*Curve, Setting) []Path { return paths }}}
}

// Space says which parameters are open, and the values of the others.
type Space struct {
	L2, Gamma bool
	Summed    bool // the objective is a sum over rows, so λ scales with their number
	Fixed     Setting
}

// AnyOpen reports whether a parameter is open.
func (s Space) AnyOpen() bool { return s.L2 || s.Gamma }

// Search is the search over the space: along paths of λ with warm starts, or setting by
// setting.
func (s Space) Search(warm bool) Search {
	if warm {
		return Search{Grid: s.warm()}
	}
	return Search{Grid: s.cold()}
}

// PathL2 are the λ for a single score, 2^10 … 2^−15 (Kimes et al. 2016, section 6).
func PathL2() []float64 { return Powers(10, -15, 1) }

// warm is the grid for two-class scores. If only λ is open it is one path, PathL2, times 2n for
// an objective that is a sum (λ in t-logistic regression corresponds to λ/(2n) in a mean). If γ
// is open, too, it has the two stages of Fathony et al. 2018, section 6, with a path of λ at
// each γ. Their C is 1/(λn); n is rounded to a power of two, so that every λ is a power of two.
func (s Space) warm() Grid {
	if !s.Gamma && s.Summed {
		return Grid{Trials: len(PathL2()), Stages: []Stage{func(c *Curve, _ Setting) []Path {
			l2s, n := PathL2(), int(math.Round(math.Log2(float64(c.Rows))))
			for i := range l2s {
				l2s[i] = math.Ldexp(l2s[i], 1+n)
			}
			return []Path{{L2s: l2s}}
		}}}
	}
	if !s.Gamma {
		return SingleStage(Path{L2s: PathL2()})
	}
	first := func(c *Curve, _ Setting) (all []Path) {
		l2s := []float64{s.Fixed.L2}
		if s.L2 {
			n := int(math.Round(math.Log2(float64(c.Rows))))
			l2s = Powers(-n, -12-n, 3)
		}
		for e := -12; e <= 0; e += 3 {
			all = append(all, Path{Gamma: math.Ldexp(1, e), L2s: l2s})
		}
		return all
	}
	second := func(c *Curve, best Setting) (all []Path) {
		for e := -2; e <= 2; e++ {
			p := Path{Gamma: math.Ldexp(best.Gamma, e)}
			for _, l2 := range PowersAround(best.L2) {
				at := Setting{Gamma: p.Gamma, L2: l2}
				if (s.L2 || l2 == best.L2) && at != best {
					p.L2s = append(p.L2s, l2)
				}
			}
			if len(p.L2s) > 0 {
				all = append(all, p)
			}
		}
		return all
	}
	g := Grid{Stages: []Stage{first, second}, Trials: 9}
	if s.L2 {
		g.Trials = 49 // the second stage omits its centre, which the first has tried
	}
	return g
}

// cold is the grid for multiclass scores: every third power of two, then all powers within two
// steps of the best. Each setting is fitted from scratch.
func (s Space) cold() Grid {
	cross := func(l2s, gammas []float64) []Path {
		if !s.L2 {
			l2s = []float64{s.Fixed.L2}
		}
		if !s.Gamma {
			gammas = []float64{s.Fixed.Gamma}
		}
		return Cross(l2s, gammas)
	}
	coarse := func() []Path { return cross(Powers(3, -15, 3), Powers(0, -12, 3)) }
	fine := func(c *Curve, best Setting) (all []Path) {
		for _, p := range cross(PowersAround(best.L2), PowersAround(best.Gamma)) {
			if !c.contains(Setting{Gamma: p.Gamma, L2: p.L2s[0]}) {
				all = append(all, p)
			}
		}
		return all
	}
	around := PowersAround(1)
	// The centre of the second stage was tried in the first.
	return Grid{Trials: len(coarse()) + len(cross(around, around)) - 1,
		Stages: []Stage{func(*Curve, Setting) []Path { return coarse() }, fine}}
}
