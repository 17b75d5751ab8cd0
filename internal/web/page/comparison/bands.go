package comparison

import (
	"fmt"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// bands are the strata of the runs, a table for each set of boundaries.
func (v Page) bands() (tables []doc.Node) {
	done := map[int]bool{}
	for _, first := range v.order() {
		if done[first] || len(v.Strata[first].Bands) == 0 {
			continue
		}
		var same []int
		for _, i := range v.order() {
			if slices.Equal(v.Strata[i].Boundaries, v.Strata[first].Boundaries) &&
				len(v.Strata[i].Bands) == len(v.Strata[first].Bands) {
				same, done[i] = append(same, i), true
			}
		}
		t := doc.Table{Label: "Band by band", Class: "tbl-bands stacks", Head: []doc.Column{{}},
			Columns: []doc.Column{{Label: "Band"}}}
		for _, h := range v.heads(same) {
			t.Head = append(t.Head, doc.Column{View: templates.CompareName(h), Span: 3})
			t.Columns = append(t.Columns, doc.Column{Label: "Rows", Number: true, Stack: h.Name},
				doc.Column{Label: "Rate", Unit: "% (95 % CI)", Number: true}, doc.Column{Label: "Verdict"})
		}
		for k, b := range v.Strata[first].Bands {
			row := doc.Row{Cells: []doc.Cell{bandCell(b)}}
			for _, i := range same {
				row.Cells = append(row.Cells, bandCells(v.Strata[i].Bands[k])...)
			}
			t.Rows = append(t.Rows, row)
		}
		t.Note = "Wilson 95" + format.Pc + " CI."
		tables = append(tables, t)
	}
	return tables
}

// bandCell is the name of a band with its colour.
func bandCell(b stat.Stratum) doc.Cell {
	return doc.Cell{Value: viz.BandName(b.Lower, b.Upper), Swatch: viz.SwatchSVG(b.Lower, b.Upper)}
}

// bandCells are the rows, the rate and the verdict of a band.
func bandCells(b stat.Stratum) []doc.Cell {
	few := ""
	if b.Verdict == stat.TooFew {
		few = " few"
	}
	rate := doc.Format{Style: doc.Percent, Digits: 1, Bare: true}
	return []doc.Cell{{Value: b.N, Class: "of-run" + few},
		{Value: b.Observed, Low: b.Low, High: b.High, Format: rate, Class: "nowrap" + few},
		{Chip: b.Verdict}}
}

// moves counts the rows whose band or answer differs between the baseline and each other run. Where rows cannot be
// paired the reason is given, once for all runs with this reason.
func (v Page) moves() (list []doc.Section) {
	said := map[string]int{}
	for _, m := range v.Reclassification {
		i := slices.Index(v.IDs, m.Run)
		of := ", " + v.Names[v.Base] + " to " + v.Names[i]
		s := doc.Section{ID: fmt.Sprintf("moves-%d", len(list)+1), Title: "Reclassification" + of}
		switch {
		case m.Reason != "":
			if k, again := said[m.Reason]; again {
				list[k].Title = "Reclassification"
				continue
			}
			said[m.Reason] = len(list)
			s.Body = []doc.Node{doc.Say(whyNot[m.Reason])}
		case m.Classes != nil:
			s.Title = "Who changed answer" + of
			s.Body = []doc.Node{v.answerMoves(i, m.Classes)}
		default:
			up := 0
			if compare.Ranked(v.runs[i]) && compare.Ranked(v.runs[v.Base]) {
				up = 1
			}
			s.Body = []doc.Node{doc.Pair{v.bandMoves("Events", i, m.Table.Events, up),
				v.bandMoves("Non-events", i, m.Table.Others, -up)}}
		}
		if m.Reason == "" && !(v.runs[i].Result.RanksModels() && v.runs[v.Base].Result.RanksModels()) {
			s.Body = append(s.Body, doc.Note(engine.CloserFit))
		}
		list = append(list, s)
	}
	return list
}

// bandMoves counts the rows by both bands. Moves to a higher band are improvements where up is 1, moves to a lower
// band where it is −1; where it is 0 neither is.
func (v Page) bandMoves(title string, i int, c stat.BandChanges, up int) []doc.Node {
	t := crossing{title: title, by: "band", n: c.N, counts: c.Counts,
		spoken: [2]string{" the right way", " the wrong way"},
		words:  [4]string{" moved the right way", " the wrong way", " stayed"},
		gain:   func(from, to int) int { return up * (to - from) }}
	if up == 0 {
		t.words = [4]string{"", "", " stayed", " moved"}
	}
	for _, b := range v.Strata[i].Bands[:len(c.Counts)] {
		t.names = append(t.names, bandCell(b))
	}
	net, name := c.Net, "NRI of events, up − down: "
	if up < 0 {
		net, name = c.Net.Negated(), "NRI of non-events, down − up: "
	}
	if n := net; n.Value != nil && n.Low != nil && n.High != nil {
		t.net = name + viz.Signed(100**n.Value, 1) + format.Pc + " of them (95" + format.Pc + " CI " +
			viz.Range(viz.Signed(100**n.Low, 1), viz.Signed(100**n.High, 1)) + ", " + c.NetInterval() + ")."
	}
	return v.crossed(i, t)
}

// crossing is a cross table of rows by their band or answer in the baseline and in another run.
type crossing struct {
	title, by string
	n         int
	names     []doc.Cell // of the bands or answers
	counts    [][]int
	gain      func(from, to int) int // positive for an improvement, negative for a deterioration
	spoken    [2]string              // names of an improvement and of a deterioration
	words     [4]string              // names of the sums: improved, worse, unchanged, otherwise changed
	net       string
}

func (v Page) crossed(i int, x crossing) []doc.Node {
	from, to := v.Names[v.Base], v.Names[i]
	t := doc.Table{Caption: x.title + ", " + phrase.Int(x.n), Label: x.title + " by " + x.by + ", " + from + " to " +
		to, Class: "tbl-tight tbl-moves",
		Columns: []doc.Column{{Label: from + "\u00a0↓", Unit: to + "\u00a0→", Class: "wrap"}}}
	for _, name := range x.names {
		t.Columns = append(t.Columns, doc.Column{Label: name.Text(), Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "All", Number: true})
	var sums [4]int
	for j, name := range x.names {
		row, all := doc.Row{Cells: []doc.Cell{name}}, 0
		for k := range x.names {
			n, gain := x.counts[j][k], x.gain(j, k)
			all += n
			c := doc.Cell{Value: n}
			switch {
			case j == k:
				c.Class, sums[2] = "stay", sums[2]+n
			case n == 0: // empty cells have no colour
			case gain > 0:
				c.Class, c.Spoken, sums[0] = "better", x.spoken[0], sums[0]+n
			case gain < 0:
				c.Class, c.Spoken, sums[1] = "worse", x.spoken[1], sums[1]+n
			default:
				sums[3] += n
			}
			if n == 0 {
				c.Value = "·"
			}
			row.Cells = append(row.Cells, c)
		}
		row.Cells = append(row.Cells, doc.Cell{Value: all})
		t.Rows = append(t.Rows, row)
	}
	for k, n := range sums {
		if x.words[k] != "" {
			x.words[k] = phrase.Int(n) + x.words[k]
		}
	}
	return []doc.Node{doc.Block{t, doc.Part{View: templates.MoveNote(x.words, x.net)}}}
}

// termName is the name of a term, with the class of its score where each class has one.
func termName(t compare.Term) string {
	if t.Class == "" {
		return t.Name
	}
	return t.Name + ", class " + t.Class
}

// terms compares the coefficients.
func (v Page) terms() []doc.Node {
	if len(v.Terms) == 0 {
		return nil
	}
	t := doc.Table{Label: "Coefficients", Tall: true, Class: "tbl-compare tbl-tight" + v.stacks(),
		Columns: []doc.Column{{Label: "Term"}}}
	for _, i := range v.order() {
		t.Columns = append(t.Columns, doc.Column{Label: v.Names[i], Unit: "per SD", Number: true, Class: "wrap"})
		if i != v.Base {
			t.Columns = append(t.Columns, doc.Column{Label: "difference", Number: true})
		}
	}
	for _, x := range v.Terms {
		row := doc.Row{Cells: []doc.Cell{{Value: termName(x), Class: "wrap"}}}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, doc.Cell{Value: x.Standardized[i], Format: doc.To(3)})
			if i != v.Base {
				row.Cells = append(row.Cells, doc.Cell{Value: x.Deltas[i], Format: doc.Format{Digits: 3, Signed: true}})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "Of the final fits, per SD of the column. Scores of different losses are on different scales: compare " +
		"signs and proportions before sizes."
	return []doc.Node{doc.Block{t}}
}

// answerMoves counts the rows by both answers, a table for each true class.
func (v Page) answerMoves(i int, list []compare.Answers) (tables doc.Pair) {
	empty := true // neither run abstained
	for _, a := range list {
		last := len(a.Counts) - 1
		for k := range a.Counts {
			empty = empty && a.Counts[k][last] == 0 && a.Counts[last][k] == 0
		}
	}
	var names []doc.Cell
	for _, a := range list {
		names = append(names, doc.Cell{Value: a.Level})
	}
	if !empty {
		names = append(names, doc.Cell{Value: "no answer"})
	}
	otherwise := " changed from one wrong answer to another"
	switch {
	case !empty && len(list) == 2:
		otherwise = " changed between a wrong answer and none"
	case !empty:
		otherwise = " changed between wrong answers, or between a wrong one and none"
	case len(list) == 2: // a wrong answer has no other
		otherwise = ""
	}
	for c, a := range list {
		gain := func(from, to int) int {
			switch c {
			case to:
				return 1
			case from:
				return -1
			}
			return 0
		}
		tables = append(tables, v.crossed(i, crossing{title: "Class " + a.Level, by: "answer", n: a.N, names: names,
			counts: a.Counts, gain: gain, spoken: [2]string{" become right", " no longer right"},
			words: [4]string{" become right", " no longer right", " answered the same", otherwise}}))
	}
	return tables
}
