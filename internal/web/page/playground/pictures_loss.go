package playground

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/web/templates"
)

// lossFigure draws the training points on the loss of the model.
func lossFigure(k int, m *modelView, a *Answer, held []float64) *templates.PlayFigure {
	l := m.look.Loss
	p, beyond := lossPicture(m, a, held)
	p.Steered = k == 1
	x, y := p.Scales()
	letter := string(rune('A' + k))
	f := &templates.PlayFigure{ID: "pg-" + slots[k][:1] + "-loss", Title: "On the loss curve of " + letter,
		Say: lossCaption(m, len(p.FlipZ), beyond), Drawing: templates.SVG(p.SVG()),
		Held: strings.Join([]string{form.Text(x.Min), form.Text(x.Max), form.Text(y.Max)}, ",")}
	f.Finding = f.Title + ". " + f.Say + " Mean loss " + viz.Number(l.Mean, 3) + "."
	if len(p.Curves) > 1 {
		f.Legend = []templates.LegendEntry{{Label: p.Curves[0].Name, Mark: "c0l"}, {Label: p.Curves[1].Name, Mark: "c1l"}}
	}
	return f
}

// lossPicture is the loss with its points. Points beyond the axes are drawn at the edge, on the curve where there
// is one, and counted in beyond.
func lossPicture(m *modelView, a *Answer, held []float64) (p fluid.LossPicture, beyond int) {
	l := m.look.Loss
	p.Axis, p.Ends, p.Top = l.Axis, l.Ends, l.Top
	if n := len(l.Curves); n > 0 {
		c := l.Curves[n-1].Z
		p.Ends = [2]float64{c[0], c[len(c)-1]}
	}
	if len(held) == 3 {
		p.Held = [3]float64(held)
	}
	if !math.IsInf(l.Bound, 1) {
		p.Cap = l.Bound
	}
	for _, c := range l.Curves {
		p.Curves = append(p.Curves, fluid.LossCurve{Name: c.Name, Z: c.Z, V: c.V})
	}
	x, y := p.Scales()
	for i, at := range l.Points.At {
		z, v := l.Points.Z[i], l.Points.V[i]
		if z < x.Min || z > x.Max || v > y.Max {
			beyond++
			z, v = min(max(z, x.Min), x.Max), min(v, y.Max)
			if n := len(l.Curves); n > 0 {
				z, v = onCurve(l.Curves[min(n-1, a.bench.corruption.Label[at])], z)
			}
		}
		if a.bench.corruption.Corrupted[at] {
			p.FlipZ, p.FlipV = append(p.FlipZ, z), append(p.FlipV, v)
		} else {
			p.CleanZ, p.CleanV = append(p.CleanZ, z), append(p.CleanV, v)
		}
	}
	return p, beyond
}

// onCurve is the point of a curve at z, or its end point where z is beyond. For several curves, c is that of the
// point's class.
func onCurve(c playground.Curve, z float64) (float64, float64) {
	last := len(c.Z) - 1
	if last < 1 {
		return z, math.NaN() // not drawn
	}
	z = min(c.Z[last], max(c.Z[0], z))
	i := min(last, max(1, sort.SearchFloat64s(c.Z, z)))
	t := (z - c.Z[i-1]) / (c.Z[i] - c.Z[i-1])
	return z, c.V[i-1] + t*(c.V[i]-c.V[i-1])
}

// lossCaption describes the figure.
func lossCaption(m *modelView, flipped, beyond int) string {
	text := "Each training point at its margin. Ticks: clean labels; rings: flipped."
	if flipped == 0 {
		text = "Each tick is a training point at its margin."
	}
	if beyond > 0 {
		text += " " + phrase.UpperFirst(phrase.Count(beyond, "point")) + " beyond the axis, drawn at its end."
	}
	if len(m.look.Loss.Curves) == 0 {
		return text + " This loss is not a function of one margin."
	}
	if !math.IsInf(m.look.Loss.Bound, 1) {
		return text + " The loss levels off to the left, where points have little influence."
	}
	return text + leftward(m.look.Loss.Curves[0])
}

// leftward says how the slope of a loss changes towards the left end of its curve, where the points are that a model
// gets most wrong.
func leftward(c playground.Curve) string {
	slope := func(i int) float64 { return math.Abs((c.V[i+1] - c.V[i]) / (c.Z[i+1] - c.Z[i])) }
	if len(c.Z) < 8 {
		return ""
	}
	left, most := slope(0), 0.
	for i := range len(c.Z) - 1 {
		most = max(most, slope(i))
	}
	switch {
	case !(left >= .98*most):
		return " Further left the gradient falls again, so that points there have less influence."
	case slope(len(c.Z)/4) >= .995*left:
		return " Further left the gradient stays the same."
	}
	return " Further left, larger gradient."
}

// lossTable counts the points by their loss.
func lossTable(m *modelView, a *Answer, title string) templates.Table {
	t := templates.Table{Label: "Data of " + title, Class: "tbl-tight", Tall: true,
		Columns: []templates.Column{{Label: phrase.UpperFirst(m.look.Loss.Axis), Num: true}, {Label: "Loss", Num: true},
			{Label: "Label"}}}
	l := m.look.Loss
	order := make([]int, len(l.Points.Z))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return sign(l.Points.Z[i] - l.Points.Z[j]) })
	const most = 200
	for n, i := range order {
		if n == most {
			t.Note = "The " + strconv.Itoa(most) + " points with the smallest margins, of " + phrase.Int(len(order)) + "."
			break
		}
		label := "clean"
		if a.bench.corruption.Corrupted[l.Points.At[i]] {
			label = "flipped"
		}
		t.Rows = append(t.Rows, control.Row([]string{viz.Number(l.Points.Z[i], 3), viz.Number(l.Points.V[i], 3), label}))
	}
	return t
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
