// Package runlist makes the list of runs: which runs an address selects, their lines on the page and in the CSV
// file, and the confirmation before deletion.
package runlist

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"taper/internal/engine/compare"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// List is a page of runs with what is known of all runs.
type List struct {
	State  State
	Runs   []store.Run
	Total  int // number that matches the filter
	Facets store.RunFacets
	Also   []string // selected ids that are not on this page
	Peers  map[string]store.Peers
}

// Sentence is the summary: the number of runs, and the best of the first comparable runs on the page.
func (l List) Sentence() templ.Component {
	f := l.Facets
	if f.Total == 0 {
		return templates.Sentence("No runs yet.",
			"A run stores the hash of its data, its seed and its version: repeating it gives bit-identical results.")
	}
	strong := phrase.UpperFirst(phrase.Numeral(f.Total)) + " runs"
	if f.Total == 1 {
		strong = "One run"
	}
	rest := "on " + phrase.Numeral(len(f.Datasets)) + " datasets."
	if len(f.Datasets) == 1 {
		rest = "on one dataset."
	}
	if l.State.filtered() {
		rest += " " + phrase.UpperFirst(matches(l.Total)) + " the filter."
	}
	finding, link := l.finding()
	return templates.LinkedSentence(strong, strings.TrimSpace(rest+" "+finding), link)
}

func matches(n int) string {
	switch n {
	case 0:
		return "none matches"
	case 1:
		return "one matches"
	}
	return phrase.Numeral(n) + " match"
}

// finding is the lowest losses of the first comparable runs, or the result of the first finished run. An interval of
// the difference needs the rows of both runs, which a list does not read, so it calls neither run the better one and
// links to their comparison.
func (l List) finding() (text string, compare templates.Link) {
	for _, r := range l.Runs {
		if p := l.Peers[r.ID]; p.N > 1 {
			return fmt.Sprintf("On %s, %s. No interval of the difference is computed here: neither is shown to be better.",
					r.DatasetName, viz.Unbroken(lowest(p))), templates.Link{Label: "Compare the two",
					URL: "/compare?ids=" + p.ID + "," + p.NextID}
		}
	}
	for _, r := range l.Runs {
		if m := r.Summary; r.Status == store.Done && m.BandsEvaluated > 0 && m.Caveat == "" {
			return fmt.Sprintf("In ‘%s’ %s of %s bands with a verdict are inside or compatible with their limits.", r.Name,
				phrase.Numeral(m.BandsOK), phrase.Numeral(m.BandsEvaluated)), compare
		}
	}
	return "", compare
}

// lowest names the two runs of p with the lowest losses; of runs that tie, the first.
func lowest(p store.Peers) string {
	loss := stat.ByID("interval_loss")
	of := loss.InSentence() + " of " + phrase.Numeral(p.N) + " comparable runs, "
	best, next := format.Statistic(loss)(p.Best), format.Statistic(loss)(p.Next)
	switch {
	case best == next && p.N == 2:
		return fmt.Sprintf("‘%s’ and ‘%s’ have the lowest %s%s", p.Name, p.NextName, of, best)
	case best == next:
		return fmt.Sprintf("‘%s’ has the lowest %s%s; at least one other has the same", p.Name, of, best)
	}
	return fmt.Sprintf("‘%s’ has the lowest %s%s; ‘%s’ has %s", p.Name, of, best, p.NextName, next)
}

// View is the page below its summary at time now.
func (l List) View(now time.Time) templates.RunList {
	here := l.State.URL("/runs")
	v := templates.RunList{Filter: l.filter(), Columns: l.columns(), Back: here, Also: l.Also, Most: compare.Most}
	if v.Empty = l.empty(); v.Empty != nil {
		return v
	}
	all, _ := Parse(nil) // the whole list
	all.Dataset, all.Status, all.Loss, all.Query = l.State.Dataset, l.State.Status, l.State.Loss, l.State.Query
	v.CSV = all.URL("/runs.csv")
	v.Shown = viz.Range(phrase.Int(l.State.Offset+1), phrase.Int(l.State.Offset+len(l.Runs))) + " of " +
		phrase.Int(l.Total)
	v.Prev = l.beside(-l.State.Limit, l.State.Offset > 0)
	v.Next = l.beside(l.State.Limit, l.State.Offset+l.State.Limit < l.Total)
	slow := slices.ContainsFunc(l.Runs, func(r store.Run) bool { return r.Summary.Seconds >= 0.1 })
	for _, r := range l.Runs {
		p := l.Peers[r.ID]
		best := p.N > 1 && *r.Summary.Statistics["interval_loss"] == p.Best
		if best {
			v.Note = "lowest for the same data, event, boundaries and folds; Compare computes the interval of the difference."
		}
		item := runLine(r, now, slow, best)
		item.Ask = "/runs/" + r.ID + "/delete?" + url.Values{"back": {here}}.Encode()
		item.On = slices.Contains(l.State.Chosen, r.ID)
		v.Runs = append(v.Runs, item)
	}
	return v
}

func (l List) empty() *templates.Empty {
	switch {
	case l.Facets.Total == 0:
		return &templates.Empty{Title: "No runs yet",
			Text: "Stratify a dataset and save what you see: each run is listed here with how many of its bands are " +
				"inside or compatible with their limits, ready to be opened, printed or used on new rows.",
			Buttons: []templates.Button{{Label: "Choose data", Icon: "table", URL: "/data", Kind: "1"}}}
	case l.Total == 0:
		return &templates.Empty{Title: "No run matches",
			Text:    "Every word must occur in the name, the loss, the data or the outcome.",
			Buttons: []templates.Button{{Label: "Clear the filter", URL: l.State.plain().URL("/runs")}}}
	}
	return nil
}

func (l List) beside(step int, there bool) string {
	if !there {
		return ""
	}
	q := l.State
	q.Offset = max(0, q.Offset+step)
	return q.URL("/runs")
}

func (l List) filter() templates.RunFilter {
	q := l.State
	f := templates.RunFilter{
		Query: q.Query,
		Data:  templates.Choice{Name: "dataset", Label: "Data", Options: []templates.Option{{Label: "All data"}}},
		Losses: templates.Choice{Name: "loss", Label: "Loss",
			Options: facetOptions("All losses", q.Loss, l.Facets.Losses)},
		Status: templates.Choice{Name: "status", Label: "Status",
			Options: facetOptions("Any status", q.Status, l.Facets.Statuses)},
	}
	for _, d := range l.Facets.Datasets {
		f.Data.Options = append(f.Data.Options, templates.Option{Value: d.Value, Label: phrase.Shorten(d.Name, 40) + " " +
			format.Hash(d.SHA, 4), On: d.Value == q.Dataset})
	}
	for _, p := range form.HiddenPairs(&q, "ids", "sort", "desc") {
		f.Hidden = append(f.Hidden, templates.Field{Name: p.Key, Value: p.Value})
	}
	if q.filtered() {
		f.Clear = q.plain().URL("/runs")
	}
	return f
}

func facetOptions(all, on string, facets []store.Facet) []templates.Option {
	out := []templates.Option{{Label: all}}
	for _, f := range facets {
		out = append(out, templates.Option{Value: f.Value, Label: lossName(f.Value), On: f.Value == on})
	}
	return out
}

// lossName is the name of a loss by its id; a status and a loss that this version does not know stay as they are.
// Logistic regression has the name that it has elsewhere beside the interval surrogate.
func lossName(id string) string {
	if m := (fit.Spec{Kind: "linear", Loss: id}); m.Plain() {
		return m.Title()
	}
	if f, ok := loss.FamilyByID(id); ok {
		return f.Title
	}
	return id
}

// listedStatistics are the statistics in the list and its file, in order.
var listedStatistics = []string{"auc", "brier", "interval_loss"}

// statisticClass hides columns on narrow screens.
var statisticClass = map[string]string{"brier": "only-w"}

// wholeLabel names columns whose short label is a symbol, which a list does not explain.
var wholeLabel = map[string]string{"interval_loss": stat.ByID("interval_loss").Label}

// runColumn is a column of the list; down is the initial sort direction.
type runColumn struct {
	sort, label, unit, class string
	num, down                bool
}

var runColumns = slices.Concat([]runColumn{
	{"name", "Name", "", "", false, false},
	{"created", "Saved", "", "only-w", false, true},
	{"data", "Data", "", "only-w", false, false},
	{"loss", "Loss", "", "only-w", false, false},
	{"n", "Rows", "", "only-x only-w", true, true},
}, statisticRunColumns(), []runColumn{
	{"bands_ok", "Bands inside or compatible", "", "only-w", true, true},
	{"seconds", "Fit", "ms", "only-x only-w", true, false},
})

func statisticRunColumns() (all []runColumn) {
	for _, id := range listedStatistics {
		s := stat.ByID(id)
		all = append(all, runColumn{id, cmp.Or(wholeLabel[id], format.ShortLabel(id)), format.Arrow(s.Better),
			statisticClass[id], true, s.Better == stat.HigherBetter})
	}
	return all
}

// columns are the heads with their sort links: the first click sorts in the usual direction, the next reverses it.
func (l List) columns() []templates.Column {
	var out []templates.Column
	for _, c := range runColumns {
		col := templates.Column{Label: c.label, Unit: c.unit, Num: c.num, Class: c.class}
		q := l.State
		on, desc := q.Sort == c.sort, q.Desc
		if q.Sort == "" && c.sort == "created" {
			on, desc = true, true
		}
		q.Sort, q.Desc, q.Offset = c.sort, c.down, 0
		if on {
			q.Desc = !desc
			col.Sorted = map[bool]string{true: "descending", false: "ascending"}[desc]
		}
		col.Sort = q.URL("/runs")
		out = append(out, col)
	}
	return out
}

// runLine is a run of the list; slow says that durations are shown without decimals, best that its interval loss is
// the lowest among comparable runs.
func runLine(r store.Run, now time.Time, slow, best bool) templates.RunItem {
	m := r.Summary
	v := templates.RunItem{
		ID: r.ID, URL: "/runs/" + r.ID, Name: r.Name, Data: r.DatasetName, DataURL: "/data/" + r.Dataset,
		Hash:  format.Hash(r.DatasetSHA, 4),
		Saved: format.Ago(r.Created, now), SavedAt: r.Created.UTC().Format(time.RFC3339),
		SavedTitle: r.Created.UTC().Format("2 January 2006 15:04 UTC"),
		Loss:       lossName(m.Loss), Bounds: boundary.Text(m.Boundaries), Rows: phrase.Int(r.Rows),
		Bands: viz.None, Fit: viz.None,
	}
	for k, id := range listedStatistics {
		cell := templates.Cell{Text: format.StatisticOf(stat.ByID(id), m.Statistics[id]),
			Class: strings.TrimSpace(statisticClass[id] + " r")}
		if name, value := headlineOf(m); k == 0 && value != "" {
			cell.Text, cell.CI, cell.Class = value, name, cell.Class+" metric"
		} else if id == "interval_loss" && best {
			cell.Class += " best"
		}
		v.Statistics = append(v.Statistics, cell)
	}
	var chips []string
	if !r.Wiped.IsZero() {
		v.DataURL, chips = "", append(chips, "data deleted")
	}
	if m.Caveat != "" && r.Status == store.Done {
		chips = append(chips, m.Caveat)
	}
	if len(chips) > 0 {
		v.Chip = &templates.Chip{Label: strings.Join(chips, ", ")}
	}
	if strings.Contains(r.Name, v.Bounds) { // as in names that nobody changed
		v.Bounds = ""
	}
	v.Sub = phrase.Shorten(v.Data, 40)
	if !strings.Contains(r.Name, v.Loss) {
		v.Sub += ", " + strings.TrimSpace(v.Loss+" "+v.Bounds)
	}
	if r.Status != store.Done {
		chip := templates.Status(r.Status)
		v.Status = &chip
		return v
	}
	v.Rows, v.Fit = phrase.Int(m.N), fitText(1000*m.Seconds, slow)
	if m.N == 0 && !r.Wiped.IsZero() { // masked
		v.Rows = viz.None
	}
	if m.BandsEvaluated > 0 {
		v.Bands = strconv.Itoa(m.BandsOK) + " of " + strconv.Itoa(m.BandsEvaluated)
	}
	return v
}

// fitText writes milliseconds with equal decimals in the column.
func fitText(ms float64, slow bool) string {
	switch {
	case slow && ms < 0.5:
		return "<" + phrase.NBSP + "1"
	case slow:
		return viz.Number(ms, 0)
	}
	return viz.Number(ms, 1)
}

// headlineOf is the main metric of a multiclass run in lists, with its name; "" for other runs.
func headlineOf(m store.Summary) (name, value string) {
	for _, id := range []string{"abstention_loss", "mae", "accuracy"} {
		if v := m.Statistics[id]; v != nil {
			return format.ShortLabel(id), format.WithUnit(stat.ByID(id), v)
		}
	}
	return "", ""
}
