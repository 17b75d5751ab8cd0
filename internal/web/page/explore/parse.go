package explore

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// Specs names losses as a URL does: "alpha:3".
func Specs(texts ...string) []Spec {
	var out []Spec
	for _, t := range texts {
		out = append(out, splitSpec(t))
	}
	return out
}

func splitSpec(text string) Spec {
	parts := strings.Split(text, ":")
	return Spec{parts[0], parts[1:]}
}

// Parse reads a query. What cannot be used takes its default and is
// among the problems, so that the page still shows itself.
func Parse(q url.Values) (State, []usererr.Field) {
	p := parser{Parser: form.Parser{Values: form.Fractions(q)}}
	family := p.OneOf("family", TwoTemperature, Families)
	p.st = New(family)
	st := &p.st
	st.View = p.OneOf("view", "", append([]string{""}, familyViews[family]...))
	switch family {
	case TwoTemperature:
		st.T1, st.T2 = p.Number("t1", st.T1, 0, 4), p.Number("t2", st.T2, 0, 4)
	case TLogistic:
		st.T = p.Number("t", st.T, 1, 2)
	case Alpha:
		st.Alpha = p.alpha("alpha", st.Alpha)
		st.Noise = p.Number("noise", st.Noise, .01, .49)
		st.Gamma = p.Number("gamma", st.Gamma, .005, .16)
	case Interval:
		st.Pi = p.Boundaries("pi", st.Pi)
		st.Over = p.OneOf("over", overScore, []string{overScore, overMargin})
		st.Seed = uint64(p.Number("seed", 1, 0, 1e9))
	case Adversarial:
		p.game()
	}
	p.common()
	return p.st, p.Bad
}

// game reads what an adversarial loss is about.
func (p *parser) game() {
	st := &p.st
	var ids, others []string
	for _, m := range metrics {
		ids = append(ids, m.ID)
	}
	for _, r := range rivals {
		others = append(others, r.ID)
	}
	st.Metric = p.OneOf("metric", st.Metric, ids)
	st.Cost = p.Number("cost", st.Cost, 0, 1)
	st.Classes = int(p.Number("k", 3, 2, 3))
	st.True = int(p.Number("y", 1, 1, 3))
	if st.True > st.Classes {
		st.True = st.Classes
	}
	st.Rival = p.OneOf("rival", st.Rival, others)
	st.Psi[0], st.Psi[1] = p.Number("a", st.Psi[0], -psiEnd, psiEnd), p.Number("b", st.Psi[1], -psiEnd, psiEnd)
}

// common reads what all families share.
func (p *parser) common() {
	st := &p.st
	if p.Values.Has("with") {
		st.With = p.losses("with", maxWith)
	}
	st.Pins = p.losses("pin", maxPins)
	st.Z = p.Number("z", st.Z, -MarginEnd, MarginEnd)
	st.Third = p.OneOf("third", thirdProb, []string{thirdProb, thirdXi})
	st.Top = p.Number("top", 0, 0, 1000)
	if st.Top > 0 && st.Top < .1 {
		st.Top = .1
	}
	for _, id := range p.Values["open"] {
		if id != "" && slices.Contains(chartIDs, id) && !slices.Contains(st.Open, id) {
			st.Open = append(st.Open, id)
		}
	}
	slices.Sort(st.Open)
}

// chartIDs are the charts of the page.
var chartIDs = []string{"loss", "influence", "probability", "xi", "surrogate", "theory", "al", "beside", "game", "log",
	"exp", "landscape", "slope", "points"}

// parser reads the keys of one query.
type parser struct {
	form.Parser
	st State
}

// alpha reads α: any positive number, or infinity.
func (p *parser) alpha(field string, fallback float64) float64 {
	switch text := strings.TrimSpace(p.Values.Get(field)); text {
	case "":
		return fallback
	case "inf", "∞":
		return math.Inf(1)
	default:
		if v, ok := form.ParseNumber(text); ok && v > 0 {
			return v
		}
		p.Fail(field, "must be a number above 0 or inf, not "+strconv.Quote(format.Cut(text, 20)))
		return fallback
	}
}

// losses reads a list of losses of the margin, each once.
func (p *parser) losses(field string, most int) []Spec {
	out := []Spec{}
	seen := map[string]bool{}
	for _, text := range p.Values[field] {
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		spec := splitSpec(text)
		if _, err := NewShape(p.st.resolve(spec)); err != nil {
			p.Fail(field, "cannot be "+strconv.Quote(format.Cut(text, 30))+": "+format.Detail(err))
			continue
		}
		if len(out) == most {
			p.Fail(field, "takes up to "+strconv.Itoa(most)+" losses; "+strconv.Quote(format.Cut(text, 30))+" is one more")
			continue
		}
		out = append(out, spec)
	}
	return out
}
