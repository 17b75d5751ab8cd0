package studyreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// ShortLabel removes λ from a model's name, and keeps each parameter with its value on one line.
func ShortLabel(name string) string {
	name, _, _ = strings.Cut(name, ", λ = ")
	return viz.Unbroken(name)
}

// DefaultRate is the noise rate of the summary: 20 %, or else the one in the middle.
func DefaultRate(s study.Spec) float64 {
	rates := slices.Sorted(slices.Values(s.WithDefaults().Noise.Rates))
	if slices.Contains(rates, 0.2) {
		return 0.2
	}
	return rates[len(rates)/2]
}

// KeptShare is the noisy accuracy of a model relative to its clean accuracy; NaN where one is missing.
func KeptShare(cells []study.Cell, s study.Spec, model string, rate float64) (clean, noisy, share float64) {
	clean, noisy = math.NaN(), math.NaN()
	for _, c := range cells {
		if c.Model != model || c.Metric != s.Metric || c.Mean == nil {
			continue
		}
		if c.Noise == 0 {
			clean = *c.Mean
		}
		if c.Noise == rate {
			noisy = *c.Mean
		}
	}
	return clean, noisy, noisy / clean
}

// replicatesOf is the number of replicates from which the retained share of a model comes.
func replicatesOf(cells []study.Cell, s study.Spec, model string, rate float64) int {
	n := math.MaxInt
	for _, c := range cells {
		if c.Model == model && c.Metric == s.Metric && (c.Noise == 0 || c.Noise == rate) {
			n = min(n, c.N)
		}
	}
	return n
}

// Robustness describes the effect of noise, worst model first, in two parts, the first set in bold; empty while
// numbers are missing. Too few replicates do not rank models: then they keep the order of the spec.
func Robustness(s study.Spec, cells []study.Cell, rate float64) [2]string {
	s = s.WithDefaults()
	if m, ok := study.MetricByID(s.Metric); !ok || !m.Higher || !slices.Contains(s.Noise.Rates, 0) || rate == 0 {
		return [2]string{}
	}
	type keeps struct {
		name  string
		share float64
	}
	var all []keeps
	fewest := math.MaxInt
	for _, m := range s.Models {
		name := study.Label(m)
		if _, _, share := KeptShare(cells, s, name, rate); !math.IsNaN(share) {
			all = append(all, keeps{InWords(ShortLabel(name)), share})
			fewest = min(fewest, replicatesOf(cells, s, name, rate))
		}
	}
	if len(all) == 0 {
		return [2]string{}
	}
	part := func(k keeps) string { return k.name + " retains " + Kept(k.share) }
	m, _ := study.MetricByID(s.Metric)
	with, noiseFree := fmt.Sprintf("With %s%s of training labels flipped, ", viz.Short(100*rate, 3), format.Pc),
		" of its noise-free "+format.LowerTitle(m.Title)
	if s.Noise.Kind == "instance" {
		with = strings.Replace(with, "training labels flipped", "training rows replaced", 1)
	}
	if len(all) > 1 && fewest < viz.FewestBanded {
		texts := []string{phrase.UpperFirst(part(all[0])) + noiseFree}
		for _, k := range all[1:] {
			texts = append(texts, part(k))
		}
		return [2]string{with + phrase.Plural(fewest, "replicate is", "replicates are") +
			" too few to say which model retains most.", strings.Join(texts, "; ") + "."}
	}
	slices.SortStableFunc(all, func(a, b keeps) int { return cmp.Compare(a.share, b.share) })
	first := with + part(all[0]) + noiseFree
	if len(all) == 1 {
		return [2]string{first + ".", ""}
	}
	best := all[len(all)-1]
	rest := ""
	if between := all[1 : len(all)-1]; len(between) > 0 {
		var texts []string
		for _, k := range slices.Backward(between) {
			texts = append(texts, part(k))
		}
		rest = phrase.UpperFirst(strings.Join(texts, "; ")) + "."
	}
	return [2]string{first + "; " + part(best) + ".", rest}
}

// InWords is the name of a model inside a sentence, with parameters in brackets.
func InWords(name string) string {
	if name = format.LowerTitle(name); name == "logistic" {
		return "logistic regression"
	}
	if at := strings.Index(name, ", "); at > 0 {
		return name[:at] + " (" + name[at+2:] + ")"
	}
	return name
}

// Kept writes a retained share, with the digits of the slides and of the table; a share below 1 is never rounded to
// 100 %.
func Kept(share float64) string { return keptNumber(share) + format.Pc }

// keptNumber is Kept without the unit, for a cell of a table.
func keptNumber(share float64) string {
	if text := viz.Percent(share, 1); text != viz.Percent(1, 1) || share >= 1 {
		return text
	}
	return viz.Percent(0.999, 1)
}
