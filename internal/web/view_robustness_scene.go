package web

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// weightsView is the histogram of the rows' weights, linked to the chart by the
// rate.
func (v *robust) weightsView(c echo.Context, controls bool) (w templates.RobustWeights, err error) {
	if v.st != nil && v.st.Status != store.Done {
		return w, nil // the cores belong to the study
	}
	found, err := v.weights(c.Request().Context())
	if err != nil {
		return w, err
	}
	name := studyreport.ShortLabel(study.Label(v.spec.Models[v.model]))
	w.Title = "Which rows are given up"
	if controls {
		for _, r := range v.rates {
			st := v.robustState
			st.rate = r
			w.Rates = append(w.Rates, templates.View{Label: viz.Short(100*r, 3) + format.Pc, URL: st.url() + "#weights",
				On: r == v.rate, At: viz.Short(100*r, 6)})
		}
		for i, m := range v.spec.Models {
			st := v.robustState
			st.model = i
			w.Model = append(w.Model, templates.View{Label: studyreport.ShortLabel(study.Label(m)), URL: st.url() + "#weights",
				On: i == v.model})
		}
	}
	if found.Symbol == "" {
		w.Say = format.UpperFirst(name) + " gives no row up: the farther a label lies on the wrong side, the harder it " +
			"pulls. Choose a loss that is bounded."
		return w, nil
	}
	chart := control.Figure(viz.WeightFigure(found, name))
	chart.Height = "l"
	w.Chart = &chart
	return w, nil
}

// sceneHead is the heading and the sentence of a scene.
func (v *robust) sceneHead(ctx context.Context) (title string, sentence templ.Component) {
	strong, rest := v.words()
	switch v.scene {
	case 1:
		text := "An ordinary model learns from labels as they are."
		if i := v.ordinary(); i >= 0 {
			_, noisy, share := studyreport.KeptShare(v.cells, v.spec, study.Label(v.spec.Models[i]), v.rate)
			if !math.IsNaN(share) {
				text = fmt.Sprintf("Flip %s%s of the labels it learns from, and it gets %s%s of clean rows right.",
					viz.Short(100*v.rate, 3), format.Pc, viz.Percent(noisy, 1), format.Pc)
			}
		}
		return "A few wrong labels", templates.Sentence(text, "")
	case 2:
		return "The same labels, other losses", templates.Sentence(strong, rest)
	case 3:
		return "Which rows are given up", templates.Sentence(v.givenUp(ctx))
	}
	return "What this does not show", templates.Sentence("", "")
}

// scenePage fills one scene.
func (v *robust) scenePage(c echo.Context, p *templates.Robustness) (err error) {
	at := func(scene int) string {
		if scene < 1 || scene > scenes {
			return ""
		}
		st := v.robustState
		st.scene = scene
		return st.url()
	}
	end := v.robustState
	end.present = false
	p.Scene = &templates.RobustScene{Number: v.scene, Of: scenes, Prev: at(v.scene - 1), Next: at(v.scene + 1),
		End: end.url()}
	switch v.scene {
	case 1, 2:
		models := v.spec.Models
		if v.scene == 1 {
			models = models[v.ordinary() : v.ordinary()+1]
		}
		if chart, ok := v.chart(models); ok {
			chart.Height = "xl"
			p.Chart = &chart
		}
	case 3:
		if p.Weights, err = v.weightsView(c, false); err != nil {
			return err
		}
		if p.Weights.Chart != nil {
			p.Weights.Chart.Height = "xl"
		} else {
			p.Notes = []string{cmp.Or(p.Weights.Say, "The study has not ended yet: its rows are shown when it has.")}
		}
	default:
		p.Notes, p.Table = v.notes(), v.keptTable()
	}
	return nil
}
