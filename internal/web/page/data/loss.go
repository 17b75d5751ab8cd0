package data

import (
	"net/url"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/task"
)

// Loss is a loss chosen in the explorer before there were data. The addresses and forms of the data pages carry it
// to /stratify. The zero Loss means none.
type Loss struct{ query url.Values } // as /stratify takes it: method, task and parameters

// ReadLoss reads text written by On; other text gives the zero Loss.
func ReadLoss(text string) Loss {
	sent, err := url.ParseQuery(text)
	f, known := loss.FamilyByID(sent.Get("method"))
	if err != nil || !known || f.Untrained {
		return Loss{}
	}
	l := Loss{url.Values{"method": {f.ID}}}
	for _, p := range f.Params {
		if sent.Has(p.Name) {
			l.query.Set(p.Name, sent.Get(p.Name))
		}
	}
	if t, ok := task.ByID(sent.Get("task")); ok && !t.Event() {
		l.query.Set("task", t.ID())
	}
	return l
}

// On adds the loss to an address of the data pages.
func (l Loss) On(address string) string {
	if l.query == nil {
		return address
	}
	sign := "?"
	if strings.Contains(address, "?") {
		sign = "&"
	}
	return address + sign + url.Values{"loss": {l.query.Encode()}}.Encode()
}

// Stratify is the page that fits the loss on a dataset.
func (l Loss) Stratify(dataset string) string {
	if l.query == nil {
		return "/stratify/" + dataset
	}
	return "/stratify/" + dataset + "?" + l.query.Encode()
}

// Title is the name of the loss with its parameters: "α-loss, α = 4"; "" for none.
func (l Loss) Title() string {
	f, ok := loss.FamilyByID(l.query.Get("method"))
	if !ok {
		return ""
	}
	v, err := f.Parse(l.query)
	if err != nil {
		return f.Title
	}
	m := fit.Spec{Loss: f.ID, Params: map[string]any{}}
	for _, p := range f.Params {
		if p.Type == loss.Number && l.query.Has(p.Name) {
			m.Params[p.Name] = v.Number(p.Name)
		}
	}
	return m.Title()
}
