package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
	"taper/internal/web/page/data"
	"taper/web/templates"
)

// datasetPage answers GET /data/{id}.
func (s *Server) datasetPage(c echo.Context) error {
	d, err := s.db.Dataset(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if d.State == store.Draft { // its rows are shown if memory allows reading them
		httpio.Passing(c)
	}
	return s.showDataset(c, http.StatusOK, d, nil)
}

// datasetView is the page of a dataset.
func (s *Server) datasetView(c echo.Context, d store.Dataset) (templates.Dataset, error) {
	keep, err := s.db.Keepable(c.Request().Context(), d.ID)
	if err != nil {
		return templates.Dataset{}, err
	}
	v, err := data.View(c.Request().Context(), s.datasets, d, keep[d.ID], c.QueryParam("all") == "1",
		data.ReadLoss(c.QueryParam("loss")))
	if err != nil || d.State == store.Kept {
		return v, err
	}
	if same, found, err := s.db.SameFile(c.Request().Context(), d); err != nil {
		return v, err
	} else if found {
		v.Notices = slices.Insert(v.Notices, 0, data.SameFileNotice(d, same, data.ReadLoss(c.QueryParam("loss"))))
	}
	return v, nil
}

// showDataset renders the page of a dataset with the error of the last form.
func (s *Server) showDataset(c echo.Context, status int, d store.Dataset, problem *templates.Banner) error {
	v, err := s.datasetView(c, d)
	if err != nil {
		return err
	}
	if v.Ask != nil {
		v.Ask.Shown = c.QueryParam("ask") == "1" || status == http.StatusConflict && problem == nil
	}
	if problem != nil {
		v.Problem = problem
	}
	if v.Stamps, err = live.Stamps(c.Request().Context(), v.Parts(), nil); err != nil {
		return err
	}
	p := s.page(c, d.Name)
	p.Root = "with-bar"
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: origin(d)}}
	p.Result = templates.Sentence(v.Strong, v.Rest)
	p.Actions = templates.DatasetActions(v)
	return s.render(c, status, templates.DatasetPage(p, v))
}

// origin is the source of a dataset, in a word.
func origin(d store.Dataset) string {
	switch {
	case d.Sample:
		return "sample"
	case d.Simulated:
		return "simulated"
	}
	return "upload"
}

// changeDataset answers POST /data/{id} for any form of the page. A script gets the parts that changed, others the
// page. Stratify deletes the upload, so if serious questions are open it shows them first and changes nothing.
func (s *Server) changeDataset(c echo.Context) error {
	ctx := c.Request().Context()
	d, err := s.db.Dataset(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	p, err := data.ReadForm(sent, d)
	if why := data.Refusal(d); err == nil && p.Confirm && why != "" {
		err = usererr.New(usererr.Invalid, "%s", why)
	}
	if err == nil && p.Confirm && sent.Get("anyway") != "1" && len(data.Harmful(d)) > 0 {
		if !wantsJSON(c) {
			return s.showDataset(c, http.StatusConflict, d, nil)
		}
		err = usererr.New(usererr.Conflict, "%s Answer first, or send anyway=1: the uploaded file is wiped.",
			data.QuestionsText(d))
	}
	if err == nil {
		p.Draft = true
		d, err = s.patched(ctx, d, p)
	}
	if err != nil {
		return s.changeFailed(c, d, err)
	}
	chosen := data.ReadLoss(c.QueryParam("loss"))
	switch {
	case p.Confirm && sent.Get("then") == "save":
		err := s.saveFirst(c, chosen.Stratify(d.ID))
		if _, ok := usererr.As(err); ok { // what cannot be fitted is explained beside the controls that change it
			return c.Redirect(http.StatusSeeOther, chosen.Stratify(d.ID))
		}
		return err
	case p.Confirm:
		return c.Redirect(http.StatusSeeOther, chosen.Stratify(d.ID))
	case wantsJSON(c): // from a script
		v, err := s.datasetView(c, d)
		if err != nil {
			return err
		}
		return sendParts(c, v.Parts())
	}
	if sent.Get("ask") == "1" { // answered in the dialog: show the next question
		return c.Redirect(http.StatusSeeOther, chosen.On("/data/"+d.ID+"?ask=1"))
	}
	return c.Redirect(http.StatusSeeOther, c.Request().URL.RequestURI()+"#"+data.FormPart(sent))
}

// saveFirst saves the run that /stratify opens with at an address.
func (s *Server) saveFirst(c echo.Context, at string) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	return s.saveState(c, u.Query(), app.Terms{})
}

// patched applies a patch; on failure it returns d unchanged.
func (s *Server) patched(ctx context.Context, d store.Dataset, p datasets.Patch) (store.Dataset, error) {
	changed, err := s.datasets.Patch(ctx, d.ID, p)
	if err != nil {
		return d, err
	}
	return changed, nil
}

func (s *Server) changeFailed(c echo.Context, d store.Dataset, err error) error {
	e, ok := usererr.As(err)
	if !ok || wantsJSON(c) || e.Code == usererr.NotFound {
		return err
	}
	return s.showDataset(c, httpio.Status(e.Code), d, &templates.Banner{Bad: true, Fact: e.Detail,
		Text: "Nothing was changed."})
}

// sendParts answers with the given parts of a page, except those that the page has.
func sendParts(c echo.Context, parts map[string]templ.Component) error {
	var a live.Answer
	if err := a.Add(c.Request().Context(), live.ReadWant(c.QueryParams()), parts); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}
