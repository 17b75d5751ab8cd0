package studyreport

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/web/templates"
)

// scenes is the number of slides.
const scenes = 4

// RobustState is the address of /robustness.
type RobustState struct {
	Study   string  `form:"study"`                           // id; "" = the stored result
	Rate    float64 `form:"rate"`                            // rate of the row weights shown; −1 = the default
	Model   int     `form:"model" default:"-1" range:"0 50"` // model of the row weights; −1 = the default
	Present bool    `form:"present" options:"1"`             // as slides
	Scene   int     `form:"scene" default:"1" range:"1 4"`   // slide, from 1
}

// Field sets what tags cannot express.
func (st *RobustState) Field(f *form.Field) {
	switch f.Key {
	case "rate":
		f.Default = nil
		f.Read = form.ReadOne(func(text string) error {
			v, err := strconv.ParseFloat(text, 64)
			switch {
			case text == "":
				v = -1
			case err != nil || !(v >= 0 && v < 1):
				return form.ReadError(usererr.Sprintf("must be a share from 0 to 1 (got %.40q)", text))
			}
			st.Rate = v
			return nil
		})
		f.Write = func() []string {
			if st.Rate < 0 {
				return nil
			}
			return []string{form.Text(st.Rate)}
		}
	case "scene": // other addresses have no scene
		if !st.Present {
			f.Write = func() []string { return f.Default }
		}
	}
	if f.Read == nil {
		f.Problem = func(text string) string {
			return fmt.Sprintf("must be a whole number from %g to %g (got %.40q)", f.Min, f.Max, text)
		}
	}
}

// ReadRobust reads an address and returns an error for invalid values.
func ReadRobust(q url.Values) (st RobustState, err error) {
	if bad := form.Parse(&st, form.Fractions(q)); len(bad) > 0 {
		return st, usererr.BadField(bad[0].Field, "%s", bad[0].Message)
	}
	return st, nil
}

// URL is the address of the state.
func (st RobustState) URL() string { return form.Address("/robustness", form.Values(&st).Encode()) }

// Robust is the content of the page: how accuracy falls with label noise, in a study or in the stored result.
type Robust struct {
	RobustState
	Spec   study.Spec
	Cells  []study.Cell
	Record *store.Study // nil = the stored result
	Stock  stored.Result
	Source string     // the name of the data
	Rows   int        // of uploaded data; 0 = deleted
	Work   *job.Event // progress of its job
	// Weigh fits a model again at a noise rate; both are indices in the spec.
	Weigh func(ctx context.Context, model, rate int) (study.Weights, error)
	Form  templates.StudyGridForm // of the controls; slides have none

	rates []float64
}

// Choose sets rate and model where the address has none: the rate of the summary, and the first model that
// down-weights rows.
func (v *Robust) Choose() error {
	v.rates = slices.Sorted(slices.Values(v.Spec.Noise.Rates))
	if v.Rate < 0 {
		v.Rate = DefaultRate(v.Spec)
	}
	if !slices.Contains(v.rates, v.Rate) {
		return usererr.BadField("rate", "is not one of this study (got %g)", v.Rate)
	}
	if v.Model >= len(v.Spec.Models) {
		return usererr.BadField("model", "must be from 0 to %d (got %d)", len(v.Spec.Models)-1, v.Model)
	}
	for i, m := range v.Spec.Models {
		if v.Model < 0 && m.Kind == "linear" && m.Loss == "t-logistic" {
			v.Model = i
		}
	}
	for i, m := range v.Spec.Models {
		if v.Model < 0 && m.Kind == "linear" && m.Loss != "logistic" {
			v.Model = i
		}
	}
	v.Model = max(0, v.Model)
	return nil
}

// weights are the row weights of the chosen model at the chosen rate: stored, or from a new fit, which is cached.
func (v *Robust) weights(ctx context.Context) (study.Weights, error) {
	rate := slices.Index(v.Spec.Noise.Rates, v.Rate)
	if v.Record == nil {
		label := study.Label(v.Spec.Models[v.Model])
		i := slices.IndexFunc(v.Stock.Weights, func(w study.Weights) bool { return w.Model == label && w.Noise == v.Rate })
		if i < 0 {
			return study.Weights{}, nil
		}
		return v.Stock.Weights[i], nil
	}
	return v.Weigh(ctx, v.Model, rate)
}
