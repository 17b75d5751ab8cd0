package loss

// The multiclass hinge losses, baselines of the adversarial losses (docs/math.md, Baselines). At its kink a hinge
// counts as inactive.
type (
	// WestonWatkins is Σ_{j≠y} [1 + f_j − f_y]_+.
	WestonWatkins struct{ K int }
	// CrammerSinger is max_{j≠y} [1 + f_j − f_y]_+.
	CrammerSinger struct{ K int }
	// LeeLinWahba is Σ_{j≠y} [1 + f_j]_+, for potentials that sum to 0. It does not enforce that sum.
	LeeLinWahba struct{ K int }
	// OneVsAll is [1 − f_y]_+ + Σ_{j≠y} [1 + f_j]_+, a surrogate with abstention.
	OneVsAll struct{ K int }
)

func (l WestonWatkins) Outputs() int { return l.K }

func (l WestonWatkins) Value(y int, f []float64) float64 {
	v := 0.0
	for j, u := range f {
		if j != y {
			v += max(0, 1+(u-f[y]))
		}
	}
	return v
}

func (l WestonWatkins) Grad(dst []float64, y int, f []float64) float64 {
	active := 0.0
	for j, u := range f {
		dst[j] = step(j != y && 1+(u-f[y]) > 0)
		active += dst[j]
	}
	dst[y] = -active
	return l.Value(y, f)
}

func (l WestonWatkins) Decide(f []float64) int { return Argmax(f) }

func (l CrammerSinger) Outputs() int { return l.K }

func (l CrammerSinger) Value(y int, f []float64) float64 {
	return max(0, 1+(f[bestOther(y, f)]-f[y]))
}

// bestOther returns the class with the largest potential other than y.
func bestOther(y int, f []float64) int {
	at := -1
	for j, v := range f {
		if j != y && (at < 0 || v > f[at]) {
			at = j
		}
	}
	return at
}

func (l CrammerSinger) Grad(dst []float64, y int, f []float64) float64 {
	clear(dst)
	v := l.Value(y, f)
	if v > 0 {
		dst[bestOther(y, f)], dst[y] = 1, -1
	}
	return v
}

func (l CrammerSinger) Decide(f []float64) int { return Argmax(f) }

func (l LeeLinWahba) Outputs() int { return l.K }

func (l LeeLinWahba) Value(y int, f []float64) float64 {
	v := 0.0
	for j, u := range f {
		if j != y {
			v += max(0, 1+u)
		}
	}
	return v
}

func (l LeeLinWahba) Grad(dst []float64, y int, f []float64) float64 {
	for j, u := range f {
		dst[j] = step(j != y && 1+u > 0)
	}
	return l.Value(y, f)
}

func (l LeeLinWahba) Decide(f []float64) int { return Argmax(f) }

func (l OneVsAll) Outputs() int { return l.K }

func (l OneVsAll) Value(y int, f []float64) float64 {
	return max(0, 1-f[y]) + LeeLinWahba(l).Value(y, f)
}

func (l OneVsAll) Grad(dst []float64, y int, f []float64) float64 {
	LeeLinWahba(l).Grad(dst, y, f)
	dst[y] = -step(f[y] < 1)
	return l.Value(y, f)
}

// Decide abstains unless a potential exceeds 0, which is right for an abstention cost of ½.
func (l OneVsAll) Decide(f []float64) int { return DecideOneVsAll(f, 0) }

// DecideOneVsAll returns the class of the largest potential if that exceeds tau, otherwise Abstain.
func DecideOneVsAll(f []float64, tau float64) int {
	if i := Argmax(f); f[i] > tau {
		return i
	}
	return Abstain
}

// DecideCrammerSinger returns the class of the largest potential if its margin over the next exceeds tau
// (usually ½), otherwise Abstain.
func DecideCrammerSinger(f []float64, tau float64) int {
	if i := Argmax(f); f[i]-f[bestOther(i, f)] > tau {
		return i
	}
	return Abstain
}

var (
	westonWatkins = Family{
		ID: "ww", Title: "Weston–Watkins", Kind: KindPotential, Source: "Fathony et al. 2018, baseline",
		Formula: `\textstyle\sum_{j\ne y}[1+f_j-f_y]_+`,
		Use:     "Multiclass; not consistent for zero-one loss.",

		PaperSolver: "pegasos",

		Potential: func(_ Values, k int) Potential { return WestonWatkins{k} },
	}
	crammerSinger = Family{
		ID: "cs", Title: "Crammer–Singer", Kind: KindPotential, Source: "Fathony et al. 2018, baseline",
		Formula: `\textstyle\max_{j\ne y}[1+f_j-f_y]_+`,
		Use:     "Multiclass with few support vectors; consistent only where one class has probability above ½.",

		PaperSolver: "pegasos",

		Potential: func(_ Values, k int) Potential { return CrammerSinger{k} },
	}
	leeLinWahba = Family{
		ID: "llw", Title: "Lee–Lin–Wahba", Kind: KindPotential, Source: "Fathony et al. 2018, baseline",
		Formula: `\textstyle\sum_{j\ne y}[1+f_j]_+,\quad\sum_j f_j=0`,
		Use:     "Consistent, but weak with few features. Potentials must sum to 0.",

		PaperSolver: "pegasos", SumZero: true,

		Potential: func(_ Values, k int) Potential { return LeeLinWahba{k} },
	}
	oneVsAll = Family{
		ID: "ova", Title: "One-vs-rest", Kind: KindPotential, Source: "Fathony et al. 2018, baseline of abstention",
		Formula: `[1-f_y]_++\textstyle\sum_{j\ne y}[1+f_j]_+`,
		Use:     "Abstains where no potential is above 0.",

		PaperSolver: "pegasos", Abstains: true,

		Potential: func(_ Values, k int) Potential { return OneVsAll{k} },
	}
)
