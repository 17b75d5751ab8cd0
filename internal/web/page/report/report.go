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
// Files, from the bottom: words writes numbers and sentences; clinical is Clinical and
// the counts it declares, over it its tables (performance, decisions) and drawings;
// printed is Printed, over it a file a section up to tripod and summary, the first page,
// and report sets them;
// external… are the same of a validation, page the sections of a run's page, and kept…
// what stays when data go.
package report

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Build makes the report of a run from its record alone, without what its
// rows and refits would add.
func Build(run store.Run, data store.Dataset) doc.Document {
	return New(run, data, Clinical{Run: run, Result: run.Result}).Report()
}

// Report sets the sections of docs/clinical.md, The report, with counts of 1 … 9 masked unless they
// are asked for.
func (p Printed) Report() doc.Document {
	if p.Small == ShowSmall {
		p = p.of(p.full)
	}
	d := p.document()
	if p.Small == ShowSmall {
		d.Counts[mask.Rows] = nil
	}
	p.Small.stamp(&d)
	return doc.Mask(d, p.release)
}

// maskedUse stands behind the intended use in the header of a report that masks small counts: what it
// holds of rows.
const maskedUse = " Contains no row-level data. Several reports of the same data, with other boundaries, predictors " +
	"or rows, can together reveal a masked count: publish one only."

// document is the report before its counts are masked. What stands in words or is
// drawn from counts is Counted; a number says by itself what it tells. For several
// classes the answers by true class stand where two classes have their strata.
func (p Printed) document() doc.Document {
	body := []doc.Section{
		{Title: "Data", Body: p.counted(Printed.dataParts)},
		{Title: "Performance", Body: p.performanceParts()},
		{Title: "Strata in detail", Body: p.counted(Printed.strataDetails)},
		{Title: "Classification", Body: p.classification()},
		{Title: "Model", Body: p.counted(Printed.modelParts)},
		{Title: "Robustness", Body: p.counted(Printed.robustnessParts)},
	}
	if p.several() {
		body = []doc.Section{
			{Title: "Data", Body: p.counted(Printed.dataParts)},
			{Title: "Performance", Body: p.counted(Printed.classPerformance)},
			{Title: "Classification", Body: p.counted(Printed.classClassification)},
			{Title: "Model", Body: p.counted(Printed.classModelParts)},
			{Title: "Robustness", Body: p.counted(Printed.classRobustness)},
		}
	}
	return doc.Document{Title: p.title(), Facts: p.facts(), Counts: p.c.counts(), Use: phrase.IntendedUse, Foot: p.foot(),
		Sections: slices.Concat(p.summary(), body, []doc.Section{
			{Title: "Label audit", Body: p.auditParts()},
			{Title: "Subgroups", Body: p.subgroupSection()},
			{Title: "Limits", Body: p.counted(Printed.limitParts)},
			{Title: "Reproduce this run", Level: doc.Appendix, Body: p.redoParts()},
			{Title: "TRIPOD+AI", Level: doc.Appendix, Body: p.counted(Printed.tripodSection)},
			{Title: "Masks", Level: doc.Appendix, Body: p.Small.masks()},
		})}
}

// title is the run's name if somebody gave it one.
func (p Printed) title() string {
	_, isDefault := p.run.Spec.AfterDefault(p.run.Name)
	switch n := p.run.Name; {
	case p.several():
		return p.run.Spec.Outcome + " in " + p.run.DatasetName
	case n != "" && !isDefault && n != p.r.Outcome+" in "+p.run.DatasetName: // the default of earlier versions
		return n
	}
	return "Risk bands for " + p.event()
}

func (p Printed) facts() []doc.Fact {
	all := []doc.Fact{
		{Label: "Run", Value: p.run.ID, Mono: true},
		{Label: "Date", Value: p.run.Created.UTC().Format("2 January 2006")},
		{Label: "Seed", Value: strconv.FormatUint(p.run.Spec.Seed, 10)},
		{Label: "File", Value: p.run.DatasetName},
		{Label: "SHA-256", Value: middle(p.run.DatasetSHA), Mono: true},
		{Label: "Version", Value: "Taper " + p.run.Version},
	}
	if p.several() {
		return append(all, doc.Fact{Label: "Rows", Value: p.judged().N.CountText()},
			doc.Fact{Label: "Loss", Value: p.r.Method}, doc.Fact{Label: "Task", Value: format.Task(p.run.Spec)})
	}
	return append(all,
		doc.Fact{Label: "Rows", Counted: func(r mask.Released) string { return rowsAndEvents(r[bands].Total) }},
		doc.Fact{Label: "Loss", Value: p.loss() + p.boundaries()}, doc.Fact{Label: "Link", Value: p.link()})
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

func (p Printed) foot() []string {
	return []string{"Taper " + p.run.Version + " · run " + p.run.ID + " · data " + format.Hash(p.run.DatasetSHA, 8),
		"Not a medical device"}
}
