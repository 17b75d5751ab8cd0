package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"taper/internal/engine/audit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/testdata"
)

// auditCase is one target of docs/clinical.md, Label audit: labels are flipped at random, and the audit of an
// α-loss with α = 4 searches for them; plain logistic regression on the same folds is the comparison.
type auditCase struct {
	name   string
	flips  audit.TrialOptions
	data   func(ctx context.Context, seed uint64) (*table.Table, runspec.Spec, error)
	target study.Reference
}

// auditSeeds is the number of seeds per target.
const auditSeeds = 10

// auditSeed is a seed for data, folds and flips. Seeds 1000 to 1009 were used to choose the audit's rule
// for λ, so the study must not use them.
func auditSeed(study uint64, replicate int) uint64 { return (study+10)*1000 + uint64(replicate) }

// auditMetrics are the metrics of a ranking.
var auditMetrics = []study.Metric{
	{ID: "ap", Title: "Average precision", Higher: true}, {ID: "lead",
		Title: "Average precision minus logistic regression’s", Higher: true},
	{ID: "p10", Title: "Precision at 10", Higher: true}, {ID: "p25", Title: "Precision at 25", Higher: true},
	{ID: "p50", Title: "Precision at 50", Higher: true},
	{ID: "pflips", Title: "Precision at the number of flips", Higher: true},
	{ID: "recall5", Title: "Recall in the first 5 %", Higher: true}, {ID: "base", Title: "Base rate", Higher: true},
}

const (
	auditAlpha    = "α-loss, α = 4"
	auditLogistic = "Logistic regression"
	auditWhere    = "docs/clinical.md, Label audit"
)

var auditCases = []auditCase{
	{"Breast cancer, 10 % symmetric", audit.TrialOptions{Kind: audit.TrialSymmetric, Rate: 0.1}, auditCancer,
		study.Reference{Value: 0.955, AtLeast: true}},
	{"Breast cancer, 20 % malignant → benign", audit.TrialOptions{Kind: audit.TrialOneSided, Rate: 0.2}, auditCancer,
		study.Reference{Value: 0.87, AtLeast: true}},
	{"Long–Servedio, 21-D, 10 % symmetric", audit.TrialOptions{Kind: audit.TrialSymmetric, Rate: 0.1},
		auditDrawn("long-servedio", 1000), study.Reference{Value: 0.99, AtLeast: true}},
	{"Two Gaussians, 14:86, 10 % symmetric", audit.TrialOptions{Kind: audit.TrialSymmetric, Rate: 0.1},
		auditDrawn("gmm", 2000), study.Reference{Key: study.Key{Metric: "lead"}, Value: -0.005, AtLeast: true}},
}

// labelAudit compares the label audit with its targets.
var labelAudit = study.Preset{
	ID: "label-audit", Title: "Finding flipped labels", Source: "Targets of the label audit",
	Figure: "Average precision on flipped labels",
	Protocol: "Labels are flipped, then audited as if recorded that way: rows ranked by 1 − the five-fold " +
		"out-of-fold, link-corrected probability of their label. " +
		"λ is chosen on the corrupted labels over the same folds: of the α-loss by its own held-out mean, the largest " +
		"within one standard error; of logistic regression by its log-loss. Long–Servedio 1000 rows, Gaussians 2000. 10 " +
		"seeds, none of those on which the rule for λ was chosen.",
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and flips", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Metrics: auditMetrics},
	Build: func(in study.Input) (p study.Plan, err error) {
		for r := range in.Size.Pick(1, auditSeeds, auditSeeds) {
			for _, c := range auditCases {
				p.Units = append(p.Units, c.unit(in.Seed, r))
			}
		}
		return p, nil
	},
	References: auditReferences(),
	Notes:      auditNotes(),
}

// auditNotes list all results: one note per target.
func auditNotes() (all []study.Note) {
	for _, c := range auditCases {
		all = append(all, study.Note{Text: c.name + ".", Finding: func(cells []study.Cell) string {
			words := ""
			for _, m := range auditMetrics {
				if m.ID == "lead" {
					continue
				}
				of := func(model string) float64 {
					return study.MeanOf(cells, study.Key{Data: c.name, Model: model, Noise: c.flips.Rate, Metric: m.ID})
				}
				words += fmt.Sprintf(" %s %.3f (logistic %.3f).", m.Title, of(auditAlpha), of(auditLogistic))
			}
			return words[1:]
		}})
	}
	return all
}

func auditReferences() (all []study.Reference) {
	for _, c := range auditCases {
		ref := c.target
		ref.Key = study.Key{Data: c.name, Model: auditAlpha, Noise: c.flips.Rate, Metric: cmp.Or(ref.Key.Metric, "ap")}
		ref.Where = auditWhere
		all = append(all, ref)
	}
	return all
}

// unit is one seed: all metrics of model and baseline.
func (c auditCase) unit(seed uint64, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("%s #%d", c.name, r), Kind: c.name, Replicate: r}
	for _, model := range []string{auditAlpha, auditLogistic} {
		for _, m := range auditMetrics {
			if m.ID != "lead" || model == auditAlpha {
				u.Keys = append(u.Keys, study.Key{Data: c.name, Model: model, Noise: c.flips.Rate, Metric: m.ID})
			}
		}
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		own := auditSeed(seed, r)
		t, spec, err := c.data(ctx, own)
		if err != nil {
			return nil, err
		}
		flips := c.flips
		flips.Seed = own
		v, err := audit.Try(ctx, t, auditSpec(spec, own), flips, nil)
		if err != nil {
			return nil, err
		}
		lead := *v.Model.AveragePrecision - *v.Plain.AveragePrecision
		model, plain := rankingNumbers(v.Model, v.Flipped), rankingNumbers(*v.Plain, v.Flipped)
		return append(append([]float64{model[0], lead}, model[1:]...), plain...), nil
	}
	return u
}

// auditSpec is the run whose labels are audited: the α-loss with α = 4.
func auditSpec(s runspec.Spec, seed uint64) runspec.Spec {
	s.Task, s.Seed = "binary", seed
	s.Model = fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}}
	return s
}

// rankingNumbers returns the metrics in order, without the difference to the baseline.
func rankingNumbers(r stat.FlipRanking, flips int) []float64 {
	at := func(k int) float64 {
		for _, f := range r.At {
			if f.K == k {
				return *f.Precision.Value
			}
		}
		return math.NaN()
	}
	return []float64{*r.AveragePrecision, at(10), at(25), at(50), at(flips), *r.Recall.Value, *r.BaseRate.Value}
}

func auditCancer(ctx context.Context, _ uint64) (*table.Table, runspec.Spec, error) {
	t, err := table.Read(ctx, testdata.Read("wdbc.csv"), table.Options{}, table.DefaultLimits)
	return t, runspec.Spec{Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Negative: table.Levels{"benign"}},
		err
}

func auditDrawn(generator string, rows int) func(context.Context, uint64) (*table.Table, runspec.Spec, error) {
	return func(_ context.Context, seed uint64) (*table.Table, runspec.Spec, error) {
		t, meta, err := synth.Generate(generator, rows, seed, nil)
		return t, runspec.Spec{Outcome: meta.Outcome, Positive: table.OneLevel(meta.Positive),
			Negative: table.OneLevel(meta.Negative)}, err
	}
}
