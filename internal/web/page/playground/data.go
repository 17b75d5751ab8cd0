package playground

import (
	"context"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/cost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/playground"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// datasetSample takes rows of a dataset, with two of its columns or with all predictors.
func (p *Playground) datasetSample(ctx context.Context, st state) (*playground.Sample, error) {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return nil, err
	}
	t, err := p.Datasets.Table(ctx, d)
	if err != nil {
		return nil, err
	}
	y, err := classesOf(d, t, st)
	if err != nil {
		return nil, err
	}
	rows := drawRows(y.rows, st.N, st.Seed)
	names := p.Datasets.Predictors(d, t)
	if y.column.Name != d.Choice.Outcome {
		names = check.UsablePredictors(t, y.column.Name, d.Choice.Group, d.Choice.Weights)
	}
	if !st.All {
		if names, err = twoColumns(t, names, st); err != nil {
			return nil, err
		}
	}
	// Memory for the design of all terms, the design of the terms shown, and the order of the draw.
	need := cost.Of(24, len(rows), prep.MostTerms(t.Shape(), names, nil)) + cost.Of(24, t.Rows)
	if _, err := cost.Hold(ctx, "This sample", need); err != nil {
		return nil, err
	}
	columns, x, err := designOf(ctx, t, names, rows, st.All)
	if err != nil {
		return nil, err
	}
	class := make([]int, len(rows))
	for k, i := range rows {
		class[k] = y.class[y.column.Code[i]]
	}
	return playground.NewSample(ctx, columns, x, class, y.levels, st.Test, st.Seed)
}

// drawRows draws n of the rows by a seed and returns them in order.
func drawRows(rows []int, n int, seed uint64) []int {
	if len(rows) <= n {
		return rows
	}
	rng := rand.New(rand.NewPCG(seed, 0x706c6179))
	drawn := make([]int, n)
	for k, i := range rng.Perm(len(rows))[:n] {
		drawn[k] = rows[i]
	}
	slices.Sort(drawn)
	return drawn
}

// twoColumns are the columns shown: those of the state, else the first two numeric predictors.
func twoColumns(t *table.Table, predictors []string, st state) ([]string, error) {
	var numeric []string
	for _, name := range predictors {
		if c := t.Column(name); c != nil && c.Num != nil {
			numeric = append(numeric, name)
		}
	}
	for k, name := range [2]string{st.CX, st.CY} {
		if name != "" && !slices.Contains(numeric, name) {
			return nil, usererr.BadField([2]string{"cx", "cy"}[k], "must be a numeric predictor, not %q", format.Cut(name, 30))
		}
	}
	pick := func(name, not string) string {
		if name != "" {
			return name
		}
		for _, n := range numeric {
			if n != not {
				return n
			}
		}
		return ""
	}
	x := pick(st.CX, st.CY)
	y := pick(st.CY, x)
	switch {
	case len(numeric) < 2:
		return nil, usererr.BadField("cx", "The plane needs two numeric predictors; %d of these are numeric.",
			len(numeric))
	case x == y:
		return nil, usererr.BadField("cx", "Across and Up both show %s: choose another column for one of them.",
			format.Cut(x, 30))
	}
	return []string{x, y}, nil
}

// designOf is the design matrix in natural units, prepared as for a run. Two numeric columns are used as they are.
func designOf(ctx context.Context, t *table.Table, names []string, rows []int,
	all bool) ([]string, linear.Matrix, error) {
	p, err := prep.Fit(ctx, t, names, rows, false)
	if err != nil {
		return nil, linear.Matrix{}, err
	}
	full := linear.Matrix{Rows: len(rows), Cols: p.Width(), Data: make([]float64, len(rows)*p.Width())}
	if err := p.Transform(ctx, full.Data, t, rows); err != nil {
		return nil, linear.Matrix{}, err
	}
	var columns []string
	var at []int
	for j, term := range p.Terms {
		if all || term.Kind == prep.Value {
			columns, at = append(columns, term.Name), append(at, j)
		}
	}
	x := linear.Matrix{Rows: full.Rows, Cols: len(at), Data: make([]float64, 0, full.Rows*len(at))}
	for i := range full.Rows {
		for _, j := range at {
			x.Data = append(x.Data, full.Row(i)[j])
		}
	}
	return columns, x, nil
}
