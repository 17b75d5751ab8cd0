package stratify

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/web/templates"
)

// GivenURL is the page that evaluates given predictions on the rows of this state.
func (st State) GivenURL() string { return "/stratify/" + st.Dataset.ID + "/given" + st.Query() }

// Given is that page, with the previous input and the reason why it was refused.
func (p *Page) Given(entered url.Values, problem string) templates.Given {
	st := p.State
	v := templates.Given{URL: st.GivenURL(), Back: "/stratify/" + st.Dataset.ID + st.Query(), Problem: problem,
		Formula: entered.Get("formula"),
		Column:  templates.Choice{ID: "given-column", Name: "column", Label: "Column with the score"},
		Scale: templates.Choice{ID: "given-scale", Name: "scale", Label: "Its values are", Options: []templates.Option{
			{Value: fit.ScaleProbability, Label: "probabilities, 0 to 1"}, {Value: fit.ScaleLogit, Label: "log odds"},
			{Value: fit.ScaleScore, Label: "points or any other number"}}},
		Direction: templates.Choice{ID: "given-direction", Name: "direction", Label: "Direction of points",
			Options: []templates.Option{{Label: "the direction that ranks these rows better"},
				{Value: fit.Higher, Label: "more points mean a higher risk"},
				{Value: fit.Lower, Label: "fewer points mean a higher risk"}}}}
	v.Column.Options = []templates.Option{{Label: "none, a formula or model instead"}}
	for _, first := range []bool{true, false} { // columns with the role prediction come first
		for _, c := range st.Dataset.Profiles {
			number := c.Type == table.Number || c.Type == table.Integer
			if number && c.Name != st.Outcome && (c.Role == table.Prediction) == first {
				v.Column.Options = append(v.Column.Options, templates.Option{Value: c.Name, Label: c.Name})
			}
		}
	}
	if !entered.Has("column") {
		entered = url.Values{"scale": {fit.ScaleLogit}} // the usual scale of published formulas
		for _, c := range slices.Backward(st.Dataset.Profiles) {
			if c.Role != table.Prediction || c.Min == nil {
				continue
			}
			entered = url.Values{"column": {c.Name}, "scale": {fit.ScaleProbability}}
			if *c.Min < 0 || *c.Max > 1 {
				entered.Set("scale", fit.ScaleScore)
			}
		}
	}
	for _, of := range []*templates.Choice{&v.Column, &v.Scale, &v.Direction} {
		for i := range of.Options {
			of.Options[i].On = of.Options[i].Value == entered.Get(of.Name)
		}
	}
	return v
}

// GivenSpec is the run that evaluates the given predictions on the rows, bands and folds of the state, compared
// with logistic regression.
func (p *Page) GivenSpec(entered url.Values) (runspec.Spec, error) {
	s, err := p.Spec()
	if err != nil {
		return s, err
	}
	s.Model = fit.Spec{Kind: fit.KindGiven, Scale: entered.Get("scale"), Direction: entered.Get("direction"),
		L2: fit.L2{Mode: "cv"}}
	text := strings.TrimSpace(entered.Get("formula"))
	if strings.HasPrefix(text, "{") { // no formula begins so
		if !json.Valid([]byte(text)) {
			return s, usererr.New(usererr.Invalid, "The model.json is not whole: paste all of the file.")
		}
		s.Model.File = json.RawMessage(text)
		if s.Model.Scale == fit.ScaleLogit { // the choice for formulas; the file has its own link
			s.Model.Scale = ""
		}
	} else {
		s.Model.Formula = text
	}
	if column := entered.Get("column"); column != "" {
		s.Model.Columns = []string{column}
	}
	return s, nil
}
