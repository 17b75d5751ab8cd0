package resultview

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// maxFields bounds the form for one patient; the predictors with the smallest weights keep their defaults.
const maxFields = 60

// whatIfForm is the form for one patient, filled with the defaults or with the values sent, and the prediction.
func whatIfForm(m *model.Model, to string, sent url.Values, answer *templates.WhatIfAnswer) templates.WhatIf {
	w := templates.WhatIf{URL: to, Answer: answer, Note: "Prefilled with the usual values: " +
		"medians and most common levels of the training rows. " +
		"The answer is a band, by the final fit on all rows; nothing is stored."}
	shown := Weightiest(m)
	if len(shown) < len(m.Columns) {
		w.Note += " Only the " + strconv.Itoa(len(shown)) +
			" predictors with the largest effects are asked for; the others keep their usual values."
	}
	for i, c := range m.Columns {
		if !slices.Contains(shown, i) {
			continue
		}
		w.Fields = append(w.Fields, WhatIfField(c, "v"+strconv.Itoa(i), ValueOf(c, i, sent)))
	}
	return w
}

// Weightiest returns the columns of the form, in order.
func Weightiest(m *model.Model) []int {
	at := make([]int, len(m.Columns))
	weight, influence := make([]float64, len(m.Columns)), m.Influence()
	for i, c := range m.Columns {
		at[i] = i
		for k, t := range m.Terms {
			if t.Column == c.Name {
				weight[i] = max(weight[i], influence[k])
			}
		}
	}
	if len(at) > maxFields {
		slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
		at = at[:maxFields]
		slices.Sort(at)
	}
	return at
}

// WhatIfField is the field of a predictor.
func WhatIfField(c prep.Column, name, value string) templates.WhatIfField {
	if c.Kind == prep.Number {
		f := &templates.Input{ID: "whatif-" + name, Name: name, Label: c.Name, Value: value, Numeric: c.Origin == nil}
		if c.Origin == nil {
			f.Hint = "seen: " + viz.Range(viz.Short(c.Min, 4), viz.Short(c.Max, 4))
		}
		return templates.WhatIfField{Input: f}
	}
	f := &templates.Choice{ID: "whatif-" + name, Name: name, Label: c.Name}
	for _, l := range c.Categories() {
		f.Options = append(f.Options, templates.Option{Value: l, Label: l, On: l == value})
	}
	f.Options = append(f.Options, templates.Option{Value: "", Label: "missing", On: value == ""})
	return templates.WhatIfField{Choice: f}
}

// ValueOf is the value sent for a column, else its default.
func ValueOf(c prep.Column, i int, sent url.Values) string {
	if name := "v" + strconv.Itoa(i); sent.Has(name) {
		return sent.Get(name)
	}
	switch {
	case c.Kind != prep.Number:
		return c.Reference
	case c.Origin != nil:
		return phrase.Date(c.Median + *c.Origin)
	}
	return strconv.FormatFloat(c.Median, 'g', -1, 64)
}

// WhatIfAnswer predicts for the values sent.
func WhatIfAnswer(m *model.Model, sent url.Values) (*templates.WhatIfAnswer, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	cells := map[string]string{}
	for i, c := range m.Columns {
		text := strings.TrimSpace(ValueOf(c, i, sent))
		if c.Kind == prep.Number && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
			text = strings.Replace(text, ",", ".", 1)
		}
		cells[c.Name] = text
	}
	p := s.Score(func(column string) (string, bool) { text, ok := cells[column]; return text, ok })
	a := &templates.WhatIfAnswer{Band: p.Stratum + 1, Rest: cutWords(m, p),
		Strong: "Band " + viz.BandNames(m.Boundaries)[p.Stratum] + "."}
	if len(p.OutsideData) > 0 {
		a = &templates.WhatIfAnswer{Behind: a}
		a.Strong, a.Rest, a.Warnings = OutsideAnswer(p)
		return a, nil
	}
	for _, w := range p.Warnings {
		a.Warnings = append(a.Warnings, w+".")
	}
	return a, nil
}

// OutsideAnswer describes a row outside the training data: that it is outside, because of which columns, and the
// other warnings.
func OutsideAnswer(p model.Prediction) (strong, rest string, warnings []string) {
	var why []string
	for _, d := range p.Issues {
		text := d.Text + "." // the name of a column stays as it is, even at the start of a sentence
		switch {
		case !slices.Contains(p.OutsideData, d):
			warnings = append(warnings, text)
		case d.Kind == prep.IssueRange:
			why = append(why, strings.TrimSuffix(text, ".")+" by more than a quarter of that range.")
		default:
			why = append(why, text)
		}
	}
	return phrase.UpperFirst(check.OutsideData) + ".", strings.Join(why, " ") +
		" The model was trained on no row like this one, so it gives no answer.", warnings
}

// cutWords compares a score with the cut-offs.
func cutWords(m *model.Model, p model.Prediction) string {
	text := "Score " + viz.Number(p.Score, 2)
	switch k := p.Stratum; {
	case len(m.Delta) == 0:
	case k == 0:
		text += ", below the first cut-off " + viz.Number(m.Delta[0], 2)
	case k == len(m.Delta):
		text += ", above the last cut-off " + viz.Number(m.Delta[k-1], 2)
	default:
		text += ", between the cut-offs " + viz.Number(m.Delta[k-1], 2) + " and " + viz.Number(m.Delta[k], 2)
	}
	if p.Probability != nil {
		text += "; probability " + viz.Percent(*p.Probability, 1) + format.Pc
	}
	return text + "."
}
