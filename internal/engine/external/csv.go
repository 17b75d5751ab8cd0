package external

import (
	"context"
	"fmt"

	"taper/internal/engine/cost"
	"taper/internal/engine/model"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// rowMemory bounds the bytes per row of an evaluation: its score, classes and group, and the
// bootstrap draws.
const rowMemory = 300

// EvaluateCSV scores a file with outcomes and evaluates the model on it.
func EvaluateCSV(ctx context.Context, m *model.Model, data []byte, o model.PredictOptions,
	e EvaluateOptions) (*Evaluation, error) {
	f, err := model.OpenFile(ctx, m, data, o)
	if err != nil {
		return nil, err
	}
	if !f.Has(m.Outcome) {
		what := fmt.Sprintf("The data lack the outcome column ‘%s’: without it rows can be scored, not evaluated.",
			m.Outcome)
		if other := model.Like(m.Outcome, f.Header()); other != "" {
			what += fmt.Sprintf(" If they are the same, rename ‘%s’ to ‘%s’.", other, m.Outcome)
		}
		return nil, usererr.New(usererr.Invalid, "%s", what)
	}
	if e.By != "" && (!f.Has(e.By) || e.By == m.Outcome) {
		return nil, noSubgroup(e.By)
	}
	if _, err := cost.Hold(ctx, "This validation", rowMemory*int64(f.Rows)); err != nil {
		return nil, err
	}
	v, decimal := newEvaluator(m, e), f.Decimal()
	err = f.Each(ctx, func(row *table.Row, p model.Prediction) error {
		v.add(func(column string) string { return f.Cell(row, column) }, decimal, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v.result(ctx)
}
