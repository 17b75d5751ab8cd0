package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/compare"
	"taper/internal/engine/table"
	"taper/internal/web/page/comparison"
)

// apiCompare answers GET /api/v1/compare?ids=a,b&base=a.
func (s *Server) apiCompare(c echo.Context) error {
	x, err := s.compared(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, x.Comparison)
}

// compareCSV answers GET /compare.csv?ids=a,b: a line for each number of each
// run.
func (s *Server) compareCSV(c echo.Context) error {
	x, err := s.compared(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	attach(c, "text/csv; charset=utf-8", "compare.csv")
	w := table.NewCSV(c.Response())
	w.Write("part", "item", "run", "name", "baseline", "value", "difference", "paired_rows", "paired_difference",
		"ci_low", "ci_high",
		"interval", "draws", "verdict")
	for _, line := range compareLines(x) {
		w.Write(line...)
	}
	return w.Flush()
}

// compareLines are the lines of the file.
func compareLines(x comparison.Page) (lines [][]string) {
	add := func(part, item string, i int, cells ...string) {
		line := []string{part, item, x.IDs[i], x.Names[i], x.Baseline}
		lines = append(lines, append(append(line, cells...), make([]string, 9-len(cells))...))
	}
	for _, list := range [][]compare.Setting{x.Differences, x.Same} {
		for _, s := range list {
			for i := range x.IDs {
				add("setting", s.Field, i, x.Setting(s.Field, i))
			}
		}
	}
	for _, m := range x.Metrics {
		for i := range x.IDs {
			cells := []string{decimal(m.Values[i]), decimal(m.Deltas[i]), "", "", "", "", "", "", m.Verdicts[i]}
			if p := m.Paired[i]; p != nil {
				copy(cells[2:], []string{strconv.Itoa(p.N), decimal(p.Value), decimal(p.Low), decimal(p.High), p.Method})
				if p.Draws > 0 {
					cells[7] = strconv.Itoa(p.Draws)
				}
			}
			add("metric", m.ID, i, cells...)
		}
	}
	for _, t := range x.Terms {
		for i := range x.IDs {
			add("coefficient per SD", t.Name, i, decimal(t.Standardized[i]), decimal(t.Deltas[i]))
		}
	}
	return lines
}
