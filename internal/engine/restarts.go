package engine

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// MostRestartCells is the largest rows × columns for which a request waits for fits from many starting points.
const MostRestartCells = 2_000_000

// Restarts fits a run's model with its λ from n random starting points on the training rows of its final fit.
func Restarts(ctx context.Context, t *table.Table, spec runspec.Spec, l2 float64, n int) ([]Start, error) {
	how, err := fit.Parse(spec.WithDefaults().Model)
	if err != nil {
		return nil, err
	}
	if cells := t.Rows * len(t.Columns); cells > MostRestartCells {
		return nil, usererr.New(usererr.Invalid, "Many initialisations are possible for up to %s cells; this file has %s.",
			phrase.Int(MostRestartCells), phrase.Int(cells))
	}
	spec.Model.L2, spec.Model.Tuning = fit.L2{Value: l2}, ""
	if spec.Validation.Kind != "split" {
		spec.Validation = runspec.Validation{Kind: "none"} // without validation the final fit trains on all rows
	}
	p, err := Prepare(ctx, t, spec)
	if err != nil {
		return nil, fmt.Errorf("prepare starts: %w", err)
	}
	return how.Restarts(ctx, p.Final.Design.Data(), l2, n, spec.Seed)
}
