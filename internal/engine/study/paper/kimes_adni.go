package paper

import (
	"context"
	"fmt"
	"math"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/tune"
)

const adniWords = "A file like the ADNI study: 93 brain volumes in four groups. The interval surrogate for 25, 50 " +
	"and 75\u00a0% is trained on healthy controls (NC) against Alzheimer’s disease (AD), λ from 2⁻¹⁵ to 2⁵ " +
	"by two-fold cross-validation; patients with stable and progressive impairment (sMCI, pMCI) are scored but not " +
	"used for training. "

var kimesDensity = study.Preset{
	ID: "kimes-fig8", Title: "Scores of four groups, two of them trained on", Source: kimesSource,
	Figure: "Figure 8, panel B",
	NoNumbers: "The paper draws densities and prints no numbers; its scans are not public, and these rows are " +
		"simulated.",
	Protocol: adniWords + "Gaussian kernel densities of the score by group, with Silverman’s bandwidth; the " +
		"cut-offs are −1.10, 0 and 1.10.",
	Build: func(in study.Input) (study.Plan, error) {
		u := study.Unit{ID: "density #0", Kind: "density", Run: func(ctx context.Context) ([]float64, error) {
			return adniDensities(ctx, in.Seed)
		}}
		for _, group := range adniGroups {
			for _, f := range adniGrid() {
				u.Keys = append(u.Keys, study.Key{Model: group, Metric: "density", At: f})
			}
		}
		return study.Plan{Units: []study.Unit{u}}, nil
	},
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Score", Of: "at"},
		Series:   study.Axis{Title: "Group", Of: "model"},
		Metrics:  []study.Metric{{ID: "density", Title: "Density"}},
		Uprights: &study.Upright{Title: "the cut-offs", At: map[string][]float64{"": adniCuts()}}},
}

var kimesMap = study.Preset{
	ID: "kimes-fig8a", Title: "Bands among the first two principal components", Source: kimesSource,
	Figure:    "Figure 8, panel A",
	NoNumbers: "The paper draws a map and prints no number; its scans are not public, and these rows are simulated.",
	Protocol: adniWords + "The first two principal components of the 411 standardised training rows, by the band of " +
		"each.",
	Build: func(in study.Input) (p study.Plan, err error) {
		draw := sync.OnceValues(func() (adniFit, error) { return fitADNI(context.Background(), in.Seed) })
		for i := range adniTrained {
			p.Units = append(p.Units, adniPoint(draw, i))
		}
		return p, nil
	},
	Drawing: study.Drawing{Kind: study.DrawScatter, X: study.Axis{Title: "First component"},
		Y:      study.Axis{Title: "Second component"},
		Series: study.Axis{Title: "Band", Of: "model"}, Metrics: []study.Metric{{ID: "x", Title: "First component"},
			{ID: "y", Title: "Second component"}}},
}

var (
	adniGroups = []string{"NC", "sMCI", "pMCI", "AD"}
	adniPi     = []float64{0.25, 0.5, 0.75}
	adniBands  = []string{"0 – 25 %", "25 – 50 %", "50 – 75 %", "75 – 100 %"}
)

// adniCuts are the canonical cut-offs on the score.
func adniCuts() []float64 {
	iv, err := loss.NewInterval(adniPi)
	if err != nil {
		panic("study: " + err.Error())
	}
	return iv.Delta
}

const adniTrained = 411 // NC and AD

// adniGrid is the grid on which densities are evaluated.
func adniGrid() []float64 {
	const points, end = 121, 6
	grid := make([]float64, points)
	for i := range grid {
		grid[i] = end * (2*float64(i)/(points-1) - 1)
	}
	return grid
}

// adniFit is the model fitted to the generated file.
type adniFit struct {
	rows  study.Rows // rows of all groups, standardised by the training rows; the class is the group
	fit   *fit.Model
	iv    loss.Interval
	plane [2][]float64 // principal components of the training rows
	at    []int        // positions of the points in the plane
}

// fitADNI generates the file and trains NC against AD.
func fitADNI(ctx context.Context, seed uint64) (a adniFit, err error) {
	t, meta, err := synth.Generate("adni-like", 0, study.Seed(seed, "adni", 0), nil)
	if err != nil {
		return a, err
	}
	all := study.Numeric(t, meta.Outcome, adniGroups, "", "")
	pair := study.Rows{}
	for i, g := range all.Y {
		if g == 0 || g == 3 {
			a.at, pair.Y = append(a.at, i), append(pair.Y, g/3)
		}
	}
	trained, rows := standardise(all.Pick(a.at), all)
	trained.Y, a.rows = pair.Y, rows
	if a.iv, err = loss.NewInterval(adniPi); err != nil {
		return a, err
	}
	a.plane, _ = stat.PCA2(trained.X.Data, trained.X.Rows, trained.X.Cols)
	a.fit, err = twoFold(ctx, trained, a.iv, seed)
	return a, err
}

// twoFold chooses λ by two-fold cross-validation and fits all rows.
func twoFold(ctx context.Context, r study.Rows, iv loss.Interval, seed uint64) (*fit.Model, error) {
	how, l2s := trainer("interval", nil, iv.Pi...), tune.Powers(5, -15, 1)
	one, two := study.Split(seed, 0, r.Y, 0.5)
	total := make([]float64, len(l2s))
	for _, fold := range [][2][]int{{one, two}, {two, one}} {
		a, b := r.Pick(fold[0]), r.Pick(fold[1])
		fits, err := how.Path(ctx, a.Data(), l2s, fit.Options{})
		if err != nil {
			return nil, err
		}
		for i, m := range fits {
			total[i] += theoryLoss(m, b, iv)
		}
	}
	return how.Fit(ctx, r.Data(), l2s[tune.BestSetting(total, 1e-12)], fit.Options{})
}

// adniDensities returns the densities of the score on the grid, group after group.
func adniDensities(ctx context.Context, seed uint64) ([]float64, error) {
	a, err := fitADNI(ctx, seed)
	if err != nil {
		return nil, err
	}
	var v []float64
	for g := range adniGroups {
		var f []float64
		for i, y := range a.rows.Y {
			if y == g {
				f = append(f, a.fit.Fitted.Score(a.rows.X.Row(i)))
			}
		}
		y, _ := stat.KDE(f, adniGrid())
		v = append(v, y...)
	}
	return v, nil
}

// adniPoint is a training row: its coordinates in the plane are stored under its band, and no value under
// the other bands.
func adniPoint(draw func() (adniFit, error), i int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("row #%d", i), Kind: "row", Replicate: i}
	for _, band := range adniBands {
		u.Keys = append(u.Keys, study.Key{Model: band, Metric: "x"}, study.Key{Model: band, Metric: "y"})
	}
	u.Run = func(context.Context) ([]float64, error) {
		a, err := draw()
		if err != nil {
			return nil, err
		}
		band := a.iv.Band(a.fit.Fitted.Score(a.rows.X.Row(a.at[i])))
		v := make([]float64, 0, len(u.Keys))
		for k := range adniBands {
			if k == band {
				v = append(v, a.plane[0][i], a.plane[1][i])
			} else {
				v = append(v, math.NaN(), math.NaN())
			}
		}
		return v, nil
	}
	return u
}
