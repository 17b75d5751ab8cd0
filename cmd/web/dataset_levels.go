package main

import (
	"net/url"
	"slices"

	"taper/internal/engine/errs"
	"taper/internal/engine/table"
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
		case l.Level == c.Positive && c.Positive != "":
			uses[l.Level] = useEvent
		case l.Level == c.Negative && c.Negative != "":
			uses[l.Level] = useOther
		case slices.Contains(c.ScoreOnly, l.Level):
			uses[l.Level] = useScore
		default:
			uses[l.Level] = useOut
			rest = append(rest, l.Level)
		}
	}
	if c.Positive != "" && c.Negative == "" && len(rest) == 1 {
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

// formLevels gives the levels their uses. A level that becomes the event, or
// the class told from it, changes places with the one that was.
func formLevels(f url.Values, d store.Dataset, p *datasetPatch) error {
	uses, changed := levelUses(d), map[string]bool{}
	for _, l := range outcomeLevels(d) {
		use := f.Get("level:" + l.Level)
		if use == "" || use == uses[l.Level] {
			continue
		}
		if !slices.Contains([]string{useEvent, useOther, useScore, useOut}, use) {
			return errs.BadField("level", "must be used as event, other, score or out")
		}
		if use == useEvent || use == useOther {
			for was, u := range uses {
				if u == use && !changed[was] {
					uses[was] = uses[l.Level]
				}
			}
		}
		uses[l.Level], changed[l.Level] = use, true
	}
	if len(changed) == 0 {
		return nil
	}
	return p.useLevels(d, uses)
}

// useLevels turns the uses into a choice.
func (p *datasetPatch) useLevels(d store.Dataset, uses map[string]string) error {
	var event, other string
	score := []string{}
	for _, l := range outcomeLevels(d) {
		switch uses[l.Level] {
		case useEvent:
			if event != "" {
				return errs.New(errs.Invalid, "Only one level can be the event.")
			}
			event = l.Level
		case useOther:
			if other != "" {
				return errs.New(errs.Invalid, "Only one level can be the class told from the event.")
			}
			other = l.Level
		case useScore:
			score = append(score, l.Level)
		}
	}
	slices.Sort(score)
	if event == "" && d.Choice.Positive != "" {
		return errs.New(errs.Invalid, "One level must be the event: choose the level that takes its place.")
	}
	if event != "" {
		p.Positive = &event
	}
	p.Negative, p.ScoreOnly = &other, &score
	if event != "" && other != "" {
		p.Settle = append(p.Settle, "outcome-levels:"+d.Choice.Outcome)
	}
	return nil
}
