package scoring

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// plainNumber matches a typed number after its decimal mark was made a point.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// Cells converts the form to cells as in the training file: numbers with the decimal mark of their column. An empty
// field is missing. Another text, such as "<0.5", is taken where training reads it.
func Cells(m *model.Model, sent url.Values) (map[string]string, error) {
	cells := map[string]string{}
	var bad []usererr.Field
	for _, c := range m.Columns {
		text, ok := strings.TrimSpace(valueOf(c, sent)), true
		if c.Kind == prep.Number && c.Origin == nil {
			text, ok = typedNumber(&c, text)
		}
		if !ok {
			bad = append(bad, usererr.Field{Field: c.Name, Message: notANumber(&c)})
			continue
		}
		cells[c.Name] = text
	}
	if len(bad) > 0 {
		return nil, usererr.BadFields(bad)
	}
	return cells, nil
}

// typedNumber is the cell of a numeric column for a typed text. People type a comma or a point, and either minus; what
// is no plain number then, the column reads or refuses as in training, as for one patient with a point. Where one of
// the two marks separates thousands, 1,500 would be two numbers: there a text is read by the format of training alone.
func typedNumber(c *prep.Column, typed string) (cell string, ok bool) {
	text := strings.Replace(typed, "\u2212", "-", 1)
	if c.GroupsByMark() {
		return text, typed == "" || c.Reads(text, c.Decimal)
	}
	point := text
	if !strings.Contains(text, ".") {
		point = strings.Replace(text, ",", ".", 1)
	}
	switch {
	case typed == "":
		return "", true
	case !plainNumber.MatchString(point):
		for _, cell := range []string{typed, text, point} {
			if c.Reads(cell, ".") {
				return cell, true
			}
		}
		return "", false
	case c.Decimal == ",":
		return strings.Replace(point, ".", ",", 1), true
	}
	return point, true
}

// notANumber says what a numeric field takes.
func notANumber(c *prep.Column) string {
	switch {
	case !c.GroupsByMark():
		return "must be a number, or empty when unknown"
	case c.Thousands == ",":
		return "must be a number such as 1,234.5, as in the training file, where a comma separates thousands, or empty " +
			"when unknown"
	}
	return "must be a number such as 1.234,5, as in the training file, where a point separates thousands, or empty when " +
		"unknown"
}

// valueOf is the value sent for a column, else the default: the median or the most frequent level of the training
// rows.
func valueOf(c prep.Column, sent url.Values) string {
	if name := "x:" + c.Name; sent.Has(name) {
		return sent.Get(name)
	}
	return inFormat(c, c.TypicalValue())
}

// inFormat writes a number that has a decimal point as the field of its column reads it.
func inFormat(c prep.Column, number string) string {
	if c.Kind == prep.Number && c.Origin == nil && c.GroupsByMark() && c.Decimal == "," {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

// shortMedian is the median of a column with as few digits as keep it within a thousandth of the column's range,
// and inside the range.
func shortMedian(c prep.Column) string {
	for digits := 4; digits < 17; digits++ {
		text := strconv.FormatFloat(c.Median, 'g', digits, 64)
		v, _ := strconv.ParseFloat(text, 64)
		if v >= c.Min && v <= c.Max && math.Abs(v-c.Median) <= (c.Max-c.Min)/1000 {
			return phrase.Field(c.Median, digits)
		}
	}
	return strconv.FormatFloat(c.Median, 'f', -1, 64)
}

// PatientForm has a field for each column of the model. For models with very many columns only those with the
// largest weights have one; the others keep their default.
func PatientForm(r store.Run, m *model.Model, sent url.Values, wrong []usererr.Field) templates.PatientForm {
	f := templates.PatientForm{URL: "/runs/" + r.ID + "/patient", Ask: "Show risk band",
		Note: "Filled in with the median or the most common level of the training rows; leave unknown values empty. " +
			"Nothing you enter is stored."}
	if m.Multiclass() {
		f.Ask = "Show the answer"
	}
	shown := resultview.Weightiest(m)
	if len(shown) < len(m.Columns) {
		f.Note += fmt.Sprintf(" Only the %d columns with the largest effects are asked for; the other %s keep their "+
			"usual values.",
			len(shown), phrase.Int(len(m.Columns)-len(shown)))
	}
	if slices.ContainsFunc(shown, func(i int) bool { return m.Columns[i].Kind == prep.Number }) {
		f.Note += rangesNote
	}
	for _, i := range shown {
		c := m.Columns[i]
		value := valueOf(c, sent)
		if c.Kind == prep.Number && c.Origin == nil && !sent.Has("x:"+c.Name) {
			value = inFormat(c, shortMedian(c))
		}
		p := field(c, "patient-"+strconv.Itoa(i), value)
		if k := slices.IndexFunc(wrong, func(w usererr.Field) bool { return w.Field == c.Name }); k >= 0 {
			p.Input.Error = phrase.UpperFirst(wrong[k].Message) + "."
		}
		f.Fields = append(f.Fields, p)
	}
	return f
}

// rangesNote tells the range beside a field from the limits of a prediction, by check.FarLimits.
const rangesNote = " The range beside a number is that of the training rows: a value beyond it gets a warning, and " +
	"one beyond it by more than a quarter of its width, in a column that the model uses, puts the patient " +
	check.OutsideData + "."

func field(c prep.Column, id, value string) templates.PatientField {
	name := "x:" + c.Name
	if c.Kind == prep.Number {
		f := &templates.Input{ID: id, Name: name, Label: c.Name, Value: value, Numeric: true,
			Hint: viz.Range(inFormat(c, viz.Short(c.Min, 4)), inFormat(c, viz.Short(c.Max, 4)))}
		if c.Origin != nil {
			f.Type, f.Numeric, f.Hint = "date", false, viz.Range(phrase.Date(c.Min+*c.Origin), phrase.Date(c.Max+*c.Origin))
		}
		return templates.PatientField{Input: f}
	}
	f := &templates.Choice{ID: id, Name: name, Label: c.Name, Options: []templates.Option{{Label: "unknown",
		On: value == ""}}}
	for _, l := range c.Categories() {
		f.Options = append(f.Options, templates.Option{Value: l, Label: l, On: l == value})
	}
	return templates.PatientField{Choice: f}
}

// PatientAnswer predicts for one patient. Only models with a link give a probability; an interval model gives a
// band. For a row outside the training data the answer is that it is outside, and the prediction is shown on
// demand.
func PatientAnswer(r store.Run, m *model.Model, cells map[string]string) (*templates.PatientAnswer, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	p := s.Score(func(column string) (string, bool) { text, ok := cells[column]; return text, ok })
	var a *templates.PatientAnswer
	if p.Classes != nil {
		a = classAnswer(m, p)
	} else {
		a = bandAnswer(r, m, p)
	}
	if len(p.OutsideData) > 0 {
		out := &templates.PatientAnswer{Behind: a}
		out.Strong, out.Rest, out.Warnings = resultview.OutsideAnswer(p)
		return out, nil
	}
	for _, w := range p.Warnings {
		a.Warnings = append(a.Warnings, w+".")
	}
	return a, nil
}

// bandAnswer is the prediction of a binary model for one row.
func bandAnswer(r store.Run, m *model.Model, p model.Prediction) *templates.PatientAnswer {
	k := p.Stratum
	event := format.Event(m.Outcome, m.Positive)
	a := &templates.PatientAnswer{Band: k + 1, Strong: "Predicted risk: " + phrase.Band(m.Boundaries, k),
		Rest: "(" + event + ")", Scale: templates.SVG(viz.ScoreSVG(m.Boundaries, m.Delta, p.Score))}
	add := func(label, value string) {
		a.Facts = append(a.Facts, templates.Fact{Label: label, Value: value})
	}
	add("Band", rank(k, len(m.Boundaries)+1))
	add("Score", viz.Number(p.Score, 2)+", cut-offs "+cutoffs(m.Delta))
	if p.Probability != nil {
		add("Probability", viz.Percent(*p.Probability, 1)+format.Pc+", by the "+model.LinkName(m.Link)+" link")
	} else if (fit.Spec{Loss: m.Loss}).Banded() {
		add("Probability", "none: an interval model gives a band, not an individual probability")
	} else {
		add("Probability", "none: a score of this loss recovers none")
	}
	if r.Result != nil && k < len(r.Result.Strata) && !r.Result.Strata[k].Masked {
		b := r.Result.Strata[k]
		text := fmt.Sprintf("%s in the run, %s of them %s", phrase.Int(b.N), phrase.Int(b.Events), event)
		if b.Observed != nil && b.Low != nil && b.High != nil {
			text += fmt.Sprintf(": %s%s, 95%s CI %s", viz.Percent(*b.Observed, 1), format.Pc, format.Pc,
				viz.Range(viz.Percent(*b.Low, 1), viz.Percent(*b.High, 1)))
		}
		if r.Result.IsRecalibrated() {
			text += ". They are of the parent run’s population"
		}
		add("Rows of this band", text)
	}
	return a
}

func cutoffs(delta []float64) string {
	out := make([]string, len(delta))
	for i, d := range delta {
		out[i] = viz.Number(d, 2)
	}
	return strings.Join(out, ", ")
}

// rank writes "2 of 4".
func rank(k, n int) string { return strconv.Itoa(k+1) + " of " + strconv.Itoa(n) }
