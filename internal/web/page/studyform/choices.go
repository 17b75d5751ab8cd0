package studyform

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/web/templates"
)

// Grid is the form of a grid filled from spec; all are the datasets to choose from.
func Grid(spec study.Spec, all []store.Dataset) templates.StudyGridForm {
	s := State{Spec: spec}
	text := func(key string) string { f := form.Get(&s, key); return f.Text() }
	f := templates.StudyGridForm{Name: spec.Name, Rates: text("rates"), Replicates: strconv.Itoa(spec.Replicates),
		Test: viz.Short(100*spec.Test, 4), Boundaries: text("boundaries"), Seed: text("seed"), Params: text("params"),
		More: text("more"),
		Data: dataChoice(spec.Dataset, all), Noise: noiseChoice(spec.Noise.Kind),
		Metric: templates.Choice{ID: "metric", Name: "metric", Label: "Metric"}}
	if spec.Dataset.Rows > 0 {
		f.Rows = text("rows")
	}
	for _, g := range synth.Generators {
		f.Data.Options = append(f.Data.Options, templates.Option{Value: "g:" + g.ID, Label: g.Title, Group: "Generated",
			On: spec.Dataset.ID == "" && g.ID == spec.Dataset.Generator})
	}
	for _, m := range study.GridMetrics() {
		f.Metric.Options = append(f.Metric.Options, templates.Option{Value: m.ID, Label: m.Title, On: m.ID == spec.Metric})
	}
	ticked := s.lines(true)
	for _, line := range Roster {
		addModel(&f, line, slices.Contains(ticked, line))
	}
	return f
}

// Listed is the form with the models of its free lines added to the checkboxes.
func Listed(f templates.StudyGridForm) templates.StudyGridForm {
	for line := range strings.Lines(f.More) {
		addModel(&f, strings.TrimSpace(line), true)
	}
	f.More = ""
	return f
}

// addModel adds the model of a line to the checkboxes of its group. API calls may contain models that cannot be
// written as a line; these are left out.
func addModel(f *templates.StudyGridForm, line string, on bool) {
	m, err := ReadModel(line)
	if err != nil {
		return
	}
	title := modelGroup(m)
	i := slices.IndexFunc(f.Models, func(g templates.Choice) bool { return g.Label == title })
	if i < 0 {
		i = len(f.Models)
		f.Models = append(f.Models, templates.Choice{ID: "models-" + strconv.Itoa(i), Name: "model", Label: title})
	}
	g := &f.Models[i]
	label := viz.Unbroken(study.Label(m.WithDefaults("")))
	g.Options = append(g.Options, templates.Option{Value: line, Label: label, On: on})
}

// modelGroup is the group heading of a model.
func modelGroup(m fit.Spec) string {
	switch m.Kind {
	case "boost":
		return "Boosted trees"
	case "kernel":
		return "Kernel models"
	}
	f, _ := loss.FamilyByID(m.Loss)
	if f.Margin == nil {
		return "Other losses"
	}
	if l, ok := f.Margin(f.Defaults()).(loss.Regimer); ok && f.Soften == nil && l.Regime().Convex {
		return "Convex losses"
	}
	return "Robust losses"
}

// Preset is the form of the open choices of a preset.
func Preset(p study.Preset, spec study.Spec, all []store.Dataset) templates.StudyPresetForm {
	spec = spec.WithDefaults()
	f := templates.StudyPresetForm{ID: p.ID, Name: cmp.Or(spec.Name, p.Title), Seed: strconv.FormatUint(spec.Seed, 10),
		Protocol: p.Protocol, Sizes: templates.Choice{ID: "size", Name: "size", Label: "Size"}}
	for _, o := range []templates.Option{{Value: "quick", Label: "Quick",
		Note: "fewer replicates, under a minute on 2 cores"}, {Value: "full", Label: "Full", Note: "the paper’s own"},
		{Value: "smoke", Label: "Smoke", Note: "one replicate, to see that it runs"}} {
		o.On = o.Value == string(spec.Size)
		f.Sizes.Options = append(f.Sizes.Options, o)
	}
	if p.Grid != nil {
		f.AsGrid = "/studies/new?grid=" + p.ID
	}
	if p.Uploads {
		data := dataChoice(spec.Dataset, all)
		data.Options = slices.Insert(data.Options, 0, templates.Option{Value: "", Label: "The preset’s own",
			On: spec.Dataset.ID == ""})
		f.Data = &data
	}
	return f
}

// dataChoice offers the datasets that have an outcome.
func dataChoice(now study.Source, all []store.Dataset) templates.Choice {
	c := templates.Choice{ID: "data", Name: "data", Label: "Dataset"}
	for _, d := range all {
		if d.Choice.Outcome != "" {
			c.Options = append(c.Options, templates.Option{Value: "d:" + d.ID, Group: "Yours", Label: d.Name + " (" +
				d.Choice.Outcome + ")", On: d.ID == now.ID})
		}
	}
	return c
}

// noises are the kinds of noise with their names and descriptions.
var noises = []struct{ id, name, sentence string }{
	{"symmetric", "Flip each label independently",
		"The label of each training row is flipped with the given probability."},
	{"random", "Flip an exact share of the labels",
		"Exactly the given share of the training labels, chosen at random, is flipped."},
	{"small-margin", "Flip labels near the decision boundary",
		"The given share of the training rows, those nearest to the decision boundary of a model of the clean rows, is " +
			"flipped."},
	{"large-margin", "Flip labels far from the decision boundary",
		"The given share of the training rows, those farthest from it on the correct side, is flipped."},
	{"class", "Flip labels of events only", "The labels of training events are flipped with the given probability."},
	{"instance", "Replace features by those of the other class",
		"The given share of the training rows gets the features of rows of another class."},
	{"none", "None", "Nothing is flipped."},
}

// noiseChoice offers the kinds of noise.
func noiseChoice(now string) templates.Choice {
	c := templates.Choice{ID: "noise", Name: "noise", Label: "Kind"}
	for _, n := range noises {
		c.Options = append(c.Options, templates.Option{Value: n.id, Label: n.name, On: n.id == cmp.Or(now, "symmetric")})
	}
	return c
}

// NoiseKind is the name of a kind of noise in the form.
func NoiseKind(id string) string {
	for _, n := range noises {
		if n.id == id {
			return n.name
		}
	}
	return id
}

// NoiseSentence describes a kind of noise.
func NoiseSentence(id string) string {
	for _, n := range noises {
		if n.id == id {
			return n.sentence
		}
	}
	return ""
}

// GeneratorTitle names a generator of data.
func GeneratorTitle(id string) string {
	for _, g := range synth.Generators {
		if g.ID == id {
			return g.Title
		}
	}
	return id
}

// Rates lists rates in per cent.
func Rates(rates []float64) string {
	texts := make([]string, len(rates))
	for i, r := range rates {
		texts[i] = viz.Short(100*r, 4)
	}
	return strings.Join(texts, ", ")
}

// OwnGrid is the title of an empty form.
const OwnGrid = "Design your own study"

// Start is the address of the form: what it is filled with.
type Start struct {
	Study   string `form:"study"`   // id of a study to be changed and run again
	Preset  string `form:"preset"`  // a preset, with its size, data and seed
	Grid    string `form:"grid"`    // a preset converted to a grid
	Dataset string `form:"dataset"` // id of the data
}

// Spec is the initial content of the form of a preset or a grid, with its title.
func (from Start) Spec() (spec study.Spec, title string, err error) {
	switch {
	case from.Preset != "":
		p, ok := paper.Presets.ByID(from.Preset)
		if !ok {
			return spec, "", usererr.New(usererr.NotFound, "There is no preset %.40q.", from.Preset)
		}
		return study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1, Dataset: study.Source{ID: from.Dataset}}, p.Title, nil
	case from.Grid != "":
		p, ok := paper.Presets.ByID(from.Grid)
		if !ok || p.Grid == nil {
			return spec, "", usererr.New(usererr.NotFound, "%.40q is no preset that is a grid.", from.Grid)
		}
		spec = p.Grid.WithDefaults()
		spec.Name = p.Title + ", changed"
		return spec, "Change ‘" + p.Title + "’", nil
	}
	spec = stored.RobustnessSpec(study.Quick, 1)
	spec.Name = ""
	spec.Dataset = study.Source{Generator: "moons", Rows: 1000}
	if from.Dataset != "" {
		spec.Dataset = study.Source{ID: from.Dataset}
	}
	spec.Models, spec.Noise.Rates = spec.Models[:2], []float64{0, 0.1, 0.2, 0.3}
	return spec, OwnGrid, nil
}

// Helpers are the machines that may compute a study, by the address of their queue and their classes of processors,
// this machine's among them; nil where there is no queue.
func Helpers(queue string, classes []string) *templates.StudyHelpers {
	if queue == "" {
		return nil
	}
	h := &templates.StudyHelpers{Queue: queue, Classes: templates.Choice{ID: "class", Name: "class", Label: "Processors",
		Options: []templates.Option{{Label: "Any class", On: true}}}}
	for _, class := range classes {
		h.Classes.Options = append(h.Classes.Options, templates.Option{Value: class,
			Label: "Only " + class + ": repeats to the bit"})
	}
	return h
}
