package web

import (
	"cmp"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/a-h/templ"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// base is the page without a result.
func (x *steering) base(r *engine.Result) (templates.Page, templates.Stratify) {
	at := "/stratify/" + x.d.ID
	v := templates.Stratify{URL: at, Live: at + "/live", Panel: x.panel(r)}
	p := x.s.page(x.c, x.title())
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: x.d.Name, URL: "/data/" + x.d.ID},
		{Label: "stratify"}}
	p.Body = "live"
	p.Actions = templates.StratifyActions(at+"/save", r != nil)
	return p, v
}

// title is the event in the data's name.
func (x *steering) title() string {
	if !x.usable() {
		return "Stratify " + x.d.Name
	}
	return upperRune(format.Event(x.st.Outcome, x.st.Positive)) + " in " + x.d.Name
}

// show renders the page with its result, or with the computation that makes it, or
// with the controls alone.
func (x *steering) show(status int, r *engine.Result, f *computation) error {
	p, v := x.base(r)
	switch {
	case r != nil:
		res, err := x.shown(r).View()
		if err != nil {
			return err
		}
		if res.WhatIf != nil && x.answer != nil {
			res.WhatIf = resultview.WhatIfForm(r.Model, res.WhatIf.URL, x.sent)
			res.WhatIf.Answer = x.answer
		}
		v.Result, v.Keep = &res, live.Kept(map[string]string{"held": heldText(r), "axes": axesText(res.Figures)})
		if v.Stamps, err = live.Stamps(x.c.Request().Context(), livePartsOf(res, v.Panel), res.Slots()); err != nil {
			return err
		}
		p.Result, p.Open = templates.Sentence(res.Strong, res.Rest), templates.OpenQuestions(res.Open)
	case f != nil:
		x.waiting(&p, &v, f)
	case !x.usable():
		title, button := "Which column is the outcome?", "Choose the outcome"
		if x.st.Outcome != "" && x.lacking == "" {
			title, button = "Which value of "+x.st.Outcome+" is the event?", "Choose the event"
		}
		v.Empty = &templates.Empty{Title: title, Text: x.lackingWords(),
			Buttons: []templates.Button{{Label: button, URL: "/data/" + x.d.ID + "#outcome", Icon: "go", Kind: "1"}}}
	default:
		compute := x.st
		compute.Hold = false
		v.Empty = &templates.Empty{Title: "Nothing is computed",
			Text:    "The fit was cancelled. Change the controls, or fit this state after all.",
			Buttons: []templates.Button{{Label: "Fit these bands", URL: compute.URL(), Icon: "go", Kind: "1"}}}
	}
	return x.s.render(x.c, status, templates.StratifyPage(p, v))
}

func (x *steering) lackingWords() string {
	if x.lacking != "" {
		return format.UpperFirst(x.lacking) + " Choose it on the page of the data; the bands appear here."
	}
	return "Nobody has said it yet, and nothing is computed on a guess. Choose it on the page of the data; the bands " +
		"appear here."
}

// waiting is the page while its result is made: progress, and what is known
// before it.
func (x *steering) waiting(p *templates.Page, v *templates.Stratify, f *computation) {
	e, _ := x.s.live.runner.Progress(f.id)
	held := x.st
	held.Hold = true
	at := "/stratify/" + x.d.ID
	v.Progress = &templates.Progress{
		ID: "fit", Step: cmp.Or(e.Progress.Message, "Preparing the folds"), Percent: 100 * e.Progress.Fraction,
		Time:   format.Elapsed(e.Progress),
		Events: at + "/events?job=" + f.id, Done: x.st.URL(),
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: at + "/cancel",
			Fields: []templates.Field{{Name: "job", Value: f.id}, {Name: "back", Value: held.URL()}}},
	}
	p.Result = templates.Sentence("Fitting "+format.Count(len(x.st.Pi)+1, "band")+".",
		"The result appears when the folds are done.")
	if iv, err := loss.NewInterval(x.st.Pi); err == nil && x.st.Method.ID == "interval" {
		v.Early = []templates.Chart{control.Figure(viz.Surrogate(iv))}
	}
}

// showProblem is the page whose state cannot be fitted.
func (x *steering) showProblem(text string) error {
	p, v := x.base(nil)
	v.Problem = text
	v.Empty = &templates.Empty{Title: "These choices cannot be fitted",
		Text: "Change them here, or the outcome and the roles of the columns on the page of the data.",
		Buttons: []templates.Button{{Label: "Open the data", URL: "/data/" + x.d.ID, Icon: "table"},
			{Label: "Start from the defaults", URL: "/stratify/" + x.d.ID, Icon: "reset"}}}
	return x.s.render(x.c, http.StatusUnprocessableEntity, templates.StratifyPage(p, v))
}

// shown is the result with the ways on from it.
func (x *steering) shown(r *engine.Result) resultview.Bands {
	st := x.st
	score := st
	score.Band, score.Page = -1, 1
	way := func(change func(*stratify.State)) string {
		to := st
		to.Page = 1
		change(&to)
		if to.Band > len(to.Pi) {
			to.Band = -1
		}
		return to.URL()
	}
	return resultview.Bands{
		Result: r, Spec: st.Spec(0), Band: st.Band, Page: st.Page,
		Rows: func() ([]engine.RowScore, error) { return r.Rows, nil },
		List: func(band, page int) string {
			return way(func(to *stratify.State) { to.Band, to.Page = band, page })
		},
		Cut: func(pi []float64, mode string) string {
			return way(func(to *stratify.State) { to.Pi, to.Mode = pi, mode })
		},
		Leave: x.leaveURL, Bandless: "A saved run can be checked by refits, which give the curves their bands.",
		WhatIf: "/stratify/" + x.d.ID + "/score" + score.Query(),
	}
}

// leaveURL is the state without one predictor.
func (x *steering) leaveURL(column string) string {
	chosen := slices.Clone(x.chosen())
	at := slices.Index(chosen, column)
	if at < 0 || len(chosen) < 2 {
		return ""
	}
	to := x.st.WithoutSpline(column)
	to.Predictors, to.Page = slices.Delete(chosen, at, at+1), 1
	return to.URL()
}

// chosen lists the predictors in use.
func (x *steering) chosen() []string {
	if x.st.Predictors != nil {
		return x.st.Predictors
	}
	return datasets.Predictors(x.d, x.t)
}

// parts are what a live answer may swap: those of the result and of the panel.
func livePartsOf(res templates.Result, p templates.Panel) map[string]templ.Component {
	parts := res.Parts()
	parts["r-template"] = templates.TemplatePick(p)
	parts["r-strip"] = templates.Draw(p.Strip)
	parts["r-how"] = templates.HowPick(p)
	parts["r-noise"] = templates.Words(p.Noise.Note)
	parts["r-took"] = templates.Words(p.Took)
	parts["r-predictors"] = templates.Predictors(p.Predictors)
	return parts
}

// upperRune is upperFirst for a name from a file, which need not begin with an
// ASCII letter.
func upperRune(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return format.UpperFirst(s)
}
