package explore

import (
	"math"
	"strings"

	"taper/internal/viz"
)

func lossChart(st State, ls []line) chart {
	p := viz.Panel{ID: "loss", Title: "Loss", X: [2]float64{-MarginEnd, MarginEnd}, Y: [2]float64{0, st.top()},
		Cross: st.Z, Inline: true}
	fs := []func(float64) float64{}
	head := []string{"Margin z"}
	for _, l := range ls {
		name := l.Name
		if l.pinned {
			name += ", pinned"
		}
		label := name
		if l.id == "steered" {
			label = strings.Split(l.Name, " ")[0]
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Label: label, Mark: l.mark, F: l.Value, Kinks: l.Kinks})
		fs, head = append(fs, l.Value), append(head, name)
	}
	s := ls[0]
	p.Sentence = "Loss of one example at margin z. " + costSentence(s.Shape, ls)
	if b := s.regime.Bound; viz.Finite(b) && b <= p.Y[1] {
		p.Cap = &viz.Rule{At: b, Text: "cap " + viz.Number(b, 2) + capFormula(st)}
	}
	p.Label = "Loss over the margin from −8 to 8. " + p.Sentence
	c := chart{plot: viz.Lines(p), height: "l", drag: "z", fit: true, inline: true, head: head,
		rows: gridded(-MarginEnd, MarginEnd, 1, fs...)}
	c.plot.Legend = legend(ls)
	return c
}

func capFormula(st State) string {
	switch st.Family {
	case TwoTemperature:
		return " = 1/(1 − t₁)"
	case Alpha:
		if math.IsInf(st.Alpha, 1) {
			return ""
		}
		return " = α/(α − 1)"
	}
	return ""
}

func costSentence(s Shape, ls []line) string {
	at := "At z = −8, far on the wrong side, the loss is " + amount2(s.Value(-8))
	if b := s.regime.Bound; viz.Finite(b) {
		at = "Far on the wrong side the loss levels off at " + viz.Number(b, 2)
	}
	for _, l := range ls[1:] {
		if l.spec.ID == "logistic" {
			return at + "; logistic loss is " + amount2(l.Value(-8)) + " at z = −8."
		}
	}
	return at + "."
}

// amount2 writes a number for a sentence.
func amount2(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return viz.Short(v, 3)
}

// top is the upper end of the loss axis.
func (st State) top() float64 {
	if st.Top > 0 {
		return st.Top
	}
	return 4
}

// fitted is the end of the axis that shows the whole steered curve, or the loss at margin −8.
func (st State) fitted() float64 {
	high := 0.0
	if st.Family == Interval {
		return 8
	}
	s := mustShape(st.steered())
	high = s.Value(-MarginEnd)
	if viz.Finite(s.regime.Bound) {
		high = s.regime.Bound
	}
	return viz.NewScale(0, min(max(high*1.02, .2), 1000), 5).Max
}
