package main

import (
	"math"
	"slices"

	"taper/web/templates"
)

// presetState starts from a family's defaults.
func presetState(family string, change func(*exploreState)) exploreState {
	st := newExplore(family)
	if change != nil {
		change(&st)
	}
	return st
}

// figure of a paper: what it is called here and there, and its state.
type paperFigure struct {
	label, note string
	st          exploreState
}

// paperFigures are the explorer's figures of the five papers.
func paperFigures() []struct {
	title   string
	figures []paperFigure
} {
	alphas := func(view string, alpha float64) exploreState {
		return presetState(famAlpha, func(s *exploreState) { s.View, s.Alpha = view, alpha })
	}
	game := func(change func(*exploreState)) exploreState { return presetState(famAdversarial, change) }
	ordinal := func(metric string, y int) exploreState {
		return game(func(s *exploreState) { s.Metric, s.True = metric, y })
	}
	abstain := func(cost float64, k int) exploreState {
		return game(func(s *exploreState) { s.Metric, s.Cost, s.Classes = "abstain", cost, k })
	}
	interval := func(over string, pi ...float64) exploreState {
		return presetState(famInterval, func(s *exploreState) {
			s.Over = over
			if len(pi) > 0 {
				s.Pi = pi
			}
		})
	}
	points := func(pi []float64) exploreState {
		return presetState(famInterval, func(s *exploreState) { s.View, s.Pi = viewPoints, pi })
	}
	binary := func(with ...string) exploreState {
		return presetState(famTLogistic, func(s *exploreState) { s.T, s.With = 1, specs(with...) })
	}
	type group = struct {
		title   string
		figures []paperFigure
	}
	return []group{
		{"Two-temperature (Amid et al. 2019)", []paperFigure{
			{"logₜ and expₜ", "Fig. 1", presetState(famTempered, func(s *exploreState) { s.View = viewFunctions })},
			{"Five losses of one example", "Fig. 1", presetState(famTempered, func(s *exploreState) {
				s.With = specs("logistic", "t-logistic:"+same, "zero-one", "hinge")
			})},
		}},
		{"Adversarial (Fathony et al. 2018)", []paperFigure{
			{"Cost matrices, five classes", "Fig. 1", game(func(s *exploreState) { s.View = viewMatrices })},
			{"Binary surrogates", "Fig. 2", game(func(s *exploreState) { s.Classes, s.With = 2, specs("hinge", "logistic", "exponential", "zero-one") })},
			{"AL zero-one, two classes", "Fig. 3", game(func(s *exploreState) { s.Classes = 2 })},
			{"Contours beside WW", "Fig. 4", game(nil)},
			{"Contours beside CS", "Fig. 4", game(func(s *exploreState) { s.Rival = "cs" })},
			{"AL absolute, y = 1", "Fig. 7", ordinal("absolute", 1)}, {"AL absolute, y = 2", "Fig. 7", ordinal("absolute", 2)}, {"AL absolute, y = 3", "Fig. 7", ordinal("absolute", 3)},
			{"AL squared, y = 1", "Fig. 8", ordinal("squared", 1)}, {"AL squared, y = 2", "Fig. 8", ordinal("squared", 2)}, {"AL squared, y = 3", "Fig. 8", ordinal("squared", 3)},
			{"AL abstain, cost 1/3, two classes", "Fig. 9", abstain(1./3, 2)}, {"AL abstain, cost ½, two classes", "Fig. 9", abstain(.5, 2)},
			{"AL abstain, cost 1/3, three classes", "Fig. 10", abstain(1./3, 3)}, {"AL abstain, cost ½, three classes", "Fig. 10", abstain(.5, 3)},
		}},
		{"t-logistic (Ding, Vishwanathan 2010)", []paperFigure{
			{"Zero-one, hinge, exponential, logistic", "Fig. 1", binary("zero-one", "hinge", "exponential")},
			{"expₜ and logₜ", "Fig. 2", presetState(famTLogistic, func(s *exploreState) { s.View = viewFunctions })},
			{"t = 1, 1.3, 1.6, 1.9", "Fig. 2", presetState(famTLogistic, func(s *exploreState) {
				s.T, s.With = 1.9, specs("logistic", "t-logistic:1.3", "t-logistic:1.6", "zero-one")
			})},
		}},
		{"α-loss (Sypherd et al. 2023)", []paperFigure{
			{"α = 0.3, 0.5, 0.77, 1, 1.44, ∞", "Fig. 2", presetState(famAlpha, func(s *exploreState) {
				s.Alpha, s.With = 1.44, specs("alpha:0.3", "alpha:0.5", "alpha:0.77", "logistic", "alpha:inf")
			})},
			{"Points and lines of six α", "Figs 3, 9", alphas(viewLandscape, 1.1)},
			{"Risk, α = 1", "Figs 10, 12", alphas(viewLandscape, 1)}, {"Risk, α = 1.1", "Figs 10, 13", alphas(viewLandscape, 1.1)},
			{"Risk, α = 3", "Figs 10, 14", alphas(viewLandscape, 3)}, {"Risk, α = 10", "Figs 10, 15", alphas(viewLandscape, 10)},
			{"B(x), N = 2, α = 1 and 3", "Fig. 11", alphas(viewSlope, 3)},
			{"The sigmoid end, α = ∞", "", presetState(famAlpha, func(s *exploreState) { s.Alpha = math.Inf(1) })},
		}},
		{"Intervals (Kimes et al. 2016)", []paperFigure{
			{"Theory, π = ½", "Fig. 2", interval(overScore, .5)}, {"Theory, π = .2, .4, .6", "Fig. 2", interval(overScore, .2, .4, .6)}, {"Theory, dense", "Fig. 2", interval(overScore, dense()...)},
			{"Over the margin, π = ½", "Fig. 3", interval(overMargin, .5)}, {"Over the margin, π = .2, .4, .6", "Fig. 3", interval(overMargin, .2, .4, .6)},
			{"Surrogate, π = .2, .8", "Fig. 4", interval(overScore, .2, .8)}, {"Tangents behind .2, .4, .6", "Fig. 5", interval(overScore, .2, .4, .6)},
			{"100 points, one boundary", "Fig. 1", points([]float64{.5})}, {"100 points, three", "Fig. 1", points([]float64{.25, .5, .75})}, {"100 points, all", "Fig. 1", points(dense())},
		}},
	}
}

// presetGroups are the figures as links; the one on the screen is marked.
func presetGroups(st exploreState) []templates.PresetGroup {
	here := st
	here.Z, here.Open, here.Top = newExplore(st.Family).Z, nil, 0
	var out []templates.PresetGroup
	for _, g := range paperFigures() {
		links := make([]templates.Preset, 0, len(g.figures))
		for _, f := range g.figures {
			links = append(links, templates.Preset{Label: f.label, Note: f.note, URL: f.st.url(), On: f.st.url() == here.url()})
		}
		out = append(out, templates.PresetGroup{Title: g.title, Links: slices.Clip(links)})
	}
	return out
}
