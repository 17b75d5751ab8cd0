package external

import (
	"context"

	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// gathered collects rows of several classes with their predictions.
type gathered struct {
	label []int
	a     task.Answers
}

func (g *gathered) add(class int, p *model.ClassPrediction) {
	g.label = append(g.label, class)
	g.a.Class = append(g.a.Class, p.Class)
	g.a.Prob = append(g.a.Prob, p.Probabilities...)
}

// resultClasses evaluates the rows; it stops when the context ends.
func (v *evaluator) resultClasses(ctx context.Context) (*Evaluation, error) {
	e, g := &v.e, &v.multiclass
	if e.Rows = len(g.label); e.Rows == 0 {
		return nil, usererr.New(usererr.Invalid, "No row has a class of ‘%s’ that the model knows, %s: there is "+
			"nothing to evaluate.%s", v.m.Outcome, check.QuoteNames(v.m.Levels), e.strangeWords())
	}
	if v.o.By != "" {
		return nil, usererr.BadField("by", "is for two classes: this model has several")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answers := g.a.Statistics(task.Of(v.m.Task), v.m.Costs, v.m.Levels, g.label)
	m := stat.Multiclass(answers)
	cost := task.Cost(v.m.Costs).Mean(g.a.Class, g.label)
	e.Classes, e.Cost, e.Strata, e.Monotone = &m, &cost, []stat.Stratum{}, true
	draws := stat.Draws{Replicates: stat.CurveDraws(e.Rows), Seed: e.Seed}
	intervals, err := stat.MulticlassIntervals(ctx, answers, m, draws)
	if err != nil {
		return nil, err
	}
	e.Intervals = &intervals
	e.Warnings = e.caveats(v.m)
	e.withhold(v.m)
	return e, nil
}
