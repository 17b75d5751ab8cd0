package paper

import (
	"context"
	"fmt"
	"math"

	"taper/internal/engine/landscape"
	"taper/internal/engine/study"
)

// The two-dimensional dataset of Long and Servedio with the setting of Figure 3.
const (
	theoryNoise = 1. / 3
	theoryGamma = 1. / 20
)

func theory(alpha float64) landscape.Problem {
	return landscape.Problem{Alpha: alpha, Noise: theoryNoise, Gamma: theoryGamma}
}

const (
	globalOptimum = "Global optimum"
	fromZero      = "Descent from θ = 0"
)

var sypherdTheory = []study.Preset{
	{
		ID: "sypherd-fig3", Title: "Optimal lines on the four points of Long and Servedio", Source: sypherdSource,
		Figure: "Figures 3 and 9",
		Protocol: "The points (1, 0), twice (γ, −γ) and (γ, 5γ) of the positive class with γ = 1/20, each label " +
			"flipped with probability 1/3. For each α the lowest minimum of the expected α-loss over (θ₁, θ₂), and " +
			"where a descent from (0, 0) ends. Nothing is drawn at random.",
		Build: buildFig3,
		Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "α", Of: "at"},
			Series: study.Axis{Title: "Minimum", Of: "model"},
			Metrics: []study.Metric{
				{ID: "theta1", Title: "θ₁", Higher: false}, {ID: "theta2", Title: "θ₂", Higher: false},
				{ID: "risk", Title: "Risk", Higher: false},
				{ID: "accuracy", Title: "Points classified correctly", Higher: true}}},
		References: []study.Reference{
			point(globalOptimum, 1, "theta1", 0.788930, 1e-6), point(globalOptimum, 1, "theta2", 1.412206, 1e-6),
			point(globalOptimum, 1, "risk", 0.670328212, 1e-9), point(globalOptimum, 1, "accuracy", 0.5, 0),
			point(globalOptimum, 3, "theta1", 41.588831, 1e-6), point(globalOptimum, 3, "theta2", 0, 1e-9),
			point(globalOptimum, 3, "risk", 0.469968566, 1e-9), point(globalOptimum, 3, "accuracy", 1, 0),
			point(globalOptimum, 2, "theta1", 27.725087, 1e-6), point(globalOptimum, 2, "theta2", 8.9e-5, 1e-6),
			point(globalOptimum, 2, "risk", 0.548632519, 1e-9),
			point(fromZero, 2, "theta1", 1.667338, 1e-6), point(fromZero, 2, "theta2", 2.63095, 1e-5),
		},
		Notes: []study.Note{{
			Claim: "Theorem 1: for α > 1 the α-loss has a minimum that classifies the four points of Figure 3 perfectly.",
			Text: "The theorem’s condition is necessary and not sufficient. α must also be larger for the perfect " +
				"minimum to be the global one, and larger again for a descent from θ = 0 to reach it.",
			Finding: func(cells []study.Cell) string {
				return sentence("Here a perfect minimum exists from α = %s, is global from %s and is reached from θ = 0 from %s "+
					"(exact up to steps of 0.05; nothing is drawn at random).", plain, study.MeanOf(cells, fromAlpha("exists")),
					study.MeanOf(cells, fromAlpha("global")), study.MeanOf(cells, fromAlpha("reached")))
			},
		}},
	},
	{
		ID: "sypherd-fig10", Title: "The noisy risk over two weights", Source: sypherdSource, Figure: "Figure 10",
		Protocol: "The expected α-loss on the four points of Figure 3, along θ₁ for several θ₂. The loss explorer " +
			"shows it as a surface.",
		Build:     buildFig10,
		NoNumbers: "The paper draws the surface and prints no number; its minima are under Figures 3 and 9.",
		Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "θ₁", Of: "at"},
			Series: study.Axis{Title: "θ₂", Of: "model"},
			Panels: study.Axis{Title: "α", Of: "data"}, Metrics: []study.Metric{{ID: "risk", Title: "Risk", Higher: false}}},
	},
	balanceFigure("sypherd-fig12", "Figures 12 and 14", span{-15, 15, 10}, 1, 1.1, 3, 10),
	balanceFigure("sypherd-fig13", "Figure 13", span{-20, 60, 2}, 3),
	balanceFigure("sypherd-fig15", "Figure 15", span{-20, 160, 1}, 10),
}

// point is a reference printed to the given digit.
func point(model string, alpha float64, metric string, value, digit float64) study.Reference {
	return study.Reference{Key: study.Key{Model: model, Noise: theoryNoise, Metric: metric, At: alpha}, Value: value,
		Digit: digit, Where: fourPointsWhere}
}

func fromAlpha(what string) study.Key {
	return study.Key{Model: "Perfect minimum", Noise: theoryNoise, Metric: what}
}

// exact is a unit whose numbers need no random draw.
func exact(id string, keys []study.Key, run func() []float64) study.Unit {
	return study.Unit{ID: id, Kind: "exact", Keys: keys, Run: func(ctx context.Context) ([]float64, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return run(), nil
	}}
}

func buildFig3(study.Input) (p study.Plan, err error) {
	for _, alpha := range []float64{1, 1.1, 1.8, 2, 3, 10} {
		var keys []study.Key
		for _, model := range []string{globalOptimum, fromZero} {
			for _, metric := range []string{"theta1", "theta2", "risk", "accuracy"} {
				keys = append(keys, study.Key{Model: model, Noise: theoryNoise, Metric: metric, At: alpha})
			}
		}
		p.Units = append(p.Units, exact("alpha "+plain(alpha), keys, func() []float64 { return optima(theory(alpha)) }))
	}
	keys := []study.Key{fromAlpha("exists"), fromAlpha("global"), fromAlpha("reached")}
	p.Units = append(p.Units, exact("thresholds", keys, thresholds))
	return p, nil
}

// optima returns weights, risk and accuracy of the lowest minimum and of the one reached from (0, 0).
func optima(p landscape.Problem) []float64 {
	v := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if m := p.Minima(); len(m) > 0 {
		copy(v, []float64{m[0].T1, m[0].T2, m[0].Risk, float64(m[0].Right) / 4})
	}
	if m, ok := p.FromZero(); ok {
		copy(v[4:], []float64{m.T1, m.T2, m.Risk, float64(m.Right) / 4})
	}
	return v
}

// thresholds returns the smallest α, in steps of .05, from which a perfect minimum exists, is the global
// one, and is where a descent from zero ends.
func thresholds() []float64 {
	v, ended := []float64{math.NaN(), math.NaN(), math.NaN()}, [3]bool{}
	for step := 80; step >= 20; step-- { // from 4 down to 1
		p, holds := theory(float64(step)/20), [3]bool{}
		for _, m := range p.Minima() {
			holds[0] = holds[0] || m.Good()
			holds[1] = holds[1] || m.Good() && m.Global
		}
		m, ok := p.FromZero()
		holds[2] = ok && m.Good()
		for i, h := range holds {
			if ended[i] = ended[i] || !h; !ended[i] {
				v[i] = p.Alpha
			}
		}
	}
	return v
}

func buildFig10(study.Input) (p study.Plan, err error) {
	for _, alpha := range []float64{1, 1.1, 3, 10} {
		for _, t2 := range []float64{-2, 0, 1, 2, 4} {
			var keys []study.Key
			for i := range 101 {
				keys = append(keys, study.Key{Data: "α = " + plain(alpha), Model: "θ₂ = " + plain(t2), Noise: theoryNoise,
					Metric: "risk", At: float64(i-20) / 2})
			}
			p.Units = append(p.Units, exact(keys[0].Data+" "+keys[0].Model, keys, func() []float64 {
				v := make([]float64, len(keys))
				for i, k := range keys {
					v[i] = theory(alpha).Risk(k.At, t2)
				}
				return v
			}))
		}
	}
	return p, nil
}

// span is the part of an axis that is drawn, with density points per unit.
type span struct{ from, to, density int }

func (s span) holds(v float64) bool { return float64(s.from) <= v && v <= float64(s.to) }

// Branches of the curve, by whether B increases or decreases at its root. B increases between its minimum
// and its maximum and decreases beyond them, so each branch has at most one root.
const (
	risingBranch  = "B rises at the root"
	fallingBranch = "B falls at the root"
	riskMinimum   = "Minimum of the risk"
)

// balanceMinimum is a local minimum of the risk, the branch on which it lies, and a source for it other
// than our own descent.
type balanceMinimum struct {
	t1, t2        float64
	branch, where string
}

var balanceMinima = map[float64][]balanceMinimum{
	1:   {{0.788930, 1.412206, risingBranch, fourPointsWhere}},
	1.1: {{0.870341832, 1.54606466, risingBranch, ""}},
	3: {{2.101779282, -36.1830166, fallingBranch, ""},
		{41.588831, 0, risingBranch, fourPointsWhere}},
	10: {{138.629436, 0, risingBranch, "Sypherd et al. 2023, Theorem 1: γθ₁ = α ln N at θ₂ = 0"}},
}

// balanceFigure shows the curve on which both components of the risk's gradient can vanish together.
func balanceFigure(id, figure string, window span, alphas ...float64) study.Preset {
	p := study.Preset{ID: id, Title: "Stationarity condition on the four points", Source: sypherdSource, Figure: figure,
		Protocol: "With B(x) = N·ℓ′(x) − ℓ′(−x) and N = 2, each θ₂ at which B(θ₁) = " +
			"−6γ·B(γ(θ₁ + 5θ₂)), on the set of " +
			"Figure 3 and where |γ(θ₁ + 5θ₂)| is at most 15. It is the sum of the two conditions for a stationary " +
			"point: " +
			"every minimum of the risk lies on this curve, and minima are marked.",
		Build: func(study.Input) (study.Plan, error) { return balancePlan(window, alphas), nil },
		Drawing: study.Drawing{Kind: study.DrawScatter, X: study.Axis{Title: "θ₁", Of: "at"},
			Series: study.Axis{Title: "Point", Of: "model"}, Panels: study.Axis{Title: "α", Of: "data"},
			Metrics: []study.Metric{{ID: "theta2", Title: "θ₂", Higher: false}}},
		Notes: []study.Note{{Text: "The paper draws all four α in Figures 12 and 14, α = 3 alone in Figure 13 and α = " +
			"10 alone in Figure 15. Which part of the plane each of them shows is not known here: ours are near the origin " +
			"for the four, and as far as the perfect minimum for α = 3 and α = 10."}}}
	if len(alphas) == 1 {
		p.Title += ", α = " + plain(alphas[0])
	}
	for _, alpha := range alphas {
		for _, m := range balanceMinima[alpha] {
			if m.where != "" && window.holds(m.t1) {
				// θ₁ is rounded too, and at α = 1 the curve is twelve times as steep.
				p.References = append(p.References, study.Reference{Key: balanceKey(alpha, m.t1, m.branch), Value: m.t2,
					Digit: 12e-6, Where: m.where})
			}
		}
	}
	return p
}

func balanceKey(alpha, t1 float64, point string) study.Key {
	return study.Key{Data: "α = " + plain(alpha), Model: point, Noise: theoryNoise, Metric: "theta2", At: t1}
}

// balancePlan has one unit per θ₁ of the window, including those of the minima in it.
func balancePlan(window span, alphas []float64) (p study.Plan) {
	for _, alpha := range alphas {
		for i := window.from * window.density; i <= window.to*window.density; i++ {
			t1 := float64(i) / float64(window.density)
			keys := []study.Key{balanceKey(alpha, t1, risingBranch), balanceKey(alpha, t1, fallingBranch)}
			p.Units = append(p.Units, exact(fmt.Sprintf("α = %v θ₁ = %v", alpha, t1), keys, func() []float64 {
				rising, falling := balances(theory(alpha), t1)
				return []float64{rising, falling}
			}))
		}
		for _, m := range balanceMinima[alpha] {
			if !window.holds(m.t1) {
				continue
			}
			keys := []study.Key{balanceKey(alpha, m.t1, m.branch), balanceKey(alpha, m.t1, riskMinimum)}
			p.Units = append(p.Units, exact(fmt.Sprintf("α = %v minimum at %v", alpha, m.t1), keys, func() []float64 {
				root, falling := balances(theory(alpha), m.t1)
				if m.branch == fallingBranch {
					root = falling
				}
				return []float64{root, minimumNear(theory(alpha), m.t1)}
			}))
		}
	}
	return p
}

// minimumNear returns θ₂ of the local minimum with the nearest θ₁, found by descent.
func minimumNear(p landscape.Problem, t1 float64) float64 {
	nearest, t2 := math.Inf(1), math.NaN()
	for _, m := range p.Minima() {
		if d := math.Abs(m.T1 - t1); d < nearest {
			nearest, t2 = d, m.T2
		}
	}
	return t2
}

// balances returns the θ₂ with |γ(θ₁ + 5θ₂)| ≤ 15 at which both sides of the equation are equal, one per
// branch; NaN where there is none.
func balances(p landscape.Problem, t1 float64) (rising, falling float64) {
	g := p.Gamma
	gap := func(x float64) float64 { return p.Tilt(t1) + 6*g*p.Tilt(x) }
	rising, falling = math.NaN(), math.NaN()
	last := gap(-15)
	for i := 1; i <= 3000; i++ {
		x := float64(i)/100 - 15
		now := gap(x)
		switch {
		case last < 0 && now >= 0:
			rising = (bisect(gap, x-0.01, x)/g - t1) / 5
		case last >= 0 && now < 0:
			falling = (bisect(gap, x-0.01, x)/g - t1) / 5
		}
		last = now
	}
	return rising, falling
}

// bisect returns the point between a and b at which f changes its sign.
func bisect(f func(float64) float64, a, b float64) float64 {
	below := f(a) < 0
	for range 60 {
		if m := (a + b) / 2; (f(m) < 0) == below {
			a = m
		} else {
			b = m
		}
	}
	return (a + b) / 2
}

const sypherdSource = "Sypherd, Stromberg, Nock, Berisha, Sankar: Smoothly giving up: robustness for simple models, " +
	"2023"
