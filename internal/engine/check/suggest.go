package check

import (
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// outcomeNames are words that often name the column to predict.
var outcomeNames = table.WordSet(`outcome diagnosis diagnose dx class classification status disease diseased event
	death died dead deceased mortality target label group y response endpoint case caco diabetes cancer tumor tumour
	malignant relapse recurrence progression survived readmitted result num condition ziel klasse gruppe
	diagnosegruppe tod verstorben ergebnis krankheit`)

// eventWords and noneWords are levels that themselves say whether the event happened.
var (
	eventWords = table.WordSet(`1 yes y true positive pos + malignant died dead death deceased event case disease
		diseased ad sick ill abnormal ja j oui o si sí igen relapse recurrence progressed affected present failure
		tot verstorben krank bösartig cancer tumor tumour stroke chd cvd mi diabetic diabetes tested_positive
		infected patient readmitted`)
	noneWords = table.WordSet(`0 no n false negative neg - − benign alive survived survivor control controls ctrl
		healthy nc cn hc normal absent nein non nem none lebend gesund gutartig no_event tested_negative -1`)
)

// fold converts a level or header to the form of the words above.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ".")), " ", "_")
}

// SuggestOutcome guesses the column to predict and its event from role, name, number and words of levels,
// and position. Column is "" when no column looks like an outcome. The guess is not used for training
// until a user confirms it.
func SuggestOutcome(t *table.Table) table.OutcomeChoice {
	best, top := -1, 2 // minimum score: two levels with the last position or an informative name
	for j, c := range t.Columns {
		if s := outcomeScore(t, c, j); s > top {
			best, top = j, s
		}
	}
	if best < 0 {
		return table.OutcomeChoice{}
	}
	return suggestEvent(t.Columns[best])
}

// outcomeScore rates a column as an outcome; 0 means impossible, as with a single value.
func outcomeScore(t *table.Table, c *table.Column, j int) int {
	levels := c.Commonest()
	if c.Code == nil || len(levels) < 2 || len(levels) > 10 || c.Type == table.Identifier || c.Type == table.Date ||
		looksLikeID(t, c) {
		return 0
	}
	if c.Role == table.Outcome {
		return 1000
	}
	if c.Spec.Role != "" {
		return 0
	}
	score := 0
	switch {
	case outcomeNames[fold(c.Name)]:
		score += 10
	case slices.ContainsFunc(table.HeaderWords(c.Name), func(w string) bool { return outcomeNames[w] }):
		score += 5
	}
	if len(levels) == 2 {
		score += 3
	}
	if j == len(t.Columns)-1 {
		score += 3
	}
	if event, none := spoken(levels); event != "" && none != "" {
		score += 3
	}
	return score
}

// spoken returns the first levels that mean "event" and "no event".
func spoken(levels []table.LevelCount) (event, none string) {
	for _, l := range levels {
		switch w := fold(l.Level); {
		case event == "" && eventWords[w]:
			event = l.Level
		case none == "" && noneWords[w]:
			none = l.Level
		}
	}
	if event == "1" && none == "" || none == "0" && event == "" {
		return "", "" // 1/2 and 0/2 are codes, not words
	}
	return event, none
}

// suggestEvent guesses the event of an outcome: the level that names it, otherwise the rarer of two. With
// more than two levels the others are only scored if words, not digits, name the two groups.
func suggestEvent(c *table.Column) table.OutcomeChoice {
	o := table.OutcomeChoice{Column: c.Name}
	levels := c.Commonest()
	event, none := spoken(levels)
	switch len(levels) {
	case 1:
		return o
	case 2:
		o.Positive, o.Negative = table.Levels{levels[1].Level}, table.Levels{levels[0].Level}
		if event == levels[0].Level || none == levels[1].Level {
			o.Positive, o.Negative = o.Negative, o.Positive
		}
		return o
	}
	o.Positive, o.Negative = table.OneLevel(event), table.OneLevel(none)
	if event == "" || none == "" || event == "1" {
		return o
	}
	for _, l := range levels {
		if l.Level != event && l.Level != none {
			o.ScoreOnly = append(o.ScoreOnly, l.Level)
		}
	}
	slices.Sort(o.ScoreOnly)
	return o
}

// UsablePredictors returns the columns that a model uses when none are named: all except outcome, group,
// weights, identifiers, dates not converted to days, free text, constant columns, mostly missing ones,
// and those that the user left out.
func UsablePredictors(t *table.Table, outcome, group, weights string) []string {
	var names []string
	for _, c := range t.Columns {
		if c.Name != outcome && c.Name != group && c.Name != weights && usable(t, c) {
			names = append(names, c.Name)
		}
	}
	return names
}

func usable(t *table.Table, c *table.Column) bool {
	asked := c.Spec.Role == table.Predictor
	switch {
	case !asked && Personal(c):
		return false
	case c.Type == table.Text, c.Type == table.Identifier, c.Type == table.Constant,
		c.Type == table.Date && c.Spec.DateAs != "days":
		return false
	case c.Role != table.Predictor && c.Role != "":
		return false
	}
	return asked || !looksLikeID(t, c) && !numberedLike(t, c) && !mostlyMissing(t, c)
}

func mostlyMissing(t *table.Table, c *table.Column) bool { return 2*c.Missing > t.Rows }

// minLevel is the number of rows from which a level has its own parameter in the design matrix
// (docs/clinical.md, Data checks).
const minLevel = 10

// Parameters counts the columns of the design matrix. A number has one; a category has one per level with
// at least ten rows except the most common, and one for all rarer levels together; missing values have
// one.
func Parameters(t *table.Table, predictors []string) int {
	total := 0
	for _, name := range predictors {
		c := t.Column(name)
		if c == nil || c.Distinct == 0 {
			continue
		}
		if c.Missing > 0 {
			total++
		}
		if c.Num != nil {
			if c.Distinct > 1 {
				total++
			}
			continue
		}
		total += levelTerms(c)
	}
	return total
}

func levelTerms(c *table.Column) int {
	terms, pooled := 0, 0
	for i, l := range c.Commonest() {
		switch {
		case i == 0:
		case l.Rows < minLevel:
			pooled = 1
		default:
			terms++
		}
	}
	return terms + pooled
}
