package report

import (
	"fmt"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// External is an external validation as print may show it: p is the file that
// judged, dev the run as its own report prints it.
type External struct {
	rec  store.Evaluation
	e    *engine.Evaluation
	run  store.Run
	m    *engine.Model
	p    Printed
	dev  Printed
	own  *stat.Performance // the run's own numbers; nil where they are gone
	host string            // that the page was asked from
}

// NewExternal is the report of rec, a validation of the model m of run; rows are
// those that judged the run, none where they are gone, and host is where the
// page was asked for.
func NewExternal(run store.Run, m *engine.Model, rec store.Evaluation, rows []engine.RowScore, host string) External {
	x := External{rec: rec, e: rec.Result, run: run, m: m, own: ownNumbers(run, rows), host: host}
	if x.e.Classes != nil {
		return x
	}
	x.dev = New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result})
	r := *run.Result
	r.Strata, r.Monotone, r.Metrics.Test, r.Apparent = x.e.Strata, x.e.Monotone, x.e.Metrics, false
	r.Flow = engine.Flow{Scored: x.e.Rows, ScoredEvents: x.e.Events}
	r.Beside, r.Reject, r.Density, r.PCA, r.Pictures, r.Clinical = nil, nil, nil, nil, nil, nil
	on := run
	on.Result = &r
	c := Clinical{Run: on, Result: &r, Model: m, Known: true, By: x.e.By, Groups: x.e.Subgroups,
		Statistics: engine.Statistics{Judged: *x.e.Performance, Boundaries: x.e.Boundaries, Bands: x.e.Bands,
			Decisions: x.e.Decisions, Calibration: x.e.Calibration}}
	x.p = New(on, store.Dataset{}, c)
	return x
}

// ownNumbers are those of a run, to hold those of another file against; of
// a model kept without its data, and so without rows, those that were kept, most
// of them without an interval. Runs of several classes have none.
func ownNumbers(r store.Run, rows []engine.RowScore) *stat.Performance {
	switch {
	case r.Result == nil || r.Result.Classes != nil:
		return nil
	case r.Result.Clinical != nil:
		return &r.Result.Clinical.Judged
	case len(rows) == 0:
		p := r.Result.Metrics.Test.Performance()
		return &p
	}
	own := stat.Perform(r.Result.ScoresOf(engine.Judged(r.Spec, rows)), stat.Draws{})
	return &own
}

// Report sets the sections. Counts of 1 … 9 are masked as in the report of a
// run.
func (x External) Report() doc.Document {
	r := doc.Document{
		Title: "External validation: " + x.rec.Name, Facts: x.facts(),
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Foot: []string{"Taper " + x.rec.Version + " · validation " + x.rec.ID + " · file " + format.Hash(x.rec.SHA256, 8),
			"Not a medical device"},
	}
	if x.e.Classes != nil {
		r.Sections = x.classSections()
		return doc.Mask(r, doc.Print)
	}
	r.Sections = []doc.Section{
		{Title: "Verdict", Body: x.counted(func(x External) []doc.Node { return []doc.Node{doc.Verdict(x.verdict())} })},
		{Title: "Data", Body: x.counted(External.dataParts)},
		{Title: "Strata", Body: x.counted(External.strataParts)},
		{Title: "Performance", Body: x.counted(External.performanceParts)},
		{Title: "Decisions", Body: x.p.decisionSection()},
		{Title: "Recalibration", Body: x.counted(External.recalibrationParts)},
		{Title: "Subgroups", Body: x.subgroupParts()},
		{Title: "Limits", Body: x.counted(func(x External) []doc.Node { return []doc.Node{doc.List(x.limits())} })},
		{Title: "Do it again", Body: x.redoParts()},
	}
	r.Counts = x.p.c.counts()
	r.Counts[development] = x.dev.c.counts()[bands]
	return doc.Mask(r, func(table string, rows []mask.Split) mask.Table {
		if table == development {
			return x.dev.release(bands, rows)
		}
		return x.p.release(table, rows)
	})
}

// counted makes nodes once it is known what print may say of the counts, here and of
// development.
func (x External) counted(make func(External) []doc.Node) doc.Nodes {
	return doc.Nodes{doc.Counted(func(r mask.Released) []doc.Node {
		x.p, x.dev = x.p.with(r, bands), x.dev.with(r, development)
		return make(x)
	})}
}

func (x External) facts() []doc.Fact {
	rows := doc.Fact{Label: "Rows", Value: viz.Count(x.e.Rows)}
	facts := []doc.Fact{
		{Label: "Validation", Value: x.rec.ID, Mono: true}, {Label: "Date",
			Value: x.rec.Created.UTC().Format("2 January 2006")},
		{Label: "Seed", Value: strconv.FormatUint(x.e.Seed, 10)}, {Label: "File", Value: x.rec.File},
		{Label: "SHA-256", Value: middle(x.rec.SHA256), Mono: true}, {Label: "Version", Value: "Taper " + x.rec.Version},
	}
	if x.e.Classes == nil {
		rows.Counted = func(r mask.Released) string { return rowsAndEvents(r[bands].Total) }
	}
	return append(facts, rows, doc.Fact{Label: "Model", Value: x.run.ID, Mono: true},
		doc.Fact{Label: "Developed on", Value: x.run.DatasetName})
}

// dataParts follow the rows and set the predictors beside those of development.
func (x External) dataParts() []doc.Node {
	parts := []doc.Node{x.flow()}
	if t := x.predictors(); len(t.Rows) > 0 {
		parts = append(parts, t)
	}
	return append(parts, doc.Note(strings.Join(x.dataNotes(), " ")))
}

// flow follows the rows: read, aside, judged. A small part is masked, and then
// the rows read are a range too.
func (x External) flow() doc.Flow {
	total := mask.Span{Low: x.e.Rows, High: x.e.Rows}
	judged := []string{"judged"}
	if x.e.Classes == nil {
		total = x.p.strata.Total.N
		judged = []string{"judged, " + x.p.strata.Total.Events.CountText() + " events"}
	}
	if x.unseen() {
		judged = append(judged, "by a model that never saw them")
	}
	none, unknown := x.aside()
	outside := x.outside().N
	read := plus(plus(total, outside), plus(none, unknown))
	aside := []string{"of a level the model does not know"}
	if x.e.Outside > 0 {
		aside = append(aside, outside.CountText()+" outside the data trained on, not judged")
	}
	return doc.Flow{{Count: read, Lines: []string{"rows read"}}, {Count: none, Lines: []string{"without the outcome"}},
		{Count: unknown, Lines: aside}, {Count: total, Lines: judged}}
}

// outside counts the rows outside the data, as print may show them.
func (x External) outside() mask.Row {
	if x.e.Classes != nil || x.e.Outside == 0 {
		return mask.Row{N: hideSmall(x.e.Outside)}
	}
	return mask.Hide([]mask.Split{{N: x.e.Outside, Events: x.e.OutsideEvents}}).Rows[0]
}

// outsideNote says how many rows have no answer, and by which columns.
func (x External) outsideNote() string {
	n := x.outside()
	text := "Outside the data the model was trained on: " + n.N.CountText() + " rows with a known outcome"
	if x.e.Classes == nil {
		text += ", " + n.Events.CountText() + " events"
	}
	var by []string
	for _, d := range x.e.OutsideBy {
		by = append(by, "‘"+d.Column+"’ "+hideSmall(d.Rows).CountText())
	}
	return text + ", by " + format.Names(by, 5) + ". They have no band or answer, and no number here counts them."
}

// aside counts the rows without outcome, and those of levels the model does not
// know.
func (x External) aside() (none, unknown mask.Span) {
	for _, l := range x.e.Unknown {
		unknown = plus(unknown, hideSmall(l.Rows))
	}
	return hideSmall(x.e.NoOutcome), unknown
}

// unseen reports whether no judged row is known to be one trained on.
func (x External) unseen() bool { return x.e.Same != nil && *x.e.Same == 0 }

func (x External) dataNotes() []string {
	notes := []string{fmt.Sprintf("Outcome: %s, event = %s, no event = %s.", x.m.Outcome, x.m.Positive, x.m.Negative)}
	if x.e.Classes != nil {
		notes = []string{fmt.Sprintf("Outcome: %s, classes %s.", x.m.Outcome, format.Names(x.m.Levels, 12))}
	}
	for _, l := range x.e.Unknown {
		name := x.m.Outcome + " = " + l.Level
		if l.Level == "" {
			name = "Levels of few rows"
		}
		notes = append(notes, fmt.Sprintf("%s: %s, not judged.", name, hideSmall(l.Rows).CountText()))
	}
	if x.e.Outside > 0 {
		notes = append(notes, x.outsideNote())
	}
	warned := hideSmall(x.e.Warned).CountText()
	if x.e.Warned > 0 {
		notes = append(notes, warned+" judged rows have missing, unseen or out-of-range values; they are scored as "+
			"training says.")
	}
	return notes
}

// strataParts are the bands on the new rows.
func (x External) strataParts() []doc.Node {
	judged := "On the file that judges."
	if x.unseen() {
		judged = "On the file that judges: rows that took no part in making the model."
	}
	return []doc.Node{x.p.strataTable(judged), x.p.icons()}
}

// performanceParts set the numbers beside those of development, with the
// calibration curve.
func (x External) performanceParts() []doc.Node {
	parts := []doc.Node{x.performance()}
	figures := x.p.c.calibrationFigure()
	for i, f := range figures {
		figures[i].Title, figures[i].Say = "Calibration on the new rows", f.Say+x.curveNote()
	}
	return append(parts, figures)
}

// curveNote says how far the curve is from the diagonal at most.
func (x External) curveNote() string {
	s := x.e.Calibration
	if s == nil || s.EMax == nil {
		return ""
	}
	return " Farthest from the diagonal: " + viz.Percent(*s.EMax, 1) + " points."
}

func (x External) subgroupParts() []doc.Node {
	if x.e.By == "" {
		return []doc.Node{doc.Note("No column was chosen when the file was judged: score it again with " +
			"“Judge subgroups by”, or with by=COLUMN in the call.")}
	}
	return x.p.subgroupSection()
}

// redoParts is the call that judges the file again.
func (x External) redoParts() []doc.Node {
	call := "curl -X POST 'http://" + x.host + "/api/v1/runs/" + x.run.ID + "/predict?evaluate=1"
	if x.e.By != "" {
		call += "&by=" + queryText(x.e.By)
	}
	call += "' -H 'Content-Type: text/csv' --data-binary @" + shellName(x.rec.File)
	return []doc.Node{
		doc.Note("The same file, run and version give the same numbers to the last bit. SHA-256 of the file: " +
			x.rec.SHA256 + ". Of the model’s data: " + x.run.DatasetSHA),
		doc.Code(call),
	}
}

// Tools are what can be made of the validation.
func (x External) Tools() templates.EvaluationTools {
	to := "/evaluations/" + x.rec.ID
	v := templates.EvaluationTools{URL: to, Run: templates.Link{Label: x.run.Name, URL: "/runs/" + x.run.ID},
		Name: templates.Input{ID: "eval-name", Name: "name", Label: "Name", Value: x.rec.Name}}
	if !x.m.Recalibrates() {
		v.Say = "Only a model whose link is logistic has risks to move: this one cannot be recalibrated."
		return v
	}
	v.Say = "Moves the risks of the model as a run of its own with its own model.json: by the intercept, which makes " +
		"the expected number of events the observed one, by intercept and slope, or to another prevalence. The numbers of " +
		"this file make it right on this file by construction: judge the new run on a third one."
	v.ForRate = true
	for _, way := range []struct{ how, label string }{{engine.MovedIntercept, "Recalibrate the intercept"},
		{engine.MovedBoth, "Recalibrate intercept and slope"}} {
		if x.e.Movement(way.how) != nil {
			v.Moves = append(v.Moves, templates.Button{Label: way.label, Method: "POST", URL: to + "/recalibrate",
				Fields: []templates.Field{{Name: "how", Value: way.how}}})
		}
	}
	return v
}
