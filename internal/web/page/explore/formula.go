package explore

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/viz"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

// marginRegime names what kind of function the loss is.
func marginRegime(st State, s Shape) templates.ExploreRegime {
	r := s.regime
	g := templates.ExploreRegime{Title: "Regime"}
	if viz.Finite(r.Bound) {
		g.Chips = append(g.Chips, templates.Chip{Icon: "bounded", Label: "bounded at " + viz.Number(r.Bound, 2),
			Kind: "accent"})
	}
	switch {
	case r.Convex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "convex", Label: "convex"})
	case r.QuasiConvex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "quasi", Label: "quasi-convex"})
	}
	why := map[string]string{TwoTemperature: " because t₁ < 1", TLogistic: " because t₁ < 1",
		Alpha: " because α > 1"}[st.Family]
	switch {
	case r.Convex:
		g.Text = "Convex: one minimum, whatever the starting point. The gradient never shrinks, so one wrong label can " +
			"move the fit far."
	case viz.Finite(r.Bound):
		g.Text = "Bounded" + why + ", so not convex: the result can depend on the starting point. The loss still " +
			"decreases in z."
	default:
		g.Text = "Not convex (heavy tail) and not bounded: the result can depend on the starting point. The loss still " +
			"decreases in z."
	}
	if len(r.Warnings) > 0 {
		g.Chips = append(g.Chips, templates.Chip{Icon: "warn", Label: "unbounded", Kind: "warn"})
		g.Text = strings.Join(r.Warnings, " ") + " A gradient method may jump there."
	}
	return g
}

// marginFormula writes the loss with the numbers at the crosshair.
func marginFormula(st State, s Shape) templates.ExploreFormula {
	z := viz.Short(st.Z, 3)
	value := viz.Number(s.Value(st.Z), 3)
	if !viz.Finite(s.Value(st.Z)) {
		value = "∞"
	}
	f := templates.ExploreFormula{Link: templates.Link{Label: "Where the formula comes from", URL: "/help/" + st.Family}}
	at := func(parts ...string) templates.Math {
		return mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mn(z)), mathml.Mo("="), strings.Join(parts, ""),
			mathml.Mo("="), mathml.Mn(value))
	}
	if st.Family == Alpha {
		e := (st.Alpha - 1) / st.Alpha
		switch {
		case st.Alpha == 1:
			f.Lines = []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mi("z")), mathml.Mo("="),
				mathml.Fn("log"), mathml.Paren(mathml.Mn("1"), mathml.Mo("+"), mathml.Msup(mathml.Mi("e"), mathml.Mo("−")+
					mathml.Mi("z"))))}
		case math.IsInf(st.Alpha, 1):
			f.Lines = []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mi("z")), mathml.Mo("="),
				mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("σ"), mathml.Paren(mathml.Mi("z"))),
				at(mathml.Mn("1"), mathml.Mo("−"), mathml.Mn(viz.Number(s.probability(st.Z), 3)))}
		default:
			f.Lines = []templates.Math{
				mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mi("z")), mathml.Mo("="),
					mathml.Mfrac(mathml.Mi("α"), mathml.Mi("α")+mathml.Mo("−")+mathml.Mn("1")),
					mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("σ"), mathml.Msup(mathml.Paren(mathml.Mi("z")),
						mathml.Mn("1")+mathml.Mo("−")+mathml.Mn("1")+mathml.Mo("/")+mathml.Mi("α")))),
				// Left side, power and value are separate lines, since each may be long.
				mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mn(z))),
				mathml.Display(mathml.Mo("="), mathml.Mn(viz.Short(1/e, 4)),
					mathml.Paren(mathml.Mn("1"), mathml.Mo("−"),
						mathml.Msup(mathml.Mn(viz.Short(s.probability(st.Z), 4)), mathml.Mn(viz.Short(e, 4))))),
				mathml.Display(mathml.Mo("="), mathml.Mn(value)),
			}
		}
		f.Note = "Source: Sypherd et al. 2023, equations (5) and (6)."
		return f
	}
	t1, t2 := st.T1, st.T2
	f.Note = "Source: Amid, Warmuth, Srinivasan 2019, equation (12)."
	f.Link.Label = "Why the cap is 1/(1 − t₁)"
	if st.Family == TLogistic {
		t1, t2 = 1, st.T
		f.Note = "Source: Ding and Vishwanathan 2010, equation (15)."
		f.Link.Label = "Where the formula comes from"
	}
	log, exp := mathml.Msub(mathml.Word("log"), mathml.Mn(viz.Number(t1, 2))),
		mathml.Msub(mathml.Word("exp"), mathml.Mn(viz.Number(t2, 2)))
	if t1 == 1 {
		log = mathml.Word("log")
	}
	if t2 == 1 {
		exp = mathml.Word("exp")
	}
	f.Lines = []templates.Math{
		mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mi("z")), mathml.Mo("="), mathml.Mo("−"), log, mathml.Hat("p"),
			mathml.Paren(mathml.Mi("z"))),
		mathml.Display(mathml.Hat("p"), mathml.Mo("="), exp, mathml.Paren(mathml.Mfrac(mathml.Mi("z"), mathml.Mn("2")),
			mathml.Mo("−"), mathml.Mi("G"), mathml.Paren(mathml.Mi("z")))),
	}
	p := s.probability(st.Z)
	shown := viz.Number(p, 3)
	switch {
	case t1 == 1:
		f.Lines = append(f.Lines, at(mathml.Mo("−"), mathml.Word("log"), mathml.Mn(shown)))
	default:
		f.Lines = append(f.Lines, at(mathml.Mfrac(mathml.Mn("1")+mathml.Mo("−")+
			mathml.Msup(mathml.Mn(shown), mathml.Mn(viz.Number(1-t1, 2))), mathml.Mn(viz.Number(1-t1, 2)))))
	}
	f.Note = fmt.Sprintf("G(%s) = %s makes the two probabilities sum to 1. %s", z, viz.Number(partition(t2, st.Z), 3),
		f.Note)
	return f
}

// temperatureMap places the loss among related ones. The α-loss is the two-temperature loss with t1 = 1/α and t2
// = 1.
func temperatureMap(st State) *templates.ExploreWhere {
	t1, t2 := st.T1, st.T2
	w := templates.ExploreWhere{Title: "Position among related losses"}
	switch st.Family {
	case TLogistic:
		t1, t2 = 1, st.T
	case Alpha:
		t1, t2 = 1/st.Alpha, 1
		w.Text = "The α-loss is the two-temperature loss with t₁ = 1/α and t₂ = 1."
		if st.Alpha < .85 {
			w.Text += " Below α = 0.85 it lies to the right of this map."
		}
	}
	w.Map = templates.SVG(viz.TemperatureMap(t1, t2))
	return &w
}
