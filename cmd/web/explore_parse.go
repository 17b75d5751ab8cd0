package main

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
)

func specs(texts ...string) []lossSpec {
	var out []lossSpec
	for _, t := range texts {
		out = append(out, splitSpec(t))
	}
	return out
}

func splitSpec(text string) lossSpec {
	parts := strings.Split(text, ":")
	return lossSpec{parts[0], parts[1:]}
}

// parseExplore reads a query. What cannot be used takes its default and is
// among the problems, so that the page still shows itself.
func parseExplore(q url.Values) (exploreState, []errs.Field) {
	p := exploreParser{q: q}
	family := p.oneOf("family", famTempered, explorerFamilies)
	p.st = newExplore(family)
	st := &p.st
	st.View = p.oneOf("view", "", append([]string{""}, familyViews[family]...))
	switch family {
	case famTempered:
		st.T1, st.T2 = p.number("t1", st.T1, 0, 4), p.number("t2", st.T2, 0, 4)
	case famTLogistic:
		st.T = p.number("t", st.T, 1, 2)
	case famAlpha:
		st.Alpha = p.alpha("alpha", st.Alpha)
		st.Noise = p.number("noise", st.Noise, .01, .49)
		st.Gamma = p.number("gamma", st.Gamma, .005, .16)
	case famInterval:
		p.boundaries()
		st.Over = p.oneOf("over", overScore, []string{overScore, overMargin})
		st.Seed = uint64(p.number("seed", 1, 0, 1e9))
	case famAdversarial:
		p.game()
	}
	p.common()
	return p.st, p.bad
}

// game reads what an adversarial loss is about.
func (p *exploreParser) game() {
	st := &p.st
	var ids, others []string
	for _, m := range metrics {
		ids = append(ids, m.ID)
	}
	for _, r := range rivals {
		others = append(others, r.ID)
	}
	st.Metric = p.oneOf("metric", st.Metric, ids)
	st.Cost = p.number("cost", st.Cost, 0, 1)
	st.Classes = int(p.number("k", 3, 2, 3))
	st.True = int(p.number("y", 1, 1, 3))
	if st.True > st.Classes {
		st.True = st.Classes
	}
	st.Rival = p.oneOf("rival", st.Rival, others)
	st.Psi[0], st.Psi[1] = p.number("a", st.Psi[0], -psiEnd, psiEnd), p.number("b", st.Psi[1], -psiEnd, psiEnd)
}

// common reads what all families share.
func (p *exploreParser) common() {
	st := &p.st
	if p.q.Has("with") {
		st.With = p.losses("with", maxWith)
	}
	st.Pins = p.losses("pin", maxPins)
	st.Z = p.number("z", st.Z, -marginEnd, marginEnd)
	st.Third = p.oneOf("third", thirdProb, []string{thirdProb, thirdXi})
	st.Top = p.number("top", 0, 0, 1000)
	if st.Top > 0 && st.Top < .1 {
		st.Top = .1
	}
	for _, id := range p.q["open"] {
		if id != "" && slices.Contains(chartIDs, id) && !slices.Contains(st.Open, id) {
			st.Open = append(st.Open, id)
		}
	}
	slices.Sort(st.Open)
}

// chartIDs are the charts of the page.
var chartIDs = []string{"loss", "influence", "probability", "xi", "surrogate", "theory", "al", "beside", "game", "log", "exp", "landscape", "slope", "points"}

// exploreParser reads the keys of one query.
type exploreParser struct {
	q   url.Values
	st  exploreState
	bad []errs.Field
}

func (p *exploreParser) fail(field, message string) {
	p.bad = append(p.bad, errs.Field{Field: field, Message: message})
}

func (p *exploreParser) oneOf(field, fallback string, all []string) string {
	text := p.q.Get(field)
	switch {
	case text == "":
		return fallback
	case slices.Contains(all, text):
		return text
	}
	p.fail(field, "must be one of "+strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), ", ")+", not "+strconv.Quote(cutText(text, 20)))
	return fallback
}

// number reads a number from a URL or a form, where a decimal comma will do.
func (p *exploreParser) number(field string, fallback, lo, hi float64) float64 {
	text := strings.TrimSpace(p.q.Get(field))
	if text == "" {
		return fallback
	}
	v, ok := typedNumber(text)
	if !ok || !(v >= lo && v <= hi) {
		p.fail(field, "must be a number from "+asTyped(lo)+" to "+asTyped(hi)+", not "+strconv.Quote(cutText(text, 20)))
		return fallback
	}
	return v
}

// alpha reads α: any positive number, or infinity.
func (p *exploreParser) alpha(field string, fallback float64) float64 {
	switch text := strings.TrimSpace(p.q.Get(field)); text {
	case "":
		return fallback
	case "inf", "∞":
		return math.Inf(1)
	default:
		if v, ok := typedNumber(text); ok && v > 0 {
			return v
		}
		p.fail(field, "must be a number above 0 or inf, not "+strconv.Quote(cutText(text, 20)))
		return fallback
	}
}

func typedNumber(text string) (float64, bool) {
	text = strings.Replace(strings.Replace(text, "−", "-", 1), ",", ".", 1)
	v, ok := table.ParseNumber(text, ".")
	if v == 0 {
		v = 0 // no negative zero
	}
	return v, ok && !math.IsInf(v, 0)
}

// boundaries reads π: a list with commas, or one value each from a form.
func (p *exploreParser) boundaries() {
	texts := slices.DeleteFunc(slices.Clone(p.q["pi"]), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) == 0 {
		return
	}
	list := strings.Split(texts[0], ",")
	if len(texts) > 1 || len(list) == 2 && decimalComma(texts[0]) {
		list = texts
	}
	var pi []float64
	for _, text := range list {
		v, ok := typedNumber(strings.TrimSpace(text))
		if !ok {
			p.fail("pi", "must be probabilities between 0 and 1, not "+strconv.Quote(cutText(text, 20)))
			return
		}
		pi = append(pi, v)
	}
	if err := loss.CheckBoundaries("pi", pi); err != nil {
		if e, ok := errs.As(err); ok && len(e.Fields) > 0 {
			p.bad = append(p.bad, e.Fields...)
		}
		return
	}
	p.st.Pi = pi
}

// decimalComma reports a text like "0,25", which is no list of probabilities.
func decimalComma(text string) bool {
	_, after, _ := strings.Cut(text, ",")
	v, err := strconv.ParseFloat(after, 64)
	return err == nil && v >= 1
}

// losses reads a list of losses of the margin, each once.
func (p *exploreParser) losses(field string, most int) []lossSpec {
	out := []lossSpec{}
	seen := map[string]bool{}
	for _, text := range p.q[field] {
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		spec := splitSpec(text)
		if _, err := newShape(p.st.resolve(spec)); err != nil {
			p.fail(field, "cannot be "+strconv.Quote(cutText(text, 30))+": "+errorText(err))
			continue
		}
		if len(out) == most {
			p.fail(field, "takes up to "+strconv.Itoa(most)+" losses; "+strconv.Quote(cutText(text, 30))+" is one more")
			continue
		}
		out = append(out, spec)
	}
	return out
}

func errorText(err error) string {
	if e, ok := errs.As(err); ok {
		return strings.TrimSuffix(e.Detail, ".")
	}
	return err.Error()
}
