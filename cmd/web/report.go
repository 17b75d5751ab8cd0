package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/errs"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/static"
	"taper/web/templates"
)

const leastRows = 10 // groups under it are not described in print

// reportPage answers GET /report/:id and GET /api/v1/runs/:id/report: the
// printable page, without any script. With download=1 it is one file that
// carries its style.
func (s *Server) reportPage(c echo.Context) error {
	view, err := s.report(c.Request().Context(), c.Param("id"), c.QueryParam("by"), c.QueryParam("order"))
	if err != nil {
		return err
	}
	if c.QueryParam("download") != "1" {
		return s.render(c, http.StatusOK, templates.ReportPage(s.page(c, view.Title), view))
	}
	css, err := static.CSS()
	if err != nil {
		return fmt.Errorf("read style sheets: %w", err)
	}
	var b bytes.Buffer
	if err := templates.ReportFile(view, css).Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="report-`+view.Run+`.html"`)
	return c.HTMLBlob(http.StatusOK, b.Bytes())
}

// report reads what a report is made from.
func (s *Server) report(ctx context.Context, id, by, order string) (templates.Report, error) {
	run, err := s.db.Run(ctx, id)
	if err != nil {
		return templates.Report{}, err
	}
	if run.Result == nil {
		return templates.Report{}, errs.New(errs.Conflict, "This run is %s: a report needs a finished run.", run.Status)
	}
	if !run.Wiped.IsZero() {
		k, err := s.keptReport(ctx, id)
		return k.view(id), err
	}
	data, err := s.db.Dataset(ctx, run.Dataset)
	if err != nil {
		return templates.Report{}, err
	}
	if run.Result.Classes != nil {
		return classReport(run, data), nil
	}
	c, err := s.clinicalOf(ctx, run, by, order)
	if err != nil {
		return templates.Report{}, err
	}
	p := newPrinted(run, data, c)
	if p.audit, err = s.auditFacts(ctx, run); err != nil {
		return templates.Report{}, err
	}
	return p.report(), nil
}

// BuildReport makes the report of a run from its record alone, without what its
// rows and refits would add.
func BuildReport(run store.Run, data store.Dataset) templates.Report {
	if run.Result.Classes != nil {
		return classReport(run, data)
	}
	return newPrinted(run, data, clinical{run: run, r: run.Result}).report()
}

// report sets the sections of clinical.md §3. Counts of 1 … 9 are masked once,
// and every part prints from the masked table.
func (p printed) report() templates.Report {
	return templates.Report{
		Run: p.run.ID, Title: p.title(), Facts: p.facts(),
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Sections: []templates.ReportSection{
			{Title: "Verdict", Parts: []templ.Component{templates.ReportVerdict(p.verdict())}},
			{Title: "Data", Parts: p.dataParts()},
			{Title: "Strata", Parts: p.strataParts()},
			{Title: "Performance", Parts: p.performanceParts()},
			{Title: "Decisions", Parts: p.decisionSection()},
			{Title: "Model", Parts: p.modelParts()},
			{Title: "Robustness", Parts: p.robustnessParts()},
			{Title: "Label audit", Parts: p.auditParts()},
			{Title: "Subgroups", Parts: p.subgroupSection()},
			{Title: "Limits", Parts: p.limitParts()},
			{Title: "TRIPOD+AI", Parts: p.tripodSection()},
			{Title: "Do it again", Parts: p.redoParts()},
		},
		Foot: p.foot(),
	}
}

func (p printed) foot() []string {
	return []string{"Taper " + p.run.Version + " · run " + p.run.ID + " · data " + wording.Hash(p.run.DatasetSHA, 8), "Not a medical device"}
}

// printed is a run as print may show it.
type printed struct {
	run      store.Run
	r        *engine.Result
	data     store.Dataset
	c        clinical
	strata   viz.MaskedTable
	decimals int // of the interval loss; −1: a range only
	audit    auditFacts
	kept     bool // the last report before the data go
}

func newPrinted(run store.Run, data store.Dataset, c clinical) printed {
	p := printed{run: run, r: run.Result, data: data, c: c, decimals: 3}
	var rows []viz.Split
	for _, s := range p.r.Strata {
		rows = append(rows, viz.Split{N: s.N, Events: s.Events})
	}
	p.strata = viz.Mask(rows)
	if v := p.r.Metrics.Test.IntervalLoss; v != nil {
		p.decimals = viz.LossDecimals(rows, p.strata, *v)
	}
	p.withhold()
	return p
}

// event names the event in words.
func (p printed) event() string { return wording.Event(p.r.Outcome, p.r.Positive) }

// title is the run's name if somebody gave it one.
func (p printed) title() string {
	if n := p.run.Name; n != "" && n != p.r.Outcome+" in "+p.run.DatasetName {
		return n
	}
	return "Risk bands for " + p.event()
}

func (p printed) facts() []templates.Fact {
	total := p.strata.Total
	return []templates.Fact{
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
func (p printed) boundaries() string {
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
func (p printed) interval() bool { return p.run.Spec.Model.Loss == "interval" }

// loss names the loss by its id, or with its parameters where it has some.
func (p printed) loss() string {
	if m := p.run.Spec.Model; m.Loss != "interval" && m.Loss != "logistic" {
		return m.Title()
	}
	return p.run.Spec.Model.Loss
}

func (p printed) link() string {
	return or(p.r.Link.Formula, engine.LinkName(p.run.Spec.Model.Link()))
}

// middle shows both ends of a hash.
func middle(hash string) string {
	if len(hash) <= 13 {
		return hash
	}
	return hash[:8] + "…" + hash[len(hash)-4:]
}
