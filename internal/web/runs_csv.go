package web

import (
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
)

var runsHead = slices.Concat([]string{"id", "name", "notes", "status", "created", "data", "sha256", "loss", "boundaries",
	"outcome", "event", "rows", "events"}, listedStatistics, []string{"bands_hold", "bands_judged", "fit_ms", "elapsed_s",
	"version", "error"})

// csvPage is the number of runs read at a time for the file: it is sent while
// it is read, and no read holds the database up for a slow client.
const csvPage = 500

// runsCSV answers GET /runs.csv: every run of the filter, the oldest first, so
// that one made meanwhile moves none.
func (s *Server) runsCSV(c echo.Context) error {
	q, err := readRuns(c.QueryParams())
	if err != nil {
		return err
	}
	q.Limit, q.Offset, q.Sort, q.Desc = csvPage, 0, "created", false
	ctx := c.Request().Context()
	runs, _, err := s.db.Runs(ctx, store.RunFilter(q.RunFilter))
	if err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", "runs.csv")
	w := table.NewCSV(c.Response())
	w.Write(runsHead...)
	for err == nil && len(runs) > 0 {
		for _, r := range runs {
			w.Write(runRecord(r)...)
		}
		if w.Flush() != nil || len(runs) < csvPage {
			break
		}
		q.Offset += csvPage
		runs, _, err = s.db.Runs(ctx, store.RunFilter(q.RunFilter))
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

func runRecord(r store.Run) []string {
	m := r.Summary
	out := []string{r.ID, r.Name, r.Notes, r.Status, r.Created.UTC().Format(time.RFC3339),
		r.DatasetName, r.DatasetSHA, m.Loss, boundsList(m.Boundaries), m.Outcome, m.Positive}
	if r.Status != store.Done {
		out = append(out, make([]string, 6+len(listedStatistics))...)
		return append(out, r.Version, r.Error)
	}
	ms := 1000 * m.Seconds
	out = append(out, strconv.Itoa(m.N), strconv.Itoa(m.Events))
	for _, id := range listedStatistics {
		out = append(out, format.Exact(m.Statistics[id]))
	}
	return append(out, strconv.Itoa(m.BandsOK), strconv.Itoa(m.BandsJudged), strconv.FormatFloat(ms, 'f', 1, 64),
		strconv.FormatFloat(m.ElapsedS, 'f', 3, 64), r.Version, "")
}

// boundsList writes boundaries as a list that no spreadsheet takes for a number.
func boundsList(pi []float64) string {
	text := ""
	for i, p := range pi {
		if i > 0 {
			text += " "
		}
		text += strconv.FormatFloat(p, 'g', -1, 64)
	}
	return text
}
