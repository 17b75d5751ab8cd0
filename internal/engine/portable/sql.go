package portable

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// mostTerms bounds the length of a sum; SQLite parses at most a thousand terms.
const mostTerms = 500

// dialect is what databases write differently.
type dialect struct {
	needs            string   // for whom the query is
	step             string   // what follows the name of a table expression
	row              []string // the columns that identify a row
	least, most      string   // of several numbers
	no               string   // false
	flag             string   // a condition as the number 1 or 0
	asText, asNumber string   // a cell as either
	filled           string   // whether a cell holds a number
	days             string   // a cell as days since 1970
	exp              string
	unknown, real    string // no number; what makes a literal a double
}

var (
	sqlite = dialect{
		needs: "For SQLite 3.35 or newer with its mathematical functions.",
		step:  "AS", row: []string{"rowid"}, least: "min", most: "max", no: "0", flag: "(%s)",
		asText: "%s", asNumber: "1.0 * %s", filled: "typeof(%s) IN ('integer', 'real')",
		days: "(julianday(%s) - 2440587.5)", exp: "exp(%s)", unknown: "NULL",
	}
	// In PostgreSQL a literal with a point is a decimal number, for which sums are exact and slow; steps that are not
	// materialised are copied into each use; and exp fails where it is too small for a double.
	postgreSQL = dialect{
		needs: "For PostgreSQL 12 or newer; texts that are no dates are an error there.",
		step:  "AS MATERIALIZED", row: []string{"tableoid", "ctid"}, least: "least", most: "greatest", no: "false",
		flag: "(%s)::int", asText: "%s::text", asNumber: "%s::float8", filled: "%s::float8 <> 'NaN'",
		days: "(extract(epoch FROM %s::timestamp)::float8 / 86400)", exp: "exp(greatest(%s, -700))",
		unknown: "NULL::float8", real: "::float8",
	}
)

// sql is a query over a table named patients. Each step is a table expression: parsed cells, terms, scores,
// probabilities, and the prediction.
func (p *Model) sql(d dialect, head []string) (string, error) {
	switch {
	case !loss.ClosedForm(p.Link):
		return "", usererr.New(usererr.Conflict, "The probabilities of this loss have no closed form, so SQL cannot "+
			"compute them. Export the model as JavaScript, Python or R, which solve for them as Taper does.")
	case len(p.Terms) > mostTerms || len(p.Trees) > mostTerms:
		return "", usererr.New(usererr.Conflict, "A query can add up %d terms or trees, and this model has more. Export the "+
			"model as JavaScript, Python or R.", mostTerms)
	}
	q := sqlQuery{p: p, dialect: d}
	return commented("--", slices.Concat(head, []string{
		"Scores every row of the table patients, which has the columns of the model: numbers as numbers, texts as",
		"texts, dates as '2024-01-31', and NULL for missing. " + d.needs,
		"A row outside the data has its scores alone.",
	})) + q.text(), nil
}

type sqlQuery struct {
	dialect
	p *Model
	b strings.Builder
}

// then ends a table expression and begins the next one.
func (q *sqlQuery) then(name string) string { return "), " + name + " " + q.step + " (\n  SELECT " }

// joined joins the predictions of a table expression to the patients.
func (q *sqlQuery) joined(name string) string {
	var same []string
	for k, column := range q.row {
		same = append(same, fmt.Sprintf("patients.%s = %s.patient%d", column, name, k))
	}
	return "FROM " + name + " JOIN patients ON " + strings.Join(same, " AND ") + ";\n"
}

// flagged is a condition as the number 1 or 0.
func (q *sqlQuery) flagged(condition string) string { return fmt.Sprintf(q.flag, condition) }

func (q *sqlQuery) text() string {
	fmt.Fprintf(&q.b, "WITH cells %s (\n  SELECT ", q.step)
	for k, column := range q.row {
		fmt.Fprintf(&q.b, "patients.%s AS patient%d, ", column, k)
	}
	for k := range q.p.Columns {
		if k > 0 {
			q.b.WriteString(",")
		}
		fmt.Fprintf(&q.b, "\n    %s AS c%d", q.cell(&q.p.Columns[k]), k)
	}
	q.b.WriteString("\n  FROM patients\n" + q.then("terms") + "cells.*")
	for k := range q.p.Terms {
		fmt.Fprintf(&q.b, ",\n    %s AS x%d", q.term(k), k)
	}
	fmt.Fprintf(&q.b, ",\n    %s AS is_outside\n  FROM cells\n", q.outside())
	if q.p.Multiclass() {
		q.classes()
	} else {
		q.bands()
	}
	return q.b.String()
}

func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // otherwise SQL would use integer division
	}
	if v < 0 {
		return "(" + s + ")"
	}
	return s
}

func name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quotedAll(all []string) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = quoted(s)
	}
	return strings.Join(out, ", ")
}

// cell parses a cell: a number or a level, NULL for missing. An unseen level stays as text.
func (q *sqlQuery) cell(c *prep.Column) string {
	of := "patients." + name(c.Name)
	var codes, numbers []string
	for _, m := range c.Missing {
		codes = append(codes, strings.ToLower(m))
		if v, err := strconv.ParseFloat(m, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			numbers = append(numbers, number(v))
		}
	}
	if c.Kind != prep.Number {
		text := "trim(" + fmt.Sprintf(q.asText, of) + ")"
		read := text
		if c.Join { // as in training, ignoring case, final dots and double blanks
			folded := "replace(replace(trim(rtrim(lower(" + text + "), '.')), '  ', ' '), '  ', ' ')"
			read = "CASE"
			for _, level := range slices.Concat([]string{c.Reference}, c.Levels, c.Pooled) {
				read += " WHEN " + folded + " = " + quoted(fold(level)) + " THEN " + quoted(level)
			}
			read += " ELSE " + text + " END"
		}
		if len(c.Aliases) > 0 {
			cases := "CASE " + text
			for _, from := range sortedKeys(c.Aliases) {
				cases += " WHEN " + quoted(from) + " THEN " + quoted(c.Aliases[from])
			}
			read = cases + " ELSE " + read + " END"
		}
		return fmt.Sprintf("CASE WHEN %s IS NULL OR %s = '' OR lower(%s) IN (%s) THEN NULL ELSE %s END", of, text, text,
			quotedAll(codes), read)
	}
	if c.Origin != nil {
		days := fmt.Sprintf(q.days, of)
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN 1.0 * (%s - %s) END", of, days, number(*c.Origin))
	}
	kind := fmt.Sprintf(q.filled, of)
	if len(numbers) > 0 {
		kind += " AND " + of + " NOT IN (" + strings.Join(numbers, ", ") + ")"
	}
	return "CASE WHEN " + kind + " THEN " + fmt.Sprintf(q.asNumber, of) + " END"
}

func fold(level string) string {
	return strings.Join(strings.Fields(strings.TrimRight(strings.ToLower(level), ".")), " ")
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// place is the index of a column.
func (q *sqlQuery) place(column string) int {
	return slices.IndexFunc(q.p.Columns, func(c prep.Column) bool { return c.Name == column })
}

// term is a standardised term of the design.
func (q *sqlQuery) term(k int) string {
	t := &q.p.Terms[k]
	at := q.place(t.Column)
	c, cell := &q.p.Columns[at], fmt.Sprintf("c%d", at)
	raw := ""
	switch {
	case t.Kind == prep.MissingLevel:
		raw = q.flagged(cell+" IS NULL") + q.real
	case c.Kind == prep.Number:
		raw = "coalesce(" + cell + ", " + number(c.Median) + ")"
		if t.Kind == prep.Spline {
			raw = q.bent(raw, c.Knots, t.Knot-1)
		}
	case t.Kind == prep.Level:
		raw = "coalesce(" + q.flagged(cell+" = "+quoted(t.Level)) + ", 0)" + q.real
	default: // unlisted levels, and missing ones if training had none
		absent := "1"
		if c.Indicator {
			absent = "0"
		}
		known := quotedAll(append([]string{c.Reference}, c.Levels...))
		raw = "coalesce(" + q.flagged(cell+" NOT IN ("+known+")") + ", " + absent + ")" + q.real
	}
	return "(" + raw + " - " + number(t.Mean) + ") / " + number(t.SD)
}

// bent is the nonlinear term j of a natural cubic spline.
func (q *sqlQuery) bent(x string, t []float64, j int) string {
	last, before := t[len(t)-1], t[len(t)-2]
	w := last - t[0]
	gap, reach, room := (last-before)/w, (last-t[j])/w, (before-t[j])/w
	cube := func(knot float64) string {
		u := q.most + "(0.0, (" + x + " - " + number(knot) + ") / " + number(w) + ")"
		return u + " * " + u + " * " + u
	}
	return fmt.Sprintf("(CASE WHEN %s >= %s THEN %s + %s * (%s - %s) ELSE %s * (%s - %s * %s / %s) END)",
		x, number(last), number(w*reach*(reach*reach-gap*gap)), number(3*reach*room), x, number(last),
		number(w), cube(t[j]), cube(before), number(reach), number(gap))
}

// outside is 1 for a row that is outside the data.
func (q *sqlQuery) outside() string {
	used := q.p.UsedColumns()
	var far []string
	for k := range q.p.Columns {
		c := &q.p.Columns[k]
		if c.Kind == prep.Number {
			if room := (c.Max - c.Min) * 0.25; room > 0 && used[c.Name] {
				far = append(far, fmt.Sprintf("coalesce(c%d < %s OR c%d > %s, %s)", k, number(c.Min-room), k,
					number(c.Max+room), q.no))
			}
			continue
		}
		pooling := slices.ContainsFunc(q.p.Terms, func(t prep.Term) bool {
			return t.Column == c.Name && t.Kind == prep.OtherLevel
		})
		if len(c.Pooled) > 0 || !pooling {
			seen := slices.Concat([]string{c.Reference}, c.Levels, c.Pooled)
			far = append(far, fmt.Sprintf("coalesce(c%d NOT IN (%s), %s)", k, quotedAll(seen), q.no))
		}
	}
	if len(far) == 0 {
		return q.no
	}
	return "(" + strings.Join(far, "\n      OR ") + ")"
}

// weighted is a weighted sum of terms.
func weighted(start string, weights []float64) string {
	parts := []string{start}
	for k, w := range weights {
		parts = append(parts, fmt.Sprintf("%s * x%d", number(w), k))
	}
	return strings.Join(parts, "\n      + ")
}

// tree is the vote of a tree, from a node down.
func tree(m *model.Model, of, node int) string {
	n := m.Trees[of].Nodes[node]
	if n.Below == 0 {
		return number(n.Vote)
	}
	return fmt.Sprintf("CASE WHEN x%d > %s THEN %s ELSE %s END", n.Feature, number(n.Threshold), tree(m, of, n.Above),
		tree(m, of, n.Below))
}

func (q *sqlQuery) sigmoid(z string) string {
	grown, shrunk := fmt.Sprintf(q.exp, z), fmt.Sprintf(q.exp, "-"+z)
	return fmt.Sprintf("CASE WHEN %s < 0 THEN %s / (1 + %s) ELSE 1 / (1 + %s) END", z, grown, grown, shrunk)
}

// bands is the end of the query for a model with an event.
func (q *sqlQuery) bands() {
	p := q.p
	score := weighted(number(p.Intercept), p.Weights)
	if len(p.Trees) > 0 {
		var parts []string
		for k := range p.Trees {
			parts = append(parts, number(p.Trees[k].Theta)+q.real+" * "+tree(p.Model, k, 0))
		}
		score = strings.Join(parts, "\n      + ")
	}
	f := "score"
	probability := map[string]string{
		loss.LinkNone:         q.unknown,
		loss.LinkLogistic:     q.sigmoid(f),
		loss.LinkScaled:       q.sigmoid("(" + number(p.LogitScale()) + " * score)"),
		loss.LinkSquaredHinge: q.least + "(1.0, " + q.most + "(0.0, 0.5 + 0.5 * score))",
		loss.LinkDWD: "CASE WHEN score > 0.5 THEN 1 / (1 + 1 / (4 * score * score)) WHEN score < -0.5 " +
			"THEN 1 / (4 * score * score + 1) ELSE 0.5 END",
	}[p.Link]
	var passed []string
	for j, pi := range p.Boundaries {
		above := "score > " + number(p.Delta[j])
		if p.Link != loss.LinkNone {
			above = "p > " + number(pi)
			if p.Link == loss.LinkDWD || p.Link == loss.LinkSquaredHinge {
				above = fmt.Sprintf("p > %s OR p = %s AND score > %s", number(pi), number(pi), number(p.Delta[j]))
			}
		}
		passed = append(passed, q.flagged(above))
	}
	passed = append(passed, "0")
	fmt.Fprintf(&q.b, "%sterms.*,\n    %s AS score\n  FROM terms\n%sscores.*, %s AS p\n  FROM scores\n"+
		"%sprobabilities.*, %s AS k\n  FROM probabilities\n)\n", q.then("scores"), score, q.then("probabilities"),
		probability, q.then("strata"), strings.Join(passed, " + "))
	q.b.WriteString("SELECT patients.*, strata.score AS score,\n" +
		"  CASE WHEN NOT strata.is_outside THEN strata.p END AS probability,\n" +
		"  CASE WHEN NOT strata.is_outside THEN strata.k END AS stratum,\n" +
		"  CASE WHEN strata.is_outside THEN 'outside the data'")
	for j, label := range p.Bands {
		fmt.Fprintf(&q.b, " WHEN strata.k = %d THEN %s", j, quoted(label))
	}
	q.b.WriteString(" END AS band\n" + q.joined("strata"))
}

// classes is the end of the query for a multiclass model.
func (q *sqlQuery) classes() {
	p, m := q.p, q.p.Potentials
	k := len(p.Levels)
	q.b.WriteString(q.then("sums") + "terms.*")
	for l, w := range m.Weights {
		fmt.Fprintf(&q.b, ",\n    %s AS z%d", weighted("0.0", w), l)
	}
	q.b.WriteString("\n  FROM terms\n" + q.then("scores") + "sums.*")
	sum := func(from int) (total float64) {
		for _, eta := range m.Offsets[min(from, len(m.Offsets)):] {
			total += eta
		}
		return total
	}
	for c := range k {
		var f string
		switch m.Form {
		case multiclass.FormOrdinal:
			f = fmt.Sprintf("%d * z0 + %s", c+1, number(sum(c)))
		case multiclass.FormThresholds:
			parts := []string{"0.0"}
			for l := range c {
				parts = append(parts, "(z0 - "+number(m.Offsets[l])+")")
			}
			f = strings.Join(parts, " + ")
		default:
			f = fmt.Sprintf("z%d + %s", c, number(m.Offsets[c]))
		}
		fmt.Fprintf(&q.b, ", %s AS f%d", f, c)
	}
	q.b.WriteString("\n  FROM sums\n" + q.then("shares") + "scores.*")
	all := func(prefix string) []string {
		var out []string
		for c := range k {
			out = append(out, fmt.Sprintf("%s%d", prefix, c))
		}
		return out
	}
	top := q.most + "(" + strings.Join(all("f"), ", ") + ")"
	for c := range k {
		e := q.unknown
		if p.Link == loss.LinkSoftmax {
			e = fmt.Sprintf(q.exp, fmt.Sprintf("f%d - %s", c, top))
		}
		fmt.Fprintf(&q.b, ", %s AS e%d", e, c)
	}
	q.b.WriteString("\n  FROM scores\n" + q.then("answers") + "shares.*")
	whole := "(" + strings.Join(all("e"), " + ") + ")"
	for c := range k {
		fmt.Fprintf(&q.b, ", e%d / %s AS p%d", c, whole, c)
	}
	fmt.Fprintf(&q.b, ",\n    %s AS answer\n  FROM shares\n)\nSELECT patients.*", q.answer(top))
	for c, l := range p.Levels {
		fmt.Fprintf(&q.b, ", answers.f%d AS %s", c, name("score_"+l))
	}
	for c, l := range p.Levels {
		fmt.Fprintf(&q.b, ", CASE WHEN NOT answers.is_outside THEN answers.p%d END AS %s", c, name("probability_"+l))
	}
	q.b.WriteString(",\n  CASE WHEN answers.is_outside THEN 'outside the data'")
	for c, l := range p.Levels {
		fmt.Fprintf(&q.b, " WHEN answers.answer = %d THEN %s", c, quoted(l))
	}
	q.b.WriteString(" ELSE '(abstain)' END AS prediction\n" +
		q.joined("answers"))
}

// answer is the index of the predicted class, −1 for abstention.
func (q *sqlQuery) answer(top string) string {
	p, k := q.p, len(q.p.Levels)
	first := "CASE"
	for c := range k {
		first += fmt.Sprintf(" WHEN f%d = %s THEN %d", c, top, c)
	}
	first += " END"
	switch p.Rule {
	case task.RuleThresholds:
		var passed []string
		for _, eta := range p.Potentials.Offsets {
			passed = append(passed, q.flagged("z0 > "+number(eta)))
		}
		return strings.Join(passed, " + ")
	case task.RulePositive:
		return "CASE WHEN " + top + " > 0 THEN " + first + " ELSE -1 END"
	case task.RuleLead:
		over, half := ">", make([]float64, k)
		if half[0] = 0.5; p.Potentials.DecideOrAbstain(half) != loss.Abstain { // a lead of ½ is enough to predict a class
			over = ">="
		}
		cases := "CASE"
		for c := range k {
			others := q.most + "(-1e308"
			for o := range k {
				if o != c {
					others += fmt.Sprintf(", f%d", o)
				}
			}
			others += ")"
			cases += fmt.Sprintf(" WHEN f%d = %s THEN CASE WHEN f%d - %s %s 0.5 THEN %d ELSE -1 END", c, top, c, others,
				over, c)
		}
		return cases + " END"
	case task.RuleExpected:
		var expected []string
		for _, row := range p.Costs {
			var parts []string
			for c, price := range row {
				parts = append(parts, fmt.Sprintf("%s * e%d", number(price), c))
			}
			expected = append(expected, "("+strings.Join(parts, " + ")+")")
		}
		least := expected[0]
		if len(expected) > 1 {
			least = q.least + "(" + strings.Join(expected, ", ") + ")"
		}
		var whole []string
		for c := range k {
			whole = append(whole, fmt.Sprintf("e%d", c))
		}
		cases := "CASE"
		for a, e := range expected {
			answer := a
			if a >= k {
				answer = -1
			}
			cases += fmt.Sprintf(" WHEN %s <= %s + 1e-12 * (%s) THEN %d", e, least, strings.Join(whole, " + "), answer)
		}
		return cases + " END"
	}
	return first
}
