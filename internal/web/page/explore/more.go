package explore

import (
	"fmt"
	"math"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

// slopeView shows B(x) = N·ℓ'(x) − ℓ'(−x) (Sypherd et al. 2023, Fig. 11).
func slopeView(st State) view {
	v := view{st: st, title: "Stationarity function B(x)"}
	p := viz.Panel{ID: "slope", Title: "B(x) = N ℓ′(x) − ℓ′(−x)", X: [2]float64{-MarginEnd, MarginEnd},
		Y: [2]float64{-2.5, 1.5}, XName: "margin x", NoCross: true, Inline: true}
	c := chart{height: "l", inline: true, head: []string{"x"}}
	var fs []func(float64) float64
	add := func(id string, alpha float64, name, mark string) {
		q := st.problem()
		q.Alpha = alpha
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: q.Tilt})
		c.legend = append(c.legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
		fs, c.head = append(fs, q.Tilt), append(c.head, name)
	}
	add("steered", st.Alpha, "α = "+format.Parameter(form.Text(st.Alpha))+", current", "s1")
	add("a1", 1, "α = 1", "s2")
	add("a3", 3, "α = 3", "s3")
	n := 1/st.Noise - 1
	p.Sentence = fmt.Sprintf("Joint gradient of %s correctly labelled copies of a point and one flipped copy, at "+
		"margin x. "+
		"For α = 1 it increases for all x; for α above 1 it returns to 0, so a point of large margin loses its "+
		"influence.", viz.Short(n, 3))
	p.Label = "B of x. " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-MarginEnd, MarginEnd, 1, fs...)
	c.plot.Legend = c.legend
	v.lead = []chart{c}
	v.strong, v.rest = []string{"no influence"}, []string{"Where B returns to 0, a point of large margin has ",
		" on the fit, however many copies it has."}
	v.regime = templates.ExploreRegime{Title: "Where it crosses 0", Text: "B(x) = 0 at x = α log N = " +
		crossing(st.Alpha, n) + "."}
	v.formula = templates.ExploreFormula{Note: "N = 1/p − 1. Source: Sypherd et al. 2023, Fig. 11.",
		Link: templates.Link{Label: "What the landscape shows", URL: "/help/landscape"},
		Lines: []templates.Math{mathml.Display(mathml.Mi("B"), mathml.Paren(mathml.Mi("x")), mathml.Mo("="), mathml.Mi("N"),
			mathml.Msup(mathml.Mi("ℓ"), mathml.Mo("′")), mathml.Paren(mathml.Mi("x")), mathml.Mo("−"),
			mathml.Msup(mathml.Mi("ℓ"), mathml.Mo("′")), mathml.Paren(mathml.Mo("−"), mathml.Mi("x")))}}
	return v
}

func crossing(alpha, n float64) string {
	if math.IsInf(alpha, 1) {
		return "∞"
	}
	return viz.Number(alpha*math.Log(n), 2)
}

// The Gaussian mixture of the figures: 14 % events around (1, 1), non-events around (−1, −1).
const eventShare = .14

// pointsView shows a hundred rows by their band (Kimes et al. 2016, Fig. 1).
func pointsView(st State) view {
	iv := mustGeometry(st.Pi)
	v := view{st: st, title: "Interval surrogate"}
	t, _, err := synth.Generate("gmm", 100, st.Seed, nil)
	if err != nil {
		panic("web: " + err.Error())
	}
	s := viz.BandScatter{ID: "points", Title: "One hundred observations by band", Pi: st.Pi, X: t.Columns[0].Num,
		Y: t.Columns[1].Num}
	offset := math.Log(eventShare / (1 - eventShare))
	counts := make([]int, len(st.Pi)+1)
	for i := range s.X {
		f := 2*s.X[i] + 2*s.Y[i] + offset
		s.Band = append(s.Band, iv.Band(f))
		counts[iv.Band(f)]++
	}
	for _, d := range iv.Delta {
		s.Cuts = append(s.Cuts, (d-offset)/2) // the value of x1 + x2 at the cut-off
	}
	s.Sentence = "A mixture of two Gaussians, 14" + format.Pc +
		" events. The true score is 2x₁ + 2x₂ − 1.82; the cut-offs divide it into bands."
	s.Label = s.Title + ". " + s.Sentence
	c := chart{plot: viz.Bands(s), height: "xl", head: []string{"x1", "x2", "band"}}
	c.rows = func(bool) [][]float64 {
		var rows [][]float64
		for i := range s.X {
			rows = append(rows, []float64{s.X[i], s.Y[i], float64(s.Band[i])})
		}
		return rows
	}
	v.lead = []chart{c}
	v.strong, v.rest = []string{phrase.Count(len(st.Pi)+1, "band")}, []string{"The boundaries divide the plane into ",
		": more boundaries give narrower risk ranges."}
	v.regime = templates.ExploreRegime{Title: "Bands",
		Text: "The true boundaries are straight lines here, so a linear model can represent all of them."}
	v.formula = intervalFormula(st, iv)
	v.where = intervalWhere(iv)
	names := viz.BandNames(st.Pi)
	tbl := templates.Table{ID: "readout", Label: "Rows by band", Class: "tbl-grid",
		Columns: []templates.Column{{Label: "Band"}, {Label: "Rows", Num: true}}}
	for j, n := range counts {
		if len(counts) <= 10 || n > 0 {
			tbl.Rows = append(tbl.Rows, templates.Row{Cells: []templates.Cell{{Text: names[j]}, {Text: strconv.Itoa(n)}}})
		}
	}
	v.readout = tbl
	return v
}
