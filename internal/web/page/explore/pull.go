package explore

import (
	"math"

	"taper/internal/viz"
	"taper/internal/web/format"
)

// pull6 is the gradient magnitude at z = −6 relative to logistic regression.
func pull6(s Shape) float64 { return s.pull(-6) * (1 + math.Exp(-6)) }

func pullChart(st State, ls []line) chart {
	p := viz.Panel{ID: "influence", Title: "Influence", X: [2]float64{-MarginEnd, MarginEnd}, Y: [2]float64{0, 1},
		Cross: st.Z, Short: true}
	fs := []func(float64) float64{}
	head := []string{"Margin z"}
	for _, l := range ls {
		if l.spec.ID == "zero-one" {
			continue // its slope is 0 there
		}
		name := l.Name
		if l.pinned {
			name += ", pinned"
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Mark: l.mark, F: l.pull, Kinks: l.Kinks})
		fs, head = append(fs, l.pull), append(head, name)
	}
	s := ls[0]
	z := s.regime.GivesUp
	switch {
	case viz.Finite(z):
		h := s.pull(z)
		p.Flags = []viz.Rule{{At: z, Height: min(h+.2, 1), Text: "redescends below z = " + viz.Number(z, 2)}}
		p.Sentence = "Gradient magnitude |dℓ/dz|. It peaks at z = " + viz.Number(z, 2) +
			" and decreases for more negative margins."
	case s.pull(-8) > 1.01:
		p.Sentence = "Gradient magnitude |dℓ/dz|. It grows without bound: at z = −8 it is " +
			amount2(s.pull(-8)) + "."
	default:
		p.Sentence = "Gradient magnitude |dℓ/dz|. It never decreases for more negative margins: at z = −8 it is " +
			amount2(s.pull(-8)) + "."
	}
	p.Label = "Influence over the margin. " + p.Sentence
	return chart{plot: viz.Lines(p), height: "s", drag: "z", head: head, rows: gridded(-MarginEnd, MarginEnd, 1, fs...)}
}

func thirdChart(st State, ls []line) chart {
	if st.Third == thirdXi {
		return xiChart(st, ls)
	}
	p := viz.Panel{ID: "probability", Title: "Probability", X: [2]float64{-MarginEnd, MarginEnd}, Y: [2]float64{0, 1},
		XName: "margin z = y · f(x)", Cross: st.Z, Short: true}
	c := chart{height: "s2", drag: "z", head: []string{"Margin z"}}
	fs := []func(float64) float64{}
	var items []viz.LegendItem
	add := func(id, name, mark string, f func(float64) float64, kinks []float64) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: f, Kinks: kinks})
		items = append(items, viz.LegendItem{Series: name, Text: name, Mark: mark})
		fs, c.head = append(fs, f), append(c.head, name)
	}
	s := ls[0]
	if s.probability != nil {
		add("steered", "p̂", "s1", s.probability, s.Kinks)
	}
	if s.class != nil && !st.ownLink() {
		add("class", "class probability", "esc", s.class, s.Kinks)
	}
	for _, l := range ls[1:] {
		if l.class == nil || l.spec.ID == "hinge" {
			continue
		}
		name := l.Name
		if l.pinned {
			name += ", pinned"
		}
		add(l.id, name, l.mark, l.class, l.Kinks)
	}
	p.Sentence = linkSentence(st)
	p.Label = "Probability of the label over the margin. " + p.Sentence
	c.plot = viz.Lines(p)
	c.plot.Legend = items
	c.rows = gridded(-MarginEnd, MarginEnd, 1, fs...)
	return c
}

// ownLink reports whether p̂ itself is the class probability.
func (st State) ownLink() bool {
	if _, ok := st.listed(); ok {
		return isOwnLink(mustShape(st.steered()))
	}
	switch st.Family {
	case TwoTemperature:
		return st.T1 == 1
	case Alpha:
		return st.Alpha == 1
	}
	return true
}

// linkSentence says how to get a risk from the curve, naming the link of the probability.
func linkSentence(st State) string {
	if f, ok := st.listed(); ok {
		return listedLink(st, f)
	}
	switch {
	case st.Family == TLogistic && st.T == 1 || st.Family == TwoTemperature && st.T1 == 1 && st.T2 == 1 ||
		st.Family == Alpha && st.Alpha == 1:
		return "Here the loss is logistic regression, and p̂ = σ(z) is the class probability."
	case st.Family == TLogistic, st.Family == TwoTemperature && st.T1 == 1:
		return "The heavy tail keeps p̂ away from 0 and 1. With t₁ = 1 the loss is proper: p̂ is the class probability " +
			"itself."
	case st.Family == TwoTemperature && st.T1 == 0:
		return "With t₁ = 0 the class probability cannot be recovered from p̂: the loss identifies only the " +
			"likelier class."
	case st.Family == TwoTemperature && st.T2 <= 1:
		return "For risks, use the class probability: p̂ to the power " + viz.Number(st.T1, 2) + ", renormalised (the " +
			"escort distribution)."
	case st.Family == TwoTemperature:
		return "The heavy tail keeps p̂ away from 0 and 1. For risks, use the class probability: p̂ to the power " +
			viz.Number(st.T1, 2) + ", renormalised (the escort distribution)."
	case math.IsInf(st.Alpha, 1):
		return "With α = ∞ the class probability cannot be recovered from σ(z): the loss identifies only the " +
			"likelier class."
	}
	return "The loss is a function of σ(z), but the class probability is σ(z/α): for risks, divide the score by " +
		viz.Short(st.Alpha, 3) + "."
}

func xiChart(st State, ls []line) chart {
	p := viz.Panel{ID: "xi", Title: "Weight ξ", X: [2]float64{-MarginEnd, MarginEnd}, Y: [2]float64{0, 1},
		XName: "margin z = y · f(x)", Cross: st.Z, Short: true}
	c := chart{height: "s2", drag: "z", head: []string{"Margin z"}}
	fs := []func(float64) float64{}
	var items []viz.LegendItem
	for _, l := range ls {
		if l.importance == nil || l.spec.ID == "alpha" {
			continue
		}
		name := l.Name
		if l.pinned {
			name += ", pinned"
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Mark: l.mark, F: l.importance, Kinks: l.Kinks})
		items = append(items, viz.LegendItem{Series: name, Text: name, Mark: l.mark})
		fs, c.head = append(fs, l.importance), append(c.head, name)
	}
	s := ls[0]
	p.Sentence = "Weight of an example relative to the likelihood of its tail, ξ = p̂ to the power t₂ − t₁: " +
		"near 1 where the label agrees with the model, near 0 where it contradicts the model."
	if s.importance != nil {
		p.Sentence += " At z = −6 the weight is " + viz.Percent(s.importance(-6), 0) + format.Pc + "."
	}
	p.Label = "Weight of an example over the margin. " + p.Sentence
	c.plot = viz.Lines(p)
	c.plot.Legend = items
	c.rows = gridded(-MarginEnd, MarginEnd, 1, fs...)
	return c
}
