package main

import (
	"encoding/csv"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/metric"
)

// classRowsCSV writes the rows of a run of several classes: a score and a
// probability each class (empty where the loss has none) and the answer.
func classRowsCSV(c echo.Context, rows []engine.RowScore, levels []string) error {
	attach(c, "text/csv; charset=utf-8", c.Param("id")+"-rows.csv")
	w := csv.NewWriter(c.Response())
	head := append([]string{"row", "outcome", "split"}, engine.ClassColumns(levels)...)
	_ = w.Write(append(head, "flipped", "row_number")) // the writer keeps the first error
	number := func(v float64) string { return decimal(&v) }
	for _, r := range rows {
		answer := engine.AbstainText
		if r.Predicted != metric.Abstained {
			answer = formulaSafe(levels[r.Predicted])
		}
		cells := append([]string{strconv.Itoa(r.Row), formulaSafe(r.Outcome), r.Split}, engine.ClassCells(r.Scores, r.Probabilities, answer, number)...)
		_ = w.Write(append(cells, strconv.FormatBool(r.Flipped), strconv.Itoa(r.Row+1)))
	}
	w.Flush()
	return w.Error()
}
