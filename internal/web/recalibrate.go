package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// moveTo is how risks are moved: to another prevalence, or by intercept and
// slope on the logit scale.
type moveTo struct {
	Prevalence *float64 `json:"prevalence,omitempty"`
	Intercept  *float64 `json:"intercept,omitempty"`
	Slope      *float64 `json:"slope,omitempty"`

	// Evaluation is an external validation of the run, whose numbers are taken: How
	// is the intercept alone, or intercept and slope. With a prevalence in their
	// place it says where that was asked for.
	Evaluation string `json:"evaluation,omitempty"`
	How        string `json:"how,omitempty"`
}

// numbers are the intercept and the slope. Another prevalence of the same
// patients moves the logits by the difference of the prevalences' logits.
func (m moveTo) numbers(r *engine.Result) (a, b float64, err error) {
	b = 1
	if m.Slope != nil {
		b = *m.Slope
	}
	switch {
	case m.Prevalence != nil && (m.Intercept != nil || m.Slope != nil):
		return 0, 0, usererr.BadField("prevalence", "stands alone: give it, or intercept and slope")
	case m.Prevalence != nil:
		if !(*m.Prevalence > 0 && *m.Prevalence < 1) {
			return 0, 0, usererr.BadField("prevalence", "must lie between 0 and 1")
		}
		if r.Flow.TrainedEvents == 0 || r.Flow.Trained == 0 { // of a kept model, whose counts are masked
			return 0, 0, usererr.BadField("prevalence",
				"needs the prevalence among the rows trained on, which is masked: give intercept and slope")
		}
		was := float64(r.Flow.TrainedEvents) / float64(r.Flow.Trained)
		return fit.Logit(*m.Prevalence) - fit.Logit(was), 1, nil
	case m.Intercept == nil && m.Slope == nil:
		return 0, 0, usererr.BadField("intercept", "is missing: give it, or a prevalence")
	case m.Intercept != nil:
		a = *m.Intercept
	}
	return a, b, nil
}

// fitted puts the numbers of an external validation in place.
func (s *Server) fitted(ctx context.Context, run string, m *moveTo) error {
	if m.Evaluation == "" {
		if m.How != "" {
			return usererr.BadField("how", "goes with the id of an external validation")
		}
		return nil
	}
	e, err := s.db.Evaluation(ctx, m.Evaluation)
	switch {
	case usererr.Is(err, usererr.NotFound) || err == nil && e.Run != run:
		return usererr.BadField("evaluation", "must be an external validation of this run (got %.40q)", m.Evaluation)
	case err != nil:
		return err
	case m.How == "" && m.Prevalence != nil:
		return nil
	case m.How != engine.MovedIntercept && m.How != engine.MovedBoth:
		return usererr.BadField("how", "must be %s or %s (got %.40q)", engine.MovedIntercept, engine.MovedBoth, m.How)
	case m.Intercept != nil || m.Slope != nil || m.Prevalence != nil:
		return usererr.BadField("how", "stands alone: the numbers are those of the validation")
	}
	to := e.Result.Movement(m.How)
	if to == nil {
		return usererr.New(usererr.Invalid, "The rows of this external validation allow no such recalibration.")
	}
	m.Intercept, m.Slope = &to.Intercept, &to.Slope
	return nil
}

// recalibrated stores a child of a finished run with its risks moved.
func (s *Server) recalibrated(ctx context.Context, id string, m moveTo) (string, error) {
	r, err := s.db.Run(ctx, id)
	if err != nil {
		return "", err
	}
	model, err := s.db.RunModel(ctx, id) // a conflict while there is none
	if err != nil {
		return "", err
	}
	if err := s.fitted(ctx, r.ID, &m); err != nil {
		return "", err
	}
	a, b, err := m.numbers(r.Result)
	if err != nil {
		return "", err
	}
	origin := store.Origin{Parent: r.ID, Intercept: a, Slope: b, Evaluation: m.Evaluation, How: m.How}
	if !r.Wiped.IsZero() {
		return s.movedKept(ctx, r, model, origin)
	}
	rows, err := s.db.RunRows(ctx, id)
	if err != nil {
		return "", err
	}
	res, err := engine.Recalibrated(r.Result, r.Spec, model, rows, a, b)
	if err != nil {
		return "", err
	}
	child := store.Run{ID: s.db.NewID("r"), Dataset: r.Dataset, Name: format.Cut(r.Name, datasets.MaxName-40) + ", recalibrated",
		Spec: r.Spec, Reading: r.Reading, Version: s.cfg.Version, Created: s.now()}
	if err := s.db.CreateRun(ctx, child); err != nil {
		return "", err
	}
	if err := s.db.SetOrigin(ctx, child.ID, origin); err != nil {
		return "", err
	}
	return child.ID, s.db.FinishRun(ctx, child.ID, res)
}

// recalibrateRun answers POST /runs/{id}/recalibrate.
func (s *Server) recalibrateRun(c echo.Context) error {
	var m moveTo
	for name, to := range map[string]**float64{"prevalence": &m.Prevalence, "intercept": &m.Intercept, "slope": &m.Slope} {
		text, err := formValue(c, name)
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		read := form.ParseNumber
		if name == "prevalence" {
			read = form.ParsePercent
		}
		v, ok := read(text)
		if !ok {
			return usererr.BadField(name, "must be a number")
		}
		*to = &v
	}
	child, err := s.recalibrated(c.Request().Context(), c.Param("id"), m)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child)
}

// recalibratedJSON is a stored child of a run.
type recalibratedJSON struct {
	ID     string `json:"id"`
	Parent string `json:"parent"`
}

// apiRecalibrate answers POST /api/v1/runs/{id}/recalibrate.
func (s *Server) apiRecalibrate(c echo.Context) error {
	var m moveTo
	if err := readJSON(c, &m); err != nil {
		return err
	}
	child, err := s.recalibrated(c.Request().Context(), c.Param("id"), m)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+child)
	return c.JSON(http.StatusCreated, recalibratedJSON{child, c.Param("id")})
}
