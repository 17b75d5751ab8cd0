package compare

import (
	"bytes"
	"encoding/json"
)

// Setting is one field of the spec, with its value in each run.
type Setting struct {
	Field  string            `json:"field"` // "model.loss"
	Values []json.RawMessage `json:"values"`
}

// asked lists the settings in the order of display.
var asked = []struct {
	field string
	of    func(Run) any
}{
	{"data", func(r Run) any { return r.SHA256 }},
	{"outcome", func(r Run) any { return r.Spec.Outcome }},
	{"positive", func(r Run) any { return r.Spec.Positive }},
	{"negative", func(r Run) any { return r.Result.Negative }},
	{"score_only", func(r Run) any { return r.Spec.ScoreOnly }},
	{"levels", func(r Run) any { return levels(r) }},
	{"bins", func(r Run) any { return r.Spec.Bins }},
	{"predictors", func(r Run) any { return r.Spec.Predictors }},
	{"splines", func(r Run) any { return r.Spec.Splines }},
	{"group", func(r Run) any { return r.Spec.Group }},
	{"weights", func(r Run) any { return r.Spec.Weights }},
	{"task", func(r Run) any { return r.Spec.Task }},
	{"price", func(r Run) any { return r.Spec.Price }},
	{"mode", func(r Run) any { return r.Spec.Mode }},
	{"boundaries", func(r Run) any { return r.Spec.Boundaries }},
	{"model.kind", func(r Run) any { return r.Spec.Model.Kind }},
	{"model.loss", func(r Run) any { return r.Spec.Model.Loss }},
	{"model.params", func(r Run) any { return r.Spec.Model.Params }},
	{"model.features", func(r Run) any { return r.Spec.Model.Features }},
	{"model.kernel", func(r Run) any { return r.Spec.Model.Kernel }},
	{"model.rounds", func(r Run) any { return r.Spec.Model.Rounds }},
	{"model.depth", func(r Run) any { return r.Spec.Model.Depth }},
	{"model.theta_rule", func(r Run) any { return r.Spec.Model.ThetaRule }},
	{"model.solver", func(r Run) any { return r.Spec.Model.Solver }},
	{"model.standardize", func(r Run) any { return r.Spec.Model.Standardize == nil || *r.Spec.Model.Standardize }},
	{"model.l2", func(r Run) any { return r.Spec.Model.L2 }},
	{"model.tuning", func(r Run) any { return r.Spec.Model.Tuning }},
	{"l2", func(r Run) any { return r.Result.L2 }},
	{"validation", func(r Run) any { return r.Spec.Validation }},
	{"noise", func(r Run) any { return r.Spec.Noise }},
	{"review", func(r Run) any { return r.Spec.Review }},
	{"seed", func(r Run) any { return r.Spec.Seed }},
	{"rows", func(r Run) any { return r.Result.Flow.Scored }},
	{"version", func(r Run) any { return r.Version }},
}

// Place is the rank of a field in the order of display; unknown fields come last.
func Place(field string) int {
	for i, a := range asked {
		if a.field == field {
			return i
		}
	}
	return len(asked)
}

// settings divides the fields into those that differ and those that are the same.
func settings(runs []Run) (differ, same []Setting) {
	differ, same = []Setting{}, []Setting{}
	for _, a := range asked {
		s := Setting{Field: a.field}
		equal := true
		for _, r := range runs {
			v := raw(a.of(r))
			equal = equal && (len(s.Values) == 0 || bytes.Equal(v, s.Values[0]))
			s.Values = append(s.Values, v)
		}
		if a.field == "price" && equal && string(s.Values[0]) == "null" {
			continue // most tasks lack this setting
		}
		if equal {
			same = append(same, s)
		} else {
			differ = append(differ, s)
		}
	}
	return differ, same
}

// raw encodes a setting as JSON with sorted keys, so equal settings have equal bytes. Every
// empty value becomes null.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("compare: setting does not marshal: " + err.Error())
	}
	switch string(b) {
	case `""`, `[]`, `{}`:
		return json.RawMessage("null")
	}
	return b
}
