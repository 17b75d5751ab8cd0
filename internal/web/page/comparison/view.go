package comparison

import (
	"context"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/stat"
	"taper/web/templates"
)

// runMarks are the lines of the runs, by their place in the URL: a run keeps
// its line when the baseline changes.
var runMarks = [compare.Most]string{"s2", "s1", "s3", "s4", "s5", "s6"}

// order lists the runs as the page shows them: the baseline first.
func (v Page) order() []int {
	out := []int{v.Base}
	for i := range v.runs {
		if i != v.Base {
			out = append(out, i)
		}
	}
	return out
}

// View scores the planes and makes the page, until the context ends; band
// makes a line of a stratification.
func (v Page) View(ctx context.Context, band func(b stat.Stratum,
	all int) templates.StrataBand) (templates.Compare, error) {
	plane, err := v.findPlane(ctx)
	if err != nil {
		return templates.Compare{}, err
	}
	v.plane, v.band = plane, band
	return v.view(), nil
}

func (v Page) view() templates.Compare {
	p := templates.Compare{Views: v.views(), Base: v.baseChoice(), Notices: v.notices(), Corner: v.corner(),
		Note:    v.note(),
		Figures: v.figures(), Bands: v.bands(), Moves: v.moveTables(), Terms: v.termTable()}
	p.Hidden = v.hidden("all", "x", "y")
	p.Surfaces = v.surfaces()
	p.Heads = v.heads(v.order())
	shown, hidden := v.settingRows(v.Differences), v.settingRows(v.Same)
	metrics, equal := v.metricRows()
	if v.State.All {
		shown = v.settingRows(v.inOrder())
	} else {
		p.Same = v.sameSentence(hidden, equal)
	}
	p.Rows = append(shown, metrics...)
	return p
}

// hidden are the ids and those of the other keys of the state that are named
// and not their default.
func (v Page) hidden(keys ...string) []templates.Field {
	list := []templates.Field{{Name: "ids", Value: strings.Join(v.IDs, ",")}}
	all := ""
	if v.State.All {
		all = "1"
	}
	state := map[string]string{"base": v.State.Base, "all": all, "x": v.State.X, "y": v.State.Y}
	for _, key := range keys {
		if value := state[key]; value != "" {
			list = append(list, templates.Field{Name: key, Value: value})
		}
	}
	return list
}

func (v Page) views() []templates.View {
	only, all := v.State, v.State
	only.All, all.All = false, true
	return []templates.View{{Label: "Differences only", URL: only.URL("/compare"), On: !v.State.All},
		{Label: "Everything", URL: all.URL("/compare"), On: v.State.All}}
}

func (v Page) baseChoice() templates.Choice {
	c := templates.Choice{Name: "base", Label: "Baseline"}
	for i, id := range v.IDs {
		o := templates.Option{Value: id, Label: v.Names[i], On: i == v.Base}
		c.Options = append(c.Options, o)
	}
	return c
}

func (v Page) notices() []templates.Notice {
	var list []templates.Notice
	for _, w := range v.Warnings {
		fact, text, _ := strings.Cut(w.Message, ". ")
		list = append(list, templates.Notice{ID: "about-" + w.Code, Fact: fact + ".", Text: text})
	}
	return list
}

func (v Page) heads(order []int) []templates.CompareHead {
	var list []templates.CompareHead
	for _, i := range order {
		list = append(list, templates.CompareHead{Name: v.Names[i], URL: "/runs/" + v.IDs[i], Mark: runMarks[i],
			Base: i == v.Base})
	}
	return list
}

// corner says which rows the metrics are from.
func (v Page) corner() string {
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
