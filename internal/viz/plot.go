package viz

import (
	"bytes"
	"encoding/json"
)

// Plot is a figure whose series can be sent separately, since moving a slider mostly changes
// the data of one or two lines.
type Plot struct {
	Figure
	frame  string // option without its series
	traces []trace
}

// trace is one series, divided into style, which seldom changes, and data.
type trace struct {
	id    string
	style object // without id and data
	data  json.RawMessage
}

// seal assembles the option of a plot from its frame and traces.
func seal(f Figure, frame object, traces []trace) Plot {
	p := Plot{Figure: f, traces: traces}
	bare, err := json.Marshal(frame)
	if err != nil {
		panic("viz: frame does not marshal: " + err.Error())
	}
	p.frame = string(bare)
	series := make([]object, len(traces))
	for i, t := range traces {
		series[i] = with(t.style, "id", t.id, "data", t.data)
	}
	p.Option = option(newLine(), with(frame, "series", series))
	return p
}

// ChangedSince returns the series that differ from an older plot of the same figure, in the
// form that the browser merges. If more than series changed, whole is true and the whole option
// must be sent.
func (p Plot) ChangedSince(old Plot) (series []json.RawMessage, whole bool) {
	if p.frame != old.frame || len(p.traces) != len(old.traces) {
		return nil, true
	}
	for i, t := range p.traces {
		o := old.traces[i]
		if t.id != o.id {
			return nil, true
		}
		change := object{"id": t.id}
		if !bytes.Equal(t.data, o.data) {
			change["data"] = t.data
		}
		for key, part := range t.style {
			if now := encoded(part); now != encoded(o.style[key]) {
				change[key] = json.RawMessage(now)
			}
		}
		if len(change) > 1 {
			series = append(series, json.RawMessage(encoded(change)))
		}
	}
	return series, false
}

func encoded(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic("viz: series does not marshal: " + err.Error())
	}
	return string(out)
}
