package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// liveAnswer is what /stratify/{dataset}/live sends: the parts and chart
// options that differ from what the page has, by their stamps.
type liveAnswer struct {
	Parts   map[string]string          `json:"parts,omitempty"`
	Charts  map[string]json.RawMessage `json:"charts,omitempty"`
	Sliders map[string]sliderWords     `json:"sliders,omitempty"`
	Labels  map[string]string          `json:"labels,omitempty"` // what a screen reader says of a chart
	Stamps  map[string]string          `json:"stamps,omitempty"`
	URL     string                     `json:"url,omitempty"`  // the canonical address
	Go      string                     `json:"go,omitempty"`   // it takes long: the page to go to
	Held    string                     `json:"held,omitempty"` // λ in use
	Axes    string                     `json:"axes,omitempty"`
	MS      *float64                   `json:"ms,omitempty"` // of computing, unless λ was tuned
}

func newLiveAnswer() liveAnswer {
	return liveAnswer{Parts: map[string]string{}, Charts: map[string]json.RawMessage{}, Labels: map[string]string{},
		Stamps: map[string]string{}}
}

// sliderWords update one slider without moving the focus.
type sliderWords struct {
	Note   string `json:"note,omitempty"`
	Hint   string `json:"hint"` // "" takes the last one away
	Spoken string `json:"spoken,omitempty"`
	Value  string `json:"value,omitempty"`
	Low    string `json:"low,omitempty"`
	High   string `json:"high,omitempty"`
}

// stratifyLive answers GET /stratify/{dataset}/live: the state of the form,
// recomputed. While a boundary is dragged λ stays what it was ("held"); when
// the request is abandoned, so is the solver.
func (s *Server) stratifyLive(c echo.Context) error {
	q := c.QueryParams()
	if stratify.HasClasses(q) {
		return s.severalLive(c)
	}
	x, err := s.steer(c, q)
	switch {
	case err != nil:
		return err
	case x.t == nil || !x.usable():
		return c.JSON(http.StatusOK, liveAnswer{Go: "/stratify/" + x.d.ID})
	case len(x.bad) > 0:
		return form.Error(x.bad)
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	wait := s.live.patience
	if held, ok := heldModel(q, x.st); ok {
		spec.Model, wait = held, time.Minute
	}
	started := s.now()
	r, f, err := x.result(spec, wait)
	switch {
	case err != nil:
		return err
	case f != nil:
		return c.JSON(http.StatusOK, liveAnswer{Go: x.st.URL()})
	}
	took := s.now().Sub(started)
	a, err := x.liveAnswer(r, spec, q)
	if err != nil {
		return err
	}
	if !spec.Model.Tuned() {
		ms := float64(took.Microseconds()) / 1000
		a.MS = &ms
	}
	return c.JSON(http.StatusOK, a)
}

func (x *steering) liveAnswer(r *engine.Result, spec engine.Spec, q url.Values) (liveAnswer, error) {
	on := x.shown(r)
	on.Spec, on.Axes = spec, parseAxes(q.Get("axes"))
	seen := parseSeen(q)
	on.Want = seen
	res, err := on.View()
	if err != nil {
		return liveAnswer{}, err
	}
	panel := x.panel(r)
	a := newLiveAnswer()
	a.URL, a.Sliders = x.st.URL(), x.words(r, panel)
	if !q.Has("drag") {
		a.Axes = axesText(res.Figures)
	}
	if spec.Model.Tuned() || !x.st.Tuned() {
		a.Held = heldText(r)
	} else {
		panel.How = howChoice(x.st, nil)
	}
	had := form.Stamps(q.Get("had"))
	ctx := x.c.Request().Context()
	parts := livePartsOf(res, panel)
	maps.DeleteFunc(parts, func(id string, _ templ.Component) bool { return !seen(id) })
	if q.Get("panel") == "1" {
		parts["controls"] = templates.PanelView(panel)
		delete(had, "controls")
		for _, id := range []string{"r-template", "r-strip", "r-how", "r-noise", "r-took"} {
			delete(parts, id)
			a.Stamps[id] = ""
		}
	}
	if err := a.add(ctx, parts, had); err != nil {
		return a, err
	}
	return a, a.addCharts(ctx, res.Slots(), had, seen)
}

// parseSeen reads which parts a drag is to follow: those on the screen, save
// what would move the page or is known only at the drag's end.
func parseSeen(q url.Values) func(id string) bool {
	if !q.Has("drag") {
		return func(string) bool { return true }
	}
	ids := strings.Split(q.Get("drag"), ",")
	late := []string{"r-how", "r-open", "r-doubts", "r-predictors", "r-whatif", "r-rows"}
	return func(id string) bool { return slices.Contains(ids, id) && !slices.Contains(late, id) }
}

// words update the sliders in place.
func (x *steering) words(r *engine.Result, p templates.Panel) map[string]sliderWords {
	all := map[string]sliderWords{}
	for _, s := range p.Boundaries {
		all[s.ID] = sliderWords{Note: s.Note, Hint: s.Hint, Spoken: s.Spoken, Low: s.Low, High: s.High}
	}
	for _, s := range p.Noise.Rates {
		all[s.ID] = sliderWords{Note: s.Note, Hint: s.Hint, Spoken: s.Spoken}
	}
	all["lambda"] = sliderWords{Spoken: p.Lambda.Spoken}
	if x.st.L2.Tuned() && r.L2 > 0 {
		all["lambda"] = sliderWords{Spoken: p.Lambda.Spoken, Value: stratify.L2Text(engine.L2{Value: r.L2})}
	}
	return all
}

// add renders the parts that the page does not have.
func (a *liveAnswer) add(ctx context.Context, parts map[string]templ.Component, had map[string]string) error {
	for id, show := range parts {
		html, err := partHTML(ctx, show)
		if err != nil {
			return err
		}
		if mark := form.Stamp(html); had[id] != mark {
			a.Parts[id], a.Stamps[id] = html, mark
		}
	}
	return nil
}

// addCharts sends new options for figures that keep their legend, and whole
// figures otherwise.
func (a *liveAnswer) addCharts(ctx context.Context, slots []templates.Slot, had map[string]string,
	seen func(string) bool) error {
	for _, at := range slots {
		c := at.Chart
		frame := form.Stamp(frameText(c))
		if had[at.ID] != frame {
			if err := a.add(ctx, map[string]templ.Component{at.ID: templates.ChartView(c)}, nil); err != nil {
				return err
			}
			a.Stamps[at.ID], a.Stamps[c.ID] = frame, form.Stamp(string(c.Option))
			continue
		}
		if mark := form.Stamp(string(c.Option)); had[c.ID] != mark {
			a.Charts[c.ID], a.Labels[c.ID], a.Stamps[c.ID] = c.Option, c.Spoken(), mark
		}
		beside := besidePlot(c)
		maps.DeleteFunc(beside, func(id string, _ templ.Component) bool { return !seen(id) })
		err := a.add(ctx, beside, had)
		if err != nil {
			return err
		}
	}
	return nil
}

// besidePlot are the parts of a figure that follow its numbers.
func besidePlot(c templates.Chart) map[string]templ.Component {
	return map[string]templ.Component{
		c.ID + "-say":    templates.Words(c.Sentence),
		c.ID + "-legend": templates.ChartLegend(c.Legend),
		c.ID + "-data":   templates.ChartData(c),
	}
}

// frameText is what of a figure stays while its numbers change.
func frameText(c templates.Chart) string {
	return c.ID + c.Title + strconv.FormatBool(len(c.Legend) > 0)
}

// stamps are those of a whole page, for its first request.
func (x *steering) stamps(res templates.Result, p templates.Panel) (string, error) {
	a := newLiveAnswer()
	ctx := x.c.Request().Context()
	if err := a.add(ctx, livePartsOf(res, p), nil); err != nil {
		return "", err
	}
	for _, at := range res.Slots() {
		c := at.Chart
		a.Stamps[at.ID], a.Stamps[c.ID] = form.Stamp(frameText(c)), form.Stamp(string(c.Option))
		if err := a.add(ctx, besidePlot(c), nil); err != nil {
			return "", err
		}
	}
	j, err := json.Marshal(a.Stamps)
	return string(j), err
}

// axesText are the ends of the axes as the charts were drawn, so that the next
// request can keep them: density x, density y, scatter x, scatter y.
func axesText(figures []templates.Slot) string {
	var ends []string
	for _, f := range figures {
		var o struct {
			XAxis, YAxis []struct{ Min, Max float64 }
		}
		if json.Unmarshal(f.Chart.Option, &o) != nil || len(o.XAxis) == 0 || len(o.YAxis) == 0 {
			return ""
		}
		for _, v := range []float64{o.XAxis[0].Min, o.XAxis[0].Max, o.YAxis[0].Min, o.YAxis[0].Max} {
			ends = append(ends, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return strings.Join(ends, ",")
}

// parseAxes reads axesText; anything else leaves the axes to the data.
func parseAxes(text string) resultview.Axes {
	var v []float64
	for _, t := range strings.Split(text, ",") {
		f, err := strconv.ParseFloat(t, 64)
		if err != nil || !(f > -1e12 && f < 1e12) {
			return resultview.Axes{}
		}
		v = append(v, f)
	}
	if len(v) != 8 || slices.Contains([]bool{v[0] < v[1], v[2] < v[3], v[4] < v[5], v[6] < v[7]}, false) {
		return resultview.Axes{}
	}
	return resultview.Axes{Density: viz.Axes{X: [2]float64{v[0], v[1]}, Y: [2]float64{v[2], v[3]}},
		PCA: viz.Axes{X: [2]float64{v[4], v[5]}, Y: [2]float64{v[6], v[7]}}}
}
