package main

import "taper/internal/engine/study"

// Runs used to test several changes: the smallest in which the change has an effect.
var (
	kimesPairs    = run{"kimes-fig7", study.Full, []string{"2.1 p 2 ", "2.1 p 10 "}}
	stumps        = run{"sypherd-fig5", study.Quick, []string{"alpha 0.5 ", "alpha 2 "}}
	population    = run{"sypherd-fig7", study.Smoke, []string{"population flipped 0.1"}}
	clinic        = run{"breast-cancer-linear", study.Quick, nil}
	errorRates    = run{"ding-fig3", study.Quick, []string{"Mease–Wyner"}}
	flippedErrors = run{"ding-fig3", study.Full, []string{"Mease–Wyner flipped 0.1"}}
	answers       = run{"fathony-table2", study.Quick, []string{"iris, linear"}}
	abstention    = run{"fathony-table6", study.Quick, []string{"iris, linear"}}
)

// storedErrors is the golden test of the stored result for Figure 3 of Ding and Vishwanathan 2010.
var storedErrors = golden{"internal/engine/study/stored", "TestStoredRepeats/ding-fig3"}

// linearOn runs one method of the check on Long and Servedio's data.
func linearOn(method string) run { return run{"long-servedio-linear", study.Quick, []string{method}} }

const (
	kimesFile  = "internal/engine/study/paper/kimes.go"
	checksFile = "internal/engine/study/paper/checks.go"
	dingFile   = "internal/engine/study/paper/ding.go"
	boostFile  = "internal/engine/study/paper/sypherd_boost.go"
	tableFile  = "internal/engine/study/paper/fathony.go"
)

// changes are the wrong implementations.
var changes = []change{
	{name: "logistic regression for the piecewise-linear fit", file: kimesFile,
		old: `trainer("interval", nil, pi...).Path(`, new: `trainer("logistic", nil).Path(`, runs: kimesPairs},
	{name: "entropies of the surrogate × 1.5", file: "internal/engine/loss/interval.go",
		old:  "iv.A[j] = -p*math.Log(p) - (1-p)*math.Log1p(-p)",
		new:  "iv.A[j] = 1.5 * (-p*math.Log(p) - (1-p)*math.Log1p(-p))",
		runs: kimesPairs, golden: golden{"internal/engine/loss", "TestOracleIntervalGeometry"}},
	{name: "scores × 1.25 before the cut-offs", file: kimesFile,
		old: "iv.Band(m.Fitted.Score(r.X.Row(i)))", new: "iv.Band(1.25 * m.Fitted.Score(r.X.Row(i)))", runs: kimesPairs,
		golden: golden{"internal/engine/fit/linear", "TestOracleIntervalFit"}},
	{name: "λ of the piecewise-linear fit untuned: the largest", file: kimesFile,
		old: "theoryLoss(least(pieces, theory), s.test, iv)", new: "theoryLoss(least(pieces[:1], theory), s.test, iv)",
		runs: kimesPairs},
	{name: "λ of the piecewise-linear fit untuned: the least", file: kimesFile,
		old: "theoryLoss(least(pieces, theory), s.test, iv)",
		new: "theoryLoss(least(pieces[len(pieces)-1:], theory), s.test, iv)", runs: kimesPairs},
	{name: "evaluated on the training rows", file: kimesFile,
		old: "test: all.Span(kimesTrain+kimesTune, len(all.Y))", new: "test: all.Span(0, kimesTrain)", runs: kimesPairs,
		golden: golden{"internal/engine/study/stored", "TestStoredRepeats/kimes-fig7"}},

	{name: "t₁ = .5 for .1, t₂ as it is", file: dingFile,
		old: "twoTemp: twoTemperature(0.1, 1.12)", new: "twoTemp: twoTemperature(0.5, 1.12)", runs: flippedErrors,
		golden: storedErrors},
	{name: "t = 1.6 for 1.9", file: checksFile,
		old: `"t-logistic", map[string]any{"t": 1.9}`, new: `"t-logistic", map[string]any{"t": 1.6}`,
		runs: linearOn("t-logistic 1.9")},
	{name: "λ of t-logistic regression read as that of a mean", file: "internal/engine/study/paper/ding_paths.go",
		old: "l2 *= float64(len(r.Y))", new: "l2 *= 1", runs: errorRates, golden: storedErrors},
	{name: "λ of Figure 3 untuned: the largest", file: dingFile,
		old: "best = least(fits, func(m *fit.Model) float64 { return wrong(m, s.tune) })", new: "best = fits[0]",
		runs: errorRates},
	{name: "ξ as p^t, not p^(t−1)", file: "internal/engine/fit/linear/margin_t.go",
		old: "xi[i] = min(1, math.Exp(least-l))", new: "xi[i] = min(1, math.Exp((least-l)*s.t/(s.t-1)))",
		runs: run{"ding-fig4", study.Quick, []string{"Long–Servedio"}}},

	{name: "α × 1.1 in the weights of AdaBoost.α", file: "internal/engine/fit/boost/mass.go",
		old: "loss.Block(loss.NewAlpha(alpha))", new: "loss.Block(loss.NewAlpha(1.1 * alpha))", runs: stumps,
		golden: golden{"internal/engine/fit/boost", "TestOracleTraces"}},
	{name: "θ of each stump × 1.25", file: "internal/engine/fit/boost/theta.go",
		old: "	return odds / 2", new: "	return 1.25 * odds / 2", runs: stumps},
	{name: "half the rounds", file: boostFile,
		old: "rounds[len(rounds)-1], depth)[0]", new: "rounds[len(rounds)-1]/2, depth)[0]", runs: stumps},
	{name: "trees one split deeper", file: boostFile,
		old: "rounds[len(rounds)-1], depth)[0]", new: "rounds[len(rounds)-1], depth+1)[0]", runs: stumps},
	{name: "half the noise", file: "internal/engine/synth/noise.go",
		old: "corrupted[i] = u < n.rate(positive[i])", new: "corrupted[i] = u < n.rate(positive[i])/2", runs: stumps},
	{name: "half the rows to train on", file: "internal/engine/study/paper/long_servedio.go",
		old:  "d := study.Division{Train: all.Span(0, longServedioTrain)",
		new:  "d := study.Division{Train: all.Span(0, longServedioTrain/2)",
		runs: stumps},

	{name: "α × 1.1 in the linear α-loss", file: "internal/engine/loss/alpha.go",
		old: "l := Alpha{alpha: alpha, beta: 1 / alpha, e: (alpha - 1) / alpha}",
		new: "l := Alpha{alpha: alpha, beta: 1 / (1.1 * alpha), e: (1.1*alpha - 1) / (1.1 * alpha)}", runs: population},
	{name: "weights of a linear fit × 1.25", file: "internal/engine/fit/linear/descent.go",
		old:  "	if e.margin > 0 {\n		fit.Warnings",
		new:  "	for j := range fit.W {\n		fit.W[j] *= 1.25\n	}\n	if e.margin > 0 {\n		fit.Warnings",
		runs: population},
	{name: "λ of the linear α-loss × 10", file: checksFile,
		old: `map[string]any{"alpha": 4.}, 0.01`, new: `map[string]any{"alpha": 4.}, 0.1`, runs: clinic},
	{name: "columns not scaled", file: "internal/engine/study/paper/shipped.go",
		old: "x[k] = (x[k] - mean) * scale", new: "x[k] += 0*scale - mean", runs: clinic},

	{name: "C of the multiclass fits untuned: 1", file: tableFile,
		old: "	return least(g.second(best, c.gaussian))", new: "	best.L2 = g.l2s[0]\n	return best, nil", runs: answers,
		golden: golden{"internal/engine/study/stored", "TestStoredRepeats/fathony-table2"}},
	{name: "the adversary of two classes at most", file: "internal/engine/loss/alzeroone.go",
		old: "for n < len(s) && s[n]+1 > v {", new: "for n < min(2, len(s)) && s[n]+1 > v {", runs: answers,
		golden: golden{"internal/engine/loss", "TestOracleAdversarial"}},
	{name: "Crammer and Singer for the adversarial loss", file: "internal/engine/loss/alzeroone.go",
		old: `return adversarial{alZeroOne{k, v.Number("weight")}}`, new: "return CrammerSinger{k}", runs: answers,
		golden: golden{"internal/engine/loss", "TestOracleAdversarial"}},
	{name: "Crammer and Singer for Lee, Lin and Wahba", file: "internal/engine/study/paper/fathony_classes.go",
		old: `contender{name: "LLW", family: "llw"}`, new: `contender{name: "LLW", family: "cs"}`, runs: answers},
	{name: "an answer to every row", file: tableFile,
		old: "return m.DecideOrAbstain(f)", new: "return loss.Argmax(f[:m.Outputs()])", runs: abstention},
	{name: "abstention at cost ¼ for ½", file: tableFile,
		old: "				return 0.5\n", new: "				return 0.25\n", runs: abstention},
}
