package playground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"taper/internal/engine/usererr"
)

// fieldNames names the keys of an address as their controls are named. A
// method's own numbers keep the names that they have in formulas.
var fieldNames = map[string]string{
	"data": "Points from", "pts": "Points", "cx": "Across", "cy": "Up", "outcome": "Outcome", "positive": "Event",
	"n": "Points n", "test": "Held out",
	"noise": "Label noise", "rate": "Rate", "rate0": "Rate, other class", "seed": "Seed", "brush": "The marked bin",
	"ax": "The axes",
	"l2": "penalty λ", "features": "features", "kernel": "kernel", "gamma": "width γ", "degree": "degree",
	"solver": "solver", "rounds": "trees", "depth": "depth of a tree", "rule": "weight of a tree",
	"matrix": "costs", "base": "base loss", "pi": "boundaries",
}

// worded puts a problem of an address into a sentence that names its control.
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
		return message // a sentence
	}
	return name + " " + message
}

// unused says what of an address could not be used on a page that shows the
// rest; it is empty when all of it could.
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
