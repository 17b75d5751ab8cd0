package data

import (
	"slices"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// eventChoice chooses the event of two levels; the present one is first.
func eventChoice(d store.Dataset, levels []table.LevelCount) *templates.Choice {
	c := &templates.Choice{ID: "event", Name: "positive", Label: "The event is"}
	names := []string{levels[0].Level, levels[1].Level}
	slices.Sort(names)
	for _, n := range names {
		c.Options = append(c.Options, templates.Option{Value: n, Label: n, On: d.Choice.Positive.Has(n)})
	}
	return c
}

var uses = []option{{datasets.UseEvent, "the event"}, {datasets.UseOther, "the non-event"},
	{datasets.UseScore, "scored, not used for training"},
	{datasets.UseOut, "left out"}}

// levelsView is the use of each of more than two levels.
func levelsView(d store.Dataset, levels []table.LevelCount) []templates.DataLevel {
	used := datasets.LevelUses(d)
	var out []templates.DataLevel
	for _, l := range levels {
		c := templates.Choice{Name: "level:" + l.Level, Label: "Use of " + l.Level, Mini: true, Hidden: true}
		for _, u := range uses {
			c.Options = append(c.Options, templates.Option{Value: u.value, Label: u.label, On: used[l.Level] == u.value})
		}
		out = append(out, templates.DataLevel{Name: l.Level, Rows: phrase.Int(l.Rows), Role: c})
	}
	return out
}

// prevalenceView counts the events among the training rows.
func prevalenceView(v *templates.DataOutcome, d store.Dataset, levels []table.LevelCount) {
	used := datasets.LevelUses(d)
	rows := map[string]int{}
	for _, l := range levels {
		rows[used[l.Level]] += l.Rows
	}
	n := rows[datasets.UseEvent] + rows[datasets.UseOther]
	if rows[datasets.UseEvent] > 0 && rows[datasets.UseOther] > 0 {
		v.Rate, v.Of = phrase.Int(rows[datasets.UseEvent]), "of "+phrase.Count(n, "row")+","
		v.Share = viz.Percent(float64(rows[datasets.UseEvent])/float64(n), 1) + phrase.NBSP + "%"
		v.Bar = viz.PrevalenceSVG(rows[datasets.UseEvent], n)
	}
	var others []string
	if rows[datasets.UseScore] > 0 {
		others = append(others, phrase.Count(rows[datasets.UseScore], "row")+" scored")
	}
	if rows[datasets.UseOut] > 0 && len(d.Choice.Positive) > 0 { // before an event is chosen no rows are excluded
		others = append(others, phrase.Count(rows[datasets.UseOut], "row")+" left out")
	}
	if m := missingOutcome(d); m > 0 {
		others = append(others, phrase.Count(m, "row")+" without the outcome: scored")
	}
	if len(others) > 0 {
		v.Others = "Not used for training: " + strings.Join(others, ", ") + "."
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

// taskLinks are links to the tasks that use every level of the outcome. They need at least three levels.
func taskLinks(d store.Dataset, levels int) []templates.Link {
	var all []templates.Link
	for _, t := range task.ClassTasks() {
		if levels > 2 || t.Abstains() && !t.Ordered() {
			all = append(all, templates.Link{Label: t.Words().Label, URL: "/stratify/" + d.ID + "?task=" + t.ID()})
		}
	}
	return all
}
