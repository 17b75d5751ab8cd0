package report

import (
	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/web/resultview"
)

// cutoffDigits is the precision of cut-offs in reports: enough to lie between the scores of neighbouring rows.
const cutoffDigits = 3

// givenParts take the place of the model for predictions that came with the data: what was given, the cut-offs on
// the score, and what is unknown.
func (p Printed) givenParts() []doc.Node {
	parts := []doc.Node{doc.Note(p.r.Method + "."), doc.List(p.r.Given.Unknown())}
	if t := resultview.Cutoffs(p.r, cutoffDigits); t != nil {
		parts = append(parts, *t)
	}
	return parts
}

// givenItems are the checklist answers for predictions that came with the data. What only their developers know is
// left for the authors to complete.
var givenItems = map[string]func(p Printed) string{
	"4": func(p Printed) string {
		return "Evaluation of a model that was developed elsewhere: " + phrase.LowerFirst(p.r.Method) + "."
	},
	"7":  func(Printed) string { return "Of what is evaluated, not known. " + authorFills },
	"9":  givenUnknown,
	"10": givenUnknown,
	"11": func(p Printed) string {
		return "Rows without a prediction were left out and are counted under Data."
	},
	"12b": givenUnknown,
	"12g": func(p Printed) string {
		if p.r.Given.Formula != "" {
			return "By the formula under item 22."
		}
		if p.r.Given.Model != "" {
			return "By the model.json that was given, " + p.r.Given.Model + "."
		}
		return "They came with the data. " + authorFills
	},
	"16": givenUnknown,
	"22": func(p Printed) string {
		if p.r.Given.Formula != "" {
			return "The formula is under Model."
		}
		if p.r.Given.Model != "" {
			return "In the model.json that was given. " + authorFills
		}
		return "Not known. " + authorFills
	},
	"27": func(p Printed) string {
		return "Rows without a prediction have no answer. Research and education; external validation comes first."
	},
}

func givenUnknown(Printed) string { return "Not known. " + authorFills }
