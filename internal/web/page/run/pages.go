package run

import (
	"slices"

	"taper/internal/store"
	"taper/internal/web/form"
	"taper/web/templates"
)

// Page identifies a page of a run by the last part of its address.
type Page string

// The pages of a run; Audit and Report have packages of their own.
const (
	Result      Page = ""
	Performance Page = "performance"
	Model       Page = "model"
	Patients    Page = "patients"
	Audit       Page = "audit"
	Report      Page = "report"
)

// title is what a page is called.
func (p Page) title() string {
	return map[Page]string{Result: "Result", Performance: "Performance", Model: "Model", Patients: "Patients",
		Audit: "Audit", Report: "Report"}[p]
}

// URL is the address of a page of a run.
func (p Page) URL(run string) string {
	switch p {
	case Result:
		return "/runs/" + run
	case Audit, Report:
		return "/" + string(p) + "/" + run
	}
	return "/runs/" + run + "/" + string(p)
}

// pages lists the pages of a run. One without a result has only the first; an audit needs the rows, and binned
// outcomes have no labels to audit.
func pages(r store.Run) []Page {
	switch {
	case r.Result == nil:
		return []Page{Result}
	case !r.Wiped.IsZero() || r.Spec.Bins != nil:
		return []Page{Result, Performance, Model, Patients, Report}
	}
	return []Page{Result, Performance, Model, Patients, Audit, Report}
}

// Has reports whether a run has a page.
func Has(r store.Run, p Page) bool { return slices.Contains(pages(r), p) }

// Tabs are links to the pages of a run, with the open one marked; nil where there is only one page. Subgroups and an
// order of groups that were chosen go with the reader between performance and report.
func Tabs(r store.Run, at Page, by, order string) *templates.Tabs {
	all := pages(r)
	if len(all) == 1 {
		return nil
	}
	t := &templates.Tabs{Label: "Pages of this run", Open: at.title()}
	chosen := form.Values(&State{By: by, Order: order, Band: -1, Sheet: 1}).Encode()
	for _, p := range all {
		l := templates.Link{Label: p.title(), URL: p.URL(r.ID)}
		if p == Performance || p == Report {
			l.URL = form.Address(l.URL, chosen)
		}
		t.Links = append(t.Links, l)
	}
	return t
}
