// Package studyform is the form of a study, read and filled in: models as lines,
// rates in per cent, generators with their parameters.
package studyform

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// Read reads a form; what is wrong with its values the study says.
func Read(f url.Values) (s study.Spec, err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	if s.Seed, e = form.ParseWhole("seed", cmp.Or(f.Get("seed"), "1"), 64); e != nil {
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
		rows, e := form.ParseWhole("rows", f.Get("rows"), 31)
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
		m, e := ReadModel(l)
		keep(e)
		s.Models = append(s.Models, m)
	}
	if len(lines) == 0 {
		keep(usererr.BadField("models", "must name at least one model"))
	}
	s.Noise.Kind, s.Metric = f.Get("noise"), f.Get("metric")
	s.Noise.Rates, e = readRates(f.Get("rates"))
	keep(e)
	if s.Noise.Kind == "class" { // the others keep theirs
		s.Noise.Negative = make([]float64, len(s.Noise.Rates))
	}
	replicates, e := form.ParseWhole("replicates", cmp.Or(f.Get("replicates"), "20"), 31)
	keep(e)
	s.Replicates = int(replicates)
	s.Test, e = percentText("test", cmp.Or(f.Get("test"), "50"))
	keep(e)
	if err == nil { // a zero that was typed is no default
		err = study.Given{Replicates: &s.Replicates, Test: &s.Test}.Check()
	}
	return s, err
}

// readParams reads the parameters of a generator: "k=3 sd=0.5".
func readParams(text string) (map[string]float64, error) {
	var params map[string]float64
	for _, w := range strings.Fields(text) {
		name, number, _ := strings.Cut(w, "=")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || name == "" {
			return nil, usererr.BadField("params", "must be name=number, with spaces between (got %.40q)", w)
		}
		if params == nil {
			params = map[string]float64{}
		}
		params[name] = v
	}
	return params, nil
}

// Params writes the parameters of a generator as the form holds them.
func Params(params map[string]float64) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words = append(words, name+"="+strconv.FormatFloat(params[name], 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// readRates reads rates in per cent, with spaces or semicolons between.
func readRates(text string) (rates []float64, err error) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == ';' || r == '\u00a0' || r == '\n'
	}) {
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

// percentText reads a share in per cent.
func percentText(name, text string) (float64, error) {
	v, ok := form.ParsePercent(text)
	if !ok || !(v >= 0 && v <= 1) {
		return 0, usererr.BadField(name, "must be a number from 0 to 100 (got %.40q)", text)
	}
	return v, nil
}
