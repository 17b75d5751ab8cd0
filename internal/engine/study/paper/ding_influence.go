package paper

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// dingL2 is the λ of the figures for which none is chosen.
const dingL2 = 1

// The groups of Figure 4: for Long and Servedio's dataset the three kinds of points, flipped or not; for
// other data flipped and clean rows.
var (
	longServedioRoles = []string{"Large margin", "Puller", "Penalizer"}
	twoGroups         = []string{"Flipped", "Clean"}
)

func roleGroups() (groups []string) {
	for _, state := range []string{"flipped", "clean"} {
		for _, role := range longServedioRoles {
			groups = append(groups, role+", "+state)
		}
	}
	return groups
}

const influenceBins = 25

// dingInfluence is Figure 4.
var dingInfluence = study.Preset{
	ID: "ding-fig4", Title: "Influence of flipped and clean rows on t-logistic regression", Source: dingSource,
	Figure: "Figure 4", Uploads: true,
	Protocol: dingWords + "After t = 1.9 with λ = 1 on one noisy fold, the weight ξ, proportional to p to the " +
		"power t − 1, of the training rows, the largest set to 1, in 25 bins; on Long and Servedio’s set by the " +
		"role of the row. Means over 20 draws, and the median ξ of each group.",
	UploadTexts: append([]string{"; on Long and Servedio’s set by the role of the row", ""}, dingUploadTexts...),
	Build:       buildDingInfluence,
	Drawing: study.Drawing{Kind: study.DrawHistogram, X: study.Axis{Title: "ξ", Of: "at"},
		Series: study.Axis{Title: "Rows", Of: "model"},
		Panels: study.Axis{Title: "Data", Of: "data"},
		Metrics: []study.Metric{{ID: "rows", Title: "Training rows", Higher: true},
			{ID: "median", Title: "Median ξ", Higher: true}}},
	References: influenceReferences(),
	Notes:      []study.Note{sixNote},
}

func influenceKey(data, group, metric string, at float64) study.Key {
	return study.Key{Data: data, Model: group, Noise: dingFlipped, Metric: metric, At: at}
}

func buildDingInfluence(in study.Input) (p study.Plan, err error) {
	names, generators := dingSets(in)
	for r := range in.Size.Pick(1, 20, 20) {
		for i, name := range names {
			groups := twoGroups
			if generators[i] == "long-servedio" {
				groups = roleGroups()
			}
			u := study.Unit{ID: fmt.Sprintf("%s #%d", name, r), Kind: name, Replicate: r}
			for _, g := range groups {
				for b := range influenceBins {
					u.Keys = append(u.Keys, influenceKey(name, g, "rows", (float64(b)+0.5)/influenceBins))
				}
				u.Keys = append(u.Keys, influenceKey(name, g, "median", 0))
			}
			u.Run = func(ctx context.Context) ([]float64, error) { return dingXi(ctx, in, generators[i], r, groups) }
			p.Units = append(p.Units, u)
		}
	}
	return p, checkTwo(in)
}

// dingXi counts the rows of each group by their influence and appends its
// median.
func dingXi(ctx context.Context, in study.Input, generator string, r int, groups []string) ([]float64, error) {
	d, err := dingDraw(in, generator, r)
	if err != nil {
		return nil, err
	}
	clean, err := d.fold(ctx, in, r, 0, 0)
	if err != nil {
		return nil, err
	}
	noisy, err := d.fold(ctx, in, r, 0, dingFlipped)
	if err != nil {
		return nil, err
	}
	m, err := dingTrainers()[tLogistic(1.9)].Fit(ctx, noisy.train.Data(), dingL2,
		fit.Options{Starts: fit.Starts{Seed: in.Seed}})
	if err != nil {
		return nil, err
	}
	xi := make([][]float64, len(groups))
	for i, y := range clean.train.Y {
		g := 0
		if len(groups) > len(twoGroups) {
			g = synth.LongServedioRole(clean.train.X.Row(i), y)
		}
		if noisy.train.Y[i] == y {
			g += len(groups) / 2
		}
		xi[g] = append(xi[g], m.Fitted.Xi[i])
	}
	var v []float64
	for _, x := range xi {
		v = append(v, influenceCounts(x)...)
	}
	return v, nil
}

// influenceCounts are the rows in each bin, and the median.
func influenceCounts(xi []float64) []float64 {
	v := make([]float64, influenceBins, influenceBins+1)
	for _, x := range xi {
		v[min(influenceBins-1, int(x*influenceBins))]++
	}
	slices.Sort(xi)
	return append(v, study.Median(xi))
}

// sixMedians are those of docs/reference-numbers.md, section 3, point 4, in the order of roleGroups.
var sixMedians = []float64{.014, .168, .245, .992, .875, .831}

func influenceReferences() (refs []study.Reference) {
	for i, g := range roleGroups() {
		refs = append(refs, study.Reference{Key: influenceKey(dingData[0].name, g, "median", 0), Value: sixMedians[i],
			N: 1, Digit: 1e-3, Where: "Independent rerun of Ding and Vishwanathan 2010, Fig. 4"})
	}
	refs[len(longServedioRoles)].Differs = "our ξ are divided by the largest one, which is that of the clean " +
		"rows of large margin; before the division p to the power t − 1 at their score of 78 is 0.992."
	for _, role := range longServedioRoles {
		key := func(state string) study.Key {
			return influenceKey(dingData[0].name, role+", "+state, "median", 0)
		}
		refs = append(refs, study.Claim(key("flipped"), key("clean"), -1, "Ding and Vishwanathan 2010, Fig. 4: ξ of "+
			"flipped rows is lower"))
	}
	return refs
}

// sixNote explains docs/reference-numbers.md, section 3, point 4, with our own medians.
var sixNote = study.Note{
	Claim: "On Long and Servedio’s set the influences ξ form four groups.",
	Text:  "Each of the three roles splits into flipped and clean rows, which makes six groups.",
	Finding: func(cells []study.Cell) string {
		var v []string
		for _, g := range roleGroups() {
			v = append(v, withInterval(study.Find(cells, influenceKey(dingData[0].name, g, "median", 0)), 3))
		}
		return findings("Here the median ξ is %s for flipped rows of large margin, %s for flipped pullers, %s for flipped "+
			"penalizers, %s for clean penalizers, %s for clean pullers and %s for clean rows of large margin.",
			v[0], v[1], v[2], v[5], v[4], v[3])
	},
}
