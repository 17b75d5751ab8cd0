package explore

import (
	"net/url"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// The adversarial family: the predictor answers so that the worst label an
// adversary can deal costs least (docs/math.md, Adversarial surrogate losses). The potentials are shown
// as ψ_j = f_j − f_y, so that only those of the other classes matter.

// potential builds a loss of k potentials by its engine id.
func potential(id string, params url.Values, k int) loss.Potential {
	f, ok := loss.FamilyByID(id)
	if !ok {
		panic("web: no loss " + id)
	}
	v, err := f.Parse(params)
	if err != nil {
		panic("web: " + id + ": " + err.Error())
	}
	return f.New(v, k)
}

func (st State) metricTitle() string {
	for _, m := range metrics {
		if m.ID == st.Metric {
			return m.Title
		}
	}
	return st.Metric
}

// adversarial is the steered loss, in st.Classes potentials.
func (st State) adversarial() loss.Potential {
	q := url.Values{}
	if st.Metric == "abstain" {
		q.Set("alpha", form.Text(st.Cost))
	}
	return potential(st.game.loss(), q, st.Classes)
}

// comparison is the loss it is compared with. Two of these losses take potentials that sum to zero.
func (st State) comparison() func(psi ...float64) float64 {
	l := potential(st.Comparison, nil, st.Classes)
	return func(psi ...float64) float64 {
		f := st.potentials(psi...)
		if st.Comparison == "llw" || st.Comparison == "ova" {
			mean := 0.0
			for _, v := range f {
				mean += v / float64(len(f))
			}
			for j := range f {
				f[j] -= mean
			}
		}
		return l.Value(st.True-1, f)
	}
}

func (st State) comparisonTitle() string {
	for _, r := range comparisons {
		if r.ID == st.Comparison {
			return r.Title
		}
	}
	return st.Comparison
}

// potentials adds the 0 of the true class to the ψ of the others.
func (st State) potentials(psi ...float64) []float64 {
	f := make([]float64, st.Classes)
	at := 0
	for j := range f {
		if j != st.True-1 {
			f[j] = psi[at]
			at++
		}
	}
	return f
}

// others are the classes besides the true one, from 1.
func (st State) others() []int {
	var out []int
	for j := 1; j <= st.Classes; j++ {
		if j != st.True {
			out = append(out, j)
		}
	}
	return out
}

// psi is the point, with a coordinate per other class.
func (st State) psi() []float64 { return st.Psi[:st.Classes-1] }

func (st State) value(l loss.Potential) func(psi ...float64) float64 {
	return func(psi ...float64) float64 { return l.Value(st.True-1, st.potentials(psi...)) }
}

func (st State) psiName(i int) string { return "ψ" + subscript(st.others()[i]) }

// play is the solution of the game at the point.
type play struct {
	value    float64
	q, p     []float64
	options  []string
	decision string
}

func (st State) play(l loss.Potential) play {
	f := st.potentials(st.psi()...)
	g := play{value: l.Value(st.True-1, f)}
	for j := 1; j <= st.Classes; j++ {
		g.options = append(g.options, "class "+strconv.Itoa(j))
	}
	if a, ok := l.(loss.Adversary); ok {
		g.q, g.p = make([]float64, st.Classes), make([]float64, a.Options())
		a.Adversary(g.q, f)
		a.Predict(g.p, f)
		if a.Options() > st.Classes {
			g.options = append(g.options, "abstain")
		}
	}
	if d, ok := l.(loss.Decider); ok {
		if k := d.Decide(f); k == loss.Abstain {
			g.decision = "no class: it abstains"
		} else {
			g.decision = "class " + strconv.Itoa(k+1)
		}
	}
	return g
}

// mixture describes a mixed strategy: "class 1 with 75 % and class 2 with 25 %".
func (g play) mixture(v []float64) string {
	var parts []string
	for j, p := range v {
		if p > 5e-4 {
			parts = append(parts, g.options[j]+" with "+viz.Percent(p, 0)+format.Pc)
		}
	}
	if len(parts) == 1 {
		return strings.TrimSuffix(parts[0], " with 100"+format.Pc)
	}
	return phrase.Join(parts)
}
