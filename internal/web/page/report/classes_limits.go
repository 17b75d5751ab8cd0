package report

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// mostPriced is the number of classes up to which the costs stand as a table.
const mostPriced = 8

// classDecisions say what the answers cost that the model weighs.
func (p Printed) classDecisions() []doc.Node {
	c := p.r.Classes
	note := "Decision curves and tables at boundaries are for two classes."
	if len(c.Levels) > mostPriced || len(c.Costs) == 0 {
		return []doc.Node{doc.Note(note + " Tuning minimises the " + c.Criterion + ".")}
	}
	t := doc.Table{Label: "What an answer costs", Class: "tbl-tight", Columns: []doc.Column{{Label: "Answer"}}}
	for _, l := range c.Levels {
		t.Columns = append(t.Columns, doc.Column{Label: l, Unit: "true", Number: true})
	}
	for i, row := range c.Costs {
		cells := []string{"No answer"}
		if i < len(c.Levels) {
			cells[0] = c.Levels[i]
		}
		for _, v := range row {
			cells = append(cells, viz.Short(v, 3))
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	t.Note = note + " Here the costs of the answers take their place."
	return []doc.Node{t}
}

// classRobustness sets softmax regression and the shares of the classes beside
// the model on the same folds. With two classes whose counts are masked the
// shares would tell them.
func (p Printed) classRobustness() []doc.Node {
	var parts []doc.Node
	t, several := p.classes().Beside(), p.r.Classes.Beside
	if p.classTable().Hidden() {
		kept := t.Rows[:0:0]
		for i, b := range several {
			if b.ID != "null" {
				kept = append(kept, t.Rows[i])
			}
		}
		t.Rows = kept
		t.Note += " The shares of the classes are left out: they would tell masked counts."
	}
	if len(t.Rows) > 0 {
		parts = append(parts, t)
	}
	return append(parts, doc.Note("Optimism and stability are checked by bootstrap refits for two classes "+
		"only. For several no number is corrected: those on rows not seen in training stand here as they are."))
}

// fewPerParameter is the number of rows of the rarest class for each parameter
// below which a model of several classes is exploratory (de Jong et al. 2019,
// Statistics in Medicine 38:1601).
const fewPerParameter = 10

// perClassParameter are the rows trained on of the rarest class for each
// coefficient that is not an intercept: those of all classes but one, which the
// others leave no freedom, or of the one score. It is nil where nothing was
// fitted by terms, and where the class is masked.
func (p Printed) perClassParameter() (perParameter *float64, parameters int) {
	terms, scores := map[string]bool{}, map[string]bool{}
	for _, c := range p.r.Coefficients {
		scores[c.Class] = true
		if c.Name != "(intercept)" {
			terms[c.Name] = true
		}
	}
	parameters = len(terms) * max(len(scores)-1, 1)
	least := math.Inf(1)
	for _, c := range p.r.Classes.Rows {
		least = min(least, float64(c.Trained))
	}
	if parameters == 0 || least < leastRows || math.IsInf(least, 1) {
		return nil, parameters
	}
	least /= float64(parameters)
	return &least, parameters
}

// classLimits are the limits that follow from the classes.
func (p Printed) classLimits() (items []string) {
	if v, _ := p.perClassParameter(); v != nil && *v < fewPerParameter && !p.classTable().Hidden() {
		items = append(items, viz.Number(*v, 1)+
			" rows of the rarest class per parameter, under 10: coefficients and answers are exploratory.")
	}
	items = append(items, "Optimism and stability were not checked by refits: runs of several classes have none.")
	if len(p.r.Classes.Metrics.Test.Levels) > 0 && p.r.Classes.Metrics.Test.LogLoss == nil {
		items = append(items, "The model answers with a class. It gives no probability for a single row.")
	}
	return items
}

// byClass says that Table 1 describes the predictors, where it may.
func (p Printed) byClass() string {
	if len(p.classTable1().Rows) == 0 {
		return ""
	}
	return ", predictors by class"
}

// classSize is the sample size in a sentence.
func (p Printed) classSize() string {
	v, parameters := p.perClassParameter()
	text := p.trained().N.CountText() + " rows trained on in " + strconv.Itoa(len(p.r.Classes.Levels)) + " classes"
	if v != nil && !p.classTable().Hidden() {
		text += "; " + viz.Number(*v, 1) + " rows of the rarest class for each of " + format.Count(parameters, "parameter")
	}
	return text + ". No criterion was worked out beforehand: author to complete."
}

// classItems are the items of TRIPOD+AI that read otherwise for several classes.
var classItems = map[string]func(p Printed) string{
	"8": func(p Printed) string {
		return p.outcomeNote() + " How and when it was assessed: author to complete."
	},
	"9": func(p Printed) string {
		if n := len(p.predictors()); n > 0 {
			return format.UpperFirst(format.Count(n, "predictor")) + p.leftOutSay() +
				". How they were measured: author to complete."
		}
		return ""
	},
	"10": Printed.classSize,
	"11": func(p Printed) string {
		if p.r.Classes.Table1 == nil {
			return "Handled as in item 7, never by dropping rows."
		}
		incomplete := map[string]bool{}
		for _, row := range p.r.Classes.Table1 {
			incomplete[row.Name] = incomplete[row.Name] || row.Missing > 0
		}
		return missingSay(incomplete)
	},
	"12e": func(p Printed) string {
		c := p.r.Classes
		text := "Answers by true class"
		for _, f := range resultview.ClassFacts(c.Task, c.Metrics.Test, c.Criterion, &c.Cost) {
			text += ", " + strings.ReplaceAll(format.LowerTitle(f.Label), ", ", " with ")
		}
		if len(c.Metrics.Test.Confusion) > 0 {
			text += ", precision and recall of each class"
		}
		return text + "."
	},
	"13": func(p Printed) string {
		return "No resampling. Answers are weighed by what they cost; tuning minimises the " + p.r.Classes.Criterion + "."
	},
	"14": func(Printed) string { return "No subgroups for several classes. " + authorFills },
	"15": func(p Printed) string {
		text := "A class"
		if task.Of(p.r.Classes.Task).Abstains() {
			text = "A class, or no answer"
		}
		if p.r.Classes.Metrics.Test.LogLoss != nil {
			return text + ", with a probability of each class by the link " + p.link() + "."
		}
		return text + ". No probability for a single row."
	},
	"20": func(p Printed) string { return "Row flow, classes" + p.byClass() + " under Data." },
	"21": func(p Printed) string {
		return p.judged().N.CountText() + " rows judged; " + p.trained().N.CountText() +
			" rows trained on; by class under Data."
	},
	"22": func(p Printed) string {
		if len(p.r.Coefficients) > 0 {
			return "Coefficients and intercepts under Model; model.json scores without this program."
		}
		return "model.json holds the whole model and scores without this program."
	},
	"23": func(Printed) string { return "Under Answers by true class, Performance and Robustness." },
}
