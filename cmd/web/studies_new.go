package main

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/errs"
	"taper/internal/engine/method"
	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/synth"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// studyNewPage answers GET /studies/new: an empty grid; ?preset= a preset with
// its size, data and seed, and ?grid= what it does as a grid to be changed;
// ?study= a study to be run again with changes.
func (s *Server) studyNewPage(c echo.Context) error {
	spec, title, err := s.formSpec(c)
	if err != nil {
		return err
	}
	return s.studyForm(c, http.StatusOK, spec, title, nil)
}

// formSpec is what the form starts from.
func (s *Server) formSpec(c echo.Context) (spec study.Spec, title string, err error) {
	switch {
	case c.QueryParam("study") != "":
		st, err := s.db.Study(c.Request().Context(), c.QueryParam("study"))
		st.Spec.Name = st.Name
		return st.Spec, "Change ‘" + st.Name + "’", err
	case c.QueryParam("preset") != "":
		p, ok := study.PresetByID(c.QueryParam("preset"))
		if !ok {
			return spec, "", errs.New(errs.NotFound, "There is no preset %.40q.", c.QueryParam("preset"))
		}
		return study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1, Dataset: study.Source{ID: c.QueryParam("dataset")}}, p.Title, nil
	case c.QueryParam("grid") != "":
		g, ok := asGrid(c.QueryParam("grid"))
		if !ok {
			return spec, "", errs.New(errs.NotFound, "%.40q is no preset that is a grid.", c.QueryParam("grid"))
		}
		return g, "Change ‘" + strings.TrimSuffix(g.Name, ", changed") + "’", nil
	}
	spec = stored.RobustnessSpec(study.Quick, 1)
	spec.Name = ""
	spec.Dataset = study.Source{Generator: "moons", Rows: 1000}
	spec.Models, spec.Noise.Rates = spec.Models[:2], []float64{0, 0.1, 0.2, 0.3}
	if id := c.QueryParam("dataset"); id != "" {
		spec.Dataset = study.Source{ID: id}
	}
	return spec, "A grid of your own", nil
}

// asGrid is what a preset does as a grid of one's own.
func asGrid(id string) (study.Spec, bool) {
	p, ok := study.PresetByID(id)
	if !ok || p.Grid == nil {
		return study.Spec{}, false
	}
	s := p.Grid.WithDefaults()
	s.Name = p.Title + ", changed"
	return s, true
}

// startStudyForm answers POST /studies: from a form of a preset or a grid.
func (s *Server) startStudyForm(c echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return errs.New(errs.Invalid, "The form cannot be read.")
	}
	spec, err := readStudyForm(c.Request().PostForm)
	if err == nil {
		var st store.Study
		if st, err = s.startStudy(c.Request().Context(), spec); err == nil {
			return c.Redirect(http.StatusSeeOther, "/studies/"+st.ID)
		}
	}
	if _, ok := errs.As(err); !ok {
		return err
	}
	title := "A grid of your own"
	if p, ok := study.PresetByID(spec.Preset); ok {
		title = p.Title
	}
	return s.studyForm(c, http.StatusUnprocessableEntity, spec, title, err)
}

// readStudyForm reads a form; what is wrong with its values the study says.
func readStudyForm(f url.Values) (s study.Spec, err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	if s.Seed, e = wholeText("seed", or(f.Get("seed"), "1"), 64); e != nil {
		keep(e)
	}
	s.Name, s.Preset = strings.TrimSpace(f.Get("name")), f.Get("preset")
	if data := f.Get("data"); strings.HasPrefix(data, "d:") {
		s.Dataset.ID = strings.TrimPrefix(data, "d:")
	} else {
		s.Dataset.Generator = strings.TrimPrefix(data, "g:")
	}
	if s.Preset != "" {
		s.Size = study.Size(f.Get("size"))
		if s.Dataset.ID == "" {
			s.Dataset = study.Source{}
		}
		return s, err
	}
	if s.Dataset.ID == "" && strings.TrimSpace(f.Get("rows")) != "" {
		rows, e := wholeText("rows", f.Get("rows"), 31)
		keep(e)
		s.Dataset.Rows = int(rows)
	}
	if s.Dataset.ID == "" {
		s.Dataset.Params, e = readParams(f.Get("params"))
		keep(e)
	}
	lines := slices.Clone(f["model"])
	for l := range strings.Lines(f.Get("more")) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	for _, l := range lines {
		m, e := readModel(l)
		keep(e)
		s.Models = append(s.Models, m)
	}
	if len(lines) == 0 {
		keep(errs.BadField("models", "must name at least one model"))
	}
	s.Noise.Kind, s.Metric = f.Get("noise"), f.Get("metric")
	s.Noise.Rates, e = readRates(f.Get("rates"))
	keep(e)
	if s.Noise.Kind == "class" { // the others keep theirs
		s.Noise.Negative = make([]float64, len(s.Noise.Rates))
	}
	replicates, e := wholeText("replicates", or(f.Get("replicates"), "20"), 31)
	keep(e)
	s.Replicates = int(replicates)
	s.Test, e = percentText("test", or(f.Get("test"), "50"))
	keep(e)
	return s, err
}

// readParams reads the parameters of a generator: "k=3 sd=0.5".
func readParams(text string) (map[string]float64, error) {
	var params map[string]float64
	for _, w := range strings.Fields(text) {
		name, number, _ := strings.Cut(w, "=")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || name == "" {
			return nil, errs.BadField("params", "must be name=number, with spaces between (got %.40q)", w)
		}
		if params == nil {
			params = map[string]float64{}
		}
		params[name] = v
	}
	return params, nil
}

// paramWords writes them.
func paramWords(params map[string]float64) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words = append(words, name+"="+strconv.FormatFloat(params[name], 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// readRates reads rates in per cent, with spaces or semicolons between.
func readRates(text string) (rates []float64, err error) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == '\u00a0' || r == '\n' }) {
		if w = strings.TrimSuffix(strings.Trim(w, ","), "%"); w == "" {
			continue
		}
		v, err := percentText("rates", w)
		if err != nil {
			return nil, err
		}
		rates = append(rates, v)
	}
	return rates, nil
}

// percentText reads a share in per cent; a decimal comma will do.
func percentText(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, errs.BadField(name, "must be a number from 0 to 100 (got %.40q)", text)
	}
	return v / 100, nil
}

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
