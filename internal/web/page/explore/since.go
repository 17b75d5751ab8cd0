package explore

import (
	"encoding/json"

	"taper/internal/viz"
)

// since leaves out what an older answer has shown already.
func (a *Answer) since(was *Answer) *Answer {
	out := &Answer{URL: a.URL, Title: a.Title, Parts: map[string]string{}, Charts: map[string]viz.Option{},
		Series: map[string][]json.RawMessage{},
		Words:  map[string]chartWords{}, Sliders: map[string]map[string]string{}, Fields: map[string]string{}}
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
