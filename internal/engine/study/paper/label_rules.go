package paper

import (
	"context"
	"fmt"
	"strings"

	"taper/internal/engine/audit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/testdata"
)

// ruleCases are datasets that were not used to choose the audit's rule for λ.
var ruleCases = []struct {
	name string
	data func(ctx context.Context, seed uint64) (*table.Table, runspec.Spec, error)
}{
	{"Heart clinic", auditHeart},
	{"Mease and Wyner, 1000 rows", auditDrawn("mease-wyner", 1000)},
	{"ADNI-like, 804 rows", auditDrawn("adni-like", 804)},
	{"Kimes 1.2, 300 rows", auditDrawn("kimes-1.2", 300)},
}

var ruleFlips = []struct {
	words string
	flips audit.TrialOptions
}{
	{"10 % symmetric", audit.TrialOptions{Kind: audit.TrialSymmetric, Rate: 0.1}},
	{"25 % symmetric", audit.TrialOptions{Kind: audit.TrialSymmetric, Rate: 0.25}},
	{"20 % one-sided", audit.TrialOptions{Kind: audit.TrialOneSided, Rate: 0.2}},
}

// ruleNames are rules for choosing λ, the audit's first.
var ruleNames = []struct{ rule, words string }{
	{"", "own loss, one SE"}, {audit.RuleLeast, "own loss, least"}, {audit.RuleRuns, "log-loss"},
}

// labelRules compares the audit's rule for choosing λ with others on data that were not used to choose
// it. It has no targets: the notes list all results.
var labelRules = study.Preset{
	ID: "label-audit-rules", Title: "How the audit chooses λ", Source: "Targets of the label audit",
	Figure: "The choice of λ",
	Protocol: "As label-audit, α = 4, on simulated data that had no part in choosing the rule: λ by the α-loss’s " +
		"own held-out mean, the largest within one standard error or the least; or by the log-loss. 10 seeds.",
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and flips", Of: "data"},
		Series: study.Axis{Title: "λ by", Of: "model"}, Metrics: auditMetrics[:1]},
	Build: func(in study.Input) (p study.Plan, err error) {
		for r := range in.Size.Pick(1, auditSeeds, auditSeeds) {
			for i := range ruleCases[:in.Size.Pick(1, len(ruleCases), len(ruleCases))] {
				for j := range ruleFlips {
					p.Units = append(p.Units, ruleUnit(i, j, auditSeed(in.Seed, r), r))
				}
			}
		}
		return p, nil
	},
	Notes: ruleNotes(),
}

func ruleUnit(i, j int, seed uint64, r int) study.Unit {
	name := ruleCases[i].name + ", " + ruleFlips[j].words
	u := study.Unit{ID: fmt.Sprintf("%s #%d", name, r), Kind: name, Replicate: r}
	for _, m := range append(rules(), auditLogistic) {
		u.Keys = append(u.Keys, study.Key{Data: name, Model: m, Noise: ruleFlips[j].flips.Rate, Metric: "ap"})
	}
	u.Run = func(ctx context.Context) (all []float64, err error) {
		t, spec, err := ruleCases[i].data(ctx, seed)
		if err != nil {
			return nil, err
		}
		flips, plain := ruleFlips[j].flips, 0.0
		for _, rule := range ruleNames {
			flips.Seed, flips.Rule = seed, rule.rule
			v, err := audit.Try(ctx, t, auditSpec(spec, seed), flips, nil)
			if err != nil {
				return nil, err
			}
			all, plain = append(all, *v.Model.AveragePrecision), *v.Plain.AveragePrecision
		}
		return append(all, plain), nil
	}
	return u
}

func rules() (all []string) {
	for _, r := range ruleNames {
		all = append(all, r.words)
	}
	return all
}

// ruleNotes list all results and their mean.
func ruleNotes() (all []study.Note) {
	for i := range ruleCases {
		for j := range ruleFlips {
			name, rate := ruleCases[i].name+", "+ruleFlips[j].words, ruleFlips[j].flips.Rate
			all = append(all, study.Note{Text: name + ".", Finding: func(cells []study.Cell) string {
				var words []string
				for _, m := range append(rules(), auditLogistic) {
					words = append(words, fmt.Sprintf("%s %.3f.", m, study.MeanOf(cells,
						study.Key{Data: name, Model: m, Noise: rate, Metric: "ap"})))
				}
				return strings.Join(words, " ")
			}})
		}
	}
	return all
}

func auditHeart(ctx context.Context, _ uint64) (*table.Table, runspec.Spec, error) {
	t, err := table.Read(ctx, testdata.Read("heart-clinic.csv"), table.Options{}, table.DefaultLimits)
	return t, runspec.Spec{Outcome: "disease", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}, err
}
