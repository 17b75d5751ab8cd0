package studyreport

import (
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/web/page/studyform"
	"taper/web/templates"
)

// RobustForm is the control column, of which data offers what to study.
func RobustForm(spec study.Spec, data templates.Choice) templates.RobustForm {
	f := templates.RobustForm{Data: data, Noise: studyform.NoiseChoice(spec.Noise.Kind),
		Rates:      strings.ReplaceAll(studyform.Rates(spec.Noise.Rates), ",", ""),
		Replicates: strconv.Itoa(spec.Replicates), Seed: strconv.FormatUint(spec.Seed, 10)}
	if spec.Dataset.Rows > 0 {
		f.Rows = strconv.Itoa(spec.Dataset.Rows)
	}
	var more string
	f.Models, more = studyform.ModelChoices(spec.Models)
	for l := range strings.Lines(more) {
		l = strings.TrimSpace(l)
		if m, err := studyform.ReadModel(l); err == nil {
			f.Models = append(f.Models, templates.Option{Value: l, Label: study.Label(m.WithDefaults("")), On: true})
		}
	}
	return f
}
