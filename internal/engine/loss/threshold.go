package loss

// The threshold losses separate k ordered classes by k−1 thresholds on one score, with a margin loss φ at
// each (docs/math.md, Baselines). For class c the score should lie above the thresholds l < c and below the
// others.
type thresholds struct {
	base Margin
	all  bool // all thresholds; otherwise only those next to the class
}

func (l thresholds) Value(y int, score float64, eta []float64) float64 {
	v, _ := l.run(nil, y, score, eta)
	return v
}

func (l thresholds) Grad(dst []float64, y int, score float64, eta []float64) (value, slope float64) {
	return l.run(dst, y, score, eta)
}

func (l thresholds) run(dst []float64, y int, score float64, eta []float64) (value, slope float64) {
	clear(dst)
	for c, e := range eta {
		if !l.all && c != y-1 && c != y {
			continue
		}
		s := -1.0 // the score should lie below
		if c < y {
			s = 1
		}
		z := s * (score - e)
		value += l.base.Value(s, z)
		if g := s * l.base.Slope(s, z); dst != nil {
			slope += g
			dst[c] = -g
		}
	}
	return value, slope
}

// Rank returns the class of a score: the number of thresholds below it.
func Rank(score float64, eta []float64) int {
	n := 0
	for _, e := range eta {
		if e < score {
			n++
		}
	}
	return n
}

// bases are the margin losses that can be used at each threshold.
var bases = []string{"hinge", "squared-hinge", "exponential", "logistic", "probit", "dwd"}

func thresholdFamily(id, title, source, formula, use string, all bool) Family {
	return Family{
		ID: id, Title: title, Source: source, Formula: formula, Use: use, Kind: KindThreshold, Ordered: true,
		Params: []Param{{
			Name: "base", Symbol: "φ", Type: ID, Options: bases, Default: Value{ID: "hinge"},
			Description: "loss at each threshold",
		}},
		Cases: []Case{{"hinge", "base=hinge"}, {"logistic", "base=logistic"}, {"squared hinge", "base=squared-hinge"},
			{"exponential", "base=exponential"}, {"DWD", "base=dwd"}, {"probit", "base=probit"}},
		Threshold: func(v Values) Threshold {
			base, _ := marginByID(v.ID("base"))
			return thresholds{base: base, all: all}
		},
	}
}

// marginByID returns a margin loss that has no parameters.
func marginByID(id string) (Margin, bool) {
	for _, f := range []Family{hinge, squaredHinge, exponential, logistic, probit, dwd} {
		if f.ID == id {
			return f.Margin(nil), true
		}
	}
	return nil, false
}

var (
	allThreshold = thresholdFamily("all-threshold", "All thresholds", "Fathony et al. 2018, baseline; SVORIM with a "+
		"kernel",
		`\textstyle\sum_{l<y}\varphi(s-\eta_l)+\sum_{l\ge y}\varphi(\eta_l-s)`,
		"Ordered classes; the fitted thresholds are sorted.", true)
	immediateThreshold = thresholdFamily("immediate-threshold", "Immediate thresholds",
		"Fathony et al. 2018, baseline; SVOREX with a kernel",
		`\varphi(s-\eta_{y-1})+\varphi(\eta_y-s)`,
		"Ordered classes; targets exact hits more than distance. The fitted thresholds may be unsorted.", false)
	reduction = penalised(thresholdFamily("reduction", "Reduction to two classes",
		"Fathony et al. 2018, baseline RED-th of Li and Lin",
		`\textstyle\sum_{l<y}\varphi(s-\eta_l)+\sum_{l\ge y}\varphi(\eta_l-s)`,
		"All thresholds with the thresholds inside the penalty.", true))
)

// penalised adds the solver that needs a penalty on all parameters.
func penalised(f Family) Family {
	f.PaperSolver = "pegasos"
	return f
}
