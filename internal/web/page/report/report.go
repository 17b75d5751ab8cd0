// Package report makes the documents about a finished run: the sections of its page, its printed report, and the
// report of an external validation.
//
// Clinical is the statistics of a binary run, used by its page and its report. Printed is the report of a run: a
// document that declares its tables of counts and shows only what one mask releases of them. External is the report
// of a validation on another file, under the same masks. Kept is a report stored when the data of its run were
// deleted. All of them are made from records that the caller has read; this package reads no request and no store.
//
// Files, from the bottom: words writes numbers and sentences. clinical has Clinical and the counts it declares; its
// tables are in performance and decisions, its figures in drawings. printed has Printed; each section of the report
// has its own file, up to tripod and summary (the first page), and report puts the sections in order. external…
// are the same for a validation, page has the sections of a run's page, and kept… what remains when data are
// deleted.
package report

import (
	"slices"
	"strconv"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/store"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
)

// Build makes the report of a run from its record alone, without the statistics that need its rows or a bootstrap.
func Build(run store.Run, data store.Dataset) doc.Document {
	return New(run, data, Clinical{Run: run, Result: run.Result}).Report()
}

// Report makes the sections of docs/clinical.md, The report. Counts of 1 to 9 are masked unless small counts are
// asked for.
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

// maskedUse follows the intended use in the header of a masked report and says which information about rows it
// contains.
const maskedUse = " Contains no row-level data. Several reports of the same data, with other boundaries, predictors " +
	"or rows, can together reveal a masked count: publish one only."

// document is the report before masking. Sentences and figures made from counts are Counted nodes; numbers in cells
// declare by themselves what they reveal. For several classes the answers by true class take the place of the
// strata.
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

// title is the name of the run if a user gave it one.
func (p Printed) title() string {
	_, isDefault := p.run.Spec.AfterDefault(p.run.Name)
	switch n := p.run.Name; {
	case p.several():
		return p.run.Spec.Outcome + " in " + p.run.DatasetName
	case n != "" && !isDefault && n != p.r.Outcome+" in "+p.run.DatasetName: // the default name of earlier versions
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

// boundaries lists the boundaries π for the header.
func (p Printed) boundaries() string {
	if len(p.r.Boundaries) == 0 {
		return ""
	}
	return ", boundaries " + boundary.Percents(p.r.Boundaries)
}

func (p Printed) foot() []string {
	all := []string{"Taper " + p.run.Version + " · run " + p.run.ID + " · data " + format.Hash(p.run.DatasetSHA, 8),
		"Not a medical device"}
	if p.data.Simulated { // the verdict card has no limits
		all = append(all, "Simulated data")
	}
	return all
}
