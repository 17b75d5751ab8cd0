package studyform

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/web/templates"
)

// ModelChoices ticks the models of the roster and writes the others as lines.
func ModelChoices(models []fit.Spec) (options []templates.Option, more string) {
	on := map[string]bool{}
	for _, m := range models {
		line := ModelLine(m)
		if slices.Contains(Roster, line) {
			on[line] = true
		} else if line != "" {
			more += line + "\n"
		}
	}
	for _, line := range Roster {
		m, err := ReadModel(line)
		if err != nil {
			panic("roster: " + err.Error()) // read by a test
		}
		options = append(options, templates.Option{Value: line, Label: study.Label(m.WithDefaults("")), On: on[line]})
	}
	return options, more
}

// noises are the kinds of noise in words.
var noises = []struct{ id, name, sentence string }{
	{"symmetric", "Each label with this probability",
		"The label of each row that trains is flipped with the given probability."},
	{"random", "This share of the labels, at random",
		"Exactly the given share of the training labels, chosen at random, is flipped."},
	{"small-margin", "Labels near the border",
		"The given share of the training rows, those nearest to the border of a model of the clean rows, is flipped."},
	{"large-margin", "Labels far from the border",
		"The given share of the training rows, those farthest on the right side of a model of the clean rows, is flipped."},
	{"class", "Labels of the event alone", "The labels of events that train are flipped with the given probability."},
	{"instance", "Rows replaced by rows of the other class",
		"The given share of the training rows gets the features of rows of another class."},
	{"none", "None", "Nothing is flipped."},
}

// NoiseChoice offers the kinds of noise.
func NoiseChoice(now string) templates.Choice {
	c := templates.Choice{ID: "noise", Name: "noise", Label: "Kind"}
	for _, n := range noises {
		c.Options = append(c.Options, templates.Option{Value: n.id, Label: n.name, On: n.id == cmp.Or(now, "symmetric")})
	}
	return c
}

// NoiseKind is a kind of noise as the form names it.
func NoiseKind(id string) string {
	for _, n := range noises {
		if n.id == id {
			return n.name
		}
	}
	return id
}

// NoiseSentence says what a kind of noise does.
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

// OfPreset is what a preset does as a grid of one's own.
func OfPreset(id string) (study.Spec, bool) {
	p, ok := paper.Presets.ByID(id)
	if !ok || p.Grid == nil {
		return study.Spec{}, false
	}
	s := p.Grid.WithDefaults()
	s.Name = p.Title + ", changed"
	return s, true
}

// Rates lists rates in per cent.
func Rates(rates []float64) string {
	texts := make([]string, len(rates))
	for i, r := range rates {
		texts[i] = viz.Short(100*r, 4)
	}
	return strings.Join(texts, ", ")
}
