package table

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/cost"
)

// delimiter decides what separates cells.
func (l *layout) delimiter(ctx context.Context, lim Limits) error {
	if l.d.Delimiter == "" {
		l.d.Delimiter = l.guessDelimiter()
	}
	if l.d.Delimiter == " " {
		if lim.memory != nil { // the text will lie on the heap
			if _, err := cost.Hold(ctx, "Reading this file", 2*int64(len(l.text))); err != nil {
				return err
			}
		}
		l.text = append(l.text[:l.sep:l.sep], tabbed(l.text[l.sep:], l.g)...)
		l.g.delim = '\t'
		return nil
	}
	l.g.delim = l.d.Delimiter[0]
	return nil
}

// guessDelimiter returns the candidate that splits most records into the same number of cells, more than one.
// Of equal candidates it returns the one that is rarer inside cells.
func (l *layout) guessDelimiter() string {
	best, most, next := "", 0.5, ""
	for _, d := range []string{"\t", ";", "|", ","} {
		g := l.g
		g.delim = d[0]
		widths := l.widths(g)
		w, share := modal(widths)
		if w > 1 || slices.Max(append(widths, 0)) > 1 {
			next = d
		}
		if w < 2 || len(widths) > 1 && widths[0] == 1 && l.halves(g, widths) {
			continue
		}
		if len(widths) > 1 && widths[0] == w {
			share += 0.01 // the header has the same width
		}
		if w > 2 {
			share += 0.01 // more columns agree less often by chance
		}
		if share > most {
			best, most = d, share
		}
	}
	if best != "" {
		return best
	}
	l.oneColumn(next)
	for _, d := range []string{",", ";", "\t", "|"} {
		if bytes.IndexByte(l.text[l.sep:], d[0]) < 0 {
			return d
		}
	}
	return ","
}

// widths counts the cells of the first records.
func (l *layout) widths(g grammar) []int {
	var widths []int
	var cells []string
	var places []place
	b := l.text[:min(len(l.text), l.sep+sampleBytes/4)]
	for i := l.sep; i < len(b) && len(widths) < 200; {
		if k := g.blank(b, i); k > 0 {
			i += k
			continue
		}
		next, n, _ := g.record(b, i, 0, &cells, &places)
		if next == len(b) && len(b) < len(l.text) && len(widths) > 0 {
			break // the sample ends within this record
		}
		i, widths = next, append(widths, n)
	}
	return widths
}

// modal returns the most common width, the larger of two, and its share.
func modal(widths []int) (w int, share float64) {
	count := map[int]int{}
	for _, x := range widths {
		count[x]++
		if count[x] > count[w] || count[x] == count[w] && x > w {
			w = x
		}
	}
	return w, float64(count[w]) / float64(max(1, len(widths)))
}

// halves reports whether a comma splits nothing but decimal numbers below a header of one cell: "age", "61,5",
// "58,0" is one column.
func (l *layout) halves(g grammar, widths []int) bool {
	if g.delim != ',' {
		return false
	}
	for _, r := range l.take(g, place{l.sep, len(l.text)}, 20, 3, 1)[1:] {
		if len(r.cells) != 2 || !digitsOnly(r.cells[0]) || !digitsOnly(r.cells[1]) {
			return false
		}
	}
	return true
}

// oneColumn asks whether the file has a single column, where blanks or the delimiter d, which splits few
// records, may separate cells.
func (l *layout) oneColumn(d string) {
	b := tabbed(l.text[:min(len(l.text), sampleBytes/4)], l.g)
	t := layout{source: &source{text: b}}
	w, share := modal(t.widths(grammar{delim: '\t', eol: l.g.eol, quotes: l.g.quotes}))
	warning := Warning{Code: "one-column", Level: "ask", Choices: []Choice{{Label: "Keep one column"}}}
	switch {
	case w > 1 && share >= 0.95:
		warning.Message = fmt.Sprintf("Only one column was found, with %d words in each row. Do spaces separate "+
			"the columns?", w)
		warning.Choices = append(warning.Choices, Choice{Label: "Separate at " +
			"spaces", Dialect: &Dialect{Delimiter: " "}})
	case d != "":
		warning.Message = fmt.Sprintf("Only one column was found. Is %s the delimiter?",
			map[string]string{",": "the comma", ";": "the semicolon", "\t": "the tab", "|": "the bar"}[d])
		warning.Choices = append(warning.Choices, Choice{Label: "Separate there", Dialect: &Dialect{Delimiter: d}})
	default:
		return
	}
	l.warns = append(l.warns, warning)
}

// tabbed returns text with every run of blanks outside quotes replaced by one tab, and without blanks at the
// ends of lines.
func tabbed(text []byte, g grammar) []byte {
	out := make([]byte, 0, len(text))
	quoted, gap := false, false
	for _, c := range text {
		switch {
		case (c == ' ' || c == '\t') && !quoted:
			gap = len(out) > 0 && out[len(out)-1] != g.eol
			continue
		case c == '\n' && g.eol == '\r' && !quoted && len(out) > 0 && out[len(out)-1] == '\r':
			continue // without blanks before it, this line end is an ordinary one
		case c == '"' && g.quotes:
			quoted = !quoted
		}
		if gap && c != g.eol && (c != '\r' || g.eol == '\r') {
			out = append(out, '\t')
		}
		out, gap = append(out, c), false
	}
	return out
}
