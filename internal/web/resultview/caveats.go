package resultview

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
	"taper/web/templates"
)

// openNotices is the number of notices shown; further ones that need no answer are collapsed.
const openNotices = 4

// Unanswered are the serious questions about a result that nobody answered; answers gives the possible actions, nil
// for none. An action of the last question, such as opening the data, stands there alone: the box comes before the
// verdict and must leave room for it.
func Unanswered(r *engine.Result, answers func(engine.Warning) []templates.Button) []templates.Notice {
	var all []templates.Notice
	for _, w := range check.OpenQuestions(r.Warnings) {
		n := templates.Notice{Kind: "ask"}
		n.Fact, n.Text = check.UnansweredQuestion(w)
		if answers != nil {
			n.Buttons = answers(w)
		}
		all = append(all, n)
	}
	if n := len(all); n > 1 {
		last := all[n-1].Buttons
		for i := range all[:n-1] {
			all[i].Buttons = slices.DeleteFunc(all[i].Buttons, func(b templates.Button) bool {
				return slices.ContainsFunc(last, func(l templates.Button) bool { return l.URL == b.URL })
			})
		}
	}
	return all
}

// subject selects warnings by code, for one page.
type subject func(code string) bool

// ofModel are warnings about terms and the fit, ofPerformance those about comparisons with other models, ofVerdict
// all others: they limit every conclusion from the run. That its rows trained the model stands on both pages.
var (
	anySubject subject = func(string) bool { return true }
	ofModel    subject = func(code string) bool {
		return slices.Contains([]string{engine.WarnSeparation, engine.WarnOneSided, engine.WarnCollinear, engine.WarnUnused,
			engine.WarnNotCertified, engine.WarnStarts, engine.WarnLoss, engine.WarnTrees, engine.WarnKernel,
			engine.WarnGridEdge, engine.WarnSpline}, code)
	}
	ofPerformance subject = func(code string) bool {
		return code == engine.WarnLogisticBetter || code == engine.WarnApparent
	}
	ofVerdict subject = func(code string) bool { return !ofModel(code) && code != engine.WarnLogisticBetter }
)

// caveats are the warnings about a subject, and their number: those that other boundaries would settle become
// banners with this choice, the others notices.
func (s Bands) caveats(about subject) (parts []doc.Node, number int) {
	var banners []templates.Banner
	if about(engine.WarnOneBand) && !s.Result.IsRecalibrated() {
		for _, w := range s.Result.Warnings {
			if w.Code == engine.WarnOneBand {
				banners = append(banners, s.trap(w))
			}
		}
		banners = append(banners, s.merges()...)
	}
	open, asked := notices(s.Result, about, s.answers)
	if number = len(banners) + len(open); number == 0 {
		return nil, 0
	}
	var more []templates.Notice
	if most := max(openNotices, asked); len(open) > most+1 {
		open, more = open[:most], open[most:]
	}
	return []doc.Node{doc.Part{View: templates.ResultCaveats(banners, open, more)}}, number
}

// said are the codes of warnings that a page shows elsewhere: in a banner, below the table, or with the merge.
var said = []string{engine.WarnOneBand, engine.WarnOptimistic, check.WarnFewInStratum}

// notices are the other warnings about a subject, most serious first; asked is the number of those that need an
// answer.
func notices(r *engine.Result, about subject, answers func(engine.Warning) []templates.Button) (all []templates.Notice,
	asked int) {
	for _, w := range check.Sort(slices.Clone(r.Warnings)) {
		if !about(w.Code) || slices.Contains(said, w.Code) || check.Harmful(w) ||
			w.Code == engine.WarnNoPredictor && r.NoPredictor && r.Classes == nil {
			continue // serious ones come first of all; a missing predictor is the headline
		}
		n := templates.Notice{}
		if n.Fact, n.Text = format.Fact(w); w.Level == "ask" || w.Level == "stop" {
			n.Kind = "ask"
			asked++
			if answers != nil {
				n.Buttons = answers(w)
			}
		}
		if w.Code == engine.WarnApparent || w.Code == engine.WarnNotCertified {
			n.Kind = "ask"
		}
		all = append(all, n)
	}
	return all, asked
}

// answers are the possible actions for a warning.
func (s Bands) answers(w engine.Warning) []templates.Button {
	if s.Leave == nil {
		return nil
	}
	data := templates.Button{Label: "Open the data", URL: "/data/" + s.Spec.Dataset}
	if to := s.Leave(w.Column); to != "" && w.Code == "leak" {
		return []templates.Button{{Label: "Leave " + w.Column + " out", URL: to, Steer: true}, data}
	}
	return []templates.Button{data}
}

// trap proposes boundaries near the prevalence where all rows are in one band.
func (s Bands) trap(w engine.Warning) templates.Banner {
	b := templates.Banner{}
	b.Fact, b.Text = format.Fact(table.Warning{Level: "ask", Message: w.Message})
	if s.Cut == nil || s.Spec.Mode != "interval" {
		return b
	}
	if pi := s.suggested(); len(pi) > 0 {
		b.Button = &templates.Button{Label: "Use " + boundary.Percents(pi), URL: s.Cut(pi, "interval"), Steer: true}
	}
	return b
}

// suggested are the engine's boundaries for this prevalence, if the page allows them and they differ from the
// present ones.
func (s Bands) suggested() []float64 {
	pi := engine.SuggestBoundaries(s.Result)
	for k := range pi {
		if low, high := boundary.FreeRange(pi, k); pi[k] < low-1e-9 || pi[k] > high+1e-9 {
			return nil
		}
	}
	if slices.Equal(pi, s.Result.Boundaries) {
		return nil
	}
	return pi
}

// merges are banners for bands with too few rows, with the merge that would help.
func (s Bands) merges() []templates.Banner {
	var all []templates.Banner
	if slices.ContainsFunc(s.Result.Warnings, func(w engine.Warning) bool { return w.Code == engine.WarnOneBand }) {
		return nil
	}
	for k, b := range s.Result.Strata {
		if b.Verdict != stat.TooFew {
			continue
		}
		w := s.fewWarning(len(all))
		if w == nil {
			break
		}
		banner := templates.Banner{}
		banner.Fact, banner.Text = format.Fact(table.Warning{Level: "ask", Message: w.Message})
		if b.N < stat.MinRows { // enough rows but few events: a merge does not help
			banner.Button = s.merge(k)
		}
		all = append(all, banner)
	}
	return all
}

// fewWarning is the i-th warning about a band with too few rows; the engine lists them from the lowest band.
func (s Bands) fewWarning(i int) *engine.Warning {
	for at := range s.Result.Warnings {
		if s.Result.Warnings[at].Code != check.WarnFewInStratum {
			continue
		}
		if i == 0 {
			return &s.Result.Warnings[at]
		}
		i--
	}
	return nil
}

// merge removes the boundary between a band and its smaller neighbour. For a saved run it links to the page that
// fits the run so.
func (s Bands) merge(k int) *templates.Button {
	pi := s.Result.Boundaries
	if len(pi) < 2 || s.Spec.Mode != "interval" || s.Cut == nil && s.Refit == nil {
		return nil
	}
	with := k + 1
	if k == len(pi) || k > 0 && s.Result.Strata[k-1].N < s.Result.Strata[k+1].N {
		with = k - 1
	}
	b := s.Result.Strata[with]
	rest := slices.Delete(slices.Clone(pi), min(k, with), min(k, with)+1)
	button := templates.Button{Label: "Merge with " + viz.BandName(b.Lower, b.Upper)}
	if s.Cut == nil {
		button.Icon, button.URL = "go", s.Refit(rest)
		return &button
	}
	button.URL, button.Steer = s.Cut(rest, s.Spec.Mode), true
	return &button
}
