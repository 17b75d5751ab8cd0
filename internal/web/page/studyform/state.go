// Package studyform reads and fills the form of a study: models as lines, rates in per cent, generators with their
// parameters.
package studyform

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// State is the content of the form of a grid, or the open choices of a preset. Its keys are read into the spec of
// the study and written from it; where the form has per cent, values are converted.
type State struct {
	study.Spec
	Keys any `form:"*"`
}

// ofPreset are the keys of a preset; the others are for grids.
var ofPreset = []string{"preset", "size", "name", "data", "seed"}

// Field removes keys that the study does not have: a preset has no grid, and uploaded data have no generator or
// number of rows.
func (s *State) Field(f *form.Field) {
	if s.Preset != "" && !slices.Contains(ofPreset, f.Key) ||
		s.Preset == "" && f.Key == "size" || s.Dataset.ID != "" && (f.Key == "rows" || f.Key == "params") {
		f.Absent, f.Default = true, nil
	}
}

// Fields are all keys, ordered so that a key depends on earlier ones only.
func (s *State) Fields() []form.Field {
	return []form.Field{
		form.At(&s.Preset, form.Field{Key: "preset"}),
		form.At(&s.Size, form.Field{Key: "size"}),
		form.At(&s.Name, form.Field{Key: "name"}),
		{Key: "data", Read: form.ReadOne(s.readData), Write: s.data},
		form.At(&s.Dataset.Rows, form.Field{Key: "rows", Min: study.MinRows, Max: study.MaxRows}),
		{Key: "params", Read: form.ReadOne(s.readParams), Write: s.params},
		{Key: "model", Read: func(lines []string) error { s.Models = nil; return s.readModels(lines) },
			Write: func() []string { return s.lines(true) }},
		{Key: "more", Read: func(texts []string) error {
			return s.readModels(strings.Split(strings.Join(texts, "\n"), "\n"))
		},
			Write: s.more},
		form.At(&s.Noise.Kind, form.Field{Key: "noise"}),
		{Key: "rates", Read: form.ReadOne(s.readRates), Write: s.rates},
		form.At(&s.Metric, form.Field{Key: "metric"}),
		{Key: "boundaries", Read: form.ReadOne(func(text string) (err error) {
			s.Boundaries, err = percents(text)
			return err
		}),
			Write: func() []string { return percentTexts(s.Boundaries) }},
		form.At(&s.Replicates, form.Field{Key: "replicates", Default: []string{"20"}, Min: 1, Max: study.MaxReplicates}),
		form.At(&s.Test, form.Field{Key: "test", Default: []string{"50"}, Typed: true, Max: 1}),
		form.At(&s.Seed, form.Field{Key: "seed", Default: []string{"1"}}),
	}
}

// Read reads a form; whether the values fit together is checked with the study.
func Read(f url.Values) (study.Spec, error) {
	var s State
	bad := form.Parse(&s, f)
	s.Name = strings.TrimSpace(s.Name)
	if s.Preset != "" {
		return s.Spec, usererr.BadFields(bad)
	}
	named := func(b usererr.Field) bool { return b.Field == "model" }
	if len(s.Models) == 0 && !slices.ContainsFunc(bad, named) {
		bad = append(bad, usererr.Field{Field: "models", Message: "must name at least one model"})
	}
	if len(bad) > 0 {
		return s.Spec, usererr.BadFields(bad)
	}
	return s.Spec, study.SentFields{Test: &s.Test}.Check() // an entered zero is not a default
}

// readData reads a dataset, d:ID, or a generator, g:ID; a preset names its own.
func (s *State) readData(text string) error {
	s.Dataset = study.Source{}
	if id, own := strings.CutPrefix(text, "d:"); own {
		s.Dataset.ID = id
	} else if s.Preset == "" {
		s.Dataset.Generator = strings.TrimPrefix(text, "g:")
	}
	return nil
}

func (s *State) data() []string {
	switch {
	case s.Dataset.ID != "":
		return []string{"d:" + s.Dataset.ID}
	case s.Dataset.Generator != "":
		return []string{"g:" + s.Dataset.Generator}
	}
	return nil
}

// readParams reads the parameters of a generator: "k=3 sd=0.5".
func (s *State) readParams(text string) error {
	s.Dataset.Params = nil
	for _, w := range strings.Fields(text) {
		name, number, _ := strings.Cut(w, "=")
		v, ok := form.ParseNumber(number)
		if !ok || name == "" {
			return form.ReadError(usererr.Sprintf("must be name=number, with spaces between (got %.40q)", w))
		}
		if s.Dataset.Params == nil {
			s.Dataset.Params = map[string]float64{}
		}
		s.Dataset.Params[name] = v
	}
	return nil
}

func (s *State) params() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s.Dataset.Params)) {
		words = append(words, name+"="+strconv.FormatFloat(s.Dataset.Params[name], 'g', -1, 64))
	}
	return orNone(strings.Join(words, " "))
}

// readModels adds models, one per line.
func (s *State) readModels(lines []string) error {
	var bad []usererr.Field
	for _, l := range lines {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		m, err := ReadModel(l)
		if e, wrong := usererr.As(err); wrong {
			bad = append(bad, e.Fields...)
			continue
		}
		s.Models = append(s.Models, m)
	}
	return usererr.BadFields(bad)
}

// lines are the models that are in the roster, or those that are not.
func (s *State) lines(roster bool) (lines []string) {
	for _, m := range s.Models {
		if l := ModelLine(m); l != "" && slices.Contains(Roster, l) == roster {
			lines = append(lines, l)
		}
	}
	return lines
}

func (s *State) more() []string { return orNone(strings.Join(s.lines(false), "\n")) }

// percents reads numbers in per cent, separated by spaces or semicolons.
func percents(text string) (list []float64, err error) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ;\u00a0\n", r) }) {
		if w = strings.TrimSuffix(strings.Trim(w, ","), "%"); w == "" {
			continue
		}
		v, ok := form.ParsePercent(w)
		if !ok || !(v >= 0 && v <= 1) {
			return nil, form.ReadError(usererr.Sprintf("must be numbers from 0 to 100 (got %.40q)", w))
		}
		list = append(list, v)
	}
	return list, nil
}

func percentTexts(list []float64) []string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = form.PercentText(v)
	}
	return orNone(strings.Join(words, " "))
}

func (s *State) readRates(text string) (err error) {
	s.Noise.Negative = nil
	if s.Noise.Rates, err = percents(text); err != nil {
		return err
	}
	if s.Noise.Kind == "class" { // only labels of events are flipped
		s.Noise.Negative = make([]float64, len(s.Noise.Rates))
	}
	return nil
}

func (s *State) rates() []string { return percentTexts(s.Noise.Rates) }

// orNone is a list of one text, empty for "".
func orNone(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
