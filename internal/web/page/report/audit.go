package report

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
)

// Audit is what the page and the report of a run say about its label audit (section 9 of the report).
type Audit struct {
	Made     bool
	Estimate *audit.Estimate // nil without probabilities
	Basis    string
	Tally    audit.Tally
	Before   []ClassCount // class counts of the audited rows, with labels as uploaded
	After    []ClassCount // the same after flips and exclusions
	Children []store.Child

	small SmallCounts // whether this report masks small counts
}

// ClassCount is the number of rows of a class.
type ClassCount struct {
	Class string
	Rows  int
}

// ranked gives the number of labels that disagree with models fitted without them, and the number expected without
// label errors. Of a masked count it prints neither the share nor an interval, since either would give the count back
// when multiplied by the audited rows.
func (f Audit) ranked() string {
	e := f.Estimate
	if e == nil {
		return "The labels were ranked by the margin of models that did not see them; without probabilities there is no " +
			"estimate of how many are wrong."
	}
	text := "The labels were ranked by models that did not see them. "
	if wrong := int(math.Round(e.Wrong)); wrong == 0 || f.small.few(wrong) {
		return text + "By the confident joint " + f.aboutRows(e.Wrong) + " disagree confidently with them" +
			f.wouldAnyway(e) + "." + errorsSay(e)
	}
	return text + fmt.Sprintf("By the confident joint %s%% of the labels disagree confidently with them (%s, bootstrap "+
		"95%s%% interval %s)%s.%s",
		viz.Percent(e.Share, 1)+phrase.NBSP, f.aboutRows(e.Wrong), phrase.NBSP, f.small.rowEnds(e.Low, e.High),
		f.wouldAnyway(e), errorsSay(e))
}

// wouldAnyway is the number expected without label errors, as a clause.
func (f Audit) wouldAnyway(e *audit.Estimate) string {
	if e.Expected == nil {
		return ""
	}
	return "; " + f.aboutRows(e.Expected.Mean) + " would be expected from overlapping classes alone"
}

// errorsSay says whether the disagreement is evidence of label errors.
func errorsSay(e *audit.Estimate) string {
	switch {
	case e.Expected == nil:
		return " Where classes overlap, some labels disagree without being wrong: this is no count of errors."
	case e.Against() > 0:
		return " Only the excess is evidence of label errors."
	}
	return " There is no excess; errors at random look like overlap, so they cannot be ruled out."
}

// aboutRows writes an estimate in rows, masked below ten.
func (f Audit) aboutRows(v float64) string { return f.small.rows(int(math.Round(v))) }

// rowEnds writes an interval in rows; a masked report leaves out an end below ten.
func (s SmallCounts) rowEnds(low, high float64) string {
	if s.few(int(math.Round(low))) {
		return "from fewer than 10 to " + viz.Number(high, 0)
	}
	return viz.Range(viz.Number(low, 0), viz.Number(high, 0))
}

// looked sums up the review of rows, with Wilson's interval.
func (f Audit) looked() string {
	t := f.Tally
	if t.Reviewed == 0 {
		return "No row was reviewed yet."
	}
	if f.small.few(t.Reviewed) || f.small.few(t.Errors) {
		return fmt.Sprintf("%s reviewed, %s found to be wrong, %s excluded.", phrase.UpperFirst(f.small.rows(t.Reviewed)),
			f.small.rows(t.Errors), f.small.rows(t.Excluded))
	}
	low, high := stat.Wilson(t.Errors, t.Reviewed)
	return fmt.Sprintf("%s reviewed, %s found to be wrong (%s%s%%, Wilson 95%s%% interval %s), %s excluded.",
		phrase.UpperFirst(f.small.rows(t.Reviewed)), f.small.rows(t.Errors),
		viz.Percent(float64(t.Errors)/float64(t.Reviewed), 1), phrase.NBSP, phrase.NBSP,
		viz.Range(viz.Percent(low, 1), viz.Percent(high, 1)), f.small.rows(t.Excluded))
}

// beforeAndAfter counts the labels as uploaded and as reviewed. Where exact counts would reveal that 1 to 9 rows
// changed, the reviewed counts are rounded.
func (f Audit) beforeAndAfter(outcome string) doc.Table {
	t := doc.Table{Label: "Labels before and after the review", Columns: []doc.Column{{Label: outcome},
		{Label: "As uploaded", Number: true}, {Label: "Reviewed", Number: true}}}
	rare := slices.ContainsFunc(f.Before, func(c ClassCount) bool { return f.small.few(c.Rows) })
	rounded := rare || f.small.few(f.Tally.Excluded) || f.small.few(f.Tally.Errors)
	for i, b := range f.Before {
		after := f.After[i].Rows
		rounded = rounded || f.small.few(b.Rows-after) || f.small.few(after-b.Rows) || f.small.few(after)
	}
	write := func(n int, round bool) string {
		switch {
		case f.small.few(n):
			return "fewer than 10"
		case round:
			return "about " + phrase.Int((n+5)/10*10)
		}
		return phrase.Int(n)
	}
	for i, b := range f.Before {
		t.Rows = append(t.Rows, doc.TextRow([]string{b.Class, write(b.Rows, rare), write(f.After[i].Rows, rounded)}))
	}
	if rounded {
		t.Note = "Rounded to tens where counts of fewer than 10 rows would show otherwise."
	}
	return t
}
