// Package report says in words, tables and figures what the rows and refits of a
// finished run tell: for its page, for the printed report, and for the report of
// an external validation.
//
// Clinical is the statistics of a run of two classes, for its page and its
// report alike. Printed is a run with its report: a document that declares its
// tables of counts, of which print knows what one mask releases. External is a
// validation on another file, printed under the same masks. Kept is a report as
// it stood when the data of its run were wiped. All of them are made from records
// that the caller read; nothing here reads a request or the store.
//
// Files: report and one for each section are Printed; clinical… what the page
// shares with it; classes a run of several classes; external… validations;
// kept… what stays when data go.
package report

import (
	"cmp"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

const leastRows = 10 // groups under it are not described in print

// Build makes the report of a run from its record alone, without what its
// rows and refits would add.
func Build(run store.Run, data store.Dataset) doc.Document {
	return New(run, data, Clinical{Run: run, Result: run.Result}).Report()
}

// Report sets the sections of clinical.md §3, with counts of 1 … 9 masked.
func (p Printed) Report() doc.Document {
	if p.several() {
		return doc.Mask(p.classDocument(), p.release)
	}
	return doc.Mask(p.document(), p.release)
}

// document is the report before its counts are masked. What stands in words or is
// drawn from counts is Counted; a number says by itself what it tells.
func (p Printed) document() doc.Document {
	return doc.Document{
		Title: p.title(), Facts: p.facts(), Counts: p.c.counts(),
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Sections: []doc.Section{
			{Title: "Verdict", Body: p.counted(Printed.verdictParts)},
			{Title: "Data", Body: p.counted(Printed.dataParts)},
			{Title: "Strata", Body: p.counted(Printed.strataParts)},
			{Title: "Performance", Body: p.performanceParts()},
			{Title: "Decisions", Body: p.decisionSection()},
			{Title: "Model", Body: p.counted(Printed.modelParts)},
			{Title: "Robustness", Body: p.counted(Printed.robustnessParts)},
			{Title: "Label audit", Body: p.auditParts()},
			{Title: "Subgroups", Body: p.subgroupSection()},
			{Title: "Limits", Body: p.counted(Printed.limitParts)},
			{Title: "TRIPOD+AI", Body: p.counted(Printed.tripodSection)},
			{Title: "Do it again", Body: p.redoParts()},
		},
		Foot: p.foot(),
	}
}

func (p Printed) foot() []string {
	return []string{"Taper " + p.run.Version + " · run " + p.run.ID + " · data " + format.Hash(p.run.DatasetSHA, 8),
		"Not a medical device"}
}

// Printed is a run with its report. Strata and decimals are known to what is made of
// counts alone (counted): there is nothing to print counts from before they are
// released.
type Printed struct {
	Audit Audit
	Kept  bool // the last report before the data go

	run  store.Run
	r    *engine.Result
	data store.Dataset
	c    Clinical

	released mask.Released
	strata   mask.Table // the bands, as they may be told
	decimals int        // of the interval loss; −1: a range only
}

// New is the report of a run; c is zero where nothing but its record is known, and
// for several classes.
func New(run store.Run, data store.Dataset, c Clinical) Printed {
	c.Run, c.Result = run, run.Result
	return Printed{run: run, r: run.Result, data: data, c: c}
}

// counted makes nodes once it is known what print may say of the counts.
func (p Printed) counted(make func(Printed) []doc.Node) doc.Nodes {
	return doc.Nodes{doc.Counted(func(r mask.Released) []doc.Node { return make(p.with(r, bands)) })}
}

// with is the report with the counts released; table names that of its bands.
func (p Printed) with(r mask.Released, table string) Printed {
	p.released, p.strata, p.decimals = r, r[table], p.c.lossDecimals(r[table])
	return p
}

// printed is the report with what print may say of its own counts, for what is made
// of a run beside its report.
func (p Printed) printed() Printed {
	r := mask.Released{}
	for table, rows := range p.c.counts() {
		r[table] = p.release(table, rows)
	}
	return p.with(r, bands)
}

// event names the event in words.
func (p Printed) event() string { return format.Event(p.r.Outcome, p.r.Positive) }

// title is the run's name if somebody gave it one.
func (p Printed) title() string {
	if n := p.run.Name; n != "" && n != p.r.Outcome+" in "+p.run.DatasetName {
		return n
	}
	return "Risk bands for " + p.event()
}

func (p Printed) facts() []doc.Fact {
	return []doc.Fact{
		{Label: "Run", Value: p.run.ID, Mono: true},
		{Label: "Date", Value: p.run.Created.UTC().Format("2 January 2006")},
		{Label: "Seed", Value: strconv.FormatUint(p.run.Spec.Seed, 10)},
		{Label: "File", Value: p.run.DatasetName},
		{Label: "SHA-256", Value: middle(p.run.DatasetSHA), Mono: true},
		{Label: "Version", Value: "Taper " + p.run.Version},
		{Label: "Rows", Counted: func(r mask.Released) string { return rowsAndEvents(r[bands].Total) }},
		{Label: "Loss", Value: p.loss() + p.boundaries()},
		{Label: "Link", Value: p.link()},
	}
}

// rowsAndEvents counts both for the header.
func rowsAndEvents(total mask.Row) string {
	return total.N.CountText() + ", " + total.Events.CountText() + " events"
}

// boundaries lists π for the header.
func (p Printed) boundaries() string {
	if len(p.r.Boundaries) == 0 {
		return ""
	}
	var each []string
	for _, v := range p.r.Boundaries {
		each = append(each, strings.TrimPrefix(viz.Short(v, 4), "0"))
	}
	return ", π = " + strings.Join(each, " ")
}

// interval reports whether the model promises bands and no probabilities.
func (p Printed) interval() bool { return p.run.Spec.Model.Loss == "interval" }

// loss names the loss by its id, or with its parameters where it has some.
func (p Printed) loss() string {
	if m := p.run.Spec.Model; m.Loss != "interval" && m.Loss != "logistic" {
		return m.Title()
	}
	return p.run.Spec.Model.Loss
}

func (p Printed) link() string {
	return cmp.Or(p.r.Link.Formula, engine.LinkName(p.run.Spec.Model.Link()))
}

// middle shows both ends of a hash.
func middle(hash string) string {
	if len(hash) <= 13 {
		return hash
	}
	return hash[:8] + "…" + hash[len(hash)-4:]
}
