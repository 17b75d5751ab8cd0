package stat

import "math"

// SampleSize is the minimum size of a development set with a binary outcome by Riley et al. (2020, BMJ
// 368:m441); nil where R² allows no answer.
type SampleSize struct {
	N          int      `json:"n"`
	Events     int      `json:"events"`
	Parameters int      `json:"parameters"`
	EPP        *float64 `json:"epp"` // events or, where they are fewer, non-events per parameter
	CoxSnell   *float64 `json:"cox_snell_r2"`
	N1         *int     `json:"n1"`       // expected shrinkage of at least 0.9
	N2         *int     `json:"n2"`       // optimism in Nagelkerke's R² of at most 0.05
	N3         *int     `json:"n3"`       // overall risk estimated to ± 0.05
	N4         *int     `json:"n4"`       // mean absolute error of predicted risks of at most 0.05
	Required   *int     `json:"required"` // the largest of them
}

// shrinkage is S in Riley's first criterion.
const shrinkage = 0.9

// MostForError is the number of parameters up to which the formula of n4 was fitted.
const MostForError = 30

// Riley returns the criteria for a model of parameters parameters and Cox and
// Snell's R², at the share of events among n rows:
//
//	n1 = P/((S−1) ln(1 − R²/S)), S = 0.9
//	n2 = the same with S = R²/(R² + 0.05·max R²), max R² = 1 − (φ^φ(1−φ)^(1−φ))²
//	n3 = (1.96/0.05)² φ(1−φ)
//	n4 = exp((−0.508 + 0.259 ln φ + 0.504 ln P − ln 0.05)/0.544), P ≤ 30
//
// n4 is an equation that van Smeden et al. (2019) fitted to simulations with at most as many events as non-events, so
// φ is the share of the smaller class there; an error of the risk of one class is one of the other's.
func Riley(n, events, parameters int, coxSnell float64) SampleSize {
	s := SampleSize{N: n, Events: events, Parameters: parameters, CoxSnell: Finite(coxSnell)}
	_, fewer := s.Fewer()
	s.EPP = Finite(float64(fewer) / float64(parameters))
	phi, p := float64(events)/float64(n), float64(parameters)
	largest := -math.Expm1(2 * (xlogx(phi) + xlogx(1-phi)))
	s.N1 = rowsFor(p, shrinkage, coxSnell)
	s.N2 = rowsFor(p, coxSnell/(coxSnell+0.05*largest), coxSnell)
	s.N3 = ceil(1.96 / 0.05 * 1.96 / 0.05 * phi * (1 - phi))
	if parameters >= 1 && parameters <= MostForError {
		s.N4 = ceil(math.Exp((-0.508 + 0.259*math.Log(min(phi, 1-phi)) + 0.504*math.Log(p) - math.Log(0.05)) / 0.544))
	}
	if s.N1 != nil && s.N2 != nil && s.N3 != nil {
		s.Required = s.AtLeast()
	}
	return s
}

// AtLeast is the largest of the criteria that could be computed, nil for none. Without R² it is less than what all of
// them would ask for.
func (s SampleSize) AtLeast() (most *int) {
	for _, n := range []*int{s.N1, s.N2, s.N3, s.N4} {
		if n != nil && (most == nil || *n > *most) {
			most = new(*n)
		}
	}
	return most
}

// Fewer names and counts the smaller class, which limits how many parameters can be estimated.
func (s SampleSize) Fewer() (noun string, n int) {
	if others := s.N - s.Events; others < s.Events {
		return "non-event", others
	}
	return "event", s.Events
}

// rowsFor returns the number of rows at which a model with p parameters has the shrinkage s.
func rowsFor(p, s, r2 float64) *int {
	if !(r2 > 0 && r2 < s && s < 1) {
		return nil
	}
	return ceil(p / ((s - 1) * math.Log1p(-r2/s)))
}

// ceil rounds a count up; nil for NaN.
func ceil(v float64) *int {
	if !(math.Abs(v) < 1e15) {
		return nil
	}
	n := int(math.Ceil(v))
	return &n
}

// xlogx returns x log x, 0 at 0.
func xlogx(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}
