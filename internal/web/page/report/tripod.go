package report

import (
	"cmp"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// authorFills marks what no program can know.
const authorFills = "Author to complete."

// tripodItem is an item of TRIPOD+AI (Collins et al. 2024, BMJ 385:e078378) in
// our words; nil says what the run cannot.
type tripodItem struct {
	number, asks string
	says         func(p Printed) string
}

// tripodItems is the checklist, in its order.
var tripodItems = []tripodItem{
	{"1", "Title names prediction model, population, outcome", nil},
	{"2", "Abstract", nil},
	{"3", "Background, intended use, known inequalities", nil},
	{"4", "Objectives: development or evaluation", func(p Printed) string {
		text := "Development with internal validation: " + p.r.Validation + "."
		if p.r.Apparent {
			text = "Development without held-out rows: the numbers are on the rows trained on."
		}
		if n := len(p.c.Validations); n > 0 {
			text += " Evaluation: " + format.Count(n, "external validation") + ", under Limits."
		}
		return text
	}},
	{"5a", "Sources of data", func(p Printed) string {
		return "One file, " + p.run.DatasetName + ", SHA-256 " + format.Hash(p.run.DatasetSHA, 12) +
			". Its origin: author to complete."
	}},
	{"5b", "Dates of the data", nil},
	{"6", "Setting, eligibility, treatments", nil},
	{"7", "Data preparation", func(p Printed) string {
		text := "Fitted on training rows only: median for missing numbers with an indicator, missing categories a level " +
			"of their own, one-hot with the commonest level as reference, rare levels pooled, standardised."
		if curves := format.Splines(p.run.Spec); curves != "" {
			text += " Natural cubic splines, knots at fixed quantiles: " + curves + "."
		}
		return text
	}},
	{"8", "Outcome: definition, assessment, blinding", func(p Printed) string {
		return p.r.Outcome + ", event = " + p.r.Positive.String() + ". How and when it was assessed: author to complete."
	}},
	{"9", "Predictors: choice, definition, measurement", func(p Printed) string {
		return format.Count(len(p.predictors()), "predictor") + p.described(", by outcome under Data") + p.leftOutSay() +
			". How they were measured: author to complete."
	}},
	{"10", "Sample size", Printed.sizeSentence},
	{"11", "Missing data", func(p Printed) string {
		incomplete := map[string]bool{}
		for _, row := range p.r.Table1 {
			incomplete[row.Name] = incomplete[row.Name] || row.Missing > 0
		}
		return missingSay(incomplete)
	}},
	{"12a", "How data were used: folds, tuning", func(p Printed) string {
		return p.r.Validation + ". Seed " + strconv.FormatUint(p.run.Spec.Seed, 10) + "."
	}},
	{"12b", "Handling of predictors", Printed.handled},
	{"12c", "Model: type, building, internal validation", func(p Printed) string { return p.methodSentence() }},
	{"12d", "Heterogeneity across clusters", Printed.clusters},
	{"12e", "Measures of performance", Printed.measuresSay},
	{"12f", "Model updating", func(p Printed) string {
		if p.c.Origin == nil {
			return "None."
		}
		return p.movedSentence()
	}},
	{"12g", "How predictions were calculated", func(p Printed) string {
		return "By the model under item 22, preparation of the predictors included; the rows that judge were " +
			p.scoredHow() + "."
	}},
	{"13", "Class imbalance", func(Printed) string {
		return "No resampling: it would spoil calibration. The boundaries are chosen instead."
	}},
	{"14", "Fairness", func(p Printed) string {
		if !p.bySubgroup() {
			return "No subgroup was asked for. " + authorFills
		}
		return "Performance by " + p.c.By + " under Subgroups. Its meaning: author to complete."
	}},
	{"15", "Output of the model", func(p Printed) string {
		switch {
		case p.interval():
			return "A band of risk. No percentage for a single row."
		case p.run.Spec.Model.Link() == engine.LinkNone:
			return "A score and a band. No percentage for a single row."
		}
		return "A score, a probability by the link " + p.link() + ", and a band."
	}},
	{"16", "Training and evaluation data differ", func(p Printed) string {
		text := "No: one file. Rows that judge took no part in the model that scored them."
		if p.r.Apparent {
			text = "No: the rows that judge are those trained on."
		}
		if n := len(p.c.Validations); n > 0 {
			text += " In " + format.Count(n, "external validation") + " they do: each has a report of its own."
		}
		return text
	}},
	{"17", "Ethical approval", nil},
	{"18a–d", "Funding, conflicts, protocol, registration", nil},
	{"18e", "Data sharing", nil},
	{"18f", "Code sharing", func(p Printed) string {
		return "Taper " + p.run.Version + "; the call below repeats the run."
	}},
	{"19", "Patient and public involvement", nil},
	{"20", "Participants: flow and characteristics", func(p Printed) string {
		return "Row flow" + p.described(" and predictors by outcome") + " under Data."
	}},
	{"21", "Participants and events in each analysis", func(p Printed) string {
		t := p.strata.Total
		return t.N.CountText() + " rows, " + t.Events.CountText() + " events judged; " + p.trained().N.CountText() +
			" rows trained on."
	}},
	{"22", "Full model", func(p Printed) string {
		if len(p.r.Coefficients) > 0 {
			return "Coefficients, intercept and equation under Model; model.json scores without this program."
		}
		return "model.json holds the whole model and scores without this program."
	}},
	{"23", "Performance with intervals, heterogeneity", Printed.performanceSay},
	{"24", "Results of updating", func(p Printed) string {
		if p.c.Origin == nil {
			return "Does not apply."
		}
		return p.movedResult()
	}},
	{"25", "Interpretation", nil},
	{"26", "Limitations", func(Printed) string {
		return "Listed automatically under Limits. Others: author to complete."
	}},
	{"27", "Use: poor input, users, next steps", func(Printed) string {
		return "A row far outside the training range, or with a level that training never saw, gets “outside the data” " +
			"and no band; missing values and values just outside the range are scored with a warning. Research and " +
			"education; external validation comes first."
	}},
}

// tripodSection is the checklist, filled in where the run knows.
func (p Printed) tripodSection() []doc.Node {
	t := doc.Table{Label: "TRIPOD+AI", Class: "tripod", Columns: []doc.Column{{Label: "Item"},
		{Label: "Asks for"}, {Label: "Here"}}}
	for _, item := range tripodItems {
		says := authorFills
		if several, ok := classItems[item.number]; ok && p.several() {
			item.says = several
		}
		if item.says != nil {
			if text := item.says(p); text != "" {
				says = text
			}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: item.number}, {Value: item.asks, Class: "wrap"},
			{Value: says, Class: "wrap"}}})
	}
	t.Note = "Collins et al. 2024, BMJ 385:e078378; items in short words of our own."
	return []doc.Node{t}
}

// predictors names the columns of Table 1.
func (p Printed) predictors() []string {
	var out []string
	add := func(name string) {
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	for _, row := range p.r.Table1 {
		add(row.Name)
	}
	if p.several() {
		for _, row := range p.r.Classes.Table1 {
			add(row.Name)
		}
	}
	return out
}

// sizeSentence says events per parameter and what Riley et al. ask for.
func (p Printed) sizeSentence() string {
	n := p.c.Statistics.SampleSize
	if !p.c.Known || n.EPP == nil || !p.trained().Events.Shown() {
		return ""
	}
	noun, _ := n.Fewer()
	text := viz.Number(*n.EPP, 1) + " " + noun + "s per parameter."
	if n.Required != nil {
		text += " Riley et al. 2020 ask for " + viz.Count(*n.Required) + " rows; there were " + p.trained().N.CountText() +
			"."
	}
	return text
}

func (p Printed) methodSentence() string {
	text := cmp.Or(p.r.Method, p.loss())
	if text == "" {
		return ""
	}
	text = format.UpperFirst(text)
	if p.run.Spec.Model.Penalised() {
		text += ", penalty λ = " + viz.Short(p.r.L2, 4) + p.lambdaHow()
	}
	if b := p.c.checked(); b != nil {
		text += "; optimism by " + viz.Count(b.Replicates) + " bootstrap refits of the whole pipeline"
	}
	return strings.TrimSuffix(text, ".") + "."
}
