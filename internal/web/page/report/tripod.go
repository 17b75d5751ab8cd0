package report

import (
	"cmp"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// authorFills marks items that only the authors know.
const authorFills = "Author to complete."

// tripodItem is an item of TRIPOD+AI (Collins et al. 2024, BMJ 385:e078378), abbreviated by us; a nil function
// marks what the run does not know.
type tripodItem struct {
	number, asks string
	says         func(p Printed) string
}

// tripodItems is the checklist in the published order.
var tripodItems = []tripodItem{
	{"1", "Title names prediction model, population, outcome", nil},
	{"2", "Abstract", nil},
	{"3", "Background, intended use, known inequalities", nil},
	{"4", "Objectives: development or evaluation", func(p Printed) string {
		text := "Development with internal validation: " + p.r.Validation + "."
		if p.r.Apparent {
			text = "Development without held-out rows: the numbers are on the training rows."
		}
		if n := len(p.c.Validations); n > 0 {
			text += " Evaluation: " + phrase.Count(n, "external validation") + ", under Limits."
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
			"of their own, one-hot with the most common level as reference, rare levels pooled, standardised."
		if curves := format.Splines(p.run.Spec); curves != "" {
			text += " Natural cubic splines, knots at fixed quantiles: " + curves + "."
		}
		return text
	}},
	{"8", "Outcome: definition, assessment, blinding", func(p Printed) string {
		return p.r.Outcome + ", event = " + p.r.Positive.String() + ". How and when it was assessed: author to complete."
	}},
	{"9", "Predictors: choice, definition, measurement", func(p Printed) string {
		return phrase.Count(len(p.c.predictors()), "predictor") + p.described(", by outcome under Data") +
			p.leftOutSay() +
			". How they were measured: author to complete."
	}},
	{"10", "Sample size", Printed.sizeSentence},
	{"11", "Missing data", func(p Printed) string {
		return missingSay(p.c.predictors())
	}},
	{"12a", "How data were used: folds, tuning", func(p Printed) string {
		return p.validated() + ". Seed " + strconv.FormatUint(p.run.Spec.Seed, 10) + "."
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
		return "By the model under item 22, preparation of the predictors included; the test rows were " +
			p.scoredHow() + "."
	}},
	{"13", "Class imbalance", func(Printed) string {
		return "No resampling: it would distort calibration. The boundaries are chosen instead."
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
		case p.run.Spec.Model.Link() == loss.LinkNone:
			return "A score and a band. No percentage for a single row."
		}
		return "A score, a probability by the link " + p.link() + ", and a band."
	}},
	{"16", "Training and evaluation data differ", func(p Printed) string {
		text := "No: one file. Each row was scored by a model that was not trained on it."
		if p.r.Apparent {
			text = "No: the model was evaluated on its training rows."
		}
		if n := len(p.c.Validations); n > 0 {
			text += " In " + phrase.Count(n, "external validation") + " they do: each has a report of its own."
		}
		return text
	}},
	{"17", "Ethical approval", nil},
	{"18a–d", "Funding, conflicts, protocol, registration", nil},
	{"18e", "Data sharing", nil},
	{"18f", "Code sharing", func(p Printed) string {
		return "Taper " + p.run.Version + "; the appendix Reproduce this run has the call that repeats it."
	}},
	{"19", "Patient and public involvement", nil},
	{"20", "Participants: flow and characteristics", func(p Printed) string {
		return "Row flow" + p.described(" and predictors by outcome") + " under Data."
	}},
	{"21", "Participants and events in each analysis", func(p Printed) string {
		t := p.strata.Total
		return t.N.CountText() + " rows, " + t.Events.CountText() + " events evaluated; " + p.trained().N.CountText() +
			" training rows."
	}},
	{"22", "Full model", func(p Printed) string {
		if len(p.r.Coefficients) > 0 {
			return "Coefficients, intercept and equation under Model; other programs can score with model.json."
		}
		return "model.json contains the whole model; other programs can score with it."
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
	{"27", "Use: poor input, users, next steps", func(p Printed) string {
		none := "no band"
		if p.several() {
			none = "no answer"
		}
		return "A row far outside the training range, or with a level that is not in the training data, gets " +
			"“outside the data” and " + none + "; missing values and values just outside the range are scored with a " +
			"warning. Research and education; external validation comes first."
	}},
}

// classItems are the items that differ for several classes.
var classItems = map[string]func(p Printed) string{
	"8": func(p Printed) string {
		return p.outcomeNote() + " How and when it was assessed: author to complete."
	},
	"9": func(p Printed) string {
		if n := len(p.c.predictors()); n > 0 {
			return phrase.UpperFirst(phrase.Count(n, "predictor")) + p.leftOutSay() +
				". How they were measured: author to complete."
		}
		return ""
	},
	"10": Printed.classSize,
	"11": func(p Printed) string {
		if p.r.Classes.Table1 == nil {
			return "Handled as in item 7, never by dropping rows."
		}
		return missingSay(p.c.predictors())
	},
	"12e": func(p Printed) string {
		c := p.r.Classes
		text := "Answers by true class"
		for _, f := range p.classFacts() {
			text += ", " + strings.ReplaceAll(format.LowerTitle(f.Label), ", ", " with ")
		}
		if len(c.Metrics.Test.Confusion) > 0 {
			text += ", precision and recall of each class"
		}
		if t := p.classAUC(); t != nil && len(t.Rows) > 0 {
			text += ", " + stat.ByID("auc").InSentence() + " of each class against the others"
		}
		if !p.classTable().Hidden() {
			for _, id := range []string{"log_loss", "brier"} {
				if c.Metrics.Test.Of(id).Value != nil {
					text += ", " + stat.ByID(id).InSentence()
				}
			}
		}
		return text + "."
	},
	"13": func(p Printed) string {
		text := "No resampling. Answers are weighed by what they cost"
		if p.run.Spec.Model.Tuned() {
			text += "; tuning minimises the " + p.r.Classes.Criterion
		}
		return text + "."
	},
	"14": func(Printed) string { return "No subgroups for multiclass runs. " + authorFills },
	"15": func(p Printed) string {
		text := "A class"
		if task.Of(p.r.Classes.Task).Abstains() {
			text = "A class, or abstention"
		}
		if p.r.Classes.Metrics.Test.LogLoss != nil {
			return text + ", with a probability of each class by the link " + p.link() + "."
		}
		return text + ". No probability for a single row."
	},
	"20": func(p Printed) string { return "Row flow, classes" + p.byClass() + " under Data." },
	"21": func(p Printed) string {
		return p.judged().N.CountText() + " rows evaluated; " + p.trained().N.CountText() +
			" training rows; by class under Data."
	},
	"22": func(p Printed) string {
		if len(p.r.Coefficients) > 0 {
			return "Coefficients and intercepts under Model; other programs can score with model.json."
		}
		return "model.json contains the whole model; other programs can score with it."
	},
	"23": func(Printed) string { return "Under Answers by true class, Performance and Robustness." },
}

// tripodSection is the checklist, completed where the run knows the answer.
func (p Printed) tripodSection() []doc.Node {
	t := doc.Table{Label: "TRIPOD+AI", Class: "tripod", Columns: []doc.Column{{Label: "Item"},
		{Label: "Asks for"}, {Label: "Here"}}}
	for _, item := range tripodItems {
		says := authorFills
		if several, ok := classItems[item.number]; ok && p.several() {
			item.says = several
		}
		if given, ok := givenItems[item.number]; ok && p.r.Given != nil {
			item.says = given
		}
		if item.says != nil {
			if text := item.says(p); text != "" {
				says = text
			}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: item.number}, {Value: item.asks, Class: "wrap"},
			{Value: says, Class: "wrap"}}})
	}
	t.Note = "Collins et al. 2024, BMJ 385:e078378; items abbreviated by us."
	return []doc.Node{t}
}

// sizeSentence gives the events per parameter and the minimum sample sizes after Riley et al.
func (p Printed) sizeSentence() string {
	n := p.c.Statistics.SampleSize
	if !p.c.Known || n.EPP == nil || !p.trained().Events.Shown() {
		return ""
	}
	noun, _ := n.Fewer()
	text := viz.Number(*n.EPP, 1) + " " + noun + "s per parameter (EPP, EPV)."
	if p.r.IsRecalibrated() {
		return text + " Required rows: those of the parent run, since recalibrated risks do not have its R²."
	}
	if n.Required == nil {
		return text
	}
	asked := []string{phrase.Int(*n.N1) + " (shrinkage)", phrase.Int(*n.N2) + " (optimism in R²)",
		phrase.Int(*n.N3) + " (overall risk)"}
	if n.N4 != nil {
		asked = append(asked, phrase.Int(*n.N4)+" (mean absolute error of the risks, van Smeden et al. 2019)")
	}
	text += " The criteria of Riley et al. 2020 ask for " + phrase.List(asked) + " rows, of which the largest counts; " +
		"there were " + p.trained().N.CountText() + ". R² is that of these data."
	if n.N4 == nil {
		text += " The criterion for the mean absolute error of the risks (van Smeden et al. 2019) holds up to " +
			phrase.Int(stat.MostForError) + " parameters and is left out."
	}
	return text
}

// classSize gives the sample size of several classes.
func (p Printed) classSize() string {
	v, parameters := p.perClassParameter()
	text := p.trained().N.CountText() + " training rows in " + strconv.Itoa(len(p.r.Classes.Levels)) + " classes"
	if v != nil && !p.classTable().Hidden() {
		text += "; " + viz.Number(*v, 1) + " rows of the rarest class for each of " + phrase.Count(parameters,
			"parameter")
	}
	return text + ". No criterion was computed beforehand: author to complete."
}

// byClass refers to Table 1 where the report prints it.
func (p Printed) byClass() string {
	if len(p.classTable1().Rows) == 0 {
		return ""
	}
	return ", predictors by class"
}

func (p Printed) methodSentence() string {
	text := cmp.Or(p.r.Method, p.loss())
	if text == "" {
		return ""
	}
	text = phrase.UpperFirst(text)
	if p.run.Spec.Model.Penalised() {
		text += ", penalty λ = " + viz.Short(p.r.L2, 4) + p.lambdaHow()
	}
	if b := p.c.checked(); b != nil {
		text += "; optimism by " + phrase.Int(b.Replicates) + " bootstrap refits of the whole pipeline"
	}
	return strings.TrimSuffix(text, ".") + "."
}

// handled says how predictors are coded in the model.
func (p Printed) handled() string {
	m := p.run.Spec.Model
	switch {
	case m.Boosted():
		return "Prepared as in item 7; trees split them at cut points, without an assumed shape."
	case m.Kernelled():
		return "Prepared as in item 7; their shape and interactions follow from the kernel."
	case format.Splines(p.run.Spec) != "":
		return "Prepared as in item 7; predictors named there are restricted cubic splines, all other numeric predictors " +
			"are linear."
	}
	return "Prepared as in item 7; numeric predictors enter linearly, standardised."
}

// clusters describes the differences between clusters, "" without clusters.
func (p Printed) clusters() string {
	text := ""
	if g := p.run.Spec.Group; g != "" {
		text = "Rows of one group by " + g + " were kept together in validation. "
	}
	if p.bySubgroup() {
		text += "Performance by " + p.c.By + " under Subgroups. "
	}
	if text == "" {
		return ""
	}
	return text + "Effects were not compared across clusters. " + authorFills
}

// described is the clause where Table 1 is printed, else "".
func (p Printed) described(clause string) string {
	if len(p.r.Table1) > 0 && p.tellsNothing() {
		return clause
	}
	return ""
}

// bySubgroup reports whether the section Subgroups has a table.
func (p Printed) bySubgroup() bool { return p.c.Known && p.c.By != "" }

// measuresSay lists the measures that this report prints, "" without any.
func (p Printed) measuresSay() string {
	var all []string
	if len(p.r.Strata) > 0 {
		all = append(all, "bands with Wilson intervals")
	}
	if p.c.Known {
		if t, some := p.masked(p.c.Performance()).(doc.Table); some {
			for _, r := range t.Rows {
				all = append(all, stat.InSentence(r.Cells[0].Text()))
			}
		}
		if p.masked(p.c.calibrationFigure()) != nil {
			all = append(all, "calibration curve")
		}
		benefit, _ := p.masked(p.c.Benefit()).(doc.Figures)
		for _, f := range benefit {
			all = append(all, format.LowerTitle(f.Title))
		}
		if len(p.classification()) > 0 {
			values := ", predictive values"
			if p.r.IsRecalibrated() {
				values = ""
			}
			all = append(all, "sensitivity, specificity"+values+" and likelihood ratios at the boundaries")
			if p.masked(p.c.liftFigure()) != nil {
				all = append(all, "cumulative gains curve")
			}
		}
	} else if len(p.r.Beside) > 0 {
		if t, some := p.masked(p.besideTable()).(doc.Table); some {
			for _, c := range t.Shown().Columns[1:] {
				all = append(all, stat.InSentence(c.Label))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return phrase.UpperFirst(strings.Join(all, ", ")) + "."
}

// performanceSay names the sections of this report about performance.
func (p Printed) performanceSay() string {
	var all []string
	for _, s := range []struct {
		title string
		there bool
	}{{"Performance", p.c.Known || p.several()}, {"Strata", len(p.r.Strata) > 0},
		{"Classification", p.several() || len(p.classification()) > 0},
		{"Robustness", len(p.r.Beside) > 0}, {"Subgroups", p.bySubgroup()}} {
		if s.there {
			all = append(all, s.title)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Under " + phrase.Join(all) + "."
}

// leftOutSay says whether the section Data names the excluded columns, as a clause.
func (p Printed) leftOutSay() string {
	switch {
	case p.narrow():
		return ""
	case p.unlisted():
		return "; columns dropped before storage are not listed"
	}
	return "; columns left out are named with the reason"
}

// missingSay is the answer to item 11; incomplete reports for each predictor whether it has missing values.
func missingSay(predictors []external.Shift) string {
	n := 0
	for _, s := range predictors {
		if s.Missing > 0 {
			n++
		}
	}
	if n == 0 {
		return "No predictor has missing values; rows are never dropped for them."
	}
	return phrase.UpperFirst(phrase.Count(n, "predictor")) +
		" with missing values; handled as in item 7, never by dropping rows."
}
