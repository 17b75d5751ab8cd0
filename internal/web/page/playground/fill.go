package playground

import (
	"math"
	"strconv"

	"taper/internal/engine/playground"
	"taper/internal/viz"
)

// fill converts the view of a model for JSON.
func (m *modelView) fill(v playground.View, classes, roles []string) {
	m.Surface = raster{W: playground.Side, H: playground.Side, Kind: m.surface.Kind, Count: m.surface.Levels,
		Levels: m.surface.Level, Legend: legendOf(m.surface, classes, m.fit.Setting.Boundaries)}
	m.Contours = contoursOf(m.surface, v)
	h := m.look.Histogram
	m.Histogram = histogram{Weight: h.Weight, Symbol: h.Symbol, Title: h.Title, Edges: h.Edges, Clean: h.CleanCounts,
		Flipped: h.FlippedCounts, Bin: h.Bin,
		MedianClean: number(h.MedianClean), MedianFlipped: number(h.MedianFlipped)}
	for r, counts := range h.Roles {
		m.Histogram.Roles = append(m.Histogram.Roles, roleCounts{roles[r], counts})
	}
	l := m.look.Loss
	m.Loss = lossPlot{Axis: l.Axis, Points: marks{l.Points.Z, l.Points.V, l.Points.At}, Bound: number(l.Bound)}
	for _, c := range l.Curves {
		m.Loss.Curves = append(m.Loss.Curves, curve{c.Name, c.Z, c.V})
	}
	m.Warnings = m.fit.Warnings()
	m.Steps.Of = len(m.fit.Frames)
	for _, f := range m.fit.Frames {
		m.Steps.Labels, m.Steps.Kinds = append(m.Steps.Labels, f.Label), append(m.Steps.Kinds, f.Kind)
		at := math.NaN()
		if f.Objective != nil {
			at = *f.Objective
		}
		m.Steps.Objective = append(m.Steps.Objective, at)
	}
}

func contoursOf(s *playground.Surface, v playground.View) []contour {
	var all []contour
	for _, c := range s.Lines {
		if lines := viz.Isolines(c.Field, playground.Side, v.X, v.Y, c.Level); len(lines) > 0 {
			all = append(all, contour{Kind: c.Kind, Label: c.Name, Lines: lines})
		}
	}
	return all
}

// legendOf gives the meaning of each level that occurs.
func legendOf(s *playground.Surface, classes []string, pi []float64) []levelText {
	var occurs [256]bool
	for _, l := range s.Level {
		occurs[l] = true
	}
	names := viz.BandNames(pi)
	var all []levelText
	for l, is := range occurs {
		if !is {
			continue
		}
		text, tint, pale := "", "", false
		switch {
		case s.Kind == playground.KindProbability:
			text = "P(" + classes[len(classes)-1] + ") = " + viz.Number(float64(l)/float64(s.Levels-1), 2)
		case s.Kind == playground.KindScore:
			text = "score " + viz.Short((2*float64(l)/float64(s.Levels-1)-1)*s.Top, 3)
		case l == playground.Abstained:
			text = "no answer"
		case s.Kind == playground.KindBands:
			text, tint = names[l], bandTint(pi, l)
		default:
			text, tint, pale = "class "+classes[l], "c"+strconv.Itoa(l%4), l%8 >= 4
		}
		all = append(all, levelText{l, text, tint, pale})
	}
	return all
}

// bandTint is the colour of a band, chosen by its middle.
func bandTint(pi []float64, j int) string {
	ends := append(append([]float64{0}, pi...), 1)
	return "p" + strconv.Itoa(viz.BandTint(ends[j], ends[j+1]))
}
