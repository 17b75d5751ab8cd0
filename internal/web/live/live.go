// Package live keeps a page up to date while something moves: a page says which parts a state
// has, Answer holds what of them the browser lacks, and one browser module
// (web/static/js/live.js) asks and applies.
//
// A request carries the state as its query. Beside it stand had, the stamps of what the page
// shows, drag, what of it is on the screen while something is dragged, and whatever the last
// answer asked to keep. Only the last of the moves that came while an answer was under way is
// asked for, and a request whose client leaves ends with its context.
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

// Answer is what differs from the page. Everything is by the id of its element.
type Answer struct {
	Parts   map[string]string            `json:"parts,omitempty"`   // HTML
	Charts  map[string]json.RawMessage   `json:"charts,omitempty"`  // options
	Series  map[string][]json.RawMessage `json:"series,omitempty"`  // of a chart whose other series stay
	Words   map[string]Words             `json:"words,omitempty"`   // of charts
	Sliders map[string]Slider            `json:"sliders,omitempty"` // set in place: the focus stays
	Fields  map[string]string            `json:"fields,omitempty"`  // by name: fields of the form that the answer decides
	Stamps  map[string]string            `json:"stamps,omitempty"`  // of what was sent
	Keep    map[string]string            `json:"keep,omitempty"`    // goes with the next request
	URL     string                       `json:"url,omitempty"`     // the state's canonical address
	// the page to go to: it takes long, or has other controls
	Go    string   `json:"go,omitempty"`
	Ended bool     `json:"ended,omitempty"` // what the page follows: it is to be loaded again
	MS    *float64 `json:"ms,omitempty"`    // of computing, where a drag would take as long
}

// Words are what stands under a chart, and what a screen reader says of it.
type Words struct {
	Say     *string `json:"say,omitempty"` // nil: stands in a part
	Finding string  `json:"finding"`
}

// Slider is what an answer changes of a slider.
type Slider struct {
	Note   string `json:"note,omitempty"`
	Hint   string `json:"hint"` // "" takes the last one away
	Spoken string `json:"spoken,omitempty"`
	Value  string `json:"value,omitempty"`
	Low    string `json:"low,omitempty"`
	High   string `json:"high,omitempty"`
}

// SliderOf is what an answer changes of a slider that the page draws in full.
func SliderOf(s templates.Slider) Slider {
	return Slider{Note: s.Note, Hint: s.Hint, Spoken: s.Spoken, Low: s.Low, High: s.High}
}

// Want is what a request says of its page.
type Want struct {
	had  map[string]string
	drag []string // on the screen; nil while nothing is dragged
	late []string
}

// ReadWant reads a query. While something is dragged the parts that are late wait for its end:
// they would move the page, or are known only then.
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

// Dragging reports whether a request comes from the middle of a drag.
func (w Want) Dragging() bool { return w.drag != nil }

// Seen reports whether a part is worth its rendering now.
func (w Want) Seen(id string) bool {
	return w.drag == nil || slices.Contains(w.drag, id) && !slices.Contains(w.late, id)
}

// Lacks notes the stamp of what a part shows, and reports whether the page has something else.
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

// Add renders parts and takes in those that the page lacks.
func (a *Answer) Add(ctx context.Context, w Want, parts map[string]templ.Component) error {
	for id, part := range parts {
		if !w.Seen(id) {
			continue
		}
		var html strings.Builder
		if err := part.Render(ctx, &html); err != nil {
			return err
		}
		if a.Lacks(w, id, html.String()) {
			if a.Parts == nil {
				a.Parts = map[string]string{}
			}
			a.Parts[id] = html.String()
		}
	}
	return nil
}

// AddFigures takes in figures: new options for those whose frame stays, else the whole.
func (a *Answer) AddFigures(ctx context.Context, w Want, slots []templates.Slot) error {
	for _, at := range slots {
		c := at.Chart
		if a.Lacks(w, at.ID, frame(c)) {
			var html strings.Builder
			if err := templates.ChartView(c).Render(ctx, &html); err != nil {
				return err
			}
			if a.Parts == nil {
				a.Parts = map[string]string{}
			}
			a.Parts[at.ID] = html.String()
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

// frame is what of a figure stays while its numbers change.
func frame(c templates.Chart) string {
	return c.ID + c.Title + strconv.FormatBool(len(c.Legend) > 0)
}

// about are the parts of a figure that follow its numbers.
func about(c templates.Chart) map[string]templ.Component {
	return map[string]templ.Component{
		c.ID + "-say":    templates.Words(c.Sentence),
		c.ID + "-legend": templates.ChartLegend(c.Legend),
		c.ID + "-data":   templates.ChartData(c),
	}
}

// Stamps are those of a whole page, as JSON, for its first request.
func Stamps(ctx context.Context, parts map[string]templ.Component, slots []templates.Slot) (string, error) {
	a := Answer{Stamps: map[string]string{}}
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

// PageFields is what the first request of a page carries along, as JSON.
func PageFields(fields map[string]string) string {
	j, _ := json.Marshal(fields) // texts cannot fail
	return string(j)
}
