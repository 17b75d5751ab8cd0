package report

import (
	"slices"
	"strconv"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/web/format"
)

// External is the report of an external validation under its mask: p describes the validation file, dev the run as
// its own report prints it.
type External struct {
	rec  store.Evaluation
	e    *external.Evaluation
	run  store.Run
	m    *model.Model
	p    Printed
	dev  Printed
	own  *stat.Performance // statistics of the development run; nil where they were deleted
	host string            // host of the request, for links

	small   SmallCounts
	answers answerMask // mask of the answers of several classes
}

// NewExternal is the report of rec, a validation of the model m of run. rows are the test rows of the run, none
// where they were deleted; host is the host of the request.
func NewExternal(run store.Run, m *model.Model, rec store.Evaluation, rows []engine.RowScore, host string,
	small SmallCounts,
) External {
	x := External{rec: rec, e: rec.Result, run: run, m: m, own: ownNumbers(run, rows), host: host, small: small}
	if x.e.Classes != nil {
		if small == MaskSmall {
			x.run.Result = printable(run.Result)
		}
		if x.answers = x.small.answerMask(*x.e.Classes, abstains(run.Result)); x.answers.hidden {
			e, c := *x.e, x.answers.leave(*x.e.Classes)
			e.Classes, e.Cost = &c, nil
			x.e = &e
		}
		return x
	}
	x.dev = New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result})
	r := *run.Result
	r.Strata, r.Monotone, r.Metrics.Test, r.Apparent = x.e.Strata, x.e.Monotone, x.e.Metrics, false
	r.Flow = engine.Flow{Scored: x.e.Rows, ScoredEvents: x.e.Events}
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w engine.Warning) bool { // these rows do test it
		return w.Code == engine.WarnRecalibrated
	})
	r.Beside, r.Reject, r.Density, r.PCA, r.Pictures, r.Clinical = nil, nil, nil, nil, nil, nil
	on := run
	on.Result = &r
	c := Clinical{Run: on, Result: &r, Model: m, Known: true, By: x.e.By, Groups: x.e.Subgroups,
		Statistics: engine.Statistics{Judged: *x.e.Performance, Boundaries: x.e.Boundaries, Bands: x.e.Bands,
			Curves: stat.Curves{Decisions: x.e.Decisions}, Calibration: x.e.Calibration}}
	x.p = New(on, store.Dataset{}, c)
	if x.p.Small, x.dev.Small = small, small; small == ShowSmall {
		x.p, x.dev = x.p.of(x.p.full), x.dev.of(x.dev.full)
	}
	return x
}

// ownNumbers are the statistics of a run for comparison with another file. A model kept without its data has the
// stored numbers, mostly without intervals. A recalibrated run has the AUC alone, since its rows are of the population
// of its parent. Runs of several classes have none.
func ownNumbers(r store.Run, rows []engine.RowScore) *stat.Performance {
	own := allOwnNumbers(r, rows)
	if own != nil && r.Result.IsRecalibrated() {
		return &stat.Performance{AUC: own.AUC}
	}
	return own
}

func allOwnNumbers(r store.Run, rows []engine.RowScore) *stat.Performance {
	switch {
	case r.Result == nil || r.Result.Classes != nil:
		return nil
	case r.Result.Clinical != nil:
		return &r.Result.Clinical.Judged
	case len(rows) == 0:
		p := r.Result.Metrics.Test.Performance()
		return &p
	}
	own := stat.Perform(r.Result.ScoresOf(engine.Judged(r.Spec, rows)))
	return &own
}

// counted makes nodes once the released counts of this file and of development are known.
func (x External) counted(make func(External) []doc.Node) doc.Nodes {
	return doc.Nodes{doc.Counted(func(r mask.Released) []doc.Node {
		if x.p.released = r; x.e.Classes == nil {
			x.p, x.dev = x.p.with(r, bands), x.dev.with(r, development)
		}
		return make(x)
	})}
}

// ownName says how the run itself was evaluated, for a sentence.
func (x External) ownName() string {
	if x.run.Result.Apparent {
		return "on the training rows"
	}
	return phrase.LowerFirst(Clinical{Run: x.run}.judgedName())
}

// unseen reports whether the validation rows are known to be different from all training rows.
func (x External) unseen() bool { return x.e.Same != nil && *x.e.Same == 0 }

// aside counts the rows without outcome and the rows with levels unknown to the model.
func (x External) aside() (none, unknown mask.Span) {
	for _, l := range x.e.Unknown {
		unknown = plus(unknown, x.small.span(l.Rows))
	}
	return x.small.span(x.e.NoOutcome), unknown
}

// outside counts the rows outside the range of the training data, as the report may show them.
func (x External) outside() mask.Row {
	if x.e.Classes != nil || x.e.Outside == 0 {
		return mask.Row{N: x.small.span(x.e.Outside)}
	}
	return x.small.release([]mask.Split{{N: x.e.Outside, Events: x.e.OutsideEvents}}).Rows[0]
}

// outsideNote says how many rows get no answer, and which columns cause it.
func (x External) outsideNote() string {
	n := x.outside()
	text := "Outside the data the model was trained on: " + n.N.CountText() + " rows with a known outcome"
	if x.e.Classes == nil {
		text += ", " + n.Events.CountText() + " events"
	}
	var by []string
	for _, d := range x.e.OutsideBy {
		by = append(by, "‘"+d.Column+"’ "+x.small.span(d.Rows).CountText())
	}
	return text + ", by " + format.Names(by, 5) + ". They get no band or prediction and are excluded from all figures."
}

// classCounts are the class sizes as the report may show them.
func (x External) classCounts() (all []string) {
	if x.e.Classes == nil {
		return []string{x.p.strata.Total.Others.CountText(), x.p.strata.Total.Events.CountText()}
	}
	for _, r := range x.p.released[classes].Rows {
		all = append(all, r.N.CountText())
	}
	return all
}

// classRows is the number of rows of one of several classes.
func (x External) classRows(k int) int {
	n := x.e.Classes.Abstained[k]
	for _, v := range x.e.Classes.Confusion[k] {
		n += v
	}
	return n
}

// beside reports whether the predictors of development may be printed beside those of this file.
func (x External) beside() bool {
	return x.e.Classes == nil && len(x.run.Result.Table1) > 0 && x.dev.tellsNothing()
}

func (x External) facts() []doc.Fact {
	rows := doc.Fact{Label: "Rows", Value: phrase.Int(x.e.Rows)}
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

// redoParts is the command that repeats the validation.
func (x External) redoParts() []doc.Node {
	call := "curl -X POST 'http://" + x.host + "/api/v1/runs/" + x.run.ID + "/predict?evaluate=1"
	if x.e.By != "" {
		call += "&by=" + queryText(x.e.By)
	}
	call += "' -H 'Content-Type: text/csv' --data-binary @" + shellName(x.rec.File)
	return []doc.Node{
		doc.Note("The same file, run and version give bit-identical results. SHA-256 of the file: " +
			x.rec.SHA256 + ". Of the model’s data: " + x.run.DatasetSHA),
		doc.Code(call),
	}
}
