package main

import (
	"strings"

	"taper/internal/engine/compare"
	"taper/web/templates"
)

// runMarks are the lines of the runs, by their place in the URL: a run keeps
// its line when the baseline changes.
var runMarks = [compare.Most]string{"s2", "s1", "s3", "s4", "s5", "s6"}

// order lists the runs as the page shows them: the baseline first.
func (v sideBySide) order() []int {
	out := []int{v.Base}
	for i := range v.runs {
		if i != v.Base {
			out = append(out, i)
		}
	}
	return out
}

func (v sideBySide) view() templates.Compare {
	p := templates.Compare{Views: v.views(), Base: v.baseChoice(), Notices: v.notices(), Corner: v.corner(), Note: v.note(),
		Figures: v.figures(), Bands: v.bands(), Moves: v.moveTables(), Terms: v.termTable()}
	p.Hidden = v.hidden("all", "x", "y")
	p.Surfaces = v.surfaces()
	p.Heads = v.heads(v.order())
	shown, hidden := v.settingRows(v.Differences), v.settingRows(v.Same)
	metrics, equal := v.metricRows()
	if v.q.All {
		shown = v.settingRows(v.inOrder())
	} else {
		p.Same = v.sameSentence(hidden, equal)
	}
	p.Rows = append(shown, metrics...)
	return p
}

// hidden are the ids and those of the other keys of the state that are named
// and not their default.
func (v sideBySide) hidden(keys ...string) []templates.Field {
	list := []templates.Field{{Name: "ids", Value: strings.Join(v.IDs, ",")}}
	all := ""
	if v.q.All {
		all = "1"
	}
	state := map[string]string{"base": v.q.Base, "all": all, "x": v.q.X, "y": v.q.Y}
	for _, key := range keys {
		if value := state[key]; value != "" {
			list = append(list, templates.Field{Name: key, Value: value})
		}
	}
	return list
}

func (v sideBySide) views() []templates.View {
	only, all := v.q, v.q
	only.All, all.All = false, true
	return []templates.View{{Label: "Differences only", URL: only.url("/compare"), On: !v.q.All}, {Label: "Everything", URL: all.url("/compare"), On: v.q.All}}
}

func (v sideBySide) baseChoice() templates.Choice {
	c := templates.Choice{Name: "base", Label: "Baseline"}
	for i, id := range v.IDs {
		o := templates.Option{Value: id, Label: v.Names[i], On: i == v.Base}
		c.Options = append(c.Options, o)
	}
	return c
}

func (v sideBySide) notices() []templates.Notice {
	var list []templates.Notice
	for _, w := range v.Warnings {
		fact, text, _ := strings.Cut(w.Message, ". ")
		list = append(list, templates.Notice{ID: "about-" + w.Code, Fact: fact + ".", Text: text})
	}
	return list
}

func (v sideBySide) heads(order []int) []templates.CompareHead {
	var list []templates.CompareHead
	for _, i := range order {
		list = append(list, templates.CompareHead{Name: v.Names[i], URL: "/runs/" + v.IDs[i], Mark: runMarks[i], Base: i == v.Base})
	}
	return list
}

// corner says which rows the metrics are from.
func (v sideBySide) corner() string {
	kind := v.runs[0].Spec.Validation.Kind
	for _, r := range v.runs {
		if r.Spec.Validation.Kind != kind {
			return "On the rows that judge each"
		}
	}
	switch kind {
	case "split":
		return "On rows held out"
	case "none":
		return "On the rows trained on"
	}
	return "Out of fold"
}
