package web

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"taper/internal/store"
)

// changed lists the answers that differ from an older version intentionally: the place and the reason. A place is the
// address with ids replaced by *, and the path in the JSON with indices replaced by *.
var changed = []struct{ place, reason string }{
	{`\.calibration\.points\[\*\]\.\w+$`, "calibration curves leave out the lowest and the highest 1 % of the predictions"},
	{`/statistics\.sample_size\.required$`, "the criterion for the mean absolute error of the risks counts as well"},
	{`\.standardized_net_benefit\.ci_(low|high)$`, "the interval no longer treats the share of events as known"},
	{`\.(lr_negative|lr_positive|likelihood_ratio)\.ci_(low|high)$`, "a ratio with a count of 0 has a score interval"},
	{`\.observed_expected\.ci_(low|high)$`, "its error follows from the predicted risks"},
	{`/decision_curve\[\*\]\.\w+\.ci_(low|high)$|/statistics\.decision_curve\[\*\]\.\w+\.ci_(low|high)$`,
		"net benefit has an interval from Wilson limits"},
	{`subgroups\[\*\]\.(suppressed|observed|auc|observed_expected|calibration_slope)\b`, "subgroups with fewer than 10 non-events are not evaluated"},
	{`^/api/v1/runs/\*\.warnings$`, "a recalibrated run has no warnings about the bands of its parent"},
	{`^/api/v1/runs/\*(\.beside\[\*\])?\.strata\[\*\]\.verdict$`, "a recalibrated run has no verdicts on the rows of its parent"},
	{`^/api/v1/runs\?limit=100\.items\[\*\]\.(interval_loss|brier)$`, "a recalibrated run is not listed with losses on the rows of its parent"},
	{`^/api/v1/runs\?limit=100\.items\[\*\]\.bands_(ok|judged)$`, "a recalibrated run has no bands with a verdict in the list"},
	{`/statistics\.sample_size\.epp$`, "events per parameter come from the smaller class, as everywhere"},
	{`\.beside\[\*\]\.difference_se$`, "differences on training rows have no error and no interval"},
}

// TestOldVersions restores a backup of an older version and compares every answer of the API with that version's:
// fields may be added, none may be removed or changed.
func TestOldVersions(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/versions/*/backup.db.gz")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no older version in testdata: %v", err)
	}
	for _, packed := range folders {
		t.Run(filepath.Base(filepath.Dir(packed)), func(t *testing.T) { oldVersion(t, filepath.Dir(packed)) })
	}
}

func oldVersion(t *testing.T, folder string) {
	dir := t.TempDir()
	backup, data := filepath.Join(dir, "backup.db"), filepath.Join(dir, "data")
	if err := os.WriteFile(backup, unpacked(t, filepath.Join(folder, "backup.db.gz")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Restore(t.Context(), data, backup); err != nil {
		t.Fatal(err)
	}
	p := start(t, data)
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(unpacked(t, filepath.Join(folder, "answers.json.gz")), &answers); err != nil {
		t.Fatal(err)
	}
	for path, want := range answers {
		res := get(t, p.base+path)
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			t.Errorf("GET %s: %d %v %.200s", path, res.StatusCode, err, got)
			continue
		}
		got = bytes.ReplaceAll(addedToReports.ReplaceAll(got, nil), []byte("</span> <div"), []byte("</span><div"))
		if !json.Valid(got) { // texts were recorded as JSON strings
			if got, err = json.Marshal(string(got)); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range differences(t, place(path), steady(want), steady(got)) {
			t.Error(d)
		}
	}
}

// TestReadersLeaveResults requests everything about the runs of an older version, and checks that the shared
// results in memory are not changed.
func TestReadersLeaveResults(t *testing.T) {
	dir := t.TempDir()
	backup, data := filepath.Join(dir, "backup.db"), filepath.Join(dir, "data")
	if err := os.WriteFile(backup, unpacked(t, "../../testdata/versions/0.1/backup.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Restore(t.Context(), data, backup); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), data, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(testConfig(data), db, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	runs, _, err := db.Runs(t.Context(), store.RunFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) []string {
		return []string{"/runs/" + id, "/runs/" + id + "/performance", "/runs/" + id + "/model", "/runs/" + id + "/patients",
			"/runs/" + id + "/group", "/runs/" + id + "/nomogram", "/report/" + id, "/report/" + id + "?download=1",
			"/report/" + id + "/card.svg", "/audit/" + id, "/api/v1/runs/" + id, "/api/v1/runs/" + id + "/statistics",
			"/compare?ids=" + runs[0].ID + "," + id}
	}
	compared := 0
	for _, line := range runs {
		r, err := db.Run(t.Context(), line.ID)
		if err != nil || r.Result == nil || !r.Wiped.IsZero() {
			continue
		}
		before, err := json.Marshal(r.Result)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range at(r.ID) {
			if w := ask(s, "GET", path, "", browser); w.Code >= 500 {
				t.Errorf("GET %s: %d", path, w.Code)
			}
		}
		if d, err := db.Dataset(t.Context(), r.Dataset); err == nil {
			_, _ = s.keptRun(t.Context(), r.ID, d) // refused for models that consist of rows
		}
		again, err := db.Run(t.Context(), r.ID)
		if err != nil || again.Result != r.Result {
			t.Fatalf("%s: the result is not shared: %v", r.Name, err)
		}
		if after, err := json.Marshal(r.Result); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: a reader changed the result: %v", r.Name, err)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("%d results compared", compared)
	}
}

var ids = regexp.MustCompile(`\b[drse]0[0-9a-z]{10,}`)

// passing are parts of a page that depend on the build, and how the page is printed.
var passing = regexp.MustCompile(`/static/[0-9a-f]+/|Taper (dev|0\.1\.0-[0-9a-z]+)|` +
	`The printed page is this page: Ctrl P\.|Print with Ctrl\+P; the printout matches this page\.`)

// addedToReports is what reports now say about small counts, which older versions masked without saying so, and on
// the screen the links to the other pages of the run.
var addedToReports = regexp.MustCompile(`<nav class="tabs".*?</nav>|<div><dt>Small counts</dt><dd class="">1 to 9 masked</dd></div>|` +
	`<span>Counts of 1 to 9 are masked</span>`)

// sheets are the addresses of style sheets in a JSON string, which may change with the version.
var sheets = regexp.MustCompile(`(?:(?:<|\\u003c)link rel=\\"stylesheet\\" href=\\"[^"]*\\"(?:>|\\u003e))+`)

func steady(text []byte) []byte {
	return passing.ReplaceAll(sheets.ReplaceAll(text, []byte("(style)")), []byte("*"))
}

func place(path string) string { return ids.ReplaceAllString(path, "*") }

// differences lists where an old answer is not contained in the new one.
func differences(t *testing.T, at string, want, got []byte) []string {
	t.Helper()
	var w, g any
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(at, "format=csv") {
		w, g = records(t, w), records(t, g)
	}
	var all []string
	contained(at, w, g, func(at string, w, g any) {
		for _, c := range changed {
			if regexp.MustCompile(c.place).MatchString(at) {
				return
			}
		}
		all = append(all, fmt.Sprintf("%s: %.120v, was %.120v", at, g, w))
	})
	return all
}

// records are the rows of a CSV by column, so that a new column counts as an addition.
func records(t *testing.T, text any) any {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text.(string))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, row := range rows[1:] {
		record := map[string]any{}
		for k, cell := range row {
			record[rows[0][k]] = cell
		}
		all = append(all, record)
	}
	return all
}

// contained compares an old answer with the new one and reports every missing value. Numbers may differ by 1e-9,
// since processors round differently.
func contained(at string, want, got any, tell func(at string, want, got any)) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			tell(at, want, got)
			return
		}
		for name, v := range w {
			contained(at+"."+name, v, g[name], tell)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			tell(at, want, got)
			return
		}
		for i := range w {
			contained(at+"[*]", w[i], g[i], tell)
		}
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-w) > 1e-9*max(1, math.Abs(w)) {
			tell(at, want, got)
		}
	case string:
		g, ok := got.(string)
		if !ok || w != g {
			from := max(0, common(w, g)-40) // show where long texts start to differ
			tell(at, w[from:], g[min(from, len(g)):])
		}
	default:
		if want != got {
			tell(at, want, got)
		}
	}
}

// common is the length of the common prefix of two texts.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
