package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

const leastRows = 10 // smaller counts are masked, and such groups are not described

var (
	inPercent = doc.Shares(1)
	inRatios  = doc.Format{Style: doc.Ratio}
)

// estimated is an estimate with its interval.
func estimated(e stat.Estimate, as doc.Format) doc.Cell {
	return doc.Cell{Value: e.Value, Low: e.Low, High: e.High, Format: as}
}

// ratioed is a likelihood ratio with its interval.
func ratioed(e stat.Estimate) doc.Cell {
	if e.Low == nil || e.High == nil {
		return estimated(e, inRatios)
	}
	return estimated(e, doc.Format{Style: doc.Joint, Null: 1})
}

// measured is the first cell of the line of a statistic.
func measured(s stat.Statistic) doc.Cell {
	return doc.Cell{Value: s.Label, Note: format.UnitAndDirection(s)}
}

// worded writes an estimate with its interval for a sentence.
func worded(e stat.Estimate, as doc.Format) string {
	c := estimated(e, as)
	return strings.TrimSpace(c.Text() + " " + c.Small())
}

func percentWords(e stat.Estimate) string {
	c := estimated(e, inPercent)
	return strings.TrimSpace(c.Text() + format.Pc + " " + c.Small())
}

// pValue writes a p-value, with "<" where it is very small.
func pValue(p *float64) string {
	switch {
	case p == nil:
		return viz.None
	case *p < 0.001:
		return "< 0.001"
	}
	return "= " + viz.Number(*p, 3)
}

// rowsAndEvents writes both for the header.
func rowsAndEvents(total mask.Row) string {
	return total.N.CountText() + ", " + total.Events.CountText() + " events"
}

func hideSmall(n int) mask.Span {
	if few(n) {
		return mask.Span{Low: 1, High: leastRows - 1}
	}
	return mask.Span{Low: n, High: n}
}

func plus(a, b mask.Span) mask.Span { return mask.Span{Low: a.Low + b.Low, High: a.High + b.High} }

func few(n int) bool { return n > 0 && n < leastRows }

// smallCount finds "3 rows" and the like, but not the end of "1,203 rows".
var smallCount = regexp.MustCompile(`(^|[^\d.,–−-])([1-9])(\s|\x{00a0})(row|event|value|patient|group|label)s?\b`)

// masked hides small counts in a sentence that was written for the screen.
func masked(text string) string {
	text = smallCount.ReplaceAllString(text, "${1}fewer than 10 ${4}s")
	if strings.HasPrefix(text, "fewer") {
		text = "F" + text[1:]
	}
	return text
}

// naming writes a list of bands; "" for an empty list.
func naming(names []string, one, many string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(one, names[0])
	}
	return fmt.Sprintf(many, phrase.Join(names))
}

// bandWords is the name of a band in a sentence.
func bandWords(s stat.Stratum) string {
	low, high := viz.Short(100*s.Lower, 4), viz.Short(100*s.Upper, 4)
	switch {
	case s.Lower <= 0:
		return "at most " + high + format.Pc
	case s.Upper >= 1:
		return "above " + low + format.Pc
	}
	return "from " + low + " to " + high + format.Pc
}

func events(n string) string {
	if n == "1" {
		return "1 event"
	}
	return n + " events"
}

// middle shortens a hash to both of its ends.
func middle(hash string) string {
	if len(hash) <= 13 {
		return hash
	}
	return hash[:8] + "…" + hash[len(hash)-4:]
}

// shortest writes a numeric code in its shortest form.
func shortest(code string) string {
	v, err := strconv.ParseFloat(code, 64)
	if err != nil {
		return code
	}
	if s := strconv.FormatFloat(v, 'f', -1, 64); len(s) < len(code) {
		return s
	}
	return code
}

// lines writes an object as JSON, one line per field.
func lines(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // templ escapes for HTML
	if err := enc.Encode(v); err != nil {
		return "" // it was stored as JSON, so it encodes
	}
	dec := json.NewDecoder(&b)
	if _, err := dec.Token(); err != nil {
		return ""
	}
	out := "{"
	for sep := "\n"; dec.More(); sep = ",\n" {
		name, _ := dec.Token() //nolint:errcheck // valid JSON, written above
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return ""
		}
		out += fmt.Sprintf("%s  %q: %s", sep, name, value)
	}
	return out + "\n}"
}

// queryText escapes a text for the query of an address.
func queryText(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// shellName quotes the name of a file for a shell.
func shellName(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// rounded rounds v to a number of decimals.
func rounded(v float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	return math.Round(v*scale) / scale
}

// parted splits a wide table for paper into tables of at most this many columns, each with the first column.
func parted(t doc.Table, most int) []doc.Node {
	var parts []doc.Node
	for from := 1; from < len(t.Columns); from += most {
		to := min(from+most, len(t.Columns))
		part := t
		part.Columns = append(t.Columns[:1:1], t.Columns[from:to]...)
		part.Rows = nil
		for _, r := range t.Rows {
			r.Cells = append(r.Cells[:1:1], r.Cells[from:to]...)
			part.Rows = append(part.Rows, r)
		}
		if to < len(t.Columns) {
			part.Note = ""
		}
		parts = append(parts, part)
	}
	return parts
}

// shareText writes a count as a share of its class; for a class of 1 to 9 rows it says that the class is small.
func (c SmallCounts) shareText(s mask.Span, total int) string {
	share := func(n int) string { return viz.Percent(float64(n)/float64(total), 0) }
	switch {
	case total == 0:
		return viz.None
	case c.few(total):
		return "few"
	case s.Shown():
		return share(s.Low)
	}
	return viz.Range(share(s.Low), share(s.High))
}

// shareSpan is the range of a/(a+b).
func shareSpan(a, b mask.Span) (low, high float64, ok bool) {
	if a.Low+b.Low <= 0 {
		return 0, 0, false
	}
	return float64(a.Low) / float64(a.Low+b.High), float64(a.High) / float64(max(1, a.High+b.Low)), true
}

// narrowed narrows a part by the difference of the total and the rest.
func narrowed(part, total, rest mask.Span) mask.Span {
	return mask.Span{Low: max(part.Low, total.Low-rest.High), High: min(part.High, total.High-rest.Low)}
}

// ends are the two ends of a range that may not exist.
type ends struct {
	low, high float64
	ok        bool
}

func rangeCell(low, high float64, ok bool) func(doc.Format) doc.Cell {
	return func(as doc.Format) doc.Cell {
		if !ok {
			return doc.Cell{}
		}
		return doc.Cell{Value: doc.Range{Low: low, High: &high}, Format: as}
	}
}

// ratioCell writes the range of a ratio, whose upper end may be infinite.
func ratioCell(low, high float64, ok bool) doc.Cell {
	switch {
	case !ok, math.IsInf(high, 1) && viz.Ratio(low) == viz.Ratio(0):
		return doc.Cell{}
	case math.IsInf(high, 1):
		return doc.Cell{Value: doc.Range{Low: low}, Format: inRatios}
	}
	return rangeCell(low, high, true)(inRatios)
}

// quotient is the range of a ratio of two shares.
func quotient(a, b ends) (low, high float64, ok bool) {
	if !a.ok || !b.ok || b.high == 0 {
		return 0, 0, false
	}
	if b.low == 0 {
		return a.low / b.high, math.Inf(1), true
	}
	return a.low / b.high, a.high / b.low, true
}

// recalibrationWords says how the predicted risks would have to change on these rows.
func recalibrationWords(r stat.Recalibration) string {
	if r.Intercept.Value == nil {
		return "These rows allow no recalibration."
	}
	say := "To meet the frequency here: logit P = " + worded(r.Intercept, doc.To(3)) + " + logit p"
	if r.Slope.Value != nil && r.JointIntercept != nil { // the intercept beside a slope means nothing by itself
		say += "; to meet the spread too: logit P = " + viz.Number(*r.JointIntercept, 3) + " + " +
			worded(r.Slope, doc.To(3)) + " · logit p"
	}
	if r.Intercept.Low == nil {
		return say + "."
	}
	return say + ". In parentheses: 95" + format.Pc + " CI."
}

// lineOf is a cell of a masked table, "–" where there is no such line.
func lineOf(lines []doc.Row, i, k int) doc.Cell {
	if i >= len(lines) {
		return doc.Cell{}
	}
	return lines[i].Cells[k]
}

// levelOf is lineOf for a level, whose lines count from 1; 0 means none.
func levelOf(lines []doc.Row, i, k int) doc.Cell {
	if i == 0 {
		return doc.Cell{}
	}
	return lineOf(lines, i, k)
}

// meanShare is a share in per cent, a dash where it is nil.
func meanShare(v *float64) string { return doc.Cell{Value: v, Format: inPercent}.Text() }
