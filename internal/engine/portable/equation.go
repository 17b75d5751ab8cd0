package portable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/task"
)

// notation is a way to write an equation. Plain words and LaTeX share the lines and differ in
// numbers, names and sums.
type notation struct {
	number func(float64) string
	name   func(string) string // name of a column
	times  string
	minus  string
	plain  bool
}

// Words is the whole model as sentences and formulas in plain symbols, in the units of the
// columns.
func (p *Model) Words() string {
	return p.equation(notation{number: digits, name: func(s string) string { return "[" + s + "]" }, times: " · ",
		minus: "−", plain: true})
}

// LaTeX is the model as an aligned formula, with the meaning of each symbol below.
func (p *Model) LaTeX() string {
	return p.equation(notation{number: scientific, name: func(s string) string { return `\text{` + escaped(s) + "}" },
		times: `\cdot `, minus: "-"})
}

// digits writes a number with all its digits, so that the equation reproduces the model's
// predictions.
func digits(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', -1, 64), "-", "−")
}

func scientific(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	mantissa, exponent, found := strings.Cut(s, "e")
	if !found {
		return s
	}
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf(`%s\times 10^{%d}`, mantissa, n)
}

// escaped writes a text in LaTeX's text mode, on one line: an empty line would end the formula around it. The default
// fonts have other signs in the places of <, > and |.
func escaped(s string) string {
	return strings.NewReplacer("<", "$<$", ">", "$>$", "|", "$|$", "\n", " ", "\r", " ", "\u202f", `\,`,
		"·", `$\cdot$`, "η", `$\eta$`, "≥", `$\ge$`, "×", `$\times$`,
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "_", `\_`, "&", `\&`, "#", `\#`,
		"$", `\$`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "′", `$'$`, "″", `$''$`, "‴", `$'''$`,
		"≤", `$\le$`,
		"–", "--", "−", "$-$").Replace(s)
}

// symbol is the raw value of a term, which a weight is multiplied by.
func (n notation) symbol(t prep.Term) string {
	if !n.plain && (t.Kind != prep.Value && t.Kind != prep.Spline) {
		return `\mathbf{1}[` + n.name(t.Name) + "]"
	}
	return n.name(t.Name)
}

// sum is a constant plus weighted terms in the units of the columns.
func (n notation) sum(terms []prep.Term, constant float64, weights []float64) string {
	for k, t := range terms {
		constant -= weights[k] * t.Mean / t.SD
	}
	var b strings.Builder
	b.WriteString(n.number(constant))
	for k, t := range terms {
		w := weights[k] / t.SD
		if w == 0 {
			continue
		}
		sign := " + "
		if w < 0 {
			sign, w = " "+n.minus+" ", -w
		}
		if !n.plain { // a page has room for one number with all its digits and a name
			b.WriteString(` \\ &\quad`)
		}
		b.WriteString(sign + n.number(w) + n.times + n.symbol(t))
	}
	return b.String()
}

func (p *Model) equation(n notation) string {
	var formulas, notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	equals := map[bool]string{true: " = ", false: " &= "}[n.plain]
	switch {
	case len(p.Trees) > 0:
		formulas = append(formulas, "f"+equals+n.votes(p))
		note("Each tree votes +1 or −1 by the conditions that lead to its leaf.")
	case p.Potentials != nil && p.Potentials.Form == multiclass.FormClasses:
		for c, w := range p.Potentials.Weights {
			f := fmt.Sprintf("f_{%d}", c+1)
			if n.plain {
				f = "f(" + p.Levels[c] + ")"
			}
			formulas = append(formulas, f+equals+n.sum(p.Terms, p.Potentials.Offsets[c], w))
		}
	case p.Potentials != nil:
		formulas = append(formulas, "z"+equals+n.sum(p.Terms, 0, p.Potentials.Weights[0]))
		for l, eta := range p.Potentials.Offsets {
			note("η %d = %s", l+1, digits(eta))
		}
		if p.Potentials.Form == multiclass.FormOrdinal {
			note("Class c of 1 to %d has the score c · z plus η c to η %d.", len(p.Levels), len(p.Potentials.Offsets))
		} else {
			note("The class is 1 plus the number of η below z, in the order %s.", strings.Join(p.Levels, ", "))
		}
	default:
		formulas = append(formulas, "f"+equals+n.sum(p.Terms, p.Intercept, p.Weights))
	}
	p.notes(note)
	if n.plain {
		return strings.Join(slices.Concat(formulas, notes), "\n") + "\n"
	}
	var b strings.Builder
	b.WriteString("\\begin{align*}\n" + strings.Join(formulas, " \\\\\n") + "\n\\end{align*}\n\\begin{itemize}\n")
	if p.Potentials != nil && p.Potentials.Form == multiclass.FormClasses {
		b.WriteString("\\item Classes 1 to " + strconv.Itoa(len(p.Levels)) + ": " +
			escaped(strings.Join(p.Levels, ", ")) + ".\n")
	}
	for _, l := range notes {
		b.WriteString("\\item " + escaped(l) + "\n")
	}
	return b.String() + "\\end{itemize}\n"
}

// votes writes the trees as a sum of signs.
func (n notation) votes(p *Model) string {
	var parts []string
	for k := range p.Trees {
		parts = append(parts, n.number(p.Trees[k].Theta)+n.times+n.vote(p, k, 0))
	}
	if n.plain {
		return strings.Join(parts, "\n  + ")
	}
	return strings.Join(parts, " \\\\\n&\\quad + ")
}

func (n notation) vote(p *Model, tree, at int) string {
	node := p.Trees[tree].Nodes[at]
	if node.Below == 0 {
		return map[bool]string{true: "(+1)", false: "(" + n.minus + "1)"}[node.Vote > 0]
	}
	t := p.Terms[node.Feature]
	split := n.number(node.Threshold*t.SD + t.Mean)
	above, below := n.vote(p, tree, node.Above), n.vote(p, tree, node.Below)
	if n.plain {
		return "(if " + n.symbol(t) + " > " + split + " then " + above + " else " + below + ")"
	}
	return `\begin{cases}` + above + " & " + n.symbol(t) + " > " + split + ` \\ ` + below + ` & \text{else}\end{cases}`
}

// notes explain the symbols, and how a prediction follows from the score.
func (p *Model) notes(note func(string, ...any)) {
	used := p.UsedColumns()
	for k := range p.Columns {
		p.columnNote(&p.Columns[k], used[p.Columns[k].Name], note)
	}
	note("For a row outside the data no probability, band or answer is given.")
	if p.Multiclass() {
		tempered := p.temperedText("f of the class", "Each p is")
		note("%s", map[string]string{
			loss.LinkSoftmax:  "Probabilities: P(class) is exp(f of the class) over the sum of these.",
			loss.LinkEscort:   "Probabilities: P(class) is p^t1 over the sum of these. " + tempered,
			loss.LinkTempered: "Probabilities: P(class) is p. " + tempered,
			loss.LinkNone:     "Taper computes no probabilities for this loss.",
		}[p.Link])
		note("%s", map[string]string{
			task.RuleLargest:    "Answer: the class with the largest f.",
			task.RuleThresholds: "Answer: by the thresholds passed.",
			task.RuleLead: "Answer: the class with the largest f if its margin over the next is at least a " +
				"half, else none.",
			task.RulePositive: "Answer: the class with the largest f if that is above 0, else none.",
			task.RuleExpected: "Answer: that of the least expected cost.",
		}[p.Rule])
		if p.Rule == task.RuleExpected {
			p.costNotes(note)
		}
		return
	}
	tempered := p.temperedText("f/2 for p and −f/2 for q", "p and q are")
	note("%s", map[string]string{
		loss.LinkNone:         "This model gives a band and no probability.",
		loss.LinkLogistic:     "P(event) = 1 / (1 + exp(−f)).",
		loss.LinkScaled:       "P(event) = 1 / (1 + exp(−" + digits(p.LogitScale()) + " · f)).",
		loss.LinkSquaredHinge: "P(event) = (1 + f) / 2, within 0 and 1.",
		loss.LinkDWD:          "P(event) = 4f² / (4f² + 1) for f > ½, 1 / (4f² + 1) for f < −½, else ½.",
		loss.LinkEscort:       "P(event) = p^t1 / (p^t1 + q^t1). " + tempered,
		loss.LinkTempered:     "P(event) = p; the other class has q. " + tempered,
	}[p.Link])
	for j, d := range p.Delta {
		note("Up to f = %s: %s.", digits(d), p.Bands[j])
	}
	if k := len(p.Delta); k > 0 {
		note("Above f = %s: %s.", digits(p.Delta[k-1]), p.Bands[k])
	}
}

// temperedText defines the probabilities of the two-temperature model, which have no closed form, with its
// temperatures. x is what the exponential is taken of, and begin begins the sentence.
func (p *Model) temperedText(x, begin string) string {
	value := func(names ...string) string {
		for _, name := range names {
			if v, is := p.Params[name].(float64); is {
				return digits(v)
			}
		}
		return "1"
	}
	text := begin + " max(0, 1 + (1 − t2)(x − G))^(1/(1 − t2)), or exp(x − G) for t2 = 1, where x is " + x +
		", and G is the number by which they add up to 1; "
	if p.Link == loss.LinkEscort {
		text += "t1 = " + value("t1") + " and "
	}
	return text + "t2 = " + value("t2", "t") + "."
}

// columnNote says how the terms of a column follow from a cell, and where the column ends.
func (p *Model) columnNote(c *prep.Column, used bool, note func(string, ...any)) {
	at := slices.IndexFunc(p.Terms, func(t prep.Term) bool { return t.Column == c.Name && t.Kind == prep.OtherLevel })
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case c.Kind == prep.Number && c.Origin != nil:
		add("%s counts days since %s; missing: %s", c.Name, dayText(*c.Origin), digits(c.Median))
	case c.Kind == prep.Number:
		add("%s: when missing, %s", c.Name, digits(c.Median))
	default:
		add("%s: a term is 1 for its level and 0 else; %s has none", c.Name, c.Reference)
		if at >= 0 {
			rare := "all levels that are not named here" // Pooled is empty where naming them would disclose patients
			if len(c.Pooled) > 0 {
				rare = strings.Join(c.Pooled, ", ")
			}
			add("‘%s’ is 1 for %s", p.Terms[at].Name, rare)
		}
		if at < 0 || len(c.Pooled) > 0 {
			add("any other level is outside the data")
		}
	}
	switch {
	case c.Indicator:
		add("‘%s missing’ is 1 when missing and 0 else", c.Name)
	case c.Kind == prep.Number:
	case at >= 0:
		add("missing counts as one of ‘%s’", p.Terms[at].Name)
	default:
		add("missing counts as %s", c.Reference)
	}
	if codes := c.OwnMissing(); len(codes) > 0 {
		add("missing is written %s too", strings.Join(codes, ", "))
	}
	switch c.NonNumeric {
	case "limit":
		add("a text like <0.01 counts as 0.01")
	case "strip":
		add("a text like 12 mg counts as 12")
	}
	if low, high, has := check.FarLimits(c.Min, c.Max); has && used && c.Kind == prep.Number {
		add("outside the data below %s and above %s", digits(low), digits(high))
	}
	note("%s.", strings.Join(parts, "; "))
	if len(c.Knots) > 0 {
		var knots []string
		for _, k := range c.Knots {
			knots = append(knots, digits(k))
		}
		note("%s is a restricted cubic spline (Hmisc rcspline.eval, norm = 2) with knots %s.", c.Name,
			strings.Join(knots, ", "))
	}
}

// costNotes are the costs that an answer is chosen by.
func (p *Model) costNotes(note func(string, ...any)) {
	for a, row := range p.Costs {
		answer := "no answer"
		if a < len(p.Levels) {
			answer = p.Levels[a]
		}
		var each []string
		for c, v := range row {
			each = append(each, digits(v)+" for "+p.Levels[c])
		}
		note("Cost of %s: %s.", answer, strings.Join(each, ", "))
	}
}
