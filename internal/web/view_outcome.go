package web

import (
	"slices"
	"strings"

	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// eventChoice picks the event of two levels; the one in use stands first.
func eventChoice(d store.Dataset, levels []table.LevelCount) *templates.Choice {
	c := &templates.Choice{ID: "event", Name: "positive", Label: "The event is"}
	names := []string{levels[0].Level, levels[1].Level}
	slices.Sort(names)
	for _, n := range names {
		c.Options = append(c.Options, templates.Option{Value: n, Label: n, On: d.Choice.Positive.Has(n)})
	}
	return c
}

var uses = []option{{useEvent, "the event"}, {useOther, "the other class"}, {useScore, "scored only"},
	{useOut, "left out"}}

// levelsView gives each of more than two levels its use.
func levelsView(d store.Dataset, levels []table.LevelCount) []templates.DataLevel {
	used := levelUses(d)
	var out []templates.DataLevel
	for _, l := range levels {
		c := templates.Choice{Name: "level:" + l.Level, Label: "Use of " + l.Level, Mini: true, Hidden: true}
		for _, u := range uses {
			c.Options = append(c.Options, templates.Option{Value: u.value, Label: u.label, On: used[l.Level] == u.value})
		}
		out = append(out, templates.DataLevel{Name: l.Level, Rows: viz.Count(l.Rows), Role: c})
	}
	return out
}

// prevalenceView counts the events among the rows that train.
func prevalenceView(v *templates.DataOutcome, d store.Dataset, levels []table.LevelCount) {
	used := levelUses(d)
	rows := map[string]int{}
	for _, l := range levels {
		rows[used[l.Level]] += l.Rows
	}
	n := rows[useEvent] + rows[useOther]
	if rows[useEvent] > 0 && rows[useOther] > 0 {
		v.Rate, v.Of = viz.Count(rows[useEvent]), "of "+format.Count(n, "row")+","
		v.Share = viz.Percent(float64(rows[useEvent])/float64(n), 1) + format.NBSP + "%"
		v.Bar = viz.PrevalenceSVG(rows[useEvent], n)
	}
	var others []string
	if rows[useScore] > 0 {
		others = append(others, format.Count(rows[useScore], "row")+" scored only")
	}
	if rows[useOut] > 0 && len(d.Choice.Positive) > 0 { // before that nothing is left out: nothing is chosen
		others = append(others, format.Count(rows[useOut], "row")+" left out")
	}
	if m := missingOutcome(d); m > 0 {
		others = append(others, format.Count(m, "row")+" without the outcome: scored only")
	}
	if len(others) > 0 {
		v.Others = "Not trained on: " + strings.Join(others, ", ") + "."
	}
}

func missingOutcome(d store.Dataset) int {
	for _, p := range d.Profiles {
		if p.Name == d.Choice.Outcome {
			return p.Missing
		}
	}
	return 0
}
