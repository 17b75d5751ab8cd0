package explore

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

func gameFormula(st State, g play) templates.ExploreFormula {
	source := map[string]string{
		"zero-one": "Theorem 5", "absolute": "Theorem 6", "squared": "Theorem 7", "abstain": "Theorem 13"}[st.Metric] + "."
	beyond := st.Metric == "abstain" && st.Cost > .5 // where the closed form is not the value of the game
	if beyond {
		source = "Theorem 13 has a closed form up to a cost of ½, not beyond."
	}
	f := templates.ExploreFormula{Note: "q is a distribution over labels, p one over answers. Source: Fathony et al. " +
		"2018, " + source,
		Link: templates.Link{Label: "How to read the game", URL: "/help/adversarial"}}
	game := []string{mathml.Munder("max", mathml.Mi("q")), mathml.Munder("min", mathml.Mi("p")),
		mathml.Msup(mathml.Mi("p"), mathml.Mo("⊤")), mathml.Mi("L"), mathml.Mi("q"), mathml.Mo("+"),
		mathml.Msup(mathml.Mi("f"), mathml.Mo("⊤")), mathml.Mi("q"), mathml.Mo("−"),
		mathml.Msub(mathml.Mi("f"), mathml.Mi("y"))}
	f.Lines = []templates.Math{mathml.Display(mathml.Word("AL"), mathml.Paren(mathml.Mi("f"), mathml.Mo(","),
		mathml.Mi("y")), mathml.Mo("=")), mathml.Display(game...)}
	switch {
	case beyond:
	case st.Metric == "zero-one":
		f.Lines = append(f.Lines, mathml.Display(mathml.Mo("="), mathml.Munder("max", mathml.Mi("S")),
			mathml.Mfrac(mathml.Munder("∑", mathml.Mi("j")+mathml.Mo("∈")+mathml.Mi("S"))+
				mathml.Msub(mathml.Mi("ψ"), mathml.Mi("j"))+mathml.Mo("+")+mathml.Mo("|")+mathml.Mi("S")+mathml.Mo("|")+
				mathml.Mo("−")+mathml.Mn("1"), mathml.Mo("|")+mathml.Mi("S")+mathml.Mo("|"))))
	case st.Metric == "absolute":
		f.Lines = append(f.Lines, mathml.Display(mathml.Mo("="), mathml.Munder("max", mathml.Mi("i")+mathml.Mo(",")+
			mathml.Mi("j")), mathml.Mfrac(mathml.Msub(mathml.Mi("ψ"), mathml.Mi("i"))+mathml.Mo("+")+
			mathml.Msub(mathml.Mi("ψ"), mathml.Mi("j"))+mathml.Mo("+")+mathml.Mi("j")+mathml.Mo("−")+mathml.Mi("i"),
			mathml.Mn("2"))))
	case st.Metric == "abstain":
		f.Lines = append(f.Lines, mathml.Display(mathml.Mo("="), mathml.Munder("max", mathml.Mi("i")+mathml.Mo("≠")+
			mathml.Mi("j")), mathml.Fn("max"), mathml.Paren(mathml.Msub(mathml.Mi("ψ"), mathml.Mi("i")), mathml.Mo(","),
			mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("α")), mathml.Msub(mathml.Mi("ψ"), mathml.Mi("i")),
			mathml.Mo("+"), mathml.Mi("α"), mathml.Msub(mathml.Mi("ψ"), mathml.Mi("j")), mathml.Mo("+"), mathml.Mi("α"))))
	}
	var psi []string
	for _, p := range st.psi() {
		psi = append(psi, mathml.Mn(viz.Number(p, 2)))
	}
	f.Lines = append(f.Lines, mathml.Display(mathml.Word("AL"), mathml.Paren(strings.Join(psi, mathml.Mo(","))),
		mathml.Mo("="), mathml.Mn(viz.Number(g.value, 3))))
	return f
}

// costTable is the cost matrix: answers against true classes.
func costTable(metric string, cost float64, k int) *templates.Table {
	t := &templates.Table{Label: "Cost matrix, " + metric, Class: "tbl-tight",
		Columns: []templates.Column{{Label: "Answer"}}}
	for j := 1; j <= k; j++ {
		t.Columns = append(t.Columns, templates.Column{Label: strconv.Itoa(j), Num: true})
	}
	for i := range k {
		r := templates.Row{Cells: []templates.Cell{{Text: strconv.Itoa(i + 1)}}}
		for j := range k {
			d := math.Abs(float64(i - j))
			switch metric {
			case "squared":
				d *= d
			case "absolute":
			default:
				d = min(d, 1)
			}
			r.Cells = append(r.Cells, templates.Cell{Text: viz.Short(d, 3)})
		}
		t.Rows = append(t.Rows, r)
	}
	if metric == "abstain" {
		r := templates.Row{Cells: []templates.Cell{{Text: "abstain"}}}
		for range k {
			r.Cells = append(r.Cells, templates.Cell{Text: viz.Short(cost, 3)})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// sevenPoints are the points of the readout table, for two and three classes.
var sevenPoints = [][2]float64{{-2, -2}, {-1, -1}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 2}}

func gameReadout(st State, l loss.Potential) templates.Table {
	t := templates.Table{ID: "readout", Label: "Losses at seven points", Class: "tbl-grid stacks",
		Columns: []templates.Column{{Label: "Loss", Unit: "at ψ of the other classes"}}}
	at := func(p [2]float64) []float64 { return p[:st.Classes-1] }
	points := sevenPoints
	if st.Classes == 2 {
		points = [][2]float64{{-3}, {-2}, {-1}, {0}, {1}, {2}, {3}}
	}
	for _, p := range points {
		var each []string
		for _, v := range at(p) {
			each = append(each, viz.Number(v, 0))
		}
		t.Columns = append(t.Columns, templates.Column{Label: "(" + strings.Join(each, ", ") + ")", Num: true})
	}
	add := func(mark, name, class string, f func(...float64) float64) {
		r := templates.Row{Class: class, Cells: []templates.Cell{{Content: templates.Keyed(mark, name)}}}
		for _, p := range points {
			r.Cells = append(r.Cells, templates.Cell{Text: amount(f(at(p)...))})
		}
		t.Rows = append(t.Rows, r)
	}
	add("s1", "AL "+phrase.LowerFirst(st.metricTitle()), "is-steer", st.value(l))
	for _, r := range comparisons {
		other := st
		other.Comparison = r.ID
		mark := "thin"
		if r.ID == st.Comparison {
			mark = "s2"
			if st.Classes == 2 {
				mark = "s3"
			}
		}
		add(mark, r.Title, "", other.comparison())
	}
	return t
}

// matricesView shows the cost matrices of five classes (Fathony et al. 2018, Fig. 1).
func matricesView(st State) view {
	v := view{st: st, title: "Adversarial loss", strong: []string{"the cost matrix"},
		rest: []string{"An adversarial loss is derived from ",
			": rows are answers, columns true classes."}}
	for _, m := range metrics {
		t := costTable(m.ID, st.Cost, 5)
		t.Caption = m.Title
		v.tables = append(v.tables, *t)
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"}},
		Text: "Any matrix gives a convex, piecewise linear loss."}
	v.formula = gameFormula(st, st.play(st.adversarial()))
	v.formula.Lines = v.formula.Lines[:2]
	return v
}
