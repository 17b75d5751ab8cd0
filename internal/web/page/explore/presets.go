package explore

import (
	"math"
	"slices"
	"sync"

	"taper/web/templates"
)

// With is a family's default state with a change.
func With(family string, change func(*State)) State {
	st := New(family)
	if change != nil {
		change(&st)
	}
	return st
}

// paperFigure is a figure of a paper: its title here, its number there, and its state.
type paperFigure struct {
	label, note string
	st          State
}

// paperFigures are the explorer's figures of the five papers.
func paperFigures() []struct {
	title   string
	figures []paperFigure
} {
	alphas := func(view string, alpha float64) State {
		return With(Alpha, func(s *State) { s.View, s.Alpha = view, alpha })
	}
	game := func(change func(*State)) State { return With(Adversarial, change) }
	ordinal := func(metric string, y int) State {
		return game(func(s *State) { s.Metric, s.True = metric, y })
	}
	abstain := func(cost float64, k int) State {
		return game(func(s *State) { s.Metric, s.Cost, s.Classes = "abstain", cost, k })
	}
	interval := func(over string, pi ...float64) State {
		return With(Interval, func(s *State) {
			s.Over = over
			if len(pi) > 0 {
				s.Pi = pi
			}
		})
	}
	points := func(pi []float64) State {
		return With(Interval, func(s *State) { s.View, s.Pi = Points, pi })
	}
	binary := func(with ...string) State {
		return With(TLogistic, func(s *State) { s.T, s.With = 1, Specs(with...) })
	}
	type group = struct {
		title   string
		figures []paperFigure
	}
	return []group{
		{"Two-temperature (Amid et al. 2019)", []paperFigure{
			{"logₜ and expₜ", "Fig. 1", With(TwoTemperature, func(s *State) { s.View = Functions })},
			{"Five losses compared", "Fig. 1", With(TwoTemperature, func(s *State) {
				s.With = Specs("logistic", "t-logistic:"+same, "zero-one", "hinge")
			})},
		}},
		{"Adversarial (Fathony et al. 2018)", []paperFigure{
			{"Cost matrices, five classes", "Fig. 1", game(func(s *State) { s.View = Matrices })},
			{"Binary surrogates", "Fig. 2", game(func(s *State) {
				s.Classes, s.With = 2, Specs("hinge", "logistic", "exponential", "zero-one")
			})},
			{"AL zero-one, two classes", "Fig. 3", game(func(s *State) { s.Classes = 2 })},
			{"Contours next to WW", "Fig. 4", game(nil)},
			{"Contours next to CS", "Fig. 4", game(func(s *State) { s.Comparison = "cs" })},
			{"AL absolute, y = 1", "Fig. 7", ordinal("absolute", 1)}, {"AL absolute, y = 2", "Fig. 7", ordinal("absolute", 2)},
			{"AL absolute, y = 3", "Fig. 7", ordinal("absolute", 3)},
			{"AL squared, y = 1", "Fig. 8", ordinal("squared", 1)}, {"AL squared, y = 2", "Fig. 8", ordinal("squared", 2)},
			{"AL squared, y = 3", "Fig. 8", ordinal("squared", 3)},
			{"AL abstain, cost 1/3, two classes", "Fig. 9", abstain(1./3, 2)}, {"AL abstain, cost ½, two classes", "Fig. 9",
				abstain(.5, 2)},
			{"AL abstain, cost 1/3, three classes", "Fig. 10", abstain(1./3, 3)},
			{"AL abstain, cost ½, three classes", "Fig. 10", abstain(.5, 3)},
		}},
		{"t-logistic (Ding and Vishwanathan 2010)", []paperFigure{
			{"Zero-one, hinge, exponential, logistic", "Fig. 1", binary("zero-one", "hinge", "exponential")},
			{"expₜ and logₜ", "Fig. 2", With(TLogistic, func(s *State) { s.View = Functions })},
			{"t = 1, 1.3, 1.6, 1.9", "Fig. 2", With(TLogistic, func(s *State) {
				s.T, s.With = 1.9, Specs("logistic", "t-logistic:1.3", "t-logistic:1.6", "zero-one")
			})},
		}},
		{"α-loss (Sypherd et al. 2023)", []paperFigure{
			{"α = 0.3, 0.5, 0.77, 1, 1.44, ∞", "Fig. 2", With(Alpha, func(s *State) {
				s.Alpha, s.With = 1.44, Specs("alpha:0.3", "alpha:0.5", "alpha:0.77", "logistic", "alpha:inf")
			})},
			{"Points and lines of six α", "Figs. 3, 9", alphas(Landscape, 1.1)},
			{"Risk, α = 1", "Fig. 10", alphas(Landscape, 1)}, {"Risk, α = 1.1", "Fig. 10", alphas(Landscape, 1.1)},
			{"Risk, α = 3", "Fig. 10", alphas(Landscape, 3)}, {"Risk, α = 10", "Fig. 10", alphas(Landscape, 10)},
			{"B(x), N = 2, α = 1 and 3", "Fig. 11", alphas(Slope, 3)},
			{"The sigmoid end, α = ∞", "", With(Alpha, func(s *State) { s.Alpha = math.Inf(1) })},
		}},
		{"Intervals (Kimes et al. 2016)", []paperFigure{
			{"Theory, π = ½", "Fig. 2", interval(overScore, .5)}, {"Theory, π = 0.2, 0.4, 0.6", "Fig. 2",
				interval(overScore, .2, .4, .6)}, {"Theory, dense", "Fig. 2", interval(overScore, dense()...)},
			{"Over the margin, π = ½", "Fig. 3", interval(overMargin, .5)}, {"Over the margin, π = 0.2, 0.4, 0.6", "Fig. 3",
				interval(overMargin, .2, .4, .6)},
			{"Surrogate, π = 0.2, 0.8", "Fig. 4", interval(overScore, .2, .8)},
			{"Tangents for 0.2, 0.4, 0.6", "Fig. 5", interval(overScore, .2, .4, .6)},
			{"100 points, one boundary", "Fig. 1", points([]float64{.5})},
			{"100 points, three", "Fig. 1", points([]float64{.25, .5, .75})}, {"100 points, all", "Fig. 1", points(dense())},
		}},
	}
}

// figureLinks are the figures as links. They are the same on every page, and making their forty addresses would
// take longer than computing the charts of a slider move.
var figureLinks = sync.OnceValue(func() (out []templates.PresetGroup) {
	for _, g := range paperFigures() {
		links := make([]templates.Preset, 0, len(g.figures))
		for _, f := range g.figures {
			links = append(links, templates.Preset{Label: f.label, Note: f.note, URL: f.st.URL()})
		}
		out = append(out, templates.PresetGroup{Title: g.title, Links: links})
	}
	return out
})

// presetGroups are the figures as links; the one shown now is marked.
func presetGroups(st State) []templates.PresetGroup {
	st.Z, st.Open, st.Top = New(st.Family).Z, nil, 0
	here := st.URL()
	groups := slices.Clone(figureLinks())
	for i, g := range groups {
		groups[i].Links = slices.Clone(g.Links)
		for k := range groups[i].Links {
			groups[i].Links[k].On = groups[i].Links[k].URL == here
		}
	}
	return groups
}
