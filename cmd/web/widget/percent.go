package widget

import (
	"strings"

	"taper/cmd/web/query"
	"taper/cmd/web/wording"
	"taper/web/templates"
)

// Percent turns a slider of a share into one that shows and takes per cent, as
// its label does: 30 is 30 %. It sends its value under a key of its own
// (query.PercentKey), because addresses hold fractions.
func Percent(s templates.Slider) templates.Slider {
	if s.Value > 0 && s.Value < .01 {
		s.Hint = strings.TrimSpace(templates.SmallPercent(query.PercentText(s.Value),
			query.PercentText(query.Percent(s.Value))) + " " + s.Hint)
	}
	s.Min, s.Max, s.Step = query.Percent(s.Min), query.Percent(s.Max), query.Percent(s.Step)
	s.Value, s.Default, s.Text = query.Percent(s.Value), query.Percent(s.Default), query.PercentText(s.Value)
	for _, end := range []*string{&s.Low, &s.High} {
		if *end != "" {
			*end = query.PercentText(query.MustFloat(*end))
		}
	}
	s.Name, s.Unit, s.Percent = query.PercentKey(s.Name), wording.Pc, true
	return s
}
