package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

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
		return c.JSON(http.StatusOK, live.Answer{Go: "/stratify/" + x.d.ID})
	case len(x.bad) > 0:
		return form.Error(x.bad)
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	wait := s.live.patience
	if held, ok := heldModel(q, x.st); ok && q.Has("drag") {
		spec.Model, wait = held, time.Minute
	}
	started := s.now()
	r, f, err := x.result(spec, wait)
	switch {
	case err != nil:
		return err
	case f != nil:
		return c.JSON(http.StatusOK, live.Answer{Go: x.st.URL()})
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

func (x *steering) liveAnswer(r *engine.Result, spec engine.Spec, q url.Values) (live.Answer, error) {
	want := live.Asked(q, "r-how", "r-open", "r-doubts", "r-predictors", "r-whatif", "r-rows")
	on := x.shown(r)
	on.Spec, on.Axes, on.Want = spec, parseAxes(q.Get("axes")), want.Seen
	res, err := on.View()
	if err != nil {
		return live.Answer{}, err
	}
	panel := x.panel(r)
	a := live.Answer{URL: x.st.URL(), Sliders: x.sliders(r, panel), Keep: map[string]string{}}
	if !want.Dragging() {
		a.Keep["axes"] = axesText(res.Figures)
	}
	if spec.Model.Tuned() || !x.st.Tuned() {
		a.Keep["held"] = heldText(r)
	} else {
		panel.How = howChoice(x.st, nil)
	}
	ctx := x.c.Request().Context()
	parts := livePartsOf(res, panel)
	if q.Get("panel") == "1" {
		var controls strings.Builder // whatever its stamp: the browser has set values in it itself
		if err := templates.PanelView(panel).Render(ctx, &controls); err != nil {
			return a, err
		}
		a.Parts = map[string]string{"controls": controls.String()}
		a.Stamps = map[string]string{}
		for _, id := range []string{"r-template", "r-strip", "r-how", "r-noise", "r-took"} { // stand in it
			delete(parts, id)
			a.Stamps[id] = ""
		}
	}
	if err := a.Add(ctx, want, parts); err != nil {
		return a, err
	}
	return a, a.AddFigures(ctx, want, res.Slots())
}

// sliders are updated in place.
func (x *steering) sliders(r *engine.Result, p templates.Panel) map[string]live.Slider {
	all := map[string]live.Slider{}
	for _, s := range slices.Concat(p.Boundaries, p.Noise.Rates) {
		all[s.ID] = live.SliderOf(s)
	}
	lambda := live.Slider{Spoken: p.Lambda.Spoken}
	if x.st.L2.Tuned() && r.L2 > 0 {
		lambda.Value = stratify.L2Text(engine.L2{Value: r.L2})
	}
	all["lambda"] = lambda
	return all
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
