package studyreport

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Words are the summary of the result.
func (v *Robust) Words() (strong, rest string) {
	s := Robustness(v.Spec, v.Cells, v.Rate)
	if st := v.Record; st != nil && st.Status != store.Done {
		strong = fmt.Sprintf("%s, %d of %d jobs done.", phrase.UpperFirst(st.Status), st.Done, st.Units)
		if s[0] == "" {
			return strong, "The summary appears after the first replicate of each model."
		}
		return strong, strings.TrimSpace("So far: " + format.LowerTitle(s[0]) + " " + s[1])
	}
	if s[0] == "" {
		return "No summary.", "It needs accuracies with and without noise."
	}
	return s[0], s[1]
}

// built says that the data were made so that convex losses fail; empty for other data.
func (v *Robust) built() string {
	if v.Spec.Dataset.Generator != "long-servedio" {
		return ""
	}
	return "The data are Long and Servedio’s, built so that every convex loss fails under a few random flips."
}

// notes explain what the chart does not show.
func (v *Robust) notes() []string {
	var notes []string
	if built := v.built(); built != "" {
		notes = append(notes, built+" On many real datasets the curves are close together: use your own data.")
	}
	if worst := v.worst(); worst != "" {
		notes = append(notes, worst)
	}
	for _, m := range v.Spec.Models {
		if m.Loss == "alpha" {
			notes = append(notes, "A bounded loss can have more than one minimum, and the result depends on the starting "+
				"point. Here the α-loss starts from softened losses; from zero it may end elsewhere (half of the samples do at "+
				viz.Unbroken("α = 2 and 30 % noise)."))
			break
		}
	}
	fixed := "λ and the loss parameters were fixed in advance, not tuned on noisy labels."
	if v.replicates() >= viz.FewestBanded {
		fixed += " Bands are 95" + format.Pc + " intervals of the mean over replicates, not of a single run."
	}
	return append(notes, fixed)
}

// worst gives the noise rate at which even the best model breaks down.
func (v *Robust) worst() string {
	last := v.rates[len(v.rates)-1]
	best, name := math.Inf(-1), ""
	for _, m := range v.Spec.Models {
		if _, _, share := KeptShare(v.Cells, v.Spec, study.Label(m), last); share > best {
			best, name = share, InWords(ShortLabel(study.Label(m)))
		}
	}
	if name == "" || best > 0.95 || v.replicates() < viz.FewestBanded {
		return ""
	}
	return fmt.Sprintf("At %s%s noise even the best model, %s, retains only %s.", viz.Short(100*last, 3), format.Pc,
		name, Kept(best))
}

// givenUp says how many of the down-weighted rows have flipped labels.
func (v *Robust) givenUp(ctx context.Context) (strong, rest string) {
	w, err := v.weights(ctx)
	if err != nil || w.Symbol == "" {
		return "A loss without a bound does not down-weight rows.", ""
	}
	low, n := viz.GivenUp(w)
	all := low[0] + low[1]
	if all == 0 {
		return "No row is down-weighted", "at this noise rate."
	}
	return fmt.Sprintf("Of the %s that %s down-weights, %s flipped", phrase.Count(all, "row"),
			InWords(ShortLabel(w.Model)), phrase.Plural(low[1], "is", "are")),
		fmt.Sprintf("(precision %s%s, recall %s%s).", viz.Percent(float64(low[1])/float64(all), 0), format.Pc,
			viz.Percent(float64(low[1])/float64(max(1, n[1])), 0), format.Pc)
}

// ordinary is the index of the reference model: logistic regression, else the first model.
func (v *Robust) ordinary() int {
	i := slices.IndexFunc(v.Spec.Models, func(m fit.Spec) bool { return m.Loss == "logistic" })
	if i < 0 && len(v.Spec.Models) > 0 {
		return 0
	}
	return i
}
