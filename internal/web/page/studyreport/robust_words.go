package studyreport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Words are the result as one sentence.
func (v *Robust) Words() (strong, rest string) {
	s := Robustness(v.Spec, v.Cells, v.Rate)
	if s[0] == "" {
		return "No result yet.", "The sentence is made from the numbers once a replicate of each model is done."
	}
	if v.Record != nil && v.Record.Status != store.Done {
		return "So far: " + format.LowerTitle(s[0]), s[1]
	}
	return s[0], s[1]
}

// notes say what the picture leaves out.
func (v *Robust) notes() []string {
	var notes []string
	if v.Spec.Dataset.Generator == "long-servedio" {
		notes = append(notes, "The rows are Long and Servedio’s: built so that every convex loss fails under a few random "+
			"flips. On many real data sets the lines lie close together: try your own.")
	}
	if worst := v.worst(); worst != "" {
		notes = append(notes, worst)
	}
	for _, m := range v.Spec.Models {
		if m.Loss == "alpha" {
			notes = append(notes, "A robust loss has more than one minimum: which is reached depends on the start. The "+
				"α-loss starts from softened losses here; from zero it may end elsewhere (at α = 2 and 30"+format.Pc+
				" noise half of the samples do).")
			break
		}
	}
	return append(notes, "λ and the parameters were given, not tuned on the noisy labels. Bands are 95"+format.Pc+
		" intervals of the mean over replicates, not of a single run.")
}

// worst says where even the best model falls.
func (v *Robust) worst() string {
	last := v.rates[len(v.rates)-1]
	best, name := math.Inf(-1), ""
	for _, m := range v.Spec.Models {
		if _, _, share := KeptShare(v.Cells, v.Spec, study.Label(m), last); share > best {
			best, name = share, InWords(ShortLabel(study.Label(m)))
		}
	}
	if name == "" || best > 0.95 {
		return ""
	}
	return fmt.Sprintf("No loss survives everything: at %s%s the best, %s, keeps %s.", viz.Short(100*last, 3), format.Pc,
		name, Kept(best))
}

// givenUp says whose labels the rows have that weigh least.
func (v *Robust) givenUp(ctx context.Context) (strong, rest string) {
	w, err := v.weights(ctx)
	if err != nil || w.Symbol == "" {
		return "A loss without a bound gives no row up.", ""
	}
	low, n := viz.GivenUp(w)
	all := low[0] + low[1]
	if all == 0 {
		return "No row is given up", "at this rate of noise."
	}
	return fmt.Sprintf("%s of the %s rows that %s gives up have a flipped label;", phrase.Int(low[1]), phrase.Int(all),
			InWords(ShortLabel(w.Model))),
		fmt.Sprintf("%s of %s flipped rows are among them.", phrase.Int(low[1]), phrase.Int(n[1]))
}

// ordinary is the model that the others are held against: logistic regression,
// else the first.
func (v *Robust) ordinary() int {
	i := slices.IndexFunc(v.Spec.Models, func(m fit.Spec) bool { return m.Loss == "logistic" })
	if i < 0 && len(v.Spec.Models) > 0 {
		return 0
	}
	return i
}
