package web

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/page/studyform"
	"taper/web/templates"
)

// studyForm shows the form, filled in, with what was wrong.
func (s *Server) studyForm(c echo.Context, status int, spec study.Spec, title string, problem error) error {
	p := s.page(c, title)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: "New"}}
	v := templates.StudyForm{}
	if e, ok := usererr.As(problem); ok {
		v.Problem = &templates.Banner{Fact: "The study was not started.", Text: e.Detail, Bad: true}
	}
	ctx := c.Request().Context()
	if preset, ok := paper.Presets.ByID(spec.Preset); ok {
		f, err := s.presetForm(ctx, preset, spec)
		if err != nil {
			return err
		}
		v.Preset = &f
		p.Crumbs[1] = templates.Link{Label: preset.Figure, URL: "/studies/preset/" + preset.ID}
	} else {
		f, err := s.gridForm(ctx, spec)
		if err != nil {
			return err
		}
		v.Grid = &f
		p.Result = templates.Sentence("Models × rates of noise × replicates.",
			"Each unit is kept as it finishes: pause, stop the program, go on where it was.")
	}
	return s.render(c, status, templates.StudyFormPage(p, v))
}

// presetForm is what a preset leaves open.
func (s *Server) presetForm(ctx context.Context, p study.Preset,
	spec study.Spec) (f templates.StudyPresetForm, err error) {
	spec = spec.WithDefaults()
	f = templates.StudyPresetForm{ID: p.ID, Name: cmp.Or(spec.Name, p.Title), Seed: strconv.FormatUint(spec.Seed, 10),
		Protocol: p.Protocol, Sizes: templates.Choice{ID: "size", Name: "size", Label: "Size"}}
	for _, o := range []templates.Option{{Value: "quick", Label: "Quick",
		Note: "fewer replicates, within a minute on 2 cores"}, {Value: "full", Label: "Full", Note: "the paper’s own"},
		{Value: "smoke", Label: "Smoke", Note: "one replicate: shows that it runs"}} {
		o.On = o.Value == string(spec.Size)
		f.Sizes.Options = append(f.Sizes.Options, o)
	}
	if _, ok := studyform.OfPreset(p.ID); ok {
		f.AsGrid = "/studies/new?grid=" + p.ID
	}
	if p.Uploads {
		data, err := s.dataChoice(ctx, spec.Dataset, false)
		if err != nil {
			return f, err
		}
		f.Data = &data
	}
	return f, nil
}

// dataChoice offers the user's datasets with an outcome and, for a grid, the
// generators.
func (s *Server) dataChoice(ctx context.Context, now study.Source, generators bool) (templates.Choice, error) {
	c := templates.Choice{ID: "data", Name: "data", Label: "Data"}
	if !generators {
		c.Options = append(c.Options, templates.Option{Value: "", Label: "The preset’s own", On: now.ID == ""})
	}
	all, _, err := s.db.Datasets(ctx, 200, 0)
	if err != nil {
		return c, err
	}
	for _, d := range all {
		if d.Choice.Outcome != "" {
			c.Options = append(c.Options, templates.Option{Value: "d:" + d.ID, Label: "Yours: " + d.Name + " (" +
				d.Choice.Outcome + ")", On: d.ID == now.ID})
		}
	}
	if generators {
		for _, g := range synth.Generators {
			c.Options = append(c.Options, templates.Option{Value: "g:" + g.ID, Label: "Generated: " + g.Title,
				On: now.ID == "" && g.ID == now.Generator})
		}
	}
	return c, nil
}

// gridForm is the form of a grid.
func (s *Server) gridForm(ctx context.Context, spec study.Spec) (f templates.StudyGridForm, err error) {
	f = templates.StudyGridForm{Name: spec.Name, Rates: strings.ReplaceAll(studyform.Rates(spec.Noise.Rates), ",", ""),
		Replicates: strconv.Itoa(spec.Replicates),
		Test:       viz.Short(100*spec.Test, 4), Seed: strconv.FormatUint(spec.Seed, 10)}
	f.Params = studyform.Params(spec.Dataset.Params)
	if spec.Dataset.Rows > 0 {
		f.Rows = strconv.Itoa(spec.Dataset.Rows)
	}
	if f.Data, err = s.dataChoice(ctx, spec.Dataset, true); err != nil {
		return f, err
	}
	f.Noise = studyform.NoiseChoice(spec.Noise.Kind)
	f.Metric = templates.Choice{ID: "metric", Name: "metric", Label: "Judged by"}
	for _, m := range study.GridMetrics() {
		f.Metric.Options = append(f.Metric.Options, templates.Option{Value: m.ID, Label: m.Title, On: m.ID == spec.Metric})
	}
	f.Models, f.More = studyform.ModelChoices(spec.Models)
	return f, nil
}
