package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/study"
	"taper/internal/engine/tempered"
)

// amidSweeps counts the iterations of Algorithm 1. It is not a figure of the paper.
var amidSweeps = study.Preset{
	ID: "amid-sweeps", Title: "Sweeps to the normaliser Gₜ: the paper’s fixed point and Newton’s method",
	Source: amidSource,
	Figure: "Algorithm 1",
	Protocol: "K activations, drawn from N(0, 1), N(0, 10²) or N(0, 50²), for K = 2, 10, 100 and 1000 and the " +
		"paper’s temperatures 1.12, 1.3, 1.6 and 1.9; 100 draws (quick: 20). Counted are the sweeps over the " +
		"activations until the iterate is within 10⁻¹⁰ of Gₜ: of the paper’s fixed point, and of Newton’s " +
		"method from the largest activation. Nothing is timed.",
	Build: buildSweeps,
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Activations K", Of: "at", Log: true},
		Series: study.Axis{Title: "Method", Of: "model"}, Panels: study.Axis{Title: "Drawn from", Of: "data"},
		Metrics: []study.Metric{{ID: sweepsID, Title: "Number of sweeps to 10⁻¹⁰"}}},
	NoNumbers: "The paper says “about 20” of all problems and prints no table of counts.",
	Notes: []study.Note{{Claim: "The fixed-point iteration for Gₜ takes about 20 iterations to reach 10⁻¹⁰.",
		Text: "The number depends on the number of classes, the temperature and the spread of the activations: an " +
			"independent rerun needed 6 to 111.",
		Finding: sweepsFinding}},
}

// sweepsWords corrects the paper (docs/reference-numbers.md, section 3, point 8).
const sweepsWords = "The paper says that its fixed point for Gₜ takes about 20 iterations to 10⁻¹⁰; it " +
	"takes 6 to 111, by the number of classes, the temperature and the spread of the activations."

const (
	sweepsID      = "sweeps"
	fixedPoint    = "Fixed point"
	newtonsMethod = "Newton"

	sweepsTo   = 1e-10 // distance from G_t at which the iteration ends
	mostSweeps = 1000
)

var (
	sweepSpreads = []float64{1, 10, 50}
	sweepSizes   = []int{2, 10, 100, 1000}
	sweepTs      = []float64{1.12, 1.3, 1.6, 1.9}
)

func sweepsKey(spread float64, k int, method string, t float64) study.Key {
	return study.Key{Data: "SD " + plain(spread), Model: method + ", t₂ = " + plain(t), Metric: sweepsID, At: float64(k)}
}

func buildSweeps(in study.Input) (p study.Plan, err error) {
	for r := range in.Size.Pick(2, 20, 100) {
		for _, spread := range sweepSpreads {
			for _, k := range sweepSizes {
				u := study.Unit{ID: fmt.Sprintf("SD %v K %d #%d", spread, k, r), Kind: fmt.Sprintf("K %d", k),
					Weight: float64(k), Replicate: r}
				for _, t := range sweepTs {
					u.Keys = append(u.Keys, sweepsKey(spread, k, fixedPoint, t), sweepsKey(spread, k, newtonsMethod, t))
				}
				u.Run = func(ctx context.Context) ([]float64, error) {
					rng, a := study.Random(in.Seed, fmt.Sprintf("sweeps %v %d", spread, k), r), make([]float64, k)
					for j := range a {
						a[j] = spread * rng.NormFloat64()
					}
					var counts []float64
					for _, t := range sweepTs {
						counts = append(counts, float64(fixedPointSweeps(t, a)), float64(newtonSweeps(t, a)))
					}
					return counts, ctx.Err()
				}
				p.Units = append(p.Units, u)
			}
		}
	}
	return p, nil
}

// fixedPointSweeps counts the iterations of the paper's fixed point for t > 1 (Amid et al. 2019,
// Algorithm 1): ã ← Z^(1−t)·(a − μ) with Z = Σ exp_t(ã_j) and μ = max a, starting from ã = a − μ, until
// −log_t(1/Z) + μ is close to G_t(a).
func fixedPointSweeps(t float64, a []float64) int {
	top, gap := slices.Max(a), tempered.Gap(t, a)
	scale := 1.0
	for sweep := 1; sweep < mostSweeps; sweep++ {
		z := 0.0
		for _, v := range a {
			z += tempered.Exp(t, scale*(v-top))
		}
		if math.Abs(-tempered.Log(t, 1/z)-gap) <= sweepsTo {
			return sweep
		}
		scale = math.Pow(z, 1-t)
	}
	return mostSweeps
}

// newtonSweeps counts the iterations of Newton's method for the gap G_t(a) − max a, starting from 0
// (docs/math.md, Log-partition G_t).
func newtonSweeps(t float64, a []float64) int {
	top, gap, x := slices.Max(a), tempered.Gap(t, a), 0.0
	for sweep := 1; sweep < mostSweeps; sweep++ {
		over, slope := -1.0, 0.0
		for _, v := range a {
			p := tempered.Exp(t, v-top-x)
			over, slope = over+p, slope+math.Pow(p, t)
		}
		if x += over / slope; math.Abs(x-gap) <= sweepsTo {
			return sweep
		}
	}
	return mostSweeps
}

// sweepsFinding states the smallest and largest counts of both methods.
func sweepsFinding(cells []study.Cell) string {
	ends := map[string][2]float64{}
	for _, method := range []string{fixedPoint, newtonsMethod} {
		least, most := math.Inf(1), math.Inf(-1)
		for _, spread := range sweepSpreads {
			for _, k := range sweepSizes {
				for _, t := range sweepTs {
					c := study.Find(cells, sweepsKey(spread, k, method, t))
					if c == nil {
						return ""
					}
					for _, v := range c.Values {
						least, most = min(least, *v), max(most, *v)
					}
				}
			}
		}
		ends[method] = [2]float64{least, most}
	}
	return sentence("Here, on other activations, the fixed point takes %s to %s sweeps and Newton’s method %s to %s.",
		plain, ends[fixedPoint][0], ends[fixedPoint][1], ends[newtonsMethod][0], ends[newtonsMethod][1])
}
