package study

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
)

// Validate returns all fields with invalid values as one usererr.Error.
func (s Spec) Validate(presets Presets) error {
	var c checks
	c.add(s.Positive.Check("positive"))
	c.add(s.Negative.Check("negative"))
	if s.Preset != "" {
		c.preset(presets, s)
	} else {
		c.grid(s)
	}
	return usererr.BadFields(c.fields)
}

// SentFields are fields as they were sent, nil if absent: the zero value of a Spec cannot distinguish a
// zero from an absent field.
type SentFields struct {
	Replicates *int
	Test       *float64
	Models     []fit.Spec
	Rates      []float64
}

// Check refuses zeros that would be replaced by a default: a field that was sent must mean what it says.
func (g SentFields) Check() error {
	var c checks
	c.bad(g.Models == nil || len(g.Models) > 0, "models",
		"must name at least one model (got none): name one, or leave the field out for logistic regression")
	c.bad(g.Rates == nil || len(g.Rates) > 0, "noise.rates",
		"must hold at least one rate (got none): give one, or leave the field out for no noise")
	c.bad(g.Replicates == nil || *g.Replicates != 0, "replicates", "must be from 1 to %d (got 0)", MaxReplicates)
	c.bad(g.Test == nil || *g.Test != 0, "test",
		"must be a share between 0 and 1 (got 0): at least one row has to test the models")
	return usererr.BadFields(c.fields)
}

// checks collects errors about fields.
type checks struct{ fields []usererr.Field }

func (c *checks) add(err error) {
	if e, ok := usererr.As(err); ok {
		c.fields = append(c.fields, e.Fields...)
	}
}

func (c *checks) bad(ok bool, field, format string, args ...any) {
	if !ok {
		c.add(usererr.BadField(field, format, args...))
	}
}

func (c *checks) preset(presets Presets, s Spec) {
	p, known := presets.ByID(s.Preset)
	c.bad(known, "preset", "must be one of %s (got %q)", strings.Join(presets.ids(), ", "), s.Preset)
	c.bad(slices.Contains(Sizes, s.Size), "size", "must be smoke, quick or full (got %q)", s.Size)
	c.bad(s.Dataset.IsZero() || !known || p.Uploads, "dataset", "cannot take the place of the data of %s", s.Preset)
	c.bad(s.Dataset.Generator == "", "dataset", "of a preset must be the id of an uploaded dataset")
	c.bad(s.Dataset.ID == "" || !known || !p.Uploads || s.Outcome != "", "outcome", "must name the column to predict")
	c.bad(len(s.Models) == 0, "models", "belong to a grid: leave them or the preset out")
	c.bad(s.Noise.IsZero(), "noise", "belongs to a grid: leave it or the preset out")
	c.bad(s.Replicates == 0, "replicates", "belong to a grid: a preset has sizes")
	c.bad(len(s.Boundaries) == 0, "boundaries", "belong to a grid: leave them or the preset out")
}

func (c *checks) grid(s Spec) {
	c.source(s)
	var boundaries []float64 // boundaries of the bands, if the metric uses them
	if NeedsBoundaries(s.Metric) {
		boundaries = s.Boundaries
		c.add(loss.CheckBoundaries("boundaries", boundaries))
	} else {
		c.bad(len(s.Boundaries) == 0, "boundaries", "belong to metric interval_loss: leave them out for %s", s.Metric)
	}
	c.bad(len(s.Models) <= MaxModels, "models", "must be at most %d (got %d)", MaxModels, len(s.Models))
	for i, m := range s.Models {
		c.model("models["+strconv.Itoa(i)+"]", m, boundaries)
		same := slices.IndexFunc(s.Models[:i], func(o fit.Spec) bool { return Label(o) == Label(m) })
		c.bad(same < 0, "models["+strconv.Itoa(i)+"]", "is models[%d] again", same)
	}
	c.noise(s.Noise)
	c.bad(s.Replicates >= 1 && s.Replicates <= MaxReplicates, "replicates", "must be from 1 to %d (got %d)",
		MaxReplicates, s.Replicates)
	c.bad(s.Test > 0 && s.Test < 1, "test", "must be a share between 0 and 1 (got %g)", s.Test)
	_, known := MetricByID(s.Metric)
	var ids []string
	for _, m := range GridMetrics() {
		ids = append(ids, m.ID)
	}
	c.bad(known, "metric", "must be one of %s (got %q)", strings.Join(ids, ", "), s.Metric)
	c.bad(s.Replicates*len(s.Noise.Rates) <= MaxUnits, "replicates", "times rates must be at most %d", MaxUnits)
}

func (c *checks) source(s Spec) {
	d := s.Dataset
	switch i := slices.IndexFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == d.Generator }); {
	case d.IsZero():
		c.bad(false, "dataset", "must be the id of a dataset or name a generator")
	case d.ID != "":
		c.bad(s.Outcome != "", "outcome", "must name the column to predict")
	case i < 0:
		c.bad(false, "dataset.generator", "must be one of %s (got %q)", strings.Join(synth.IDs(), ", "), d.Generator)
	default:
		c.bad(d.Rows == 0 || d.Rows >= MinRows && d.Rows <= MaxRows, "dataset.rows", "must be from %d to %d (got %d)",
			MinRows, MaxRows, d.Rows)
	}
}

// MinRows and MaxRows bound a drawn sample.
const (
	MinRows = 10
	MaxRows = 1_000_000
)

// model refuses what a run with these boundaries would refuse, and a tuning setting, because a study has
// its own. What depends on the data is checked by newGrid.
func (c *checks) model(field string, m fit.Spec, boundaries []float64) {
	if e, ok := usererr.As(runspec.CheckModel(m, boundaries)); ok {
		for _, f := range e.Fields {
			name := f.Field // name of a boundary for which the model has no cut-off
			if part, own := strings.CutPrefix(f.Field, "model"); own {
				name = field + part
			}
			c.fields = append(c.fields, usererr.Field{Field: name, Message: f.Message})
		}
	}
	c.bad(m.Tuning != runspec.TuningSame && m.Tuning != runspec.TuningSet, field+".tuning",
		"cannot be %q in a study, which tunes by folds of the training rows: leave it out", m.Tuning)
}

func (c *checks) noise(n Noise) {
	c.bad(slices.Contains(synth.NoiseKinds, n.Kind), "noise.kind", "must be one of %s (got %q)",
		strings.Join(synth.NoiseKinds, ", "), n.Kind)
	c.bad(len(n.Rates) <= MaxRates, "noise.rates", "must be at most %d (got %d)", MaxRates, len(n.Rates))
	c.bad(len(n.Negative) == 0 || len(n.Negative) == len(n.Rates) && n.Kind == synth.NoiseClass, "noise.rates_negative",
		"must be as many as the rates, and go with kind class")
	for i, r := range n.Rates {
		field := "noise.rates[" + strconv.Itoa(i) + "]"
		c.bad(r >= 0 && r < 1, field, "must be from 0 to less than 1 (got %g)", r)
		same := func(k int) bool {
			return n.Rates[k] == r && (len(n.Negative) != len(n.Rates) || n.Negative[k] == n.Negative[i])
		}
		twice := slices.ContainsFunc(resample.Positions(i), same) // units of one key would count as its replicates
		c.bad(!twice, field, "is there twice (%g)", r)
	}
	for i, r := range n.Negative {
		c.bad(r >= 0 && r < 1, "noise.rates_negative["+strconv.Itoa(i)+"]", "must be from 0 to less than 1 (got %g)", r)
	}
}
