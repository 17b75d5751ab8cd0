package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
	"taper/internal/engine/errs"
	"taper/internal/engine/method"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/web/templates"
)

// studyForm shows the form, filled in, with what was wrong.
func (s *Server) studyForm(c echo.Context, status int, spec study.Spec, title string, problem error) error {
	p := s.page(c, title)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: "New"}}
	v := templates.StudyForm{}
	if e, ok := errs.As(problem); ok {
		v.Problem = &templates.Banner{Fact: "The study was not started.", Text: e.Detail, Bad: true}
	}
	ctx := c.Request().Context()
	if preset, ok := study.PresetByID(spec.Preset); ok {
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
		p.Result = templates.Sentence("Models × rates of noise × replicates.", "Each unit is kept as it finishes: pause, stop the program, go on where it was.")
	}
	return s.render(c, status, templates.StudyFormPage(p, v))
}

// presetForm is what a preset leaves open.
func (s *Server) presetForm(ctx context.Context, p study.Preset, spec study.Spec) (f templates.StudyPresetForm, err error) {
	spec = spec.WithDefaults()
	f = templates.StudyPresetForm{ID: p.ID, Name: or(spec.Name, p.Title), Seed: strconv.FormatUint(spec.Seed, 10), Protocol: p.Protocol, Sizes: templates.Choice{ID: "size", Name: "size", Label: "Size"}}
	for _, o := range []templates.Option{{Value: "quick", Label: "Quick", Note: "fewer replicates, within a minute on 2 cores"}, {Value: "full", Label: "Full", Note: "the paper’s own"}, {Value: "smoke", Label: "Smoke", Note: "one replicate: shows that it runs"}} {
		o.On = o.Value == string(spec.Size)
		f.Sizes.Options = append(f.Sizes.Options, o)
	}
	if _, ok := asGrid(p.ID); ok {
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
			c.Options = append(c.Options, templates.Option{Value: "d:" + d.ID, Label: "Yours: " + d.Name + " (" + d.Choice.Outcome + ")", On: d.ID == now.ID})
		}
	}
	if generators {
		for _, g := range synth.Generators {
			c.Options = append(c.Options, templates.Option{Value: "g:" + g.ID, Label: "Generated: " + g.Title, On: now.ID == "" && g.ID == now.Generator})
		}
	}
	return c, nil
}

// gridForm is the form of a grid.
func (s *Server) gridForm(ctx context.Context, spec study.Spec) (f templates.StudyGridForm, err error) {
	f = templates.StudyGridForm{Name: spec.Name, Rates: strings.ReplaceAll(rateWords(spec.Noise.Rates), ",", ""), Replicates: strconv.Itoa(spec.Replicates),
		Test: viz.Short(100*spec.Test, 4), Seed: strconv.FormatUint(spec.Seed, 10)}
	f.Params = paramWords(spec.Dataset.Params)
	if spec.Dataset.Rows > 0 {
		f.Rows = strconv.Itoa(spec.Dataset.Rows)
	}
	if f.Data, err = s.dataChoice(ctx, spec.Dataset, true); err != nil {
		return f, err
	}
	f.Noise = noiseChoice(spec.Noise.Kind)
	f.Metric = templates.Choice{ID: "metric", Name: "metric", Label: "Judged by"}
	for _, id := range []string{"accuracy", "balanced_accuracy", "auc", "sensitivity", "specificity", "log_loss", "brier", "mae", "abstention_loss", "abstention_rate"} {
		m, _ := study.MetricByID(id)
		f.Metric.Options = append(f.Metric.Options, templates.Option{Value: id, Label: m.Title, On: id == spec.Metric})
	}
	f.Models, f.More = modelChoices(spec.Models)
	return f, nil
}

// modelChoices ticks the models of the roster and writes the others as lines.
func modelChoices(models []method.Spec) (options []templates.Option, more string) {
	on := map[string]bool{}
	for _, m := range models {
		line := modelLine(m)
		if slices.Contains(roster, line) {
			on[line] = true
		} else if line != "" {
			more += line + "\n"
		}
	}
	for _, line := range roster {
		m, err := readModel(line)
		if err != nil {
			panic("roster: " + err.Error()) // read by a test
		}
		options = append(options, templates.Option{Value: line, Label: study.Label(m.WithDefaults("")), On: on[line]})
	}
	return options, more
}

// noiseNames are the kinds of noise in words.
var noiseNames = []struct{ id, name, sentence string }{
	{"symmetric", "Each label with this probability", "The label of each row that trains is flipped with the given probability."},
	{"random", "This share of the labels, at random", "Exactly the given share of the training labels, chosen at random, is flipped."},
	{"small-margin", "Labels near the border", "The given share of the training rows, those nearest to the border of a model of the clean rows, is flipped."},
	{"large-margin", "Labels far from the border", "The given share of the training rows, those farthest on the right side of a model of the clean rows, is flipped."},
	{"class", "Labels of the event alone", "The labels of events that train are flipped with the given probability."},
	{"instance", "Rows replaced by rows of the other class", "The given share of the training rows gets the features of rows of another class."},
	{"none", "None", "Nothing is flipped."},
}

func noiseChoice(now string) templates.Choice {
	c := templates.Choice{ID: "noise", Name: "noise", Label: "Kind"}
	for _, n := range noiseNames {
		c.Options = append(c.Options, templates.Option{Value: n.id, Label: n.name, On: n.id == or(now, "symmetric")})
	}
	return c
}

func noiseKindWords(id string) string {
	for _, n := range noiseNames {
		if n.id == id {
			return n.name
		}
	}
	return id
}

func noiseSentence(id string) string {
	for _, n := range noiseNames {
		if n.id == id {
			return n.sentence
		}
	}
	return ""
}

func generatorTitle(id string) string {
	for _, g := range synth.Generators {
		if g.ID == id {
			return g.Title
		}
	}
	return id
}
