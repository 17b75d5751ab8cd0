package web

import (
	"net/url"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// The uses of a level of the outcome.
const (
	useEvent = "event"
	useOther = "other"
	useScore = "score"
	useOut   = "out"
)

// levelUses says what each level of the outcome is used for.
func levelUses(d store.Dataset) map[string]string {
	uses, c := map[string]string{}, d.Choice
	var rest []string
	for _, l := range outcomeLevels(d) {
		switch {
		case c.Positive.Has(l.Level):
			uses[l.Level] = useEvent
		case c.Negative.Has(l.Level):
			uses[l.Level] = useOther
		case slices.Contains(c.ScoreOnly, l.Level):
			uses[l.Level] = useScore
		default:
			uses[l.Level] = useOut
			rest = append(rest, l.Level)
		}
	}
	if len(c.Positive) > 0 && len(c.Negative) == 0 && len(rest) == 1 {
		uses[rest[0]] = useOther
	}
	return uses
}

// outcomeLevels are the levels of the outcome with their rows, commonest
// first.
func outcomeLevels(d store.Dataset) []table.LevelCount {
	for _, p := range d.Profiles {
		if p.Name == d.Choice.Outcome {
			return p.Levels
		}
	}
	return nil
}

// formLevels gives the levels their uses. Several may be the event, or the class
// told from it.
func formLevels(f url.Values, d store.Dataset, p *datasetPatch) error {
	uses, changed := levelUses(d), false
	for _, l := range outcomeLevels(d) {
		use := f.Get("level:" + l.Level)
		if use == "" || use == uses[l.Level] {
			continue
		}
		if !slices.Contains([]string{useEvent, useOther, useScore, useOut}, use) {
			return usererr.BadField("level", "must be used as event, other, score or out")
		}
		uses[l.Level], changed = use, true
	}
	if !changed {
		return nil
	}
	return p.useLevels(d, uses)
}

// useLevels turns the uses into a choice.
func (p *datasetPatch) useLevels(d store.Dataset, uses map[string]string) error {
	var event, other table.Levels
	score := []string{}
	for _, l := range outcomeLevels(d) {
		switch uses[l.Level] {
		case useEvent:
			event = append(event, l.Level)
		case useOther:
			other = append(other, l.Level)
		case useScore:
			score = append(score, l.Level)
		}
	}
	slices.Sort(score)
	if len(event) == 0 && len(d.Choice.Positive) > 0 {
		return usererr.New(usererr.Invalid, "One level must be the event: first choose the level that takes its place.")
	}
	if len(event) > 0 {
		p.Positive = &event
	}
	p.Negative, p.ScoreOnly = &other, &score
	if len(event) > 0 && len(other) > 0 {
		p.Settle = append(p.Settle, "outcome-levels:"+d.Choice.Outcome)
	}
	return nil
}
