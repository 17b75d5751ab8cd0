package playground

import (
	"fmt"
	"math"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/web/templates"
)

// pointsView is the list of the points.
func pointsView(a *Answer) templates.PlayPoints {
	l := templates.PlayPoints{UserPoints: a.st.Data == userPoints, Text: pointsText(a.st.UserPoints)}
	if l.UserPoints {
		classes := 2
		for _, p := range a.st.UserPoints {
			classes = max(classes, p.Class+1)
			l.Rows = append(l.Rows, templates.PlayPoint{X: form.Text(p.X), Y: form.Text(p.Y), Class: strconv.Itoa(p.Class)})
		}
		for c := range min(classes+1, 4) {
			l.Classes = append(l.Classes, templates.Option{Value: strconv.Itoa(c),
				Label: fmt.Sprintf("%d, %s", c, []string{"circle", "triangle", "square", "diamond"}[c]), On: c == 0})
		}
		l.Note = "The list of your points"
		return l
	}
	if a.bench == nil {
		l.Note = "No points"
		return l
	}
	p := a.bench.points() // the answer leaves them out where the client has them
	const most = 100
	n := len(p.Class)
	l.Note = "The first " + strconv.Itoa(min(n, most)) + " of " + phrase.Int(n) + " points"
	l.Sample = templates.Table{Label: "Points", Class: "tbl-tight", Tall: true,
		Columns: []templates.Column{{Label: "Point", Num: true}, {Label: a.Axes.X.Name, Num: true},
			{Label: a.Axes.Y.Name, Num: true}, {Label: "Observed label"}, {Label: "True class"}, {Label: "Noise"},
			{Label: "Use"}}}
	for i := range min(n, most) {
		noise, use := "", "trains"
		if p.Flipped[i] {
			noise = "flipped"
		}
		if p.Test[i] {
			use = "held out"
		}
		l.Sample.Rows = append(l.Sample.Rows, control.Row([]string{strconv.Itoa(i + 1), viz.Number(p.X[i], 3),
			viz.Number(p.Y[i], 3), p.Classes[p.Given[i]], p.Classes[p.Class[i]], noise, use}))
	}
	if n <= maxUserPoints && len(p.Classes) <= 4 && a.bench.sample.X.Cols == 2 {
		l.Take = takePoints(a.st, p)
	}
	return l
}

// takePoints is the address of the state with the present points, with their noisy labels, as hand-placed ones.
func takePoints(of state, p *pointSet) string {
	st := newState(userPoints)
	st.Seed, st.Settings, st.Shared, st.Models, st.UserPoints = of.Seed, of.Settings, of.Shared, of.Models, nil
	for i, c := range p.Given {
		st.UserPoints = append(st.UserPoints, playground.Point{X: rounded(p.X[i]), Y: rounded(p.Y[i]), Class: c})
	}
	return st.url()
}

func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }

// demos are states worth a look.
func demos(here string) []templates.Preset {
	var all []templates.Preset
	for _, p := range presets {
		all = append(all, templates.Preset{Label: p.Title, Note: p.About, URL: p.URL, On: p.URL == here})
	}
	return append(all, templates.Preset{Label: "Your own points",
		Note: "Eight points to start with: add, drag and remove them.", URL: newState(userPoints).url(),
		On: here == newState(userPoints).url()})
}
