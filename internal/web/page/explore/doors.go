package explore

import (
	"net/url"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/task"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// tasksOf are the tasks that each adversarial loss is trained for.
var tasksOf = map[string]string{"zero-one": task.Multiclass{}.ID(), "absolute": task.Ordinal{}.ID(),
	"squared": task.Ordinal{}.ID(), "abstain": task.Abstaining{}.ID()}

// Changed reports whether a visitor changed anything of what the page opens with. Until then no loss was chosen.
func (st State) Changed() bool { return st.Query() != "" }

// Method is the query by which other pages train the loss of the state: "method" with its parameters, and "task"
// for losses without bands.
func (st State) Method() url.Values {
	switch st.Family {
	case Interval:
		return url.Values{"method": {"interval"}, "pi": {boundary.Param(st.Pi)}}
	case Adversarial:
		q := url.Values{"method": {st.game.loss()}, "task": {tasksOf[st.Metric]}}
		if st.Metric == "abstain" {
			q.Set("alpha", form.Text(st.Cost))
		}
		return q
	}
	s := st.steered()
	q := url.Values{"method": {s.ID}}
	f, _ := loss.FamilyByID(s.ID)
	for i, p := range f.Params {
		if i < len(s.Args) {
			q.Set(p.Name, s.Args[i])
		}
	}
	return q
}

// loss is the id of the loss with this metric.
func (g game) loss() string {
	at := slices.IndexFunc(metrics, func(m struct{ ID, Loss, Title string }) bool { return m.ID == g.Metric })
	return metrics[at].Loss
}
