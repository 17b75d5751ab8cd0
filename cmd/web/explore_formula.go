package main

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/viz"
	"taper/web/templates"
)

// marginRegime names what kind of function the loss is.
func marginRegime(st exploreState, s shape) templates.ExploreRegime {
	r := s.regime
	g := templates.ExploreRegime{Title: "Regime"}
	if finiteNumber(r.Bound) {
		g.Chips = append(g.Chips, templates.Chip{Icon: "bounded", Label: "bounded at " + viz.Number(r.Bound, 2), Kind: "accent"})
	}
	switch {
	case r.Convex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "convex", Label: "convex"})
	case r.QuasiConvex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "quasi", Label: "quasi-convex"})
	}
	why := "t1 < 1"
	if st.Family == famAlpha {
		why = "α > 1"
	}
	switch {
	case r.Convex:
		g.Text = "Convex: a fit has one minimum, wherever it starts. The pull never weakens, so one absurd label can move it far."
	case finiteNumber(r.Bound):
		g.Text = "Bounded because " + why + ", and therefore not convex: where a fit starts can matter. The loss still falls at every z."
	default:
		g.Text = "Not convex, because the tail is heavy, and not bounded: where a fit starts can matter. The loss still falls at every z."
	}
	if len(r.Warnings) > 0 {
		g.Chips = append(g.Chips, templates.Chip{Icon: "warn", Label: "unbounded", Kind: "warn"})
		g.Text = strings.Join(r.Warnings, " ") + " A fit by slopes may jump there."
	}
	return g
}

// marginFormula writes the loss with its numbers at the crosshair.
func marginFormula(st exploreState, s shape) templates.ExploreFormula {
	z := viz.Short(st.Z, 3)
	value := viz.Number(s.value(st.Z), 3)
	if !finiteNumber(s.value(st.Z)) {
		value = "∞"
	}
	f := templates.ExploreFormula{Link: templates.Link{Label: "Where the formula comes from", URL: "/help/" + st.Family}}
	at := func(parts ...string) templates.Math {
		return mathRow(mi("ℓ"), paren(mn(z)), mo("="), strings.Join(parts, ""), mo("="), mn(value))
	}
	if st.Family == famAlpha {
		e := (st.Alpha - 1) / st.Alpha
		switch {
		case st.Alpha == 1:
			f.Lines = []templates.Math{mathRow(mi("ℓ"), paren(mi("z")), mo("="), fn("log"), paren(mn("1"), mo("+"), msup(mi("e"), mo("−")+mi("z"))))}
		case math.IsInf(st.Alpha, 1):
			f.Lines = []templates.Math{mathRow(mi("ℓ"), paren(mi("z")), mo("="), mn("1"), mo("−"), mi("σ"), paren(mi("z"))),
				at(mn("1"), mo("−"), mn(viz.Number(s.probability(st.Z), 3)))}
		default:
			f.Lines = []templates.Math{
				mathRow(mi("ℓ"), paren(mi("z")), mo("="), mfrac(mi("α"), mi("α")+mo("−")+mn("1")), paren(mn("1"), mo("−"), mi("σ"), msup(paren(mi("z")), mn("1")+mo("−")+mn("1")+mo("/")+mi("α")))),
				at(mn(viz.Short(1/e, 4)), paren(mn("1"), mo("−"), msup(mn(viz.Number(s.probability(st.Z), 3)), mn(viz.Short(e, 4))))),
			}
		}
		f.Note = "Source: Sypherd et al. 2023, equations (5) and (6)."
		return f
	}
	t1, t2 := st.T1, st.T2
	f.Note = "Source: Amid, Warmuth, Srinivasan 2019, equation (12)."
	f.Link.Label = "Why the cap is 1/(1 − t₁)"
	if st.Family == famTLogistic {
		t1, t2 = 1, st.T
		f.Note = "Source: Ding, Vishwanathan 2010, equation (15)."
		f.Link.Label = "Where the formula comes from"
	}
	log, exp := msub(fn2("log"), mn(viz.Number(t1, 2))), msub(fn2("exp"), mn(viz.Number(t2, 2)))
	if t1 == 1 {
		log = fn2("log")
	}
	if t2 == 1 {
		exp = fn2("exp")
	}
	f.Lines = []templates.Math{
		mathRow(mi("ℓ"), paren(mi("z")), mo("="), mo("−"), log, hat("p"), paren(mi("z"))),
		mathRow(hat("p"), mo("="), exp, paren(mfrac(mi("z"), mn("2")), mo("−"), mi("G"), paren(mi("z")))),
	}
	p := s.probability(st.Z)
	shown := viz.Number(p, 3)
	switch {
	case t1 == 1:
		f.Lines = append(f.Lines, at(mo("−"), fn2("log"), mn(shown)))
	default:
		f.Lines = append(f.Lines, at(mfrac(mn("1")+mo("−")+msup(mn(shown), mn(viz.Number(1-t1, 2))), mn(viz.Number(1-t1, 2)))))
	}
	f.Note = fmt.Sprintf("G(%s) = %s makes the two probabilities sum to 1. %s", z, viz.Number(partition(t2, st.Z), 3), f.Note)
	return f
}

// temperatureMap shows where the loss lies between its neighbours. The α-loss
// is the two-temperature loss with t1 = 1/α and t2 = 1.
func temperatureMap(st exploreState) *templates.ExploreWhere {
	t1, t2 := st.T1, st.T2
	w := templates.ExploreWhere{Title: "Where you are"}
	switch st.Family {
	case famTLogistic:
		t1, t2 = 1, st.T
	case famAlpha:
		t1, t2 = 1/st.Alpha, 1
		w.Text = "The α-loss is the two-temperature loss with t₁ = 1/α and t₂ = 1."
		if st.Alpha < .85 {
			w.Text += " Below α = 0.85 it lies to the right of this map."
		}
	}
	w.Map = templates.SVG(viz.TemperatureMap(t1, t2))
	return &w
}
