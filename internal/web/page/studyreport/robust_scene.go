package studyreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/web/templates"
)

// weightsView is the histogram of the row weights, linked to the chart by the noise rate.
func (v *Robust) weightsView(ctx context.Context, controls bool) (w templates.RobustWeights, err error) {
	if v.Record != nil && v.Record.Status != store.Done {
		return w, nil // the cores are busy with the study
	}
	found, err := v.weights(ctx)
	if err != nil {
		return w, err
	}
	name := ShortLabel(study.Label(v.Spec.Models[v.Model]))
	w.Title = "Which rows are down-weighted"
	if controls {
		for _, r := range v.rates {
			st := v.RobustState
			st.Rate = r
			w.Rates = append(w.Rates, templates.View{Label: viz.Short(100*r, 3) + format.Pc, URL: st.URL() + "#row-weights",
				On: r == v.Rate, At: viz.Short(100*r, 6)})
		}
		for i, m := range v.Spec.Models {
			st := v.RobustState
			st.Model = i
			w.Model = append(w.Model, templates.View{Label: ShortLabel(study.Label(m)), URL: st.URL() + "#row-weights",
				On: i == v.Model})
		}
	}
	if found.Symbol == "" {
		w.Say = phrase.UpperFirst(name) +
			" does not down-weight rows: the gradient does not shrink for labels far on the " +
			"wrong side. Choose a bounded loss."
		return w, nil
	}
	chart := control.Figure(viz.WeightFigure(found, name))
	chart.Height = "l"
	w.Chart = &chart
	return w, nil
}

// SceneHead is the heading and the summary of a scene.
func (v *Robust) SceneHead(ctx context.Context) (title string, sentence templ.Component) {
	strong, rest := v.Words()
	switch v.Scene {
	case 1:
		text := "Logistic regression and wrong labels"
		if i := v.ordinary(); i >= 0 {
			name := study.Label(v.Spec.Models[i])
			clean, noisy, share := KeptShare(v.Cells, v.Spec, name, v.Rate)
			if m, _ := study.MetricByID(v.Spec.Metric); !math.IsNaN(share) && m.Higher {
				text = fmt.Sprintf("With %s%s of training labels flipped, the clean %s of %s %s.",
					viz.Short(100*v.Rate, 3), format.Pc, format.LowerTitle(m.Title), InWords(ShortLabel(name)),
					moved(clean, noisy))
			}
		}
		return "Accuracy with wrong labels", templates.Sentence(text, v.built())
	case 2:
		return "The same labels, other losses", templates.Sentence(strong, rest)
	case 3:
		return "Which rows are down-weighted", templates.Sentence(v.givenUp(ctx))
	}
	return "What this does not show", templates.Sentence("", "")
}

// moved says how a share with noise compares to that without.
func moved(clean, noisy float64) string {
	from, to := viz.Percent(clean, 1)+format.Pc, viz.Percent(noisy, 1)+format.Pc
	switch {
	case from == to:
		return "is " + to + ", as without noise"
	case noisy > clean:
		return "rises from " + from + " to " + to
	}
	return "falls from " + from + " to " + to
}

// scenePage fills one scene.
func (v *Robust) scenePage(ctx context.Context, p *templates.Robustness) (err error) {
	at := func(scene int) string {
		if scene < 1 || scene > scenes {
			return ""
		}
		st := v.RobustState
		st.Scene = scene
		return st.URL()
	}
	end := v.RobustState
	end.Present = false
	p.Scene = &templates.RobustScene{Number: v.Scene, Of: scenes, Prev: at(v.Scene - 1), Next: at(v.Scene + 1),
		End: end.URL(), Numbers: v.sceneNumbers(), Noise: v.noise()}
	_, p.Scene.Say = v.SceneHead(ctx)
	for _, pair := range form.Pairs(&v.RobustState) {
		if pair.Key != "rate" {
			p.Scene.Fields = append(p.Scene.Fields, templates.Field{Name: pair.Key, Value: pair.Value})
		}
	}
	switch v.Scene {
	case 1, 2:
		models := v.Spec.Models
		if v.Scene == 1 {
			models = models[v.ordinary() : v.ordinary()+1]
		}
		if chart, ok := v.chart(models); ok {
			p.Chart = &chart
		}
	case 3:
		if p.Weights, err = v.weightsView(ctx, false); err != nil {
			return err
		}
		if p.Weights.Chart == nil {
			p.Notes = []string{cmp.Or(p.Weights.Say, "The rows are shown when the study has finished.")}
		}
	default:
		p.Notes, p.Table = v.notes(), v.keptTable()
	}
	return nil
}

// sceneNumbers are two large numbers: accuracy of logistic regression without and with noise, or accuracy with
// noise of logistic regression and of the model compared.
func (v *Robust) sceneNumbers() (all []templates.SceneNumber) {
	m, ok := study.MetricByID(v.Spec.Metric)
	if !ok || !m.Higher || len(v.Spec.Models) == 0 {
		return nil
	}
	flipped := viz.Short(100*v.Rate, 3) + format.Pc + " of training labels flipped"
	if v.Spec.WithDefaults().Noise.Kind == "instance" {
		flipped = viz.Short(100*v.Rate, 3) + format.Pc + " of training rows replaced"
	}
	of := func(i int) (name string, clean, noisy float64) {
		label := study.Label(v.Spec.Models[i])
		clean, noisy, _ = KeptShare(v.Cells, v.Spec, label, v.Rate)
		return ShortLabel(label), clean, noisy
	}
	percent := func(share float64) string {
		if math.IsNaN(share) {
			return viz.None
		}
		return viz.Percent(share, 1) + format.Pc
	}
	name, clean, noisy := of(v.ordinary())
	if v.Scene == 1 {
		return []templates.SceneNumber{{Big: percent(clean), Name: name, Say: "no label flipped"},
			{Big: percent(noisy), Name: name, Say: flipped}}
	}
	all = append(all, templates.SceneNumber{Big: percent(noisy), Name: name, Say: flipped})
	name, _, noisy = of(v.beside())
	return append(all, templates.SceneNumber{Big: percent(noisy), Name: name, Say: flipped})
}

// beside is the model compared with logistic regression: in the scene with row weights, the model whose weights are
// shown; otherwise the one that retains most at the rate of the summary.
func (v *Robust) beside() int {
	if v.Scene == 3 {
		return v.Model
	}
	best, most := v.ordinary(), math.Inf(-1)
	for i, m := range v.Spec.Models {
		if _, _, share := KeptShare(v.Cells, v.Spec, study.Label(m), DefaultRate(v.Spec)); i != v.ordinary() && share > most {
			best, most = i, share
		}
	}
	return best
}

// noise is the slider of the study's noise rates.
func (v *Robust) noise() templates.Slider {
	s := templates.Slider{ID: "noise", Name: form.PercentKey("rate"), Label: "Training labels flipped", Unit: format.Pc,
		Percent: true, Value: float64(slices.Index(v.rates, v.Rate)),
		Default: float64(slices.Index(v.rates, DefaultRate(v.Spec)))}
	for i, r := range v.rates {
		text := form.PercentText(r)
		s.Stops = append(s.Stops, text)
		s.Ticks = append(s.Ticks, templates.Tick{At: float64(i) / float64(max(1, len(v.rates)-1)), Label: text})
	}
	s.Spoken = s.Label + " " + form.PercentText(v.Rate) + format.Pc
	return s
}

// SceneLive answers a move of a scene's slider with the differences.
func (v *Robust) SceneLive(ctx context.Context, want live.Want) (a live.Answer, err error) {
	p, err := v.View(ctx)
	if err != nil {
		return a, err
	}
	noise := live.SliderOf(p.Scene.Noise)
	noise.Value = form.PercentText(v.Rate)
	a.URL, a.Sliders = v.URL(), map[string]live.Slider{p.Scene.Noise.ID: noise}
	parts, places := p.SceneParts()
	if err := a.Add(ctx, want, parts); err != nil {
		return a, err
	}
	return a, a.AddFigures(ctx, want, places)
}
