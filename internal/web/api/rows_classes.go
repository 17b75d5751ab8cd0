package api

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
)

// classRowsCSV writes the rows of a multiclass run: a score and a probability per class (empty where the loss has
// none) and the answer.
func classRowsCSV(c echo.Context, name string, rows []engine.RowScore, levels []string) error {
	httpio.Attach(c, "text/csv; charset=utf-8", name)
	w := table.NewCSV(c.Response())
	head := append([]string{"row", "outcome", "split"}, model.ClassColumns(levels)...)
	w.Write(append(head, "flipped", "row_number")...)
	number := func(v float64) string { return format.ExactNumber(&v) }
	for _, r := range rows {
		answer := model.AbstainText
		if r.Predicted != stat.Abstained {
			answer = levels[r.Predicted]
		}
		cells := append([]string{strconv.Itoa(r.Row), r.Outcome, r.Split}, model.ClassCells(r.Scores, r.Probabilities,
			answer, number)...)
		w.Write(append(cells, strconv.FormatBool(r.Flipped), strconv.Itoa(r.Row+1))...)
	}
	return w.Flush()
}
