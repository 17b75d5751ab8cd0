package web

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/page/report"
	"taper/internal/web/render"
	"taper/web/static"
	"taper/web/templates"
)

var updateReport = flag.Bool("update-report", false, "rewrite the report's golden file")

// hostileName must be escaped everywhere.
const hostileName = `</script><img src=x onerror=alert(1)>"'&`

func stratumOf(lower, upper float64, n, events int, verdict string) stat.Stratum {
	s := stat.Stratum{Lower: lower, Upper: upper, N: n, Events: events, Verdict: verdict}
	if n > 0 {
		o := float64(events) / float64(n)
		lo, hi := stat.Wilson(events, n)
		s.Observed, s.Low, s.High = &o, &lo, &hi
	}
	return s
}

// reportRun is a run as in the design, with invented curves.
func reportRun() (store.Run, store.Dataset) {
	v := func(x float64) *float64 { return &x }
	r := &engine.Result{
		Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Negative: table.Levels{"benign"}, Monotone: true,
		Boundaries: []float64{0.25, 0.5, 0.75}, Delta: []float64{-math.Log(3), 0, math.Log(3)},
		Validation: "5 folds, stratified, nested tuning",
		Strata: []stat.Stratum{
			stratumOf(0, 0.25, 326, 9, "inside"), stratumOf(0.25, 0.5, 43, 13, "compatible"),
			stratumOf(0.5, 0.75, 24, 15, "too few"), stratumOf(0.75, 1, 176, 175, "inside"),
		},
		Flow: engine.Flow{Read: 575, Dropped: []table.Drop{{Reason: "Row 17 has 9 cells, expected 8.", Rows: 3}}, NoOutcome: 3,
			Trained: 569, TrainedEvents: 212, Scored: 569, ScoredEvents: 212},
		Table1: []engine.Table1Row{
			{Name: "radius", Negative: [3]float64{11.1, 12.2, 13.4}, Positive: [3]float64{15.1, 17.3, 19.6}},
			{Name: "area", Negative: [3]float64{378, 458, 551}, Positive: [3]float64{705, 932, 1204}, Missing: 4},
			{Name: "side", Level: "left", Negative: [3]float64{180, 180. / 357}, Positive: [3]float64{99, 99. / 212}},
			{Name: "side", Level: "right", Negative: [3]float64{170, 170. / 357}, Positive: [3]float64{110, 110. / 212}},
			{Name: "side", Level: "both", Negative: [3]float64{7, 7. / 357}, Positive: [3]float64{3, 3. / 212}},
		},
		L2: 0.0039062, L2OneSE: v(0.0625),
		Coefficients: []engine.Coefficient{{Name: "(intercept)", Value: -18.2, Standardized: new(-0.4)}, {Name: "radius", Value: 1.04, Standardized: new(3.6)}, {Name: "area", Value: -0.00213, Standardized: new(-0.75)}},
		Objective:    0.0812, Gap: v(3.1e-7), Iterations: 14, Stopped: "gap", Seconds: 0.0041, ElapsedS: 0.61,
		Warnings: []engine.Warning{
			{Code: check.WarnFewInStratum, Message: "24 rows between 50 and 75 %: the 95 % CI runs from 43 to 79 %. Consider merging it with a neighbouring band."},
			{Code: "duplicate-rows", Message: "4 rows are identical: keep?"},
		},
	}
	for i, g := range []struct {
		level      string
		n          int
		mean, wide float64
	}{{"benign", 357, -4, 2}, {"malignant", 212, 4.5, 3}} {
		d := engine.Density{Level: g.level, N: g.n, Trained: true, Median: g.mean}
		for k := 0; k <= 80; k++ {
			x := -9 + 21*float64(k)/80
			u := (x - g.mean) / g.wide
			d.X, d.Y = append(d.X, x), append(d.Y, math.Exp(-u*u/2)/g.wide)
		}
		r.Density = append(r.Density, d)
		_ = i
	}
	r.PCA = &engine.PCA{Share: [2]float64{0.55, 0.25}}
	for j, s := range r.Strata {
		for i := 0; i < s.N; i++ {
			a := float64(i) * 2.39996
			rad := 1.7 * math.Sqrt(float64(i)/float64(s.N))
			r.PCA.X = append(r.PCA.X, []float64{-2, 0, 1, 3}[j]+rad*math.Cos(a))
			r.PCA.Y = append(r.PCA.Y, 1.5*rad*math.Sin(a))
			r.PCA.Band = append(r.PCA.Band, j)
		}
	}
	for e := -15; e <= 10; e++ {
		u := float64(e+8) / 8
		r.Tuning = append(r.Tuning, crossfit.TuningPoint{L2: math.Pow(2, float64(e)), Mean: 0.05 + 0.04*u*u, SE: 0.006})
	}
	r.Metrics.Test.IntervalLoss = v(0.0501)
	r.Beside = []engine.Beside{
		{ID: "model", Title: "Interval surrogate", Metrics: stat.Binary{IntervalLoss: v(0.0501), AUC: v(0.985), AUCLow: v(0.976), AUCHigh: v(0.994)}},
		{ID: "logistic", Title: "Logistic, thresholded", Difference: v(0.0009), DifferenceSE: v(0.004), Metrics: stat.Binary{IntervalLoss: v(0.051), AUC: v(0.985), AUCLow: v(0.976), AUCHigh: v(0.993), Brier: v(0.0439), ScaledBrier: v(0.812), CalibrationIntercept: v(0.04), CalibrationSlope: v(0.97)}},
		{ID: "null", Title: "No predictors", Metrics: stat.Binary{IntervalLoss: v(0.2909), AUC: v(0.5), Brier: v(0.2338), ScaledBrier: v(0)}},
	}
	run := store.Run{ID: "r01j97f3a", Dataset: "d1", DatasetName: "wdbc.csv", DatasetSHA: strings.Repeat("d606af41", 8),
		Status: store.Done, Created: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Result: r, Version: "0.1.0", Rows: 569,
		Spec: runspec.Spec{Dataset: "d1", Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Task: "interval", Seed: 7, Boundaries: r.Boundaries,
			Model: fit.Spec{Kind: "linear", Loss: "interval", L2: fit.L2{Mode: "cv"}}, Validation: runspec.Validation{Kind: "cv", Folds: 5}}}
	data := store.Dataset{ID: "d1", Name: "wdbc.csv", Profiles: []table.Profile{
		{Name: "id", Type: table.Identifier}, {Name: "radius", Type: table.Number}, {Name: "area", Type: table.Number, MissingCodes: []string{"-9", "NA"}},
		{Name: "side", Type: table.Category}, {Name: "visit", Type: table.Date}, {Name: "diagnosis", Type: table.Category}}}
	return run, data
}

func reportHTML(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func reportFile(t *testing.T, run store.Run, data store.Dataset) string {
	t.Helper()
	css, err := static.CSS()
	if err != nil {
		t.Fatal(err)
	}
	return reportHTML(t, templates.ReportFile(render.Report(report.Build(run, data), run.ID), css))
}

// TestReportGolden compares the report of the sample run with the golden file.
func TestReportGolden(t *testing.T) {
	run, data := reportRun()
	got := strings.ReplaceAll(reportHTML(t, templates.ReportSheet(render.Report(report.Build(run, data), run.ID))), "><", ">\n<") + "\n"
	path := filepath.Join("testdata", "report.golden.html")
	if *updateReport {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report differs from %s; look at it and run with -update-report", path)
	}
	if dir := os.Getenv("TAPER_REPORT_OUT"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte(reportFile(t, run, data)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// reportWords is the visible text of a page.
func reportWords(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "style" {
			return
		}
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), phrase.Joiner, "")), " ")
}

// TestReportMasks: the file contains no small counts and nothing that would reveal them.
func TestReportMasks(t *testing.T) {
	run, data := reportRun()
	page := reportFile(t, run, data)
	seen := reportWords(t, page)
	for _, want := range []string{"1 – 9", "167 – 175", "15 – 23", "masked", "Fewer than 10 rows are identical", "569 , 212 events", "30.2 (18.6 – 45.1)"} {
		if !strings.Contains(seen, strings.Join(strings.Fields(want), " ")) && !strings.Contains(seen, strings.ReplaceAll(want, " ,", ",")) {
			t.Errorf("%q is missing", want)
		}
	}
	for name, leak := range map[string]string{
		"the rate of 9 of 326":        `\b2\.8 \(`,
		"the CI of 15 of 24":          `\b42\.7|43 to 79`,
		"the loss with four decimals": `0\.0501`,
		"rows dropped":                `Dropped, 3\b`,
		"a small count in a table":    `\b4 rows`,
	} {
		if found := regexp.MustCompile(leak).FindString(seen); found != "" {
			t.Errorf("print says %q: %s", found, name)
		}
	}
	// One level with 7 and 3 rows: neither count is shown, nor a column that would leave only one unknown.
	if cell := regexp.MustCompile(`<td[^>]*>\s*[1-9]\s*<`).FindString(page); cell != "" {
		t.Errorf("a table holds %s", cell)
	}
}

// TestReportInert: names from the file are escaped in the page and in figures; the file contains no script and
// loads nothing.
func TestReportInert(t *testing.T) {
	run, data := reportRun()
	run.Name, run.DatasetName = hostileName, hostileName
	r := run.Result
	r.Outcome, r.Positive, r.Negative = hostileName, table.Levels{hostileName + "1"}, table.Levels{hostileName + "0"}
	r.Density[0].Level, r.Density[1].Level = r.Negative.String(), r.Positive.String()
	r.Table1[0].Name, r.Table1[2].Level, r.Coefficients[1].Name = hostileName, hostileName, hostileName
	r.Warnings = append(r.Warnings, engine.Warning{Message: hostileName})
	run.Spec.Positive, data.Profiles[0].Name = table.Levels{hostileName}, hostileName
	root, err := html.Parse(strings.NewReader(reportFile(t, run, data)))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "script", "img", "iframe", "link", "object", "form":
				t.Errorf("element %s", n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
					t.Errorf("attribute %s on %s", a.Key, n.Data)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}

// TestReportSections: sections without content are left out, and every possible result of a run gives a report.
func TestReportSections(t *testing.T) {
	run, data := reportRun()
	full := report.Build(run, data)
	if n := len(full.Sections); n != 12 { // without its rows it has no classification, audit and subgroups
		t.Fatalf("%d sections", n)
	}
	empty := store.Run{ID: "r", Status: store.Done, Result: &engine.Result{Metrics: engine.Metrics{}}}
	page := reportFile(t, empty, store.Dataset{})
	seen := reportWords(t, page)
	for _, title := range []string{"Performance", "Strata", "Classification", "Model"} {
		if strings.Contains(page, title+"</h2>") {
			t.Errorf("an empty run prints a section %s", title)
		}
	}
	if !strings.Contains(seen, "Verdict") || !strings.Contains(seen, "Limits") {
		t.Errorf("an empty run prints %q", seen)
	}
}

// TestReportFewEvents: with five events in all, the totals are masked too.
func TestReportFewEvents(t *testing.T) {
	run, data := reportRun()
	r := run.Result
	r.Strata = []stat.Stratum{stratumOf(0, 0.5, 400, 2, "inside"), stratumOf(0.5, 1, 169, 3, "too few")}
	r.Boundaries, r.Delta, r.Table1 = []float64{0.5}, []float64{0}, r.Table1[:2]
	r.Flow.ScoredEvents, r.Flow.TrainedEvents = 5, 5
	r.Warnings = append(r.Warnings, engine.Warning{Code: "few-events", Message: "5 events for 2 parameters (2.5 each): exploratory only."})
	seen := reportWords(t, reportFile(t, run, data))
	if leak := regexp.MustCompile(`[^r] 5 events|\b564\b|2\.5 each|0\.88`).FindString(seen); leak != "" {
		t.Errorf("print says %q", leak)
	}
	if !strings.Contains(seen, "1 – 9 events") || !strings.Contains(seen, "Fewer than 10 events") {
		t.Errorf("masked totals are missing: %s", seen)
	}
}

// TestReportSplit: the held-out events do not follow by subtraction.
func TestReportSplit(t *testing.T) {
	run, data := reportRun()
	r := run.Result
	run.Spec.Validation = runspec.Validation{Kind: "split", Test: 0.3}
	r.Strata = []stat.Stratum{stratumOf(0, 0.5, 100, 0, "inside"), stratumOf(0.5, 1, 40, 8, "too few")}
	r.Boundaries, r.Delta = []float64{0.5}, []float64{0}
	r.Flow = engine.Flow{Read: 569, Trained: 429, TrainedEvents: 204, Scored: 140, ScoredEvents: 8}
	seen := reportWords(t, reportFile(t, run, data))
	if !strings.Contains(seen, "204 events") || strings.Contains(seen, "Table 1") || regexp.MustCompile(`\b212\b|\b357\b`).MatchString(seen) {
		t.Errorf("the rows of both parts are counted together: %s", seen)
	}
}

// TestReportJSON: the call in the report is that of the run.
func TestReportJSON(t *testing.T) {
	run, data := reportRun()
	seen := reportWords(t, reportHTML(t, templates.ReportSheet(render.Report(report.Build(run, data), run.ID))))
	_, call, ok := strings.Cut(seen, "application/json ")
	if !ok {
		t.Fatal("no call")
	}
	var spec runspec.Spec
	if err := json.NewDecoder(strings.NewReader(call)).Decode(&spec); err != nil {
		t.Fatal(err)
	}
	if spec.Seed != 7 || spec.Model.L2.Mode != "cv" || len(spec.Boundaries) != 3 {
		t.Errorf("call holds %+v", spec)
	}
}
