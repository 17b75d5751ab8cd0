package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// limitParts lists what to keep in mind: the run's warnings, and what follows
// from how it was judged.
func (p Printed) limitParts() []doc.Node {
	var items []string
	if p.data.Simulated {
		items = append(items, "The data are simulated: nothing here describes patients.")
	}
	for _, w := range p.r.Warnings {
		if w.Code == check.WarnFewEvents && p.perParameter() != nil {
			continue // the fit's own count stands below
		}
		if text := p.warning(w); text != "" {
			items = append(items, text)
		}
	}
	items = append(items, p.measured()...)
	items = append(items, p.elsewhere()...)
	if p.interval() {
		items = append(items, "The model promises bands. It gives no percentage for a single row.")
	}
	return []doc.Node{doc.List(items)}
}

// measured are the limits that follow from the statistics.
func (p Printed) measured() []string {
	if p.several() {
		return p.classLimits()
	}
	if !p.c.Known {
		return nil
	}
	var items []string
	st := p.c.Statistics
	if epp := p.perParameter(); epp != nil {
		if *epp < 10 {
			noun, _ := st.SampleSize.Fewer()
			items = append(items, viz.Number(*epp, 1)+" "+noun+
				"s per parameter, under 10: coefficients and bands are exploratory.")
		}
		if n := st.SampleSize; n.Required != nil && *n.Required > n.N {
			items = append(items, "Riley’s criteria ask for "+viz.Count(*n.Required)+" rows; fewer were there.")
		}
	}
	if s := st.Judged.CalibrationSlope; s.Low != nil && (*s.Low > 1 || *s.High < 1) {
		word := "too extreme"
		if *s.Low > 1 {
			word = "too timid"
		}
		items = append(items, "The calibration slope’s interval excludes 1: predicted risks are "+word+".")
	}
	if text := atLarge(st.Judged); text != "" {
		items = append(items, text)
	}
	if text := p.outdone(); text != "" {
		items = append(items, text)
	}
	var shared []string
	for _, v := range st.Inflation {
		if v.VIF == nil || *v.VIF > 10 {
			shared = append(shared, v.Name)
		}
	}
	if len(shared) > 0 {
		items = append(items, "Terms that share their effects (variance inflation above 10): "+format.Names(shared, 8)+".")
	}
	if b := p.c.checked(); b == nil {
		items = append(items, "Optimism and stability were not checked by refits.")
	} else if m := b.Stability.Mean; m != nil && *m > 0.1 {
		items = append(items, "Refits put "+viz.Percent(*m, 1)+format.Pc+" of the rows into another band, on average.")
	}
	if p.r.Clinical == nil && p.c.Origin == nil {
		items = append(items, "The run was made by an older version: numbers on the rows trained on have no intervals.")
	}
	return items
}

// perParameter are the events per parameter of the fit; nil where they are not
// known or would tell a masked count.
func (p Printed) perParameter() *float64 {
	if !p.c.Known || !p.trained().Events.Shown() {
		return nil
	}
	return p.c.Statistics.SampleSize.EPP
}

// atLarge says that the mean risk is off: by the ratio of events, or where its
// interval just holds 1, by the calibration intercept.
func atLarge(m stat.Performance) string {
	if o := m.ObservedExpected; o.Low != nil && (*o.Low > 1 || *o.High < 1) {
		return "Observed and expected events differ: the interval of their ratio excludes 1."
	}
	if a := m.CalibrationIntercept; a.Low != nil && (*a.Low > 0 || *a.High < 0) {
		word := "high"
		if *a.Low > 0 {
			word = "low"
		}
		return "The calibration intercept’s interval excludes 0: predicted risks are too " + word + " on the whole."
	}
	return ""
}

// warning words a warning for print. Those whose numbers would tell masked
// counts are said without them.
func (p Printed) warning(w engine.Warning) string {
	hidden := p.strata.Hidden()
	switch {
	case w.Code == engine.WarnFewInStratum && hidden:
		return "" // the verdict says it without counts
	case w.Code == engine.WarnNotMonotone && hidden && !p.fallTold():
		return "" // it would narrow the masked counts
	case w.Code == check.WarnFewEvents && !p.strata.Total.Events.Shown():
		return "Fewer than 10 events or non-events: exploratory only."
	case w.Code == engine.WarnOneBand && !p.strata.Total.Events.Shown():
		return "All rows fall in one band: at this prevalence the model sees no reason to split."
	case w.Code == engine.WarnStarts:
		return "Started from other points the fit ended elsewhere; a better one may exist."
	case w.Code == engine.WarnLogisticBetter && p.decimals != 3:
		return "Logistic regression cut at the same boundaries has the lower interval loss."
	}
	return masked(w.Message)
}

// redoParts is the call that repeats the run.
func (p Printed) redoParts() []doc.Node {
	parts := []doc.Node{
		doc.Note(p.originNote() + "The same file, call and version give the same numbers to the last bit. " +
			"SHA-256 of the file: " + p.run.DatasetSHA),
	}
	if o := p.run.ColumnsReading(); o != nil && (len(o.Columns) > 0 || !reflect.ValueOf(o.Dialect).IsZero()) {
		parts = append(parts, doc.Note("The file was read in this way:"),
			doc.Code("PATCH /api/v1/datasets/{id}\nContent-Type: application/json\n\n"+lines(o)))
	}
	return append(parts, doc.Code("POST /api/v1/runs\nContent-Type: application/json\n\n"+lines(p.run.Spec)))
}

// originNote says how a recalibrated run follows from its parent.
func (p Printed) originNote() string {
	o := p.c.Origin
	if o == nil {
		return ""
	}
	return fmt.Sprintf("Recalibrated from run %s: first the call below, then POST /api/v1/runs/{id}/recalibrate with "+
		"{\"intercept\": %v, \"slope\": %v}%s. ", o.Parent, o.Intercept, o.Slope, p.c.askedSay())
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
