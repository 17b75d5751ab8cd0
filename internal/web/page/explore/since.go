package explore

import (
	"encoding/json"

	"taper/internal/web/live"
)

// since leaves out what an older answer has shown already.
func (a *Answer) since(was *Answer) *Answer {
	if a.form != was.form {
		return &Answer{Title: a.Title, Answer: live.Answer{Go: a.URL}}
	}
	out := &Answer{Title: a.Title, Answer: live.Answer{URL: a.URL, Keep: a.Keep, Parts: map[string]string{},
		Charts: map[string]json.RawMessage{}, Series: map[string][]json.RawMessage{}, Words: map[string]live.Words{},
		Sliders: map[string]live.Slider{}, Fields: map[string]string{}}}
	for id, html := range a.Parts {
		if was.Parts[id] != html {
			out.Parts[id] = html
		}
	}
	for id, plot := range a.plots {
		old := was.plots[id]
		if plot.Sentence != old.Sentence || plot.Label != old.Label {
			out.Words[id] = wordsOf(plot)
		}
		switch series, whole := plot.Since(old); {
		case whole:
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
