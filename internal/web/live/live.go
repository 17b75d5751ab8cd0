// Package live updates a page while a control moves. A page declares the parts of a state, Answer contains those
// that the browser does not have, and one browser module (web/static/js/live.js) sends the requests and applies the
// answers.
//
// A request has the state as its query, and in addition: had, the stamps of the parts on the page; drag, the parts
// that are visible during a drag; and the values that the last answer asked to keep. Of the moves made while a
// request is under way, only the last is sent. A request ends when its client disconnects.
package live

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"taper/web/templates"
)

// Answer contains the differences to the page, by element id.
type Answer struct {
	Parts   map[string]string            `json:"parts,omitempty"`   // HTML
	Charts  map[string]json.RawMessage   `json:"charts,omitempty"`  // ECharts options
	Series  map[string][]json.RawMessage `json:"series,omitempty"`  // of charts whose other series stay
	Words   map[string]Words             `json:"words,omitempty"`   // of charts
	Sliders map[string]Slider            `json:"sliders,omitempty"` // changed in place, so that they keep the focus
	Fields  map[string]string            `json:"fields,omitempty"`  // by name: form fields set by the answer
	Stamps  map[string]string            `json:"stamps,omitempty"`  // of the parts sent
	Keep    map[string]string            `json:"keep,omitempty"`    // sent with the next request
	URL     string                       `json:"url,omitempty"`     // the state's canonical address
	// Go is the page to load instead: the computation takes long, or the controls differ.
	Go    string   `json:"go,omitempty"`
	Ended bool     `json:"ended,omitempty"` // what the page follows has ended: load the page again
	MS    *float64 `json:"ms,omitempty"`    // computing time, if a drag would take as long
}

// Words are the caption of a chart and its description for screen readers.
type Words struct {
	Say     *string `json:"say,omitempty"` // nil: the caption is in another part
	Finding string  `json:"finding"`
}

// Slider is the changed part of a slider.
type Slider struct {
	Note   string `json:"note,omitempty"`
	Hint   string `json:"hint"` // "" removes the last hint
	Spoken string `json:"spoken,omitempty"`
	Value  string `json:"value,omitempty"`
	Low    string `json:"low,omitempty"`
	High   string `json:"high,omitempty"`
}

// SliderOf is the changeable part of a slider.
func SliderOf(s templates.Slider) Slider {
	return Slider{Note: s.Note, Hint: s.Hint, Spoken: s.Spoken, Low: s.Low, High: s.High}
}

// Want says which parts a request needs.
type Want struct {
	had  map[string]string
	drag []string // visible parts; nil without a drag
	late []string
}

// ReadWant reads a query. During a drag the late parts are left out: they would move the page, or are known only at
// the end.
func ReadWant(q url.Values, late ...string) Want {
	w := Want{had: map[string]string{}, late: late}
	for _, pair := range strings.Split(q.Get("had"), ",") {
		if id, mark, ok := strings.Cut(pair, ":"); ok {
			w.had[id] = mark
		}
	}
	if q.Has("drag") {
		w.drag = strings.Split(q.Get("drag"), ",")
	}
	return w
}

// Dragging reports whether a drag is going on.
func (w Want) Dragging() bool { return w.drag != nil }

// Had are the stamps of the parts on the page.
func (w Want) Had() map[string]string { return w.had }

// Always is the request without a drag, for parts that are sent wherever they are on the page.
func (w Want) Always() Want { return Want{had: w.had} }

// Seen reports whether a part should be rendered now.
func (w Want) Seen(id string) bool {
	return w.drag == nil || slices.Contains(w.drag, id) && !slices.Contains(w.late, id)
}

// Lacks stores the stamp of a part, and reports whether the page shows something else.
func (a *Answer) Lacks(w Want, id, shows string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(shows))
	mark := strconv.FormatUint(uint64(h.Sum32()), 36)
	if w.had[id] == mark {
		return false
	}
	if a.Stamps == nil {
		a.Stamps = map[string]string{}
	}
	a.Stamps[id] = mark
	return true
}

// Add renders parts and adds those that the page does not have.
func (a *Answer) Add(ctx context.Context, w Want, parts map[string]templ.Component) error {
	for id, part := range parts {
		if !w.Seen(id) {
			continue
		}
		html, err := templ.ToGoHTML(ctx, part)
		if err != nil {
			return err
		}
		if a.Lacks(w, id, string(html)) {
			a.put(id, string(html))
		}
	}
	return nil
}

// AddAs adds a part with controls. Its stamp is not its HTML but what it shows, so that a new value of a control does
// not replace the control, which would lose the focus.
func (a *Answer) AddAs(ctx context.Context, w Want, as Stamp, part templ.Component) error {
	if !w.Seen(as.ID) || !a.Lacks(w, as.ID, as.Shows) {
		return nil
	}
	html, err := templ.ToGoHTML(ctx, part)
	if err == nil {
		a.put(as.ID, string(html))
	}
	return err
}

func (a *Answer) put(id, html string) {
	if a.Parts == nil {
		a.Parts = map[string]string{}
	}
	a.Parts[id] = html
}

// Stamp is what a part shows if that is not its HTML.
type Stamp struct{ ID, Shows string }

// AddFigures adds figures: new options where the frame is unchanged, else the whole figure.
func (a *Answer) AddFigures(ctx context.Context, w Want, slots []templates.Slot) error {
	for _, at := range slots {
		c := at.Chart
		if a.Lacks(w, at.ID, frame(c)) {
			html, err := templ.ToGoHTML(ctx, templates.ChartView(c))
			if err != nil {
				return err
			}
			a.put(at.ID, string(html))
			a.Lacks(Want{}, c.ID, string(c.Option))
			continue
		}
		if a.Lacks(w, c.ID, string(c.Option)) {
			if a.Charts == nil {
				a.Charts, a.Words = map[string]json.RawMessage{}, map[string]Words{}
			}
			a.Charts[c.ID], a.Words[c.ID] = c.Option, Words{Finding: c.Spoken()}
		}
		if err := a.Add(ctx, w, about(c)); err != nil {
			return err
		}
	}
	return nil
}

// frame is the part of a figure that does not depend on its numbers.
func frame(c templates.Chart) string {
	return c.ID + c.Title + strconv.FormatBool(len(c.Legend) > 0)
}

// about are the parts of a figure that depend on its numbers.
func about(c templates.Chart) map[string]templ.Component {
	return map[string]templ.Component{
		c.ID + "-say":    templates.Words(c.Sentence),
		c.ID + "-legend": templates.ChartLegend(c.Legend),
		c.ID + "-data":   templates.ChartData(c),
	}
}

// Stamps are the stamps of a whole page as JSON, for its first request.
func Stamps(ctx context.Context, parts map[string]templ.Component, slots []templates.Slot,
	others ...Stamp) (string, error) {
	a := Answer{Stamps: map[string]string{}}
	for _, o := range others {
		a.Lacks(Want{}, o.ID, o.Shows)
	}
	if err := a.Add(ctx, Want{}, parts); err != nil {
		return "", err
	}
	for _, at := range slots {
		a.Lacks(Want{}, at.ID, frame(at.Chart))
		a.Lacks(Want{}, at.Chart.ID, string(at.Chart.Option))
		if err := a.Add(ctx, Want{}, about(at.Chart)); err != nil {
			return "", err
		}
	}
	j, err := json.Marshal(a.Stamps)
	return string(j), err
}

// PageFields are the fields of the first request of a page, as JSON.
func PageFields(fields map[string]string) string {
	j, _ := json.Marshal(fields) // strings cannot fail
	return string(j)
}
