package report

import (
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/viz/card"
)

// Limits of a card, so that the size of its picture is bounded.
const (
	cardSentences = 3
	cardText      = 300 // characters of a sentence
	cardMost      = 12  // bands
)

// Card draws a report as one picture: its verdict and its strata as printed. pi are the boundaries between its
// bands.
func Card(d doc.Document, pi []float64) card.Card {
	c := card.Card{Title: phrase.Shorten(d.Title, cardText/3)}
	var walk func(doc.Nodes)
	walk = func(body doc.Nodes) {
		for _, n := range body {
			switch n := n.(type) {
			case doc.Verdict:
				if c.Sentences == nil {
					for _, text := range n[:min(len(n), cardSentences)] {
						c.Sentences = append(c.Sentences, phrase.Shorten(text, cardText))
					}
				}
			case doc.Table:
				if c.Bands == nil && strings.Contains(n.Class, strataClass) {
					c.Bands = cardBands(n, pi)
					c.Head = "Bands by " + n.Columns[0].Unit + ", with their observed rate and its 95 % CI"
					if slices.ContainsFunc(c.Bands, func(b card.Band) bool { return b.Masked }) {
						c.Head += "; framed, masked: the range of possible rates, not a CI"
					}
				}
			case doc.Section:
				walk(n.Body)
			case doc.Group:
				walk(n.Body)
			case doc.Block:
				walk(doc.Nodes(n))
			case doc.Pair:
				for _, part := range n {
					walk(part)
				}
			}
		}
	}
	for _, s := range d.Sections {
		walk(s.Body)
	}
	c.Foot = []string{strings.Join(d.Foot, " · ")}
	if more := len(pi) + 1 - len(c.Bands); more > 0 && c.Bands != nil {
		c.Foot = append(c.Foot, "The report has "+phrase.Count(more, "more band")+".")
	}
	return c
}

// cardBands are the bands of the strata table.
func cardBands(t doc.Table, pi []float64) (all []card.Band) {
	for j, row := range t.Rows[:min(len(t.Rows), cardMost)] {
		if j > len(pi) || len(row.Cells) < 7 {
			break
		}
		rate := row.Cells[4]
		b := card.Band{Name: row.Cells[0].Text(), Rows: row.Cells[1].Text() + " rows", Rate: rate.Text(),
			Verdict: row.Cells[6].Chip, Upper: 1, Low: rate.Low, High: rate.High}
		if b.Rate != viz.None {
			b.Rate += " %"
		}
		if b.Low != nil && b.High != nil {
			b.Rate += " (" + viz.Range(rate.Format.Write(*b.Low), rate.Format.Write(*b.High)) + ")"
		}
		if j > 0 {
			b.Lower = pi[j-1]
		}
		if j < len(pi) {
			b.Upper = pi[j]
		}
		switch v := rate.Value.(type) {
		case *float64:
			b.Value = v
		case float64:
			b.Value = &v
		case doc.Range:
			b.Low, b.High, b.Masked = &v.Low, v.High, true
		}
		all = append(all, b)
	}
	return all
}
