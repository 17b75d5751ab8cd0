package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/errs"
	"taper/internal/engine/metric"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// clinical is the statistics of a finished run of two classes, for its page and
// its report. Parts that a run lacks are nil.
type clinical struct {
	run    store.Run
	r      *engine.Result
	st     engine.Statistics
	model  *engine.Model
	boot   *store.Bootstrap
	by     string // column of the subgroups, "" for none
	groups []metric.Subgroup
	choice []string          // columns that can make subgroups
	known  bool              // there were rows to work from
	origin *store.Origin     // of a recalibrated run
	asked  *store.Evaluation // external validation that it was recalibrated by; nil where that is gone
}

// clinicalOf reads what the statistics are made from. The column of the
// subgroups and the order of the groups stand in the address.
func (s *Server) clinicalOf(ctx context.Context, run store.Run, by, order string) (clinical, error) {
	c := clinical{run: run, r: run.Result, by: by, known: true}
	rows, err := s.db.RunRows(ctx, run.ID)
	if err != nil {
		return c, err
	}
	var levels []string
	if order != "" {
		levels = strings.Split(order, ",")
	}
	c.st = run.Result.Statistics(run.Spec, rows, levels)
	if c.model, err = s.db.RunModel(ctx, run.ID); err != nil {
		return c, err
	}
	if c.origin, err = s.db.RunOrigin(ctx, run.ID); err != nil {
		return c, err
	}
	if c.asked, err = s.askedBy(ctx, c.origin); err != nil {
		return c, err
	}
	if c.boot, err = s.db.RunBootstrap(ctx, run.ID); err != nil {
		return c, err
	}
	return c, s.subgroups(ctx, &c, rows)
}

// subgroups splits the judged rows by the column asked for. Data that changed
// since can make none.
func (s *Server) subgroups(ctx context.Context, c *clinical, rows []engine.RowScore) error {
	d, err := s.db.Dataset(ctx, c.run.Dataset)
	if err != nil {
		return err
	}
	for _, p := range d.Profiles {
		switch p.Type {
		case table.Identifier, table.Text, table.Constant:
			continue
		}
		if p.Name != c.r.Outcome {
			c.choice = append(c.choice, p.Name)
		}
	}
	if c.by == "" {
		return nil
	}
	t, err := s.tableOf(ctx, c.run, d)
	if err != nil {
		return err
	}
	col := t.Column(c.by)
	if col == nil || c.by == c.r.Outcome {
		return errs.BadField("by", "must be a column of the data that is not the outcome (got %q)", c.by)
	}
	c.groups = c.r.Subgroups(c.run.Spec, rows, col)
	return nil
}

// apiStatistics answers GET /api/v1/runs/{id}/statistics?by=&order=.
func (s *Server) apiStatistics(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	switch {
	case run.Result == nil:
		return errs.New(errs.Conflict, "This run has no result; it is %s.", run.Status)
	case run.Result.Classes != nil:
		return errs.New(errs.Invalid, "These statistics are for two classes; this run has several.")
	}
	m, err := s.clinicalOf(ctx, run, c.QueryParam("by"), c.QueryParam("order"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		engine.Statistics
		By        string            `json:"by,omitempty"`
		Subgroups []metric.Subgroup `json:"subgroups,omitempty"`
	}{m.st, m.by, m.groups})
}

// sections are the parts of a run's page.
func (s *Server) sections(c clinical) []templates.ClinicalSection {
	all := []templates.ClinicalSection{
		{ID: "performance", Title: "Performance", Parts: []templ.Component{templates.TableView(c.performance(nil))}},
		{ID: "decisions", Title: "Decisions at the boundaries", Say: "Each boundary read as a rule: rows above it are called " + c.event() + ".", Parts: c.decisionParts(nil)},
	}
	if c.st.Reclassified != nil {
		all = append(all, templates.ClinicalSection{ID: "moves", Title: "Moves against logistic regression", Say: "Where this model puts the rows of each band of plain logistic regression, cut at the same boundaries on the same folds. Events should move up, the others down.", Parts: c.reclassified()})
	}
	if c.origin == nil {
		all = append(all,
			templates.ClinicalSection{ID: "optimism", Title: "Optimism and stability", Say: "The whole pipeline is fitted again on bootstrap samples of the rows, the choice of λ included.", Parts: s.checkParts(c)})
	}
	all = append(all, templates.ClinicalSection{ID: "subgroups", Title: "Subgroups", Parts: c.subgroupParts("/runs/" + c.run.ID)})
	if o := c.st.Ordered; o != nil {
		all = append(all, templates.ClinicalSection{ID: "ordered", Title: "Groups in order", Parts: []templ.Component{templates.TableView(c.ordered(false))}})
	}
	size := templates.ClinicalSection{ID: "size", Title: "Sample size and terms", Parts: []templ.Component{templates.ReportFacts(c.sampleSize())}}
	if t := c.inflation(); t != nil {
		t.Tall = len(t.Rows) > 12
		size.Parts = append(size.Parts, templates.TableView(*t))
	}
	all = append(all, size)
	if chart := c.pointsFigure(); chart != "" {
		all = append(all, templates.ClinicalSection{ID: "points", Title: "The model by hand", Say: c.pointsSay(), Parts: []templ.Component{templates.WideFigure(chart)}})
	}
	if c.model.Link == engine.LinkLogistic || c.model.Link == engine.LinkScaled {
		all = append(all, templates.ClinicalSection{ID: "population", Title: "Another population", Say: c.populationSay(), Parts: []templ.Component{templates.RecalibrateView("/runs/" + c.run.ID + "/recalibrate")}})
	}
	if c.asked != nil {
		all = append(all, c.askedSection())
	}
	return all
}

// populationSay says where a run comes from and what the form does.
func (c clinical) populationSay() string {
	say := "Moves the risks to logit P = intercept + slope · logit p, as a run of its own with its own model.json. Give the prevalence there, or intercept and slope of an external validation."
	if o := c.origin; o != nil {
		say = "This run was made from run " + o.Parent + " by logit P = " + viz.Number(o.Intercept, 3) + " + " + viz.Number(o.Slope, 3) + " · logit p" + c.askedSay() + ". " + say
	}
	return say
}

func (c clinical) event() string { return wording.Event(c.r.Outcome, c.r.Positive) }

// judgedName heads the column of what was judged on rows not seen.
func (c clinical) judgedName() string {
	switch c.run.Spec.Validation.Kind {
	case "split":
		return "Held out"
	case "none":
		return "Judged"
	}
	return "Cross-validated"
}

// checkParts offer the refits, follow them, or show what they found.
func (s *Server) checkParts(c clinical) []templ.Component {
	if p := s.checkProgress(c.boot); p != nil {
		return []templ.Component{templates.ProgressView(*p)}
	}
	var parts []templ.Component
	form := templates.CheckForm{URL: "/runs/" + c.run.ID + "/bootstrap", Replicates: "200"}
	if b := c.boot; b != nil && b.Result == nil {
		form.Problem = b.Error
	}
	if b := c.checked(); b != nil {
		parts = append(parts, templates.TableView(c.corrected()), templates.TableView(c.stability()))
		if len(b.Stability.Listed) > 0 {
			parts = append(parts, templates.TableView(c.unstable()))
		}
		if f := c.forest(); f != "" {
			parts = append(parts, templates.WideFigure(f))
		}
		parts = append(parts, templates.ReportNote(c.forestSay()))
		form.Again = true
	}
	return append(parts, templates.CheckFormView(form))
}

// checked is what the refits found; nil until they have.
func (c clinical) checked() *engine.Bootstrap {
	if c.boot == nil {
		return nil
	}
	return c.boot.Result
}

// subgroupParts ask for a column and show the groups.
func (c clinical) subgroupParts(url string) []templ.Component {
	pick := templates.SubgroupForm{URL: url + "#subgroups-h", Choice: templates.Choice{ID: "by", Name: "by", Label: "Subgroups by"}}
	for _, name := range c.choice {
		pick.Choice.Options = append(pick.Choice.Options, templates.Option{Value: name, Label: wording.Shorten(name, 40), On: name == c.by})
	}
	parts := []templ.Component{templates.SubgroupFormView(pick)}
	if c.by != "" {
		parts = append(parts, templates.TableView(c.subgroupTable()))
	}
	return parts
}

// estimated is a number with its interval.
func estimated(e metric.Estimate, text func(float64) string) templates.Cell {
	if e.Value == nil {
		return templates.Cell{Text: viz.None}
	}
	c := templates.Cell{Text: text(*e.Value)}
	if e.Low != nil && e.High != nil {
		c.CI = "(" + viz.Range(text(*e.Low), text(*e.High)) + ")"
	}
	return c
}

func places(decimals int) func(float64) string {
	return func(v float64) string { return viz.Number(v, decimals) }
}

func inPercent(v float64) string { return viz.Percent(v, 1) }

func significant(v float64) string { return viz.Short(v, 3) }
