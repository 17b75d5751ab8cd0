package studyreport

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// weightsView is the histogram of the rows' weights, linked to the chart by the
// rate.
func (v *Robust) weightsView(ctx context.Context, controls bool) (w templates.RobustWeights, err error) {
	if v.Record != nil && v.Record.Status != store.Done {
		return w, nil // the cores belong to the study
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
			w.Rates = append(w.Rates, templates.View{Label: viz.Short(100*r, 3) + format.Pc, URL: st.URL() + "#weights",
				On: r == v.Rate, At: viz.Short(100*r, 6)})
		}
		for i, m := range v.Spec.Models {
			st := v.RobustState
			st.Model = i
			w.Model = append(w.Model, templates.View{Label: ShortLabel(study.Label(m)), URL: st.URL() + "#weights",
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

// SceneHead is the heading and the sentence of a scene.
func (v *Robust) SceneHead(ctx context.Context) (title string, sentence templ.Component) {
	strong, rest := v.Words()
	switch v.Scene {
	case 1:
		text := "Logistic regression trusts every label."
		if i := v.ordinary(); i >= 0 {
			name := study.Label(v.Spec.Models[i])
			clean, noisy, share := KeptShare(v.Cells, v.Spec, name, v.Rate)
			if m, _ := study.MetricByID(v.Spec.Metric); !math.IsNaN(share) && m.Higher {
				text = fmt.Sprintf("With %s%s of training labels flipped, the clean %s of %s falls from %s%s to %s%s.",
					viz.Short(100*v.Rate, 3), format.Pc, format.LowerTitle(m.Title), InWords(ShortLabel(name)),
					viz.Percent(clean, 1), format.Pc, viz.Percent(noisy, 1), format.Pc)
			}
		}
		return "A few wrong labels", templates.Sentence(text, "")
	case 2:
		return "The same labels, other losses", templates.Sentence(strong, rest)
	case 3:
		return "Which rows are down-weighted", templates.Sentence(v.givenUp(ctx))
	}
	return "What this does not show", templates.Sentence("", "")
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
		End: end.URL()}
	switch v.Scene {
	case 1, 2:
		models := v.Spec.Models
		if v.Scene == 1 {
			models = models[v.ordinary() : v.ordinary()+1]
		}
		if chart, ok := v.chart(models); ok {
			chart.Height = "xl"
			p.Chart = &chart
		}
	case 3:
		if p.Weights, err = v.weightsView(ctx, false); err != nil {
			return err
		}
		if p.Weights.Chart != nil {
			p.Weights.Chart.Height = "xl"
		} else {
			p.Notes = []string{cmp.Or(p.Weights.Say, "The rows are shown when the study has finished.")}
		}
	default:
		p.Notes, p.Table = v.notes(), v.keptTable()
	}
	return nil
}
