package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a-h/templ"

	"taper/internal/engine"
	"taper/web/templates"
)

// limitParts lists what to keep in mind: the run's warnings, and what follows
// from how it was judged.
func (p printed) limitParts() []templ.Component {
	var items []string
	if p.data.Simulated {
		items = append(items, "The data are simulated: nothing here describes patients.")
	}
	for _, w := range p.r.Warnings {
		if text := p.warning(w); text != "" {
			items = append(items, text)
		}
	}
	items = append(items, "One file judged the model: "+p.r.Validation+". It was not tried on data from elsewhere.")
	if p.interval() {
		items = append(items, "The model promises bands. It gives no percentage for a single row.")
	}
	return []templ.Component{templates.ReportList(items)}
}

// warning words a warning for print. Those whose numbers would tell masked
// counts are said without them.
func (p printed) warning(w engine.Warning) string {
	hidden := p.strata.Hidden()
	switch {
	case w.Code == engine.WarnFewInStratum && hidden:
		return "" // the verdict says it without counts
	case w.Code == "few-events" && !p.strata.Total.Events.Shown():
		return "Fewer than 10 events or non-events: exploratory only."
	case w.Code == engine.WarnOneBand && !p.strata.Total.Events.Shown():
		return "All rows fall in one band: at this prevalence the model sees no reason to split."
	case w.Code == engine.WarnLogisticBetter && p.decimals != 3:
		return "Logistic regression cut at the same boundaries has the lower interval loss."
	}
	return masked(w.Message)
}

// redoParts is the call that repeats the run.
func (p printed) redoParts() []templ.Component {
	return []templ.Component{
		templates.ReportNote("The same file, call and version give the same numbers to the last bit. SHA-256 of the file: " + p.run.DatasetSHA),
		templates.ReportCode("POST /api/v1/runs\nContent-Type: application/json\n\n" + lines(p.run.Spec)),
	}
}

// lines writes an object as JSON, a line for each of its fields.
func lines(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // templ escapes for the page
	if err := enc.Encode(v); err != nil {
		return "" // what was stored as JSON encodes
	}
	dec := json.NewDecoder(&b)
	if _, err := dec.Token(); err != nil {
		return ""
	}
	out := "{"
	for sep := "\n"; dec.More(); sep = ",\n" {
		name, _ := dec.Token() //nolint:errcheck // valid JSON, written above
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return ""
		}
		out += fmt.Sprintf("%s  %q: %s", sep, name, value)
	}
	return out + "\n}"
}
