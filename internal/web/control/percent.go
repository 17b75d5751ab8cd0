package control

import (
	"strings"

	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Percent converts the slider of a share to one in per cent, as its label says: 30 means 30 %. It sends its value
// under a separate key (query.PercentKey), because addresses contain fractions.
func Percent(s templates.Slider) templates.Slider {
	if s.Value > 0 && s.Value < .01 {
		s.Hint = strings.TrimSpace(templates.SmallPercent(form.PercentText(s.Value),
			form.PercentText(form.Percent(s.Value))) + " " + s.Hint)
	}
	s.Min, s.Max, s.Step = form.Percent(s.Min), form.Percent(s.Max), form.Percent(s.Step)
	s.Value, s.Default, s.Text = form.Percent(s.Value), form.Percent(s.Default), form.PercentText(s.Value)
	for _, end := range []*string{&s.Low, &s.High} {
		if *end != "" {
			*end = form.PercentText(form.MustFloat(*end))
		}
	}
	s.Name, s.Unit, s.Percent = form.PercentKey(s.Name), format.Pc, true
	return s
}
