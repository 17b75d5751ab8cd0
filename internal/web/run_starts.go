package web

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// manyStarts is the number that a run's page tries on demand.
const manyStarts = 50

// starts adds to a run's page the way to many starts, or where they led. The
// request's context ends them.
func (s *Server) starts(ctx context.Context, r store.Run, asked int, v *templates.Pictures) error {
	how, err := fit.Parse(r.Spec.WithDefaults().Model)
	if err != nil || !how.Restartable() || v.Starts == nil {
		return nil //nolint:nilerr // a spec of an older version has no such thing
	}
	v.Starts.More = fmt.Sprintf("/runs/%s?starts=%d#starts-h", r.ID, manyStarts)
	if asked == 0 {
		return nil
	}
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		v.Starts.More, v.Starts.Note = "", "The data of this run are gone: no further starts can be tried."
		return nil
	}
	t, err := s.datasets.TableOf(ctx, r, d)
	if err != nil {
		return err
	}
	all, err := engine.Restarts(ctx, t, r.Spec, r.Result.L2, asked)
	if e, ok := usererr.As(err); ok {
		v.Starts.Note = e.Detail
		return nil
	}
	if err != nil {
		return err
	}
	c := control.Figure(startsFigure(all, r.Result.Objective))
	v.Starts.Many, v.Starts.More = &c, ""
	return nil
}

// startsFigure draws where random starts ended, the lowest first.
func startsFigure(all []engine.Start, kept float64) viz.Figure {
	ends := slices.Clone(all)
	slices.SortStableFunc(ends, func(a, b engine.Start) int { return int(math.Copysign(1, a.Objective-b.Objective)) })
	o := viz.Overlay{ID: "manystarts", Title: fmt.Sprintf("Where %d random starts ended", len(ends)), Dots: true,
		X: viz.Axis{Name: "start, the lowest first"}, Head: []string{"Start", "Objective", "Iterations", "Stopped by"}}
	line := viz.Trace{Name: "objective", Mark: "s1"}
	same := 0
	for i, v := range ends {
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, v.Objective)
		o.Rows = append(o.Rows, []string{v.Start, viz.Short(v.Objective, 8), viz.Count(v.Iterations), v.Stopped})
		if v.Objective <= kept+1e-6*math.Abs(kept) {
			same++
		}
	}
	if low, high := line.Y[0], line.Y[len(line.Y)-1]; high-low < 1e-6*math.Abs(low) { // one end: no scale of rounding
		o.Y.Ends = [2]float64{low - .01*math.Abs(low), low + .01*math.Abs(low)}
	}
	o.Lines = []viz.Trace{line}
	o.Sentence = fmt.Sprintf("%d of %d starts from U[−½, ½] end at the objective of the run, %s, or below it; the "+
		"lowest at %s, the highest at %s.",
		same, len(ends), viz.Short(kept, 6), viz.Short(line.Y[0], 6), viz.Short(line.Y[len(line.Y)-1], 6))
	return viz.Overlaid(o)
}
