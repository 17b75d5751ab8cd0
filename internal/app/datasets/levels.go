package datasets

import (
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// The uses of a level of the outcome.
const (
	UseEvent = "event"
	UseOther = "other"
	UseScore = "score"
	UseOut   = "out"
)

// LevelUses returns the use of each level of the outcome.
func LevelUses(d store.Dataset) map[string]string {
	uses, c := map[string]string{}, d.Choice
	var rest []string
	for _, l := range OutcomeLevels(d) {
		switch {
		case c.Positive.Has(l.Level):
			uses[l.Level] = UseEvent
		case c.Negative.Has(l.Level):
			uses[l.Level] = UseOther
		case slices.Contains(c.ScoreOnly, l.Level):
			uses[l.Level] = UseScore
		default:
			uses[l.Level] = UseOut
			rest = append(rest, l.Level)
		}
	}
	if len(c.Positive) > 0 && len(c.Negative) == 0 && len(rest) == 1 {
		uses[rest[0]] = UseOther
	}
	return uses
}

// OutcomeLevels are the levels of the outcome with their counts, most frequent first.
func OutcomeLevels(d store.Dataset) []table.LevelCount {
	for _, p := range d.Profiles {
		if p.Name == d.Choice.Outcome {
			return p.Levels
		}
	}
	return nil
}

// UseLevels sets the choice from the uses of the levels.
func (p *Patch) UseLevels(d store.Dataset, uses map[string]string) error {
	var event, other table.Levels
	score := []string{}
	for _, l := range OutcomeLevels(d) {
		switch uses[l.Level] {
		case UseEvent:
			event = append(event, l.Level)
		case UseOther:
			other = append(other, l.Level)
		case UseScore:
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
