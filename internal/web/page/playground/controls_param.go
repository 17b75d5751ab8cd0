package playground

import (
	"math"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// param is the control of one parameter of a loss.
func (p *pars) param(param loss.Param) {
	now := p.m.Params[param.Name]
	preset := p.how.defaults()[param.Name]
	switch {
	case param.Type == loss.ID:
		c := templates.Choice{ID: p.id + param.Name, Name: p.slot + param.Name, Label: format.UpperFirst(param.About)}
		for _, o := range param.Options {
			c.Options = append(c.Options, templates.Option{Value: o,
				Label: format.UpperFirst(strings.ReplaceAll(o, "-", " ")), On: o == now})
		}
		p.out = append(p.out, templates.PlayControl{Choice: &c})
	case param.Type == loss.Matrix:
		p.out = append(p.out, templates.PlayControl{Input: &templates.Input{ID: p.id + param.Name, Name: p.slot + param.Name,
			Label: "Costs", Value: now,
			Placeholder: typedValue(loss.Matrix, loss.Value{Matrix: squaredCosts(p.classes)}),
			Hint:        "An answer a row, with / between them; a true class a column. One row more is no answer."}})
	case param.Type == loss.Number && param.Log:
		v, plain := typedInf(now), typedInf(preset)
		s := control.Stops(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: param.Symbol},
			v, plain, control.AlphaStops(), []float64{.25, 1, 4, math.Inf(1)})
		s.Hint = lossHint(p.how, p.m)
		p.add(s)
	case param.Type == loss.Number:
		v, plain := typedInf(now), typedInf(preset)
		symbol, sub := control.Subscript(param.Symbol)
		s := control.Slider(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: symbol, Sub: sub,
			Min: param.SliderMin, Max: param.SliderMax, Step: param.Step, Value: v, Default: plain, Text: format.TwoDecimals(v),
			Ticks: []templates.Tick{{At: 0, Label: viz.Short(min(param.SliderMin, v), 3)},
				{At: 1, Label: viz.Short(max(param.SliderMax, v), 3)}}})
		s.Spoken = param.Symbol + " " + format.TwoDecimals(v) + ", " + param.About
		switch {
		case param.Name == "t1":
			s.Hint = lossHint(p.how, p.m)
		case p.how.Group == groupAbstains:
			s.Hint = "What no answer costs; a mistake costs 1."
		}
		p.add(s)
	}
}

func typedInf(text string) float64 {
	if text == "inf" || text == "∞" {
		return math.Inf(1)
	}
	v, _ := form.ParseNumber(text)
	return v
}

// lossHint says what the steered number does to a row.
func lossHint(how offer, m model) string {
	if how.Family.Margin == nil || m.Method == "boost" {
		return ""
	}
	values, err := how.Family.Parse(m.typed())
	if err != nil {
		return ""
	}
	l, ok := how.Family.Margin(values).(loss.Regimer)
	if !ok {
		return ""
	}
	if b := l.Regime().Bound; !math.IsInf(b, 1) {
		return "A point costs at most " + viz.Number(b, 2) + "."
	}
	return "No cap on what a point costs."
}
