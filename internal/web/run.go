package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/page/scoring"
	"taper/internal/web/page/stratify"
	"taper/internal/web/progress"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// runPage answers GET /runs/{id} and the addresses below it: the progress until the run ends, then its result on
// several pages. With then=report or then=patients a finished run redirects to that page. Old addresses, from when
// a run had one page, redirect to the page with the content.
func (s *Server) runPage(at runpage.Page) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		r, err := s.db.Run(ctx, c.Param("id"))
		if err != nil {
			return err
		}
		switch {
		case !runpage.Has(r, at): // not yet, or no longer: the first page says why
			return c.Redirect(http.StatusSeeOther, runpage.Result.URL(r.ID))
		case c.QueryParam("then") == "report" && r.Status == store.Done:
			return c.Redirect(http.StatusSeeOther, runpage.Report.URL(r.ID))
		case c.QueryParam("then") == "patients" && r.Status == store.Done:
			return c.Redirect(http.StatusSeeOther, runpage.Patients.URL(r.ID))
		}
		st := runpage.State{Bands: 1}
		if r.Result != nil && r.Result.Classes == nil && r.Wiped.IsZero() {
			st.Bands = len(r.Result.Boundaries) + 1
			if err := form.ReadStrict(&st, c.QueryParams()); err != nil {
				return err
			}
			if at == runpage.Result && st.Page() != at {
				return c.Redirect(http.StatusMovedPermanently, st.URL(r.ID))
			}
		}
		stratify := s.stratifyOf(ctx, r)
		shown := runpage.Record{Run: r, Page: at}
		switch {
		case !r.Wiped.IsZero():
			err = s.wipedRun(ctx, &shown)
		case r.Result == nil && !app.HasEnded(r.Status):
			shown.Progress = s.runProgress(r)
		case r.Result != nil && r.Result.Classes != nil:
			err = s.classesPage(ctx, &shown, stratify)
		case r.Result != nil:
			err = s.bandsPage(ctx, &shown, st, stratify)
		}
		if err != nil {
			return err
		}
		if r.Result == nil || at == runpage.Result {
			shown.Forms = templates.AboutSection(runpage.About(r))
		}
		p := s.runFrame(c, r, at, st)
		p.Actions = templates.RunActionsView(runpage.Actions(r, c.Request().Host, stratify))
		strong, rest, open := shown.Answer()
		if p.Open = templates.OpenQuestions(open); strong != "" {
			p.Result = templates.Sentence(strong, rest)
		}
		return s.render(c, http.StatusOK, templates.DocumentPage(p, render.Sections(shown.Document().Sections)))
	}
}

// runFrame is the common frame of a run's pages.
func (s *Server) runFrame(c echo.Context, r store.Run, at runpage.Page, st runpage.State) templates.Page {
	p := s.page(c, r.Name)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name}}
	p.Tabs = runpage.Tabs(r, at, st.By, st.Order)
	return p
}

// runMoved redirects addresses of parts that are now on another page.
func (s *Server) runMoved(to runpage.Page, part string) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, _, err := s.usable(c)
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusMovedPermanently, to.URL(r.ID)+part)
	}
}

// runProgress is the progress of a run.
func (s *Server) runProgress(r store.Run) *templates.Progress {
	p := &templates.Progress{Job: r.ID, Step: "Preparing the folds",
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/runs/" + r.ID + "/cancel"}}
	if e, ok := s.app.Jobs.Progress(r.ID); ok {
		progress.Show(p, e)
	}
	return p
}

// bandsPage reads the data of one page of a binary result, and no more.
func (s *Server) bandsPage(ctx context.Context, shown *runpage.Record, st runpage.State, stratify string) error {
	r := shown.Run
	on := resultview.Bands{Result: r.Result, Spec: r.Spec}
	if stratify != "" {
		on.Refit = func(pi []float64) string {
			other := r
			other.Spec.Boundaries = pi
			return s.stratifyOf(ctx, other)
		}
	}
	shown.Headline = on.Headline()
	switch shown.Page {
	case runpage.Performance:
		numbers, err := s.performanceOf(ctx, r, st.By, st.Order)
		if err != nil {
			return err
		}
		validations, err := s.validationsOf(ctx, r.ID)
		if err != nil {
			return err
		}
		if !r.Result.NoPredictor {
			shown.Headline.Strong, shown.Headline.Rest = numbers.Headline()
		}
		on.Benefit, on.Performance = numbers.Benefit(), []doc.Node{numbers.Performance()}
		on.AtBoundaries = numbers.AtBoundaries()
		shown.Sections = append(on.PerformancePage(),
			runpage.Clinical(numbers.PerformanceSections(s.bootstrapProgress(numbers.Refits)))...)
		if r.Result.Given == nil { // given predictions have no model to validate elsewhere
			shown.Sections = append(shown.Sections, externals(r, validations))
		}
	case runpage.Model:
		numbers, err := s.modelOf(ctx, r)
		if err != nil {
			return err
		}
		if on.Restarts, err = s.restarts(ctx, r, st.Starts); err != nil {
			return err
		}
		shown.Reading = s.readingNote(ctx, r)
		on.Curves, on.Intervals = numbers.Curves(), numbers.Intervals()
		if numbers.Model != nil {
			on.Columns = numbers.Model.Columns
		}
		shown.Headline = on.ModelHeadline()
		terms, fitted := on.ModelPage(shown.Settings())
		shown.Sections = append(append(terms, runpage.Clinical(numbers.ModelSections())...), fitted...)
	case runpage.Patients:
		on.Rows = func() ([]engine.RowScore, error) { return s.db.RunRows(ctx, r.ID) }
		on.Band, on.Page = st.Band, st.Sheet
		on.List = func(band, sheet int) string { return runpage.State{Band: band, Sheet: sheet}.URL(r.ID) + "#rows-h" }
		rows, err := on.RowList()
		if err != nil {
			return err
		}
		if err := s.patientForms(ctx, shown); err != nil {
			return err
		}
		shown.Sections = append(shown.Sections, rows)
	default:
		numbers, err := s.storedOf(ctx, r)
		if err != nil {
			return err
		}
		if on.Beyond, err = s.limitsOf(ctx, numbers); err != nil {
			return err
		}
		shown.Sections = append(on.AnswerPage(), runpage.Next(r, stratify, numbers.Refits))
	}
	return nil
}

// classesPage is bandsPage for several classes.
func (s *Server) classesPage(ctx context.Context, shown *runpage.Record, stratify string) error {
	r := shown.Run
	on := resultview.Classes{Result: r.Result, Spec: r.Spec}
	shown.Headline = on.Headline()
	switch shown.Page {
	case runpage.Performance:
		validations, err := s.validationsOf(ctx, r.ID)
		if err != nil {
			return err
		}
		if shown.Sections = on.PerformancePage(); r.Result.Given == nil {
			shown.Sections = append(shown.Sections, externals(r, validations))
		}
	case runpage.Model:
		shown.Reading = s.readingNote(ctx, r)
		shown.Headline = on.ModelHeadline()
		terms, fitted := on.ModelPage(shown.Settings())
		shown.Sections = append(terms, fitted...)
	case runpage.Patients:
		return s.patientForms(ctx, shown)
	default:
		numbers, err := s.clinicalOf(ctx, r, "", "")
		if err != nil {
			return err
		}
		if on.Beyond, err = s.limitsOf(ctx, numbers); err != nil {
			return err
		}
		shown.Sections = append(on.AnswerPage(), runpage.Next(r, stratify, nil))
	}
	return nil
}

// patientForms are the forms for a file and for one patient.
func (s *Server) patientForms(ctx context.Context, shown *runpage.Record) error {
	if g := shown.Run.Result.Given; g != nil {
		shown.Headline.Strong, shown.Headline.Rest = g.NoModel()
		shown.Sections = nil
		return nil
	}
	m, err := s.db.RunModel(ctx, shown.Run.ID)
	if err != nil {
		return err
	}
	forms := templates.PatientsView(scoring.FileForm(shown.Run, m, s.cfg.Limits),
		scoring.PatientForm(shown.Run, m, nil, nil))
	shown.Headline.Strong = "Apply the model to a file of patients, or to one patient."
	shown.Headline.Rest = "A file that includes the outcome also evaluates the model (external validation)."
	refits, err := s.db.RunBootstrap(ctx, shown.Run.ID)
	if err != nil {
		return err
	}
	body := []doc.Node{doc.Form{View: forms}}
	if text := runpage.Stability(shown.Run, refits); text != "" {
		body = append(body, doc.Note(text))
	}
	shown.Sections = []doc.Section{{Body: body}}
	return nil
}

// externals lists the external validations of a run.
func externals(r store.Run, all []store.Evaluation) doc.Section {
	return doc.Section{Body: []doc.Node{doc.Form{View: templates.ExternalsView(scoring.Externals(r, all))}}}
}

// runCancel answers POST /runs/{id}/cancel.
func (s *Server) runCancel(c echo.Context) error {
	err := s.app.CancelRun(c.Request().Context(), c.Param("id"))
	if err != nil && !usererr.Is(err, usererr.Conflict) { // it has ended: its page says how
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+c.Param("id"))
}

// stratifyOf is the page with a run's spec, "" if the page cannot show it or the data were deleted.
func (s *Server) stratifyOf(ctx context.Context, r store.Run) string {
	d, err := s.db.Dataset(ctx, r.Dataset)
	st, shows := stratify.OfRun(r.Spec, d)
	if err != nil || !shows {
		return ""
	}
	st.Scale = s.app.Computations.Scale
	return st.URL()
}
