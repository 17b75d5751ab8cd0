package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/cmd/web/wording"
	"taper/internal/engine/method"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
)

// shortLabel leaves λ out of a model's name.
func shortLabel(name string) string {
	name, _, _ = strings.Cut(name, ", λ = ")
	return name
}

// words are the result as one sentence.
func (v *robust) words() (strong, rest string) {
	s := robustSentence(v.spec, v.cells, v.rate)
	if s[0] == "" {
		return "No result yet.", "The sentence is made from the numbers once a replicate of each model is done."
	}
	if v.st != nil && v.st.Status != store.Done {
		return "So far: " + lowerTitle(s[0]), s[1]
	}
	return s[0], s[1]
}

// defaultRate is the rate that the sentence speaks of: a fifth, or the one in
// the middle.
func defaultRate(s study.Spec) float64 {
	rates := slices.Sorted(slices.Values(s.WithDefaults().Noise.Rates))
	if slices.Contains(rates, 0.2) {
		return 0.2
	}
	return rates[len(rates)/2]
}

// keptShare is what a model keeps of its own clean number at a rate; NaN without.
func keptShare(cells []study.Cell, s study.Spec, model string, rate float64) (clean, noisy, share float64) {
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

// robustSentence says what noise does, worst first: two parts, the first in
// bold; empty while numbers are missing.
func robustSentence(s study.Spec, cells []study.Cell, rate float64) [2]string {
	s = s.WithDefaults()
	if m, ok := study.MetricByID(s.Metric); !ok || !m.Higher || !slices.Contains(s.Noise.Rates, 0) || rate == 0 {
		return [2]string{}
	}
	type keeps struct {
		name  string
		share float64
	}
	var all []keeps
	for _, m := range s.Models {
		name := study.Label(m)
		if _, _, share := keptShare(cells, s, name, rate); !math.IsNaN(share) {
			all = append(all, keeps{inWords(shortLabel(name)), share})
		}
	}
	if len(all) == 0 {
		return [2]string{}
	}
	slices.SortStableFunc(all, func(a, b keeps) int {
		switch {
		case a.share < b.share:
			return -1
		case a.share > b.share:
			return 1
		}
		return 0
	})
	part := func(k keeps) string { return k.name + " " + keptWords(k.share) }
	metric := "clean accuracy"
	if m, _ := study.MetricByID(s.Metric); m.ID != "accuracy" {
		metric = "its clean " + lowerTitle(m.Title)
	}
	first := fmt.Sprintf("With %s%s of training labels flipped, %s keeps %s of %s", viz.Short(100*rate, 3), wording.Pc, all[0].name, keptWords(all[0].share), metric)
	if s.Noise.Kind == "instance" {
		first = strings.Replace(first, "training labels flipped", "training rows replaced", 1)
	}
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
		rest = capital(strings.Join(texts, "; ")) + "."
	}
	return [2]string{first + ", " + part(best) + ".", rest}
}

// notes say what the picture leaves out.
func (v *robust) notes() []string {
	var notes []string
	if v.spec.Dataset.Generator == "long-servedio" {
		notes = append(notes, "The rows are Long and Servedio’s: built so that every convex loss fails under a few random flips. On many real data sets the lines lie close together: try your own.")
	}
	if worst := v.worst(); worst != "" {
		notes = append(notes, worst)
	}
	for _, m := range v.spec.Models {
		if m.Loss == "alpha" {
			notes = append(notes, "A robust loss has more than one minimum: which is reached depends on the start. The α-loss starts from softened losses here; from zero it may end elsewhere (at α = 2 and 30"+wording.Pc+" noise half of the samples do).")
			break
		}
	}
	return append(notes, "λ and the parameters were given, not tuned on the noisy labels. Bands are 95"+wording.Pc+" intervals of the mean over replicates, not of a single run.")
}

// worst says where even the best model falls.
func (v *robust) worst() string {
	last := v.rates[len(v.rates)-1]
	best, name := math.Inf(-1), ""
	for _, m := range v.spec.Models {
		if _, _, share := keptShare(v.cells, v.spec, study.Label(m), last); share > best {
			best, name = share, inWords(shortLabel(study.Label(m)))
		}
	}
	if name == "" || best > 0.95 {
		return ""
	}
	return fmt.Sprintf("No loss survives everything: at %s%s the best, %s, keeps %s.", viz.Short(100*last, 3), wording.Pc, name, keptWords(best))
}

// givenUp says whose labels the rows have that weigh least.
func (v *robust) givenUp(ctx context.Context) (strong, rest string) {
	w, err := v.weights(ctx)
	if err != nil || w.Symbol == "" {
		return "A loss without a bound gives no row up.", ""
	}
	low, n := viz.GivenUp(w)
	all := low[0] + low[1]
	if all == 0 {
		return "No row is given up", "at this rate of noise."
	}
	return fmt.Sprintf("%s of the %s rows that %s gives up have a flipped label;", viz.Count(low[1]), viz.Count(all), inWords(shortLabel(w.Model))),
		fmt.Sprintf("%s of %s flipped rows are among them.", viz.Count(low[1]), viz.Count(n[1]))
}

// inWords names a model inside a sentence, its parameters in brackets.
func inWords(name string) string {
	name = lowerTitle(name)
	if at := strings.Index(name, ", "); at > 0 {
		return name[:at] + " (" + name[at+2:] + ")"
	}
	return name
}

// keptWords writes a share that is kept; what is not all is not written so.
func keptWords(share float64) string {
	if text := viz.Percent(share, 0); text != "100" || share >= 1 {
		return text + wording.Pc
	}
	return viz.Percent(math.Floor(1000*share)/1000, 1) + wording.Pc
}

// ordinary is the model that the others are held against: logistic regression,
// else the first.
func (v *robust) ordinary() int {
	i := slices.IndexFunc(v.spec.Models, func(m method.Spec) bool { return m.Loss == "logistic" })
	if i < 0 && len(v.spec.Models) > 0 {
		return 0
	}
	return i
}
