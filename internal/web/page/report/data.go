package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/store"
)

func (p Printed) dataParts() []doc.Node {
	parts := []doc.Node{p.flow()}
	if p.several() {
		parts = append(parts, p.outcomeTable())
		if t := p.classTable1(); len(t.Rows) > 0 {
			parts = append(parts, parted(t, 5)...)
		}
	} else if t := p.table1(); len(t.Rows) > 0 && p.tellsNothing() {
		parts = append(parts, t)
	}
	return append(parts, doc.Note(strings.Join(p.dataNotes(), " ")))
}

// flow counts the rows from the file to the test. Where a small part is masked, the rows read are a range too,
// since the masked part would be their difference.
func (p Printed) flow() doc.Flow {
	f := p.r.Flow
	total, own := p.judged(), p.trained()
	read := own.N
	if p.split() {
		read = plus(read, total.N)
	}
	dropped := mask.Span{}
	for _, d := range f.Dropped {
		dropped = plus(dropped, p.Small.span(d.Rows))
	}
	aside := mask.Span{}
	for _, n := range p.unjudged() {
		aside = plus(aside, p.Small.span(n))
	}
	read = plus(plus(read, dropped), aside)
	away := []string{"dropped"}
	if aside.High > 0 {
		away = append(away, aside.CountText()+" scored, not trained on")
	}
	scored := []string{p.scoredHow()}
	if !p.several() {
		scored = append(scored, total.Events.CountText()+" events")
	}
	return doc.Flow{{Count: read, Lines: []string{"rows read"}}, {Count: dropped, Lines: away},
		{Count: own.N, Lines: []string{p.trainedOn(), p.validated()}}, {Count: total.N, Lines: scored}}
}

// validated is the validation as a sentence has it, where "none" before a colon would read as no rows.
func (p Printed) validated() string {
	if p.r.Apparent {
		return "evaluated on the training rows"
	}
	return p.r.Validation
}

// trainedOn names the events among the training rows; "" for several classes.
func (p Printed) trainedOn() string {
	if p.several() {
		return "trained on"
	}
	return "trained on, " + p.trained().Events.CountText() + " events"
}

// unjudged counts the rows that are scored but neither trained on nor evaluated.
func (p Printed) unjudged() []int {
	counts := []int{p.r.Flow.NoOutcome}
	for _, l := range p.r.Flow.ScoreOnly {
		counts = append(counts, l.Rows)
	}
	return counts
}

// dataNotes say how the file was read.
func (p Printed) dataNotes() []string {
	r := p.r
	notes := []string{fmt.Sprintf("Outcome: %s, event = %s, no event = %s.", r.Outcome, r.Positive, r.Negative)}
	if p.several() {
		notes[0] = p.outcomeNote()
	}
	for _, d := range r.Flow.Dropped {
		notes = append(notes, fmt.Sprintf("Dropped, %s: %s", p.Small.span(d.Rows).CountText(), p.Small.text(d.Reason)))
	}
	if n := r.Flow.NoOutcome; n > 0 {
		notes = append(notes, fmt.Sprintf("Without the outcome: %s, scored and not trained on.", p.Small.span(n).CountText()))
	}
	for _, l := range r.Flow.ScoreOnly {
		notes = append(notes, fmt.Sprintf("%s = %s: %s, scored and not trained on.", r.Outcome, l.Level,
			p.Small.span(l.Rows).CountText()))
	}
	if n := r.Flow.Groups; n > 0 {
		notes = append(notes, fmt.Sprintf("%s groups by %s were kept "+
			"together.", p.Small.span(n).CountText(), p.run.Spec.Group))
	}
	return append(notes, p.missingNote()+p.textsNote(), p.excludedNote())
}

// textsRead says how texts in a numeric column are read, by table.ColumnSpec.NonNumeric.
var textsRead = map[string]string{
	"limit": "a limit such as <0.01 as its number, 0.01, other texts as missing",
	"strip": "a text with a number in it, such as <0.01 or 12 mg, as that number",
}

// textsNote names the numeric columns in which texts were read as numbers, after a space; "" without any.
func (p Printed) textsNote() string {
	reading := p.data.Options
	if p.run.Reading != nil {
		reading = *p.run.Reading
	}
	text := ""
	for _, how := range []string{"limit", "strip"} {
		var names []string
		for _, c := range reading.Columns {
			if c.NonNumeric == how && slices.Contains(p.run.Spec.Columns(), c.Name) {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			text += " Read as numbers in " + phrase.Join(names) + ": " + textsRead[how] + "."
		}
	}
	return text
}

// missingNote lists the codes read as missing, except the usual ones.
func (p Printed) missingNote() string {
	var codes []string
	all := slices.Clone(p.data.Profiles)
	if p.run.Reading != nil { // columns of the run that the dataset no longer has
		for _, s := range p.run.Reading.Columns {
			if !slices.ContainsFunc(all, func(c table.Profile) bool { return c.Name == s.Name }) {
				all = append(all, table.Profile{Name: s.Name})
			}
		}
	}
	for _, c := range all {
		if p.narrow() && !slices.Contains(p.run.Spec.Columns(), c.Name) {
			continue
		}
		var own []string
		for _, code := range p.codesOf(c) {
			if slices.Contains(table.DefaultMissing, code) {
				continue
			}
			if c.Type == table.Number {
				code = shortest(code)
			}
			if !slices.Contains(own, code) {
				own = append(own, code)
			}
		}
		if len(own) > 0 {
			codes = append(codes, c.Name+" "+strings.Join(own, " "))
		}
	}
	if len(codes) == 0 {
		return "Codes for missing: blanks and the usual texts only."
	}
	return "Codes for missing: " + strings.Join(codes, "; ") + "."
}

// codesOf lists the codes read as missing in a column of this run.
func (p Printed) codesOf(c table.Profile) []string {
	if p.run.Reading == nil {
		return c.MissingCodes
	}
	then, now := p.run.Reading.Column(c.Name).MissingCodes, p.data.Options.Column(c.Name).MissingCodes
	if slices.Equal(then, now) {
		return c.MissingCodes
	}
	rest := slices.DeleteFunc(slices.Clone(c.MissingCodes), func(code string) bool { return slices.Contains(now, code) })
	return append(rest, then...)
}

// excludedNote lists the excluded columns with the reasons.
func (p Printed) excludedNote() string {
	if p.narrow() { // the names are in no model, so this report leaves them out
		return ""
	}
	used := map[string]bool{p.r.Outcome: true, p.run.Spec.Group: true, p.run.Spec.Weights: true}
	for _, s := range p.c.predictors() {
		used[s.Name] = true
	}
	var out []string
	for _, c := range p.data.Profiles {
		if used[c.Name] {
			continue
		}
		why := "not chosen"
		switch c.Type {
		case table.Identifier, table.Date, table.Text, table.Constant:
			why = string(c.Type)
		}
		out = append(out, c.Name+" ("+why+")")
	}
	for _, l := range p.data.LeftOut {
		out = append(out, l.Name+" ("+cmp.Or(leftWhy[l.Reason], l.Reason)+")")
	}
	text := ""
	if len(out) > 0 {
		text = "Left out: " + strings.Join(out, ", ") + "."
	}
	switch {
	case p.unlisted():
		return strings.TrimSpace(text + " Columns dropped before storage are not listed.")
	case text == "":
		return "No column was left out."
	}
	return text
}

// leftWhy gives the reasons that do not follow from the type of a column.
var leftWhy = map[string]string{store.LeftLeak: "may be known only after the outcome", store.LeftExcluded: "by choice",
	store.LeftUnchosen: "not chosen"}

// unlisted reports whether columns were dropped before storage and their names are unknown. Names are stored when a
// dataset is confirmed; before that all columns are present.
func (p Printed) unlisted() bool { return p.data.LeftOut == nil && p.data.State != store.Raw }

// auditParts describes the label audit and which labels the run was trained on (docs/clinical.md, The report,
// section 9).
func (p Printed) auditParts() []doc.Node {
	if !p.c.Known {
		return nil
	}
	parts := []doc.Node{doc.Note(p.reviewed())}
	if f := p.Audit; f.Made {
		f.small = p.Small
		parts = append(parts, doc.Note(f.ranked()), doc.Note(f.looked()))
		if f.Tally.Errors+f.Tally.Excluded > 0 {
			parts = append(parts, f.beforeAndAfter(p.run.Spec.Outcome))
		}
	}
	return parts
}

// reviewed says whether the run used reviewed labels.
func (p Printed) reviewed() string {
	if p.run.Spec.Review == nil {
		return "No reviewed labels were used."
	}
	id := "auc"
	if p.several() {
		id = "accuracy"
	}
	measure := stat.ByID(id).InSentence()
	return fmt.Sprintf("Trained and evaluated on reviewed labels: %s changed, %s left out of training. Agreeing with a "+
		"model raises its %s by construction; the run it came from is compared with it on the audit page.",
		p.Small.rows(p.r.Flow.Relabelled), p.Small.rows(p.r.Flow.LeftOut), measure)
}
