package paper

import (
	"slices"
	"strings"

	"taper/internal/engine/study"
)

// Paper is a paper whose figures and tables the presets replicate.
type Paper struct {
	ID   string // first part of its presets' ids
	Name string // authors and year, as cited in a sentence
}

// Papers are in the order of Presets.
var Papers = []Paper{
	{"amid", "Amid et al. 2019"},
	{"fathony", "Fathony et al. 2018"},
	{"ding", "Ding and Vishwanathan 2010"},
	{"sypherd", "Sypherd et al. 2023"},
	{"kimes", "Kimes et al. 2016"},
}

// PaperOf returns the paper of a preset.
func PaperOf(id string) Paper {
	first, _, _ := strings.Cut(id, "-")
	i := slices.IndexFunc(Papers, func(p Paper) bool { return p.ID == first })
	if i < 0 {
		panic("study: preset " + id + " is of no paper")
	}
	return Papers[i]
}

// Group is one row of the list of studies: a figure with its panels, or one figure with several settings.
// Most presets are a group of their own.
type Group struct {
	Title    string
	Variants []Variant // the first is shown by default
}

// Variant is a preset within its group.
type Variant struct {
	ID    string
	Label string // what distinguishes it within the group; "" for a single variant
}

// groups lists the groups of several presets.
var groups = []Group{
	{"Computational cost relative to logistic regression", []Variant{{"amid-table2", "passes over the rows"},
		{"amid-sweeps", "sweeps to the normaliser"}}},
	{"Ordered classes", []Variant{{"fathony-table4", "linear scores"}, {"fathony-table5", "Gaussian kernel"}}},
	{"Stationarity condition on the four points", []Variant{{"sypherd-fig12", "four " +
		"α"}, {"sypherd-fig13", "α = 3"},
		{"sypherd-fig15", "α = 10"}}},
	{"AdaBoost.α against the depth of its trees", []Variant{{"sypherd-fig4", "10\u00a0% flipped"},
		{"sypherd-fig17", "clean labels"}, {"sypherd-fig18", "20\u00a0%"}, {"sypherd-fig19", "30\u00a0%"}}},
	{"AdaBoost.α against the number of stumps", []Variant{{"sypherd-fig5", "10\u00a0% flipped"},
		{"sypherd-fig20", "clean labels"}, {"sypherd-fig21", "20\u00a0%"}, {"sypherd-fig22", "30\u00a0%"}}},
	{"AdaBoost.α on breast cancer, against depth", []Variant{{"sypherd-fig23", "10\u00a0% flipped"},
		{"sypherd-fig24", "20\u00a0%"}, {"sypherd-fig25", "30\u00a0%"}}},
	{"AdaBoost.α on breast cancer, against the number of stumps", []Variant{{"sypherd-fig26", "10\u00a0% flipped"},
		{"sypherd-fig27", "20\u00a0%"}, {"sypherd-fig28", "30\u00a0%"}}},
	{"Logistic weights of a symptom survey under noise", []Variant{{"sypherd-fig8", "error of the weights"},
		{"sypherd-fig8-forest", "feature by feature"}, {"sypherd-fig30", "sensitivity"}}},
	{"Interval surrogates compared with logistic regression, settings 1.1 to 1.3",
		[]Variant{{"kimes-fig6", "loss"}, {"kimes-fig6a", "a sample"}}},
	{"Interval surrogates compared with logistic regression, settings 2.1 to 2.3",
		[]Variant{{"kimes-fig7", "loss"}, {"kimes-fig7a", "a sample"}}},
	{"Four groups of brain volumes, two of them trained on", []Variant{{"kimes-fig8", "scores"},
		{"kimes-fig8a", "principal components"}}},
}

// GroupOf returns the group of a preset.
func GroupOf(p study.Preset) Group {
	for _, g := range groups {
		if slices.ContainsFunc(g.Variants, func(v Variant) bool { return v.ID == p.ID }) {
			return g
		}
	}
	return Group{p.Title, []Variant{{ID: p.ID}}}
}
