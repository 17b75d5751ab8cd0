package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/api"
)

// sendFile uploads a file of testdata, or text under a name.
func sendFile(t *testing.T, s http.Handler, name string, text []byte) string {
	t.Helper()
	if text == nil {
		var err error
		if text, err = os.ReadFile("../../testdata/csv/" + name); err != nil {
			t.Fatal(err)
		}
	}
	w := ask(s, http.MethodPost, "/api/v1/datasets", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\""+name+"\"\r\n\r\n"+string(text)+"\r\n--x--\r\n", "Content-Type: multipart/form-data; boundary=x")
	return reportIDOf(t, w)
}

// runTo starts a run and waits for its end.
func runTo(t *testing.T, s http.Handler, spec string) string {
	t.Helper()
	id := reportIDOf(t, ask(s, http.MethodPost, "/api/v1/runs", spec, "Content-Type: application/json"))
	awaited(t, s, "/api/v1/runs/"+id)
	return id
}

// checkTo starts the bootstrap of a run and waits for its end.
func checkTo(t *testing.T, s http.Handler, id string) {
	t.Helper()
	if w := ask(s, http.MethodPost, "/api/v1/runs/"+id+"/bootstrap", `{"replicates": 40, "seed": 5}`, "Content-Type: application/json"); w.Code != http.StatusAccepted {
		t.Fatalf("check: %d %s", w.Code, w.Body)
	}
	awaited(t, s, "/api/v1/runs/"+id+"/bootstrap")
}

func awaited(t *testing.T, s http.Handler, path string) {
	t.Helper()
	var got struct{ Status, Error string }
	testtime.Until(t, "the end of "+path, func() bool {
		if err := json.Unmarshal(ask(s, http.MethodGet, path, "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return app.HasEnded(got.Status)
	})
	if got.Status != "done" {
		t.Fatalf("%s ended as %s: %s", path, got.Status, got.Error)
	}
}

const alphaSpec = `{"dataset":"%s","outcome":"disease","positive":"yes","task":"interval","model":{"kind":"linear","loss":"alpha","params":{"alpha":2},"l2":0.02},
	"boundaries":[0.25,0.5],"validation":{"kind":"cv","folds":3},"seed":1}`

// judgedRow is a line of rows.csv.
type judgedRow struct {
	row, band int
	event     bool
	score, p  float64
}

func rowsOf(t *testing.T, s http.Handler, id, positive string) []judgedRow {
	t.Helper()
	records, err := csv.NewReader(ask(s, http.MethodGet, "/api/v1/runs/"+id+"/rows", "").Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []judgedRow
	for _, r := range records[1:] {
		if r[2] == "scored" {
			continue
		}
		number := func(k int) float64 { v, _ := strconv.ParseFloat(r[k], 64); return v }
		out = append(out, judgedRow{int(number(0)), int(number(5)), r[1] == positive, number(3), number(4)})
	}
	return out
}

// TestStatisticsFromRows recomputes every number of the page from rows.csv, by formulas written here.
func TestStatisticsFromRows(t *testing.T) {
	s, _ := testServer(t, Config{})
	data := sendFile(t, s, "heart-clinic.csv", nil)
	id := runTo(t, s, fmt.Sprintf(alphaSpec, data))
	rows := rowsOf(t, s, id, "yes")
	var got struct {
		engine.Statistics
		Subgroups []stat.Subgroup `json:"subgroups"`
	}
	w := ask(s, http.MethodGet, "/api/v1/runs/"+id+"/statistics?by=sex", "")
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	n, events := float64(len(rows)), 0.0
	for _, r := range rows {
		if r.event {
			events++
		}
	}
	same := func(what string, have *float64, want float64) {
		t.Helper()
		if have == nil || math.Abs(*have-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s: %v, by hand %v", what, show(have), want)
		}
	}
	for k, pi := range []float64{0.25, 0.5} {
		var tp, fp, fn, tn float64
		for _, r := range rows {
			switch {
			case r.p > pi && r.event:
				tp++
			case r.p > pi:
				fp++
			case r.event:
				fn++
			default:
				tn++
			}
		}
		b := got.Boundaries[k]
		same("sensitivity", b.Of("sensitivity").Value, tp/(tp+fn))
		same("specificity", b.Of("specificity").Value, tn/(tn+fp))
		same("PPV", b.Of("ppv").Value, tp/(tp+fp))
		same("NPV", b.Of("npv").Value, tn/(tn+fn))
		same("flagged", b.Of("flagged_per_100").Value, 100*(tp+fp)/n)
		same("LR+", b.Of("lr_positive").Value, tp/(tp+fn)/(fp/(fp+tn)))
		same("LR−", b.Of("lr_negative").Value, fn/(tp+fn)/(tn/(fp+tn)))
		low, high := wilsonByHand(tp, tp+fn)
		same("Wilson of the sensitivity, low", b.Of("sensitivity").Low, low)
		same("Wilson of the sensitivity, high", b.Of("sensitivity").High, high)
		at := slices.IndexFunc(got.Decisions, func(d stat.NetBenefit) bool { return math.Abs(d.Threshold-pi) < 1e-9 })
		odds := pi / (1 - pi)
		same("net benefit", got.Decisions[at].Model.Value, tp/n-fp/n*odds)
		all := events/n - (n-events)/n*odds
		same("net benefit of all", got.Decisions[at].All.Value, all)
		same("avoided", got.Decisions[at].Avoided.Value, 100*(tp/n-fp/n*odds-all)/odds)
	}
	if len(got.Decisions) != 99 {
		t.Errorf("%d thresholds", len(got.Decisions))
	}
	for k, b := range got.Bands {
		in, of := 0.0, 0.0
		for _, r := range rows {
			if r.band == k {
				of++
				if r.event {
					in++
				}
			}
		}
		same("LR of a band", b.LR.Value, in/events/((of-in)/(n-events)))
		same("rows per 1000", b.RowsPer1000.Value, 1000*of/n)
		same("events per 1000", b.EventsPer1000.Value, 1000*in/n)
	}
	brier, logLoss, expected := 0.0, 0.0, 0.0
	for _, r := range rows {
		y := 0.0
		if r.event {
			y = 1
		}
		brier += (r.p - y) * (r.p - y) / n
		logLoss -= math.Log(1-math.Abs(y-r.p)) / n
		expected += r.p
	}
	same("Brier", got.Judged.Brier.Value, brier)
	same("scaled Brier", got.Judged.ScaledBrier.Value, 1-brier/(events/n*(1-events/n)))
	same("log-loss", got.Judged.LogLoss.Value, logLoss)
	same("O/E", got.Judged.ObservedExpected.Value, events/expected)
	same("AUC", got.Judged.AUC.Value, aucByHand(rows))
	same("events per parameter", got.SampleSize.EPP, min(events, n-events)/float64(got.SampleSize.Parameters))
	nullLoss := -(events/n*math.Log(events/n) + (1-events/n)*math.Log(1-events/n))
	same("Cox–Snell", got.Judged.CoxSnell, 1-math.Exp(-2*(nullLoss-logLoss)))
	size := int(math.Ceil(float64(got.SampleSize.Parameters) / ((0.9 - 1) * math.Log(1-*got.Judged.CoxSnell/0.9))))
	if got.SampleSize.N1 == nil || *got.SampleSize.N1 != size {
		t.Errorf("Riley: %v, by hand %d", got.SampleSize.N1, size)
	}
	subgroupsByHand(t, rows, got.Subgroups)
	total := 0
	for _, row := range append(got.Reclassified.Events.Counts, got.Reclassified.Others.Counts...) {
		for _, k := range row {
			total += k
		}
	}
	if total != len(rows) {
		t.Errorf("%d rows moved or stayed, of %d", total, len(rows))
	}
	seen := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(reportWords(t, ask(s, http.MethodGet, "/runs/"+id+"/performance?by=sex", "").Body.String()))
	for _, want := range []string{
		fmt.Sprintf("%.1f (%.1f – %.1f)", 100**got.Boundaries[0].Of("sensitivity").Value, 100**got.Boundaries[0].Of("sensitivity").Low, 100**got.Boundaries[0].Of("sensitivity").High),
		fmt.Sprintf("%.4f (", brier), fmt.Sprintf("%.3f (", aucByHand(rows)), "Subgroups by", "Check optimism and stability", "Jonckheere",
	} {
		if has := strings.Contains(seen, want); has == (want == "Jonckheere") {
			t.Errorf("the page has %q: %v", want, has)
		}
	}
	if w := ask(s, http.MethodGet, "/api/v1/runs/"+id+"/statistics?by=none", ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("an unknown column: %d", w.Code)
	}
}

func show(v *float64) any {
	if v == nil {
		return "nothing"
	}
	return *v
}

func wilsonByHand(x, n float64) (low, high float64) {
	const z = 1.959963984540054
	p := x / n
	mid, half, by := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n)), 1+z*z/n
	return (mid - half) / by, (mid + half) / by
}

// aucByHand counts pairs.
func aucByHand(rows []judgedRow) float64 {
	won, pairs := 0.0, 0.0
	for _, a := range rows {
		for _, b := range rows {
			if a.event && !b.event {
				pairs++
				if a.score > b.score {
					won++
				} else if a.score == b.score {
					won += 0.5
				}
			}
		}
	}
	return won / pairs
}

// subgroupsByHand reads the column from the file.
func subgroupsByHand(t *testing.T, rows []judgedRow, got []stat.Subgroup) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/csv/heart-clinic.csv")
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(records[0], "sex")
	for _, g := range got {
		var part []judgedRow
		events, expected := 0.0, 0.0
		for _, r := range rows {
			if records[1+r.row][column] == g.Level {
				part, expected = append(part, r), expected+r.p
				if r.event {
					events++
				}
			}
		}
		if len(part) != g.N || int(events) != g.Events || len(part) == 0 {
			t.Fatalf("%s: %d rows, %d events; by hand %d, %v", g.Level, g.N, g.Events, len(part), events)
		}
		if math.Abs(*g.AUC.Value-aucByHand(part)) > 1e-9 || math.Abs(*g.ObservedExpected.Value-events/expected) > 1e-9 {
			t.Errorf("%s: AUC %v, by hand %v", g.Level, *g.AUC.Value, aucByHand(part))
		}
	}
}

// TestCheckServed: the bootstrap over the API and the form, its progress, its results on the page and in print;
// unstable rows are not printed.
func TestCheckServed(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := runTo(t, s, fmt.Sprintf(alphaSpec, sendFile(t, s, "heart-clinic.csv", nil)))
	if w := ask(s, http.MethodGet, "/api/v1/runs/"+id+"/bootstrap", ""); w.Code != http.StatusNotFound {
		t.Errorf("before: %d", w.Code)
	}
	if w := ask(s, http.MethodPost, "/runs/"+id+"/bootstrap", "replicates=5", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("5 refits: %d", w.Code)
	}
	checkTo(t, s, id)
	if w := ask(s, http.MethodGet, "/api/v1/runs/"+id+"/bootstrap/events", ""); !strings.Contains(w.Body.String(), "event: done") {
		t.Errorf("events: %s", w.Body)
	}
	var check api.Bootstrap
	answer := ask(s, http.MethodGet, "/api/v1/runs/"+id+"/bootstrap", "").Body.Bytes()
	if err := json.Unmarshal(answer, &check); err != nil {
		t.Fatal(err)
	}
	asDescribed(t, "Bootstrap", decoded(t, answer))
	b := check.Result
	if b == nil || b.Replicates != 40 || b.Seed != 5 || b.Stability.Unstable == 0 {
		t.Fatalf("the check says %+v", check)
	}
	first := plain(ask(s, http.MethodGet, "/runs/"+id, "", browser).Body.String())
	share := fmt.Sprintf("falls into another band in %.1f", 100**b.Stability.Mean)
	if !strings.Contains(first, "See optimism and stability") || !strings.Contains(first, "Done: 40 refits") ||
		!strings.Contains(first, share) || strings.Contains(first, "Correct for optimism") {
		t.Errorf("the first page does not say that the bootstrap is done, or not %q", share)
	}
	on := reportWords(t, runHTML(t, s, id))
	in := reportWords(t, ask(s, http.MethodGet, "/report/"+id, "").Body.String())
	if !strings.Contains(on, "Unstable rows Row Band") || strings.Contains(in, "Unstable rows") {
		t.Error("unstable rows are listed on the page and never in print")
	}
	at := slices.IndexFunc(b.Metrics, func(m engine.Corrected) bool { return m.ID == "auc" })
	auc := fmt.Sprintf("%.3f", *b.Metrics[at].Corrected.Value)
	for where, words := range ordered(map[string]string{"page": on, "report": in}) {
		if !strings.Contains(words, auc) || !strings.Contains(words, "odds ratio per natural unit") {
			t.Errorf("%s: no corrected AUC %s, or no forest plot", where, auc)
		}
	}
	if w := ask(s, http.MethodPost, "/api/v1/runs/"+id+"/bootstrap/cancel", ""); w.Code != http.StatusConflict {
		t.Errorf("cancelling what has ended: %d", w.Code)
	}
	if w := ask(s, http.MethodDelete, "/api/v1/runs/"+id, ""); w.Code != http.StatusNoContent {
		t.Errorf("delete: %d", w.Code)
	}
}

// reportSections are the sections of a full report, in order.
var reportSections = []string{"Verdict", "Strata", "Main limits", "Data", "Performance", "Strata in detail", "Classification", "Model", "Robustness", "Label audit",
	"Subgroups", "Limits", "Reproduce this run", "TRIPOD+AI", "Masks"}

// TestReportInFull makes reports for a sample and for a file with four groups, prints both on A4 and Letter and
// finds every section; a column with a hostile name has no effect.
func TestReportInFull(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	text, err := os.ReadFile("../../testdata/csv/heart-clinic.csv")
	if err != nil {
		t.Fatal(err)
	}
	heart := sendFile(t, s, "heart-clinic.csv", bytes.Replace(text, []byte("troponin"), []byte(`"</script><img src=x onerror=alert(1)>"`), 1))
	adni := sendFile(t, s, "adni-like.csv", nil)
	runs := map[string]string{
		"heart": runTo(t, s, fmt.Sprintf(alphaSpec, heart)),
		"groups": runTo(t, s, `{"dataset":"`+adni+`","outcome":"group","positive":"AD","negative":"NC","score_only":["sMCI","pMCI"],"task":"interval",
			"predictors":["roi_01","roi_02","roi_03","roi_04","roi_05"],"model":{"kind":"linear","loss":"logistic","l2":0.05},"boundaries":[0.3,0.6],"validation":{"kind":"cv","folds":5},"seed":2}`),
	}
	checkTo(t, s, runs["heart"])
	b := newTab(t, web.URL)
	for name, id := range ordered(runs) {
		path := "/report/" + id
		if name == "heart" {
			path += "?by=sex"
		}
		everyLook(b, "report-"+name, path)
		everyLook(b, "run-clinical-"+name, "/runs/"+id+"/performance")
		everyLook(b, "run-model-"+name, "/runs/"+id+"/model")
		b.look(680, "light")
		b.open(path)
		for paper, size := range map[string][2]float64{"A4": {8.27, 11.69}, "Letter": {8.5, 11}} {
			on, off := true, false
			out, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: size[0], PaperHeight: size[1], PreferCSSPageSize: &off, PrintBackground: &on})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Data) > 2<<20 {
				t.Errorf("%s on %s: %d bytes", name, paper, len(out.Data))
			}
			words := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(pdfText(t, out.Data))
			if words == "" {
				continue
			}
			at := 0
			for _, title := range reportSections {
				k := strings.Index(words[at:], title)
				if k < 0 {
					t.Fatalf("%s on %s: no section %s after the one before", name, paper, title)
				}
				at += k
			}
			if strings.Contains(words, "Jonckheere") != (name == "groups") {
				t.Errorf("%s on %s: ordered groups", name, paper)
			}
		}
		if n := len(ask(s, http.MethodGet, path+map[bool]string{true: "&", false: "?"}[name == "heart"]+"download=1", "").Body.Bytes()); n > 2<<20 {
			t.Errorf("%s: one file of %d bytes", name, n)
		}
	}
}

// TestRecalibrateServed: a run recalibrated for another prevalence names its parent, predicts the recalibrated risks, and
// has no bootstrap.
func TestRecalibrateServed(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := runTo(t, s, fmt.Sprintf(alphaSpec, sendFile(t, s, "heart-clinic.csv", nil)))
	w := ask(s, http.MethodPost, "/api/v1/runs/"+id+"/recalibrate", `{"prevalence": 0.1}`, "Content-Type: application/json")
	child := reportIDOf(t, w)
	var was, is struct {
		Status string
		engine.Result
	}
	for path, to := range map[string]any{"/api/v1/runs/" + id: &was, "/api/v1/runs/" + child: &is} {
		if err := json.Unmarshal(ask(s, http.MethodGet, path, "").Body.Bytes(), to); err != nil {
			t.Fatal(err)
		}
	}
	rate := float64(was.Flow.TrainedEvents) / float64(was.Flow.Trained)
	want := math.Log(0.1/0.9) - math.Log(rate/(1-rate)) // α = 2: logit P = f/2
	if got := (is.Coefficients[0].Value - was.Coefficients[0].Value) / 2; is.Status != "done" || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: logits moved by %v, want %v", is.Status, got, want)
	}
	page := reportWords(t, ask(s, http.MethodGet, "/runs/"+child+"/model", "", browser).Body.String())
	print := reportWords(t, ask(s, http.MethodGet, "/report/"+child, "").Body.String())
	if !strings.Contains(page, "made from run "+id) || !strings.Contains(print, "Recalibrated from run "+id) {
		t.Error("the parent is not named")
	}
	if w := ask(s, http.MethodPost, "/api/v1/runs/"+child+"/bootstrap", `{}`, "Content-Type: application/json"); w.Code != http.StatusConflict {
		t.Errorf("refits of a recalibrated run: %d", w.Code)
	}
	// Its settings make the parent again, without the recalibration.
	if w := post(s, "/runs/"+child+"/again", browser); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "settings make run "+id) {
		t.Errorf("a recalibrated run made again: %d %s", w.Code, plain(w.Body.String()))
	}
	if strings.Contains(page, "Run again") || strings.Contains(page, "Copy the API call") {
		t.Error("the page of a recalibrated run offers to make it again")
	}
	if _, err := s.app.StartReviewed(t.Context(), store.Run{ID: child}); !usererr.Is(err, usererr.Conflict) || !strings.Contains(err.Error(), "recalibrated, not fitted") {
		t.Errorf("a recalibrated run on reviewed labels: %v", err)
	}
	for _, bad := range []string{`{}`, `{"prevalence": 0}`, `{"prevalence": 0.2, "slope": 1}`, `{"intercept": 0, "slope": -1}`} {
		if w := ask(s, http.MethodPost, "/api/v1/runs/"+id+"/recalibrate", bad, "Content-Type: application/json"); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
	if w := ask(s, http.MethodPost, "/runs/"+id+"/recalibrate", "prevalence=&intercept=0%2C5&slope=", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080"); w.Code != http.StatusSeeOther {
		t.Errorf("the form: %d %s", w.Code, w.Body)
	}
}
