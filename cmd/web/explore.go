package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/cmd/web/cache"
	"taper/cmd/web/wording"
	"taper/internal/engine/errs"
	"taper/internal/viz"
	"taper/web/templates"
)

// explorer keeps what the last states of the loss explorer showed: a drag asks
// for each state once, and then again as the one before.
type explorer struct {
	mu   sync.Mutex
	seen *cache.Cache[*exploreAnswer]
}

const explorerBytes = 8 << 20

func newExplorer() *explorer { return &explorer{seen: cache.New[*exploreAnswer](explorerBytes)} }

// exploreAnswer is a state as JSON: the numbers of the charts as options, the
// readouts as they stand on the page.
type exploreAnswer struct {
	URL     string                       `json:"url"`
	Title   string                       `json:"title"`
	Parts   map[string]string            `json:"parts"`
	Charts  map[string]viz.Option        `json:"charts,omitempty"`
	Series  map[string][]json.RawMessage `json:"series,omitempty"` // of charts: only what changed
	Words   map[string]chartWords        `json:"words,omitempty"`
	Sliders map[string]map[string]string `json:"sliders,omitempty"`
	Fields  map[string]string            `json:"fields,omitempty"`
	Visit   bool                         `json:"visit,omitempty"` // the page must be loaded anew

	plots map[string]viz.Plot
	form  string // which controls there are
}

// chartWords are the sentence and the finding of a chart.
type chartWords struct {
	Say     string `json:"say"`
	Finding string `json:"finding"`
}

// explore answers GET /: the page, or the state as JSON to those who
// ask for it.
func (s *Server) explore(c echo.Context) error {
	if strings.Contains(c.Request().Header.Get("Accept"), "application/json") {
		return s.exploreLive(c)
	}
	st, bad := parseExplore(c.QueryParams())
	v := newExploreView(st)
	p := s.page(c, v.title)
	p.Help, p.Body = "/help/"+st.Family, "live"
	p.Actions = templates.ExploreActions()
	e := s.explorePage(v, bad)
	p.Result = e.Sentence
	status := http.StatusOK
	if len(bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.render(c, status, templates.ExplorePage(p, e))
}

// exploreLive answers GET /explore: the state of the query as JSON. With was=,
// the query of the state on the screen, only what differs from it; with fit=
// the loss axis is set to show the steered curve, or back.
func (s *Server) exploreLive(c echo.Context) error {
	q := c.QueryParams()
	st, bad := parseExplore(q)
	if len(bad) > 0 {
		return &errs.Error{Code: errs.Invalid, Detail: wording.Problems(bad), Fields: bad}
	}
	if q.Get("fit") != "" {
		if st.Top > 0 {
			st.Top = 0
		} else {
			st.Top = st.fitted()
		}
	}
	now, err := s.explored(c.Request().Context(), st)
	if err != nil {
		return err
	}
	if !q.Has("was") {
		return c.JSON(http.StatusOK, now)
	}
	old, err := url.ParseQuery(strings.TrimPrefix(q.Get("was"), "?"))
	if err != nil {
		return errs.BadField("was", "must be the query of a state")
	}
	before, _ := parseExplore(old)
	was, err := s.explored(c.Request().Context(), before)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, now.since(was))
}

// explored computes a state, or finds it among the last ones.
func (s *Server) explored(ctx context.Context, st exploreState) (*exploreAnswer, error) {
	key := st.url()
	s.explorer.mu.Lock()
	a, ok := s.explorer.seen.Get(key)
	s.explorer.mu.Unlock()
	if ok {
		return a, nil
	}
	a, err := s.newAnswer(ctx, st)
	if err != nil {
		return nil, err
	}
	s.explorer.mu.Lock()
	defer s.explorer.mu.Unlock()
	s.explorer.seen.Put(key, a, a.size())
	return a, nil
}

func (s *Server) newAnswer(ctx context.Context, st exploreState) (*exploreAnswer, error) {
	v := newExploreView(st)
	e := s.explorePage(v, nil)
	a := &exploreAnswer{URL: st.url(), Title: v.title, Parts: map[string]string{}, Charts: map[string]viz.Option{}, Words: map[string]chartWords{},
		Sliders: liveSliders(st), Fields: map[string]string{"top": topText(st)}, plots: map[string]viz.Plot{}, form: formOf(e)}
	parts := map[string]templ.Component{
		"result": e.Sentence, "ex-regime": templates.RegimeView(e.Regime), "ex-formula": templates.FormulaView(e.Formula), "ex-readout": templates.TableView(e.Readout),
	}
	if e.Cross != nil {
		parts["ex-cross"] = templates.TableView(e.Cross.Table)
	}
	if e.Where != nil {
		parts["ex-where"] = templates.WhereView(*e.Where)
	}
	if e.Pins != nil {
		parts["ex-pins"] = templates.PinsView(*e.Pins)
	}
	for _, c := range append(append([]templates.ExploreChart(nil), e.Lead...), e.More...) {
		if c.Open {
			parts[c.ID+"-data"] = templates.ChartData(c.Chart)
		}
		if len(c.Legend) > 0 {
			parts[c.ID+"-legend"] = templates.ChartLegend(c.Chart.Legend)
		}
	}
	for id, part := range parts {
		var b bytes.Buffer
		if err := part.Render(ctx, &b); err != nil {
			return nil, err
		}
		a.Parts[id] = b.String()
	}
	for _, c := range v.charts() {
		a.plots[c.plot.ID] = c.plot
		a.Charts[c.plot.ID] = c.plot.Option
		a.Words[c.plot.ID] = chartWords{c.plot.Sentence, c.plot.Label}
	}
	return a, nil
}

// formOf names the controls that a state shows: states with the same ones can
// follow each other without a new page.
func formOf(e templates.Explore) string {
	var b strings.Builder
	b.WriteString(e.Family + "/" + e.View)
	for _, c := range e.Shape {
		switch {
		case c.Slider != nil:
			b.WriteString(" " + c.Slider.ID)
		case c.Choice != nil:
			b.WriteString(" " + c.Choice.ID)
			for _, o := range c.Choice.Options {
				if o.On {
					b.WriteString("=" + o.Value)
				}
			}
		}
	}
	for _, c := range append(append([]templates.ExploreChart(nil), e.Lead...), e.More...) {
		b.WriteString(" " + c.ID)
	}
	return b.String()
}

// size estimates the bytes an answer holds.
func (a *exploreAnswer) size() int {
	n := 4096
	for _, p := range a.Parts {
		n += len(p)
	}
	for _, o := range a.Charts {
		n += 3 * len(o)
	}
	return n
}

// since leaves out what an older answer has shown already.
func (a *exploreAnswer) since(was *exploreAnswer) *exploreAnswer {
	out := &exploreAnswer{URL: a.URL, Title: a.Title, Parts: map[string]string{}, Charts: map[string]viz.Option{}, Series: map[string][]json.RawMessage{},
		Words: map[string]chartWords{}, Sliders: map[string]map[string]string{}, Fields: map[string]string{}}
	if a.form != was.form {
		out.Visit = true
		return out
	}
	for id, html := range a.Parts {
		if was.Parts[id] != html {
			out.Parts[id] = html
		}
	}
	for id, plot := range a.plots {
		if a.Words[id] != was.Words[id] {
			out.Words[id] = a.Words[id]
		}
		switch series, whole := plot.Since(was.plots[id]); {
		case whole:
			out.Charts[id] = plot.Option
		case len(series) > 0:
			out.Series[id] = series
		}
	}
	for id, words := range a.Sliders {
		for key, text := range words {
			if was.Sliders[id][key] != text {
				out.Sliders[id] = words
			}
		}
	}
	for name, value := range a.Fields {
		if was.Fields[name] != value {
			out.Fields[name] = value
		}
	}
	return out
}

// exploreCSV answers GET /explore.csv: the numbers of one chart of a state.
func (s *Server) exploreCSV(c echo.Context) error {
	st, bad := parseExplore(c.QueryParams())
	if len(bad) > 0 {
		return &errs.Error{Code: errs.Invalid, Detail: wording.Problems(bad), Fields: bad}
	}
	chart, ok := newExploreView(st).chart(c.QueryParam("chart"))
	if !ok {
		return errs.New(errs.NotFound, "These losses have no chart %q.", wording.Cut(c.QueryParam("chart"), 30))
	}
	var b bytes.Buffer
	if err := chart.file(&b); err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+chart.plot.ID+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", b.Bytes())
}
