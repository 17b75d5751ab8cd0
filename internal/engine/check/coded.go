package check

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

const (
	fewestCodes, mostCodes = 3, 6  // values of a column that may hold codes
	offTheLine             = 0.001 // p-value of the departure from a trend
)

// FewValues is the code of the note about columns whose few values are used as quantities without a question.
const FewValues = "few-values"

// coded asks about whole numbers with few values whose rates of the outcome depart from a straight line: they may
// be codes of categories, and as quantities get one coefficient for all of their steps. Where no departure is
// significant, categories would change little or the rows are too few to see it: a note says how the column is used. An
// outcome of several classes has no class, and its rates are not examined.
func (d *checker) coded(class labels, predictors []string) {
	var open, quantities, quiet []*table.Column
	for _, c := range d.t.Columns {
		switch {
		case !slices.Contains(predictors, c.Name) || !mayBeCodes(c):
		case len(codesOf(c)) > 0 && !d.settledOf("missing-code", c): // what is missing comes first
		case class == nil || departure(c.Num, class) >= offTheLine:
			quiet = append(quiet, c)
		case d.settledOf("codes", c):
			quantities = append(quantities, c)
		default:
			open = append(open, c)
		}
	}
	if len(quantities) > 0 {
		fact, names, choices := likeCodes(quantities)
		d.settled("codes", names, fact+offLine+" Used as quantities.", choices...)
	}
	if len(open) > 0 {
		fact, names, choices := likeCodes(open)
		choices = slices.Insert(choices, 1, table.Choice{Label: "Quantities"})
		d.ask(question{code: "codes", column: names, fact: fact + offLine, ask: "Are they codes of categories?",
			choices: choices})
	}
	if len(quiet) > 0 {
		fact, names, choices := likeCodes(quiet)
		d.out = append(d.out, table.Warning{Code: FewValues, Column: names, Level: "note", Choices: choices, Message: fact +
			". Used as quantities, whose steps all count the same in a linear model. If the numbers are codes, make " +
			"categories of them."})
	}
}

// offLine says after likeCodes why a question is asked.
const offLine = ", and the rate of the outcome does not follow a straight line in them."

// settledOf reports whether a question with this code was answered for a column, alone or with others.
func (d *checker) settledOf(code string, c *table.Column) bool {
	return slices.ContainsFunc(d.opt.Settled, func(key string) bool {
		columns, found := strings.CutPrefix(key, code+":")
		return found && table.Warning{Column: columns}.Concerns(c.Name)
	})
}

// likeCodes says that columns have few values, and offers to make categories of them, together and each alone.
func likeCodes(columns []*table.Column) (fact, names string, choices []table.Choice) {
	var facts []string
	var specs []table.ColumnSpec
	for _, c := range columns {
		facts = append(facts, c.Name+" ("+wholeValues(c)+")")
		specs = append(specs, table.ColumnSpec{Name: c.Name, Type: table.Category})
	}
	choices = []table.Choice{{Label: "Categories", Columns: specs}}
	verb := map[bool]string{true: " has few values", false: " have few values"}[len(columns) == 1]
	if len(columns) > 1 {
		for i, c := range columns[:min(len(columns), mostOffered)] {
			choices = append(choices, table.Choice{Label: "Only " + c.Name, Column: &specs[i]})
		}
	}
	return phrase.List(facts) + verb, strings.Join(namesOf(columns), ", "), choices
}

// mayBeCodes reports whether the column is used as numbers and has few whole ones. The user's own choice of its type
// settles the matter.
func mayBeCodes(c *table.Column) bool {
	if c.Num == nil || c.Type == table.Date || c.Type == table.Identifier || c.Spec.Type != "" ||
		c.Distinct < fewestCodes || c.Distinct > mostCodes {
		return false
	}
	return !slices.ContainsFunc(c.Num, func(v float64) bool { return v == v && v != math.Trunc(v) })
}

// wholeValues lists the values of a column that may hold codes, in order.
func wholeValues(c *table.Column) string {
	var values []float64
	for _, v := range c.Num {
		if v == v && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	var text []string
	for _, v := range values {
		text = append(text, phrase.Number(v))
	}
	return phrase.List(text)
}

// departure is the p-value of the departure from a linear trend in proportions (Armitage 1955, Biometrics 11:375):
// the χ² of the values as categories minus that of their trend. Values with fewer than minLevel rows are left out,
// since a category pools them; with fewer than three others no departure can be seen, and it is 1.
func departure(value []float64, class labels) float64 {
	rows := map[float64][2]float64{}
	for i, v := range value {
		if v == v && class[i] >= 0 {
			n := rows[v]
			n[class[i]]++
			rows[v] = n
		}
	}
	var at []float64
	for v, n := range rows {
		if n[0]+n[1] >= minLevel {
			at = append(at, v)
		}
	}
	slices.Sort(at) // so that the sums have one order
	var n, events, sum float64
	for _, v := range at {
		n, events = n+rows[v][0]+rows[v][1], events+rows[v][1]
		sum += v * (rows[v][0] + rows[v][1])
	}
	if len(at) < fewestCodes || events == 0 || events == n {
		return 1
	}
	rate, mean := events/n, sum/n
	var categories, slope, spread float64
	for _, v := range at {
		m := rows[v][0] + rows[v][1]
		off := rows[v][1] - m*rate
		categories += off * off / m
		slope += (v - mean) * off
		spread += (v - mean) * (v - mean) * m
	}
	chi2 := (categories - slope*slope/spread) / (rate * (1 - rate))
	return distuv.ChiSquared{K: float64(len(at) - 2)}.Survival(max(chi2, 0))
}
