// Package report says in words, tables and figures what the rows and refits of a
// finished run tell: for its page, for the printed report, and for the report of
// an external validation.
//
// Clinical is the statistics of a run of two classes, for its page and its
// report alike. Printed is a run as print may show it: counts of 1 to 9 are
// masked once, and every section prints from the masked table. External is a
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

// Report sets the sections of clinical.md §3. Counts of 1 … 9 are masked once,
// and every part prints from the masked table.
func (p Printed) Report() doc.Document {
	if p.several() {
		return p.classReport()
	}
	return doc.Mask(doc.Document{
		Title: p.title(), Facts: p.facts(), Counts: p.c.counts(),
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Sections: []doc.Section{
			{Title: "Verdict", Body: []doc.Node{doc.Verdict(p.verdict())}},
			{Title: "Data", Body: p.dataParts()},
			{Title: "Strata", Body: p.strataParts()},
			{Title: "Performance", Body: p.performanceParts()},
			{Title: "Decisions", Body: p.decisionSection()},
			{Title: "Model", Body: p.modelParts()},
			{Title: "Robustness", Body: p.robustnessParts()},
			{Title: "Label audit", Body: p.auditParts()},
			{Title: "Subgroups", Body: p.subgroupSection()},
			{Title: "Limits", Body: p.limitParts()},
			{Title: "TRIPOD+AI", Body: p.tripodSection()},
			{Title: "Do it again", Body: p.redoParts()},
		},
		Foot: p.foot(),
	}, p.release)
}

func (p Printed) foot() []string {
	return []string{"Taper " + p.run.Version + " · run " + p.run.ID + " · data " + format.Hash(p.run.DatasetSHA, 8),
		"Not a medical device"}
}

// Printed is a run as print may show it.
type Printed struct {
	Strata mask.Table // the bands, as they may be told
	Audit  Audit
	Kept   bool // the last report before the data go

	run      store.Run
	r        *engine.Result
	data     store.Dataset
	c        Clinical
	decimals int // of the interval loss; −1: a range only
}

// New masks the counts of a run; c is zero where nothing but its record is known,
// and for several classes.
func New(run store.Run, data store.Dataset, c Clinical) Printed {
	c.Result = run.Result
	p := Printed{run: run, r: run.Result, data: data, c: c}
	rows := c.counts()[bands]
	p.Strata = mask.Hide(rows)
	p.decimals = lossDecimals(p.r, rows, p.Strata)
	p.withhold()
	return p
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
	total := p.Strata.Total
	return []doc.Fact{
		{Label: "Run", Value: p.run.ID, Mono: true},
		{Label: "Date", Value: p.run.Created.UTC().Format("2 January 2006")},
		{Label: "Seed", Value: strconv.FormatUint(p.run.Spec.Seed, 10)},
		{Label: "File", Value: p.run.DatasetName},
		{Label: "SHA-256", Value: middle(p.run.DatasetSHA), Mono: true},
		{Label: "Version", Value: "Taper " + p.run.Version},
		{Label: "Rows", Value: total.N.CountText() + ", " + total.Events.CountText() + " events"},
		{Label: "Loss", Value: p.loss() + p.boundaries()},
		{Label: "Link", Value: p.link()},
	}
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
