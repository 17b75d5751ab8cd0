package runlist

import (
	"slices"
	"strconv"
	"time"

	"taper/internal/store"
	"taper/internal/web/format"
)

// Head names the columns of the file.
var Head = slices.Concat([]string{"id", "name", "notes", "status", "created", "data", "sha256", "loss", "boundaries",
	"outcome", "event", "rows", "events"}, listedStatistics, []string{"bands_hold", "bands_judged", "fit_ms", "elapsed_s",
	"version", "error", "caveat"})

// Line is the line of a run in the file.
func Line(r store.Run) []string {
	m := r.Summary
	out := []string{r.ID, r.Name, r.Notes, r.Status, r.Created.UTC().Format(time.RFC3339),
		r.DatasetName, r.DatasetSHA, m.Loss, boundsList(m.Boundaries), m.Outcome, m.Positive}
	if r.Status != store.Done {
		out = append(out, make([]string, 6+len(listedStatistics))...)
		return append(out, r.Version, r.Error, "")
	}
	ms := 1000 * m.Seconds
	events, inside, judged := "", "", ""
	if m.Positive != "" { // several classes have no event and no bands
		events = strconv.Itoa(m.Events)
	}
	if m.BandsEvaluated > 0 {
		inside, judged = strconv.Itoa(m.BandsOK), strconv.Itoa(m.BandsEvaluated)
	}
	out = append(out, strconv.Itoa(m.N), events)
	for _, id := range listedStatistics {
		out = append(out, format.ExactNumber(m.Statistics[id]))
	}
	return append(out, inside, judged, strconv.FormatFloat(ms, 'f', 1, 64),
		strconv.FormatFloat(m.ElapsedS, 'f', 3, 64), r.Version, "", m.Caveat)
}

// boundsList writes boundaries in a form that spreadsheets do not read as one number.
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
