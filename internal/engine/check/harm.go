package check

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// harm is a group of codes with the same harm.
type harm struct {
	codes []string
	cost  map[string]string // what an open question with this code does to a result
}

// harms is the only order of harm, worst first: a result about something else, an optimistic result,
// wrong numbers. Codes that are not listed come last. A code with an entry in cost is harmful while its
// question is open.
var harms = []harm{
	{ // its answer settles the questions about the columns
		codes: []string{"second-header"},
		cost:  map[string]string{"second-header": "the columns may have wrong names, and numbers are read as categories"},
	},
	{
		codes: []string{"no-outcome", "which-outcome", "outcome-values", "empty-outcome", "one-class", "which-event",
			"outcome-levels"},
		cost: map[string]string{
			"which-outcome":  "the model may predict the wrong column",
			"which-event":    "the risks may be those of the other value",
			"outcome-levels": "rows with the other values are neither used in training nor scored",
		},
	},
	{
		codes: []string{"leak", "follow-up"},
		cost: map[string]string{
			"leak":      "if this is not known at the time of prediction, the results are optimistic",
			"follow-up": "what is known only afterwards makes the results optimistic",
		},
	},
	{
		codes: []string{RepeatedPatients},
		cost: map[string]string{RepeatedPatients: "rows of one patient can be in both training and test data, " +
			"which makes the results optimistic"},
	},
	{
		codes: []string{"identical-rows"},
		cost: map[string]string{"identical-rows": "copies of a row can be in both training and test data, which " +
			"makes the results optimistic"},
	},
	{
		codes: []string{"units", "mixed-units", "outlier", "thousands", "zero-padded", "quoted-values", "odd-text",
			"not-plain",
			"date-order"},
		cost: map[string]string{
			"mixed-units":   "values in two units are used as one measurement",
			"outlier":       "the values are used as measured",
			"zero-padded":   "the codes are used as numbers",
			"quoted-values": "the quotes are part of each value, and quoted numbers are categories",
			"units":         "the values are used as categories, not as numbers",
			"thousands":     "the values may be 1000 times too large or too small",
			"odd-text":      "these values are read as missing",
		},
	},
	{
		codes: []string{"missing-code", "missing-joined", "missing-with-outcome", "impossible-zero",
			"missing-word", "missing-code-read", "missing-spellings"},
		cost: map[string]string{
			"missing-joined":  "the text is used as a value",
			"missing-code":    "the code is used as a measured number",
			"impossible-zero": "the zeros are used as measured numbers",
			"missing-word":    "it may be a level and not a missing value",
		},
	},
	{
		codes: []string{"header-row", "one-column", "personal", "numbered", "redundant", "codes", FewValues, "many-levels",
			"near-constant",
			"rare-levels", "missing-values"},
		cost: map[string]string{
			"header-row": "the columns may have wrong names and a wrong first row",
			"one-column": "several columns may be read as one",
		},
	},
}

// rank is the position of a code in the order of harm, from 0.
func rank(code string) int {
	i := slices.IndexFunc(harms, func(h harm) bool { return slices.Contains(h.codes, code) })
	if i < 0 {
		return len(harms)
	}
	return i
}

func cost(code string) string {
	for _, h := range harms {
		if text := h.cost[code]; text != "" {
			return text
		}
	}
	return ""
}

// Sort puts warnings in reading order (stops, questions, notes, settled ones) and, within each, in the
// order of harm. Equal ones keep their order.
func Sort(all []table.Warning) []table.Warning {
	slices.SortStableFunc(all, func(a, b table.Warning) int {
		return cmp.Or(cmp.Compare(a.Stage(), b.Stage()), cmp.Compare(rank(a.Code), rank(b.Code)))
	})
	return all
}

// Harmful reports whether the warning is an open question whose answer can change a result.
func Harmful(w table.Warning) bool { return !w.Settled && w.Level == "ask" && cost(w.Code) != "" }

// OpenQuestions returns the harmful questions, the worst first.
func OpenQuestions(all []table.Warning) []table.Warning {
	return Sort(slices.DeleteFunc(slices.Clone(all), func(w table.Warning) bool { return !Harmful(w) }))
}

// LeftOpen says how many harmful questions nobody answered, "" for none. It tells nothing of the rows, so it may stand
// where counts are masked and in files that leave.
func LeftOpen(all []table.Warning) string {
	switch n := len(OpenQuestions(all)); n {
	case 0:
		return ""
	case 1:
		return "One question about the data was left open"
	default:
		return phrase.UpperFirst(phrase.Numeral(n)) + " questions about the data were left open"
	}
}

// UnansweredQuestion returns the two halves of a sentence about a harmful question: that it was left
// open, to be set in bold, and the consequence.
func UnansweredQuestion(w table.Warning) (fact, follows string) {
	open := "Not answered: "
	if w.Code == RepeatedPatients { // it may be answered for the dataset, and the run has no group all the same
		open = "Patients not kept together: "
	}
	return open + factOf(w) + ";", cost(w.Code) + "."
}

// factOf returns a question's message without the question, with the column in quotes.
func factOf(w table.Warning) string {
	fact := w.Message
	if i := asks(fact); i > 0 {
		fact = fact[:i]
	}
	fact = strings.TrimSuffix(fact, ".")
	if rest, ok := strings.CutPrefix(fact, w.Column+" "); ok && w.Column != "" {
		return "‘" + w.Column + "’ " + rest
	}
	return fact
}

// asks returns where the question in a message starts: after its last full stop, otherwise after its last
// colon. Column names can contain both, so the text after it must start with a capital letter.
func asks(message string) int {
	if i := strings.LastIndex(message, ". "); i > 0 && unicode.IsUpper([]rune(message[i+2:] + " ")[0]) {
		return i
	}
	return strings.LastIndex(message, ": ")
}
