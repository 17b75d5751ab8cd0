package playground

import (
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/web/templates"
)

// markLegend explains the points.
func markLegend(a *Answer) []templates.LegendEntry {
	classes := []string{"0", "1"}
	held, flipped := false, false
	if a.bench != nil {
		classes, held, flipped = a.bench.sample.Levels, a.bench.sample.HeldOut != nil, a.bench.corruption.Count > 0
	}
	var all []templates.LegendEntry
	for c, name := range classes {
		all = append(all, templates.LegendEntry{Label: "label " + name, Sample: templates.SVG(viz.PointSVG(c, false, false))})
	}
	if flipped {
		all = append(all, templates.LegendEntry{Label: "flipped", Sample: templates.SVG(viz.PointSVG(0, true, false))})
	}
	if held {
		all = append(all, templates.LegendEntry{Label: "held out", Sample: templates.SVG(viz.PointSVG(0, false, true))})
	}
	return all
}

// colourBars explain the colours of the surfaces, once where both models have the same.
func colourBars(a *Answer) []templates.PlayBar {
	var all []templates.PlayBar
	for k, m := range a.Models.models() {
		if !m.ok() {
			continue
		}
		letter := string(rune('A' + k))
		b := templates.PlayBar{}
		switch levels := a.bench.sample.Levels; m.Surface.Kind {
		case playground.KindProbability:
			b.Title, b.Scale = "P(label "+levels[len(levels)-1]+"), by the link",
				templates.SVG(viz.ColourBarSVG([3]string{"0", "0.5", "1"}))
		case playground.KindScore:
			top := viz.Short(m.surface.Top, 2)
			b.Title, b.Scale = "Score of "+letter, templates.SVG(viz.ColourBarSVG([3]string{minusSign + top, "0", top}))
		default:
			b.Title = map[string]string{playground.KindBands: "Bands of " + letter,
				playground.KindClasses: "Answers"}[m.Surface.Kind]
			for _, l := range m.Surface.Legend {
				b.Sample = append(b.Sample, templates.LegendEntry{Label: l.Text,
					Sample: templates.SVG(viz.TintSVG(l.Tint, l.Pale, l.Level == playground.Abstained))})
			}
		}
		if len(all) == 0 || all[0].Title != b.Title {
			all = append(all, b)
		} else if len(all[0].Sample) < len(b.Sample) {
			all[0] = b // the same colours with one more
		}
	}
	return all
}
