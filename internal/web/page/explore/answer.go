package explore

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"taper/internal/cache"
	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/live"
	"taper/web/templates"
)

// Explorer caches the last states of the loss explorer: a drag asks for each state once, and once more as the state
// to compare the next one with. It is safe for concurrent use.
type Explorer struct {
	mu   sync.Mutex
	seen *cache.Cache[*Answer]
}

const cacheBytes = 8 << 20

// NewExplorer makes an empty cache. It is dropped when others need the memory.
func NewExplorer(memory cost.Memory) *Explorer {
	x := &Explorer{seen: cache.New[*Answer](cacheBytes).Within(memory.Caches)}
	memory.GiveWay(func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.seen.Drop("")
	})
	return x
}

// Answer is a state as JSON: the charts as options for ECharts, and the readouts as HTML.
type Answer struct {
	live.Answer
	Title string `json:"title"`

	plots  map[string]viz.Plot
	stamps map[string]string // of all parts and charts
	form   string            // identifies the set of controls
}

// Live answers the query of a state. With was=, the query of the state on the screen, the answer contains only the
// differences; with had= by the stamps of what the page shows, since a drag changes only what is visible; with fit=
// the loss axis is fitted to the steered curve, or set back.
func (x *Explorer) Live(ctx context.Context, q url.Values) (*Answer, error) {
	st, bad := Parse(q)
	if len(bad) > 0 {
		return nil, usererr.BadFields(bad)
	}
	if q.Get("fit") != "" {
		if st.Top > 0 {
			st.Top = 0
		} else {
			st.Top = st.fitted()
		}
	}
	now, err := x.answer(ctx, st)
	if err != nil || !q.Has("was") {
		return now, err
	}
	old, err := url.ParseQuery(strings.TrimPrefix(q.Get("was"), "?"))
	if err != nil {
		return nil, usererr.BadField("was", "must be the query of a state")
	}
	before, _ := Parse(old)
	was, err := x.answer(ctx, before)
	if err != nil {
		return nil, err
	}
	return now.since(was, q), nil
}

// Stamps are the stamps of a state as JSON, for the first request of its page.
func (x *Explorer) Stamps(ctx context.Context, q url.Values) (string, error) {
	st, _ := Parse(q)
	a, err := x.answer(ctx, st)
	if err != nil {
		return "", err
	}
	j, err := json.Marshal(a.stamps)
	return string(j), err
}

// answer computes a state or takes it from the cache.
func (x *Explorer) answer(ctx context.Context, st State) (*Answer, error) {
	key := st.URL()
	x.mu.Lock()
	a, ok := x.seen.Get(key)
	x.mu.Unlock()
	if ok {
		return a, nil
	}
	a, err := newAnswer(ctx, st)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen.Put(key, a, a.size())
	return a, nil
}

func newAnswer(ctx context.Context, st State) (*Answer, error) {
	v := newView(st)
	e := v.page(nil)
	a := &Answer{Title: v.title, plots: map[string]viz.Plot{}, form: formOf(e), Answer: live.Answer{URL: st.URL(),
		Charts: map[string]json.RawMessage{}, Words: map[string]live.Words{}, Sliders: liveSliders(st),
		Fields: map[string]string{"top": topText(st)}, Keep: map[string]string{"was": st.Query()}}}
	parts := map[string]templ.Component{
		"result": e.Sentence, "ex-regime": templates.RegimeView(e.Regime), "ex-formula": templates.FormulaView(e.Formula),
		"ex-readout": templates.TableView(e.Readout),
	}
	for _, c := range e.Shape {
		if len(c.Links) > 0 && !c.Button {
			parts["ex-set"] = templates.ExploreSet(c)
		}
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
	if err := a.Add(ctx, live.Want{}, parts); err != nil {
		return nil, err
	}
	for _, c := range v.charts() {
		a.plots[c.plot.ID] = c.plot
		a.Charts[c.plot.ID] = json.RawMessage(c.plot.Option)
		a.Words[c.plot.ID] = wordsOf(c.plot)
		a.Lacks(live.Want{}, c.plot.ID, string(c.plot.Option)+c.plot.Sentence+c.plot.Label)
	}
	a.stamps, a.Stamps = a.Stamps, nil
	return a, nil
}

func wordsOf(p viz.Plot) live.Words { return live.Words{Say: &p.Sentence, Finding: p.Label} }

// formOf identifies the controls of a state: states with the same controls can follow each other without loading
// the page.
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

// size estimates the bytes of an answer.
func (a *Answer) size() int {
	n := 4096
	for _, p := range a.Parts {
		n += len(p)
	}
	for _, o := range a.Charts {
		n += 3 * len(o)
	}
	return n
}

// since removes what the page of a query already shows: an older answer, or the parts with the stamps it had. Series
// are compared with the older answer, piece by piece, if the page has its chart.
func (a *Answer) since(was *Answer, q url.Values) *Answer {
	if a.form != was.form {
		return &Answer{Title: a.Title, Answer: live.Answer{Go: a.URL}}
	}
	want, shown := live.ReadWant(q), was.stamps
	if q.Has("had") {
		shown = want.Had()
	}
	lacks := func(id string) bool { return want.Seen(id) && shown[id] != a.stamps[id] }
	out := &Answer{Title: a.Title, Answer: live.Answer{URL: a.URL, Keep: a.Keep, Parts: map[string]string{},
		Charts: map[string]json.RawMessage{}, Series: map[string][]json.RawMessage{}, Words: map[string]live.Words{},
		Sliders: map[string]live.Slider{}, Fields: map[string]string{}, Stamps: map[string]string{}}}
	for id, html := range a.Parts {
		if lacks(id) {
			out.Parts[id], out.Stamps[id] = html, a.stamps[id]
		}
	}
	for id, plot := range a.plots {
		if !lacks(id) {
			continue
		}
		out.Stamps[id] = a.stamps[id]
		old, known := was.plots[id], shown[id] == was.stamps[id]
		if !known || plot.Sentence != old.Sentence || plot.Label != old.Label {
			out.Words[id] = wordsOf(plot)
		}
		switch series, whole := plot.ChangedSince(old); {
		case whole || !known:
			out.Charts[id] = a.Charts[id]
		case len(series) > 0:
			out.Series[id] = series
		}
	}
	for id, words := range a.Sliders {
		if was.Sliders[id] != words {
			out.Sliders[id] = words
		}
	}
	for name, value := range a.Fields {
		if was.Fields[name] != value {
			out.Fields[name] = value
		}
	}
	return out
}
