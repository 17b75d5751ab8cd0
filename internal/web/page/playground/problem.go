package playground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"taper/internal/engine/usererr"
)

// fieldNames are the labels of the controls by key. Parameters of a method keep their symbols.
var fieldNames = map[string]string{
	"data": "Points from", "pts": "Points", "cx": "Across", "cy": "Up", "outcome": "Outcome", "positive": "Event",
	"n": "Points n", "test": "Held out",
	"noise": "Label noise", "rate": "Rate", "rate0": "Rate, other class", "seed": "Seed", "brush": "The marked bin",
	"ax": "The axes",
	"l2": "penalty λ", "features": "features", "kernel": "kernel", "gamma": "width γ", "degree": "degree",
	"solver": "solver", "rounds": "trees", "depth": "depth of a tree", "rule": "weight of a tree",
	"matrix": "costs", "base": "base loss", "pi": "boundaries",
}

// worded is the message of a problem, with the name of its control.
func worded(f usererr.Field) string {
	name, inModel := f.Field, ""
	for k, slot := range slots {
		if of, ok := strings.CutPrefix(f.Field, slot); ok {
			name, inModel = of, "Model "+string(rune('A'+k))
		}
	}
	if slices.Contains(sharedKeys, name) && inModel == "" {
		inModel = "Both models"
	}
	key, _, _ := strings.Cut(name, "[")
	if words, ok := fieldNames[key]; ok {
		name = words
	}
	message := strings.TrimSuffix(f.Message, ".") + "."
	first, _ := utf8.DecodeRuneInString(message)
	switch {
	case inModel != "" && key == "method":
		return inModel + ": " + message
	case inModel != "":
		return inModel + ", " + name + ": " + message
	case unicode.IsUpper(first):
		return message // a complete sentence
	}
	return name + " " + message
}

// unused lists the parameters of an address that could not be used; empty if there are none.
func unused(bad []usererr.Field) string {
	if len(bad) == 0 {
		return ""
	}
	var all []string
	for _, f := range bad {
		all = append(all, worded(f))
	}
	return strings.Join(append(all, "The rest is shown."), " ")
}
