package web

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/doc"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/page/help"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/render"
	"taper/web/static"
	"taper/web/templates"
)

// reportPage answers GET /report/:id and GET /api/v1/runs/:id/report: the printable page, whose only script opens the
// help. With download=1 it is a single file with its style, without scripts.
func (s *Server) reportPage(c echo.Context) error {
	small, err := smallCounts(c.QueryParam("counts"))
	if err != nil {
		return err
	}
	run, err := s.db.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	view, err := s.report(c.Request().Context(), run, c.QueryParam("by"), c.QueryParam("order"), small)
	if err != nil {
		return err
	}
	around(&view, "/report/"+view.Run, c.Request().URL.Query(), small)
	if c.QueryParam("download") == "1" {
		return sendReport(c, view, "report-"+view.Run)
	}
	p := s.page(c, view.Title)
	p.Tabs = runpage.Tabs(run, runpage.Report, c.QueryParam("by"), c.QueryParam("order"))
	p.Help = reportHelp(c)
	return s.render(c, http.StatusOK, templates.ReportPage(p, view))
}

// around adds the links around a report: to one file, and to the report with small counts shown or masked. asked is
// the query of the address.
func around(v *templates.Report, path string, asked url.Values, small report.SmallCounts) {
	address := func(key, value string) string {
		q := maps.Clone(asked)
		if q.Set(key, value); value == "" {
			q.Del(key)
		}
		return form.Address(path, q.Encode())
	}
	v.File = address("download", "1")
	switch {
	case v.Kept: // counts were masked when the data were deleted
	case small == report.ShowSmall:
		v.Counts = templates.Link{Label: "Mask counts of 1 to 9", URL: address("counts", "")}
	default:
		v.Counts = templates.Link{Label: "Show counts of 1 to 9", URL: address("counts", "shown")}
	}
}

// reportHelp is the topic about the page of a report. The API answers the page without help, and so without scripts.
func reportHelp(c echo.Context) string {
	if strings.HasPrefix(c.Path(), "/api/") {
		return ""
	}
	return help.Of(c.Request().URL.Path)
}

// smallCounts reads whether to show small counts; they are masked by default.
func smallCounts(asked string) (report.SmallCounts, error) {
	switch asked {
	case "", "masked":
		return report.MaskSmall, nil
	case "shown":
		return report.ShowSmall, nil
	}
	return report.MaskSmall, usererr.New(usererr.Invalid, "counts must be masked or shown (got %q).", asked)
}

// sendReport sends a report as a single file of that name.
func sendReport(c echo.Context, view templates.Report, name string) error {
	file, err := reportAsFile(c.Request().Context(), view)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`.html"`)
	return c.HTMLBlob(http.StatusOK, file)
}

// reportAsFile is a report as a single file with its style.
func reportAsFile(ctx context.Context, view templates.Report) ([]byte, error) {
	css, err := static.CSS()
	if err != nil {
		return nil, fmt.Errorf("read style sheets: %w", err)
	}
	var b bytes.Buffer
	if err := templates.ReportFile(view, css).Render(ctx, &b); err != nil {
		return nil, fmt.Errorf("render report: %w", err)
	}
	return b.Bytes(), nil
}

// report is the report of a run as a page.
func (s *Server) report(ctx context.Context, run store.Run, by, order string,
	small report.SmallCounts) (templates.Report, error) {
	d, err := s.reported(ctx, run, by, order, small)
	view := render.Report(d, run.ID)
	view.Kept = !run.Wiped.IsZero()
	return view, err
}

// reported reads the records of a report.
func (s *Server) reported(ctx context.Context, run store.Run, by, order string,
	small report.SmallCounts) (doc.Document, error) {
	if run.Result == nil {
		return doc.Document{}, usererr.New(usererr.Conflict, "This run is %s: a report needs a finished run.", run.Status)
	}
	if !run.Wiped.IsZero() {
		k, err := s.keptReport(ctx, run.ID)
		return k.Document, err
	}
	data, err := s.db.Dataset(ctx, run.Dataset)
	if err != nil {
		return doc.Document{}, err
	}
	c, err := s.clinicalOf(ctx, run, by, order)
	if err != nil {
		return doc.Document{}, err
	}
	p := report.New(run, data, c)
	p.Small = small
	if p.Audit, err = s.auditFacts(ctx, run); err != nil {
		return doc.Document{}, err
	}
	return p.Report(), nil
}

// reportCard answers GET /report/{run}/card.svg and card.png: the verdict and the strata of the report as one
// picture, with the same masks.
func (s *Server) reportCard(asPNG bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		small, err := smallCounts(c.QueryParam("counts"))
		if err != nil {
			return err
		}
		run, err := s.db.Run(c.Request().Context(), c.Param("id"))
		if err != nil {
			return err
		}
		d, err := s.reported(c.Request().Context(), run, "", "", small)
		if err != nil {
			return err
		}
		picture := report.Card(d, run.Result.Boundaries)
		if !asPNG {
			return sendCard(c, run.ID+".svg", "image/svg+xml", []byte(picture.SVG()))
		}
		points, err := picture.PNG()
		if err != nil {
			return err
		}
		return sendCard(c, run.ID+".png", "image/png", points)
	}
}

func sendCard(c echo.Context, name, kind string, b []byte) error {
	c.Response().Header().Set("Content-Disposition", `attachment; filename="card-`+name+`"`)
	return c.Blob(http.StatusOK, kind, b)
}
