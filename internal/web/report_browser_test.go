package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/page/report"
	"taper/internal/web/render"
	"taper/testdata"
	"taper/web/templates"
)

// sampleReport serves the report of the sample run.
func sampleReport(t *testing.T) string {
	t.Helper()
	inBrowser(t)
	s, _ := testServer(t, Config{})
	run, data := reportRun()
	s.echo.GET("/sample", func(c echo.Context) error {
		return s.render(c, http.StatusOK, templates.ReportPage(s.page(c, "Report"), render.Report(report.Build(run, data), run.ID)))
	})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

// TestReportLook shows the report in both widths, which is light in both themes.
func TestReportLook(t *testing.T) {
	b := newTab(t, sampleReport(t))
	everyLook(b, "report", "/sample")
	b.look(1280, "dark")
	b.open("/sample")
	if bg := eval[string](b, `getComputedStyle(document.querySelector('.sheet')).backgroundColor`); bg != "rgb(255, 255, 255)" {
		t.Errorf("in the dark theme the sheet is %s", bg)
	}
}

// TestReportHelp presses ? on a report and closes the panel again; the printed page has no help.
func TestReportHelp(t *testing.T) {
	b := newTab(t, sampleReport(t))
	b.look(1280, "light")
	b.open("/sample")
	b.do(chromedp.KeyEvent("?"))
	b.wait(`document.querySelector('dialog.help-panel[open] [data-help-here]')?.textContent.length > 100`)
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	if n := eval[int](b, `document.querySelector('dialog.help-panel').getClientRects().length`); n > 0 {
		t.Error("the help is printed over the report")
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "screen"}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.KeyEvent("\x1b"))
	b.wait(`!document.querySelector('dialog.help-panel').open`)
	b.clean()
}

// TestReportPrints makes the PDF and looks for its first and last words on A4 pages; nothing exceeds the page.
func TestReportPrints(t *testing.T) {
	b := newTab(t, sampleReport(t))
	b.look(680, "light") // A4 width without the margins
	b.open("/sample")
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	wide := eval[[]string](b, `(() => {
		const edge = document.querySelector('.sheet').getBoundingClientRect().right + 1;
		return [...document.querySelectorAll('.sheet *')].filter((e) => e.getClientRects().length > 0 && e.getBoundingClientRect().right > edge)
			.slice(0, 5).map((e) => e.outerHTML.slice(0, 120));
	})()`)
	if len(wide) > 0 {
		t.Errorf("beyond the sheet:\n\t%s", strings.Join(wide, "\n\t"))
	}
	out := b.pdf()
	if n := bytes.Count(out, []byte("/MediaBox")); n < 2 || n > 8 {
		t.Errorf("%d pages", n)
	}
	words := pdfText(t, out)
	for _, want := range []string{"Risk bands for malignant", "Verdict", "167 – 175", "cut-offs: −1.0986", `"seed": 7`, "Not a medical device"} {
		if words != "" && !strings.Contains(strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(words), want) {
			t.Errorf("the PDF lacks %q", want)
		}
	}
}

// TestReportFirstPage: the summary of every kind of report fits on one page of A4, alone; its figures are side by
// side on paper and stacked at 360 px, and references to long tables lead to their appendices.
func TestReportFirstPage(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	clinic, stages := heart(t, s), bring(t, s, stagesCSV())
	develop, validate := halves()
	half := trained(t, s, heartSpec(bring(t, s, develop), "Half", "logistic", .25, .5, .75))
	classes := func(task string) store.Run {
		return trained(t, s, runspec.Spec{Dataset: stages.ID, Outcome: "stage", Task: task, Seed: 5,
			Levels: []string{"low", "mid", "high", "top " + evilName}, Predictors: []string{"size", "side"},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}, Model: fit.Spec{Kind: "linear", L2: fit.L2{Value: .01}}})
	}
	many := bring(t, s, longNamesCSV())
	cells := bringAnswered(t, s, string(testdata.Read("wdbc.csv")))
	soft := "/report/" + trained(t, s, heartSpec(clinic, "Risk", "logistic", .1, .25, .5, .75)).ID
	paths := map[string]string{"masked": soft, "shown": soft + "?counts=shown",
		"many bands, long names": "/report/" + trained(t, s, runspec.Spec{Dataset: many.ID, Outcome: longOutcome,
			Positive: table.Levels{longEvent}, Task: "interval", Boundaries: []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9}, Seed: 7,
			Model:      fit.Spec{Kind: "linear", Loss: "interval", L2: fit.L2{Value: .01}},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}}).ID,
		"long verdict": "/report/" + trained(t, s, runspec.Spec{Dataset: cells.ID, Outcome: "diagnosis",
			Positive: table.Levels{"malignant"}, Task: "binary", Boundaries: []float64{.25, .5, .75}, Seed: 7,
			Model:      fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.0}, L2: fit.L2{Value: .01}},
			Validation: runspec.Validation{Kind: "cv", Folds: 5}}).ID,
		"bands":      "/report/" + trained(t, s, heartSpec(clinic, "", "interval", .25, .5, .75)).ID,
		"multiclass": "/report/" + classes("multiclass").ID, "ordinal": "/report/" + classes("ordinal").ID,
		"external": "/evaluations/" + judgedBy(t, s, half.ID, "new.csv", validate)}
	b := newTab(t, web.URL)
	for name, path := range ordered(paths) {
		b.look(360, "light")
		b.open(path)
		columns := `(() => { const all = document.querySelectorAll('#summary > section > .pair'); return all.length === 0 ? -1 :
			getComputedStyle(all[0]).gridTemplateColumns.split(' ').length; })()`
		if n := eval[int](b, columns); n > 1 {
			t.Errorf("%s: %d columns at 360 px", name, n)
		}
		if broken := eval[[]string](b, `[...document.querySelectorAll('#sheet a[href^="#"]')].map((a) => a.getAttribute('href'))
			.filter((to) => !document.querySelector(to))`); len(broken) > 0 {
			t.Errorf("%s leads to %v", name, broken)
		}
		b.look(680, "light") // A4 width without the margins
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
			t.Fatal(err)
		}
		if n := eval[int](b, columns); n == 1 {
			t.Errorf("%s: its pictures stand below one another on paper", name)
		}
		const left = (297 - 14 - 18) / 25.4 * 96 // of A4 between the margins, in CSS pixels
		if high := eval[float64](b, `document.getElementById('summary').getBoundingClientRect().height`); high > left {
			t.Errorf("%s: the first page is %.0f px high, and A4 leaves %.0f", name, high, left)
		}
		text := strings.Split(pdfText(t, b.pdf()), "\f")
		if len(text) > 2 && (!strings.Contains(text[0], "Main limits") || strings.Contains(text[0], "rows read") || !strings.Contains(text[1], "rows read")) {
			t.Errorf("%s: the first two pages say\n%s\n%s", name, text[0], text[1])
		}
		b.exec(`document.querySelectorAll('#sheet > :not(#summary)').forEach((e) => e.remove())`)
		if n := bytes.Count(b.pdf(), []byte("/MediaBox")); n != 1 {
			t.Errorf("%s: the summary alone takes %d pages", name, n)
		}
	}
}

// TestReportReadable: on a screen no text of a report is smaller than 12 px, in drawings as it is scaled; the labels
// of a drawing do not cover each other, and nothing exceeds the sheet.
func TestReportReadable(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	clinic, stages := heart(t, s), bring(t, s, stagesCSV())
	develop, validate := halves()
	half := trained(t, s, heartSpec(bring(t, s, develop), "Half", "logistic", .25, .5, .75))
	paths := map[string]string{
		"binary":   "/report/" + trained(t, s, heartSpec(clinic, "", "logistic", .25, .5, .75)).ID + "?counts=shown",
		"interval": "/report/" + trained(t, s, heartSpec(clinic, "", "interval", .25, .5, .75)).ID,
		"multiclass": "/report/" + trained(t, s, runspec.Spec{Dataset: stages.ID, Outcome: "stage", Task: "multiclass", Seed: 5,
			Levels: []string{"low", "mid", "high", "top " + evilName}, Predictors: []string{"size", "side"},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}, Model: fit.Spec{Kind: "linear", L2: fit.L2{Value: .01}}}).ID,
		"external": "/evaluations/" + judgedBy(t, s, half.ID, "new.csv", validate),
	}
	b := newTab(t, web.URL)
	for name, path := range ordered(paths) {
		for _, width := range []int{1280, 360} {
			where := fmt.Sprintf("%s at %d px", name, width)
			b.look(width, "light")
			b.open(path)
			b.drawn()
			b.fits(where)
			for _, fault := range eval[[]string](b, tooSmall) {
				t.Errorf("%s: %s", where, fault)
			}
			if n := eval[int](b, `[...document.querySelectorAll('.fig-wide')].filter((e) => e.scrollWidth > e.clientWidth).length`); n > 0 {
				t.Errorf("%s: %d drawings scroll", where, n)
			}
			if shots() {
				b.shot(fmt.Sprintf("report-%s-%d", name, width))
			}
		}
	}
}

// tooSmall lists texts of the report under 12 px, labels of one drawing that cover each other, and, where the sheet
// has its full width, what exceeds it, and intervals of bands that stand below their rates. Indices and exponents are
// smaller than their text, and the boxes of labels are higher by 4 px than their digits.
const tooSmall = `(() => {
	const faults = new Map(), add = (what, e, text) => faults.set(what + ' ' + e.tagName + '.' + (e.getAttribute('class') ?? '') +
		' in ' + (e.closest('[aria-labelledby]')?.getAttribute('aria-labelledby') ?? 'the sheet'), text);
	const desk = document.querySelector('.desk'), words = document.createTreeWalker(desk, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const e = words.currentNode.parentElement, text = words.currentNode.data.trim();
		if (!text || e.getClientRects().length === 0 || e.closest('sub, sup, math, .vh, title, desc, option, script')) continue;
		const m = e instanceof SVGElement ? e.getScreenCTM() : undefined;
		const size = parseFloat(getComputedStyle(e).fontSize) * (m ? Math.min(Math.hypot(m.a, m.b), Math.hypot(m.c, m.d)) : 1);
		if (size < 11.95 && innerWidth > 759) add(size.toFixed(1) + ' px', e, text.slice(0, 40));
	}
	for (const svg of desk.querySelectorAll('svg')) {
		const all = [...svg.querySelectorAll('text')].filter((e) => e.getClientRects().length > 0 && e.textContent.trim())
			.map((e) => [e, e.getBoundingClientRect()]);
		all.forEach(([e, a], i) => all.slice(i + 1).forEach(([f, c]) => {
			const over = Math.min(Math.min(a.right, c.right) - Math.max(a.left, c.left), Math.min(a.bottom, c.bottom) - Math.max(a.top, c.top) - 4);
			if (over > 0) add('covered by ' + over.toFixed(1) + ' px', e, e.textContent + ' | ' + f.textContent);
		}));
		if (innerWidth <= 759) continue;
		const box = svg.getBoundingClientRect();
		for (const [e, r] of all) if (r.right > box.right + 3 || r.left < box.left - 3) add('beyond its drawing', e, e.textContent);
	}
	if (innerWidth > 759) for (const e of desk.querySelectorAll('.rep-strata td .ci')) {
		const cell = e.closest('td').getBoundingClientRect(), own = e.getBoundingClientRect();
		if (own.top - cell.top > 12) add('below its rate', e, e.textContent);
	}
	const edge = document.querySelector('.sheet').getBoundingClientRect().right + 1;
	if (innerWidth > 759) for (const e of document.querySelectorAll('.sheet *')) {
		if (e.getClientRects().length > 0 && e.getBoundingClientRect().right > edge && !e.closest('.vh')) add('beyond the sheet', e, e.textContent.slice(0, 40));
	}
	return [...faults].map(([what, text]) => what + ': ' + text);
})()`

// Long names, as in registries.
const (
	longOutcome = "Wiederaufnahme innerhalb von 30 Tagen nach der Entlassung aus der kardiologischen Abteilung"
	longEvent   = "ja, mindestens eine ungeplante Wiederaufnahme"
)

// longNamesCSV is a file with such names, whose risks cover all ten bands.
func longNamesCSV() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Vorherige_Krankenhausaufnahmen_wegen_dekompensierter_Herzinsuffizienz;Alter;%s\n", longOutcome)
	for i := range 500 {
		stays, age := i%5, 45+7*i%40
		outcome := "nein, keine ungeplante Wiederaufnahme"
		if 10*stays+age+37*i%60 > 115 {
			outcome = longEvent
		}
		fmt.Fprintf(&out, "%d;%d;%s\n", stays, age, outcome)
	}
	return out.String()
}

// pdf prints the page in its own paper size.
func (b *tab) pdf() []byte {
	b.Helper()
	on := true
	out, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &on, PrintBackground: &on})
	if err != nil {
		b.Fatal(err)
	}
	return out.Data
}

// pdfText extracts the text of a PDF with poppler, "" if that is not installed.
func pdfText(t *testing.T, pdf []byte) string {
	t.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Log("pdftotext is not installed: the words of the PDF are not read")
		return ""
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(tool, "-layout", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReportServed covers everything: upload, run, both addresses, download.
func TestReportServed(t *testing.T) {
	s, _ := testServer(t, Config{})
	csv := "age,side,outcome\n"
	for i := range 120 {
		outcome := "no"
		if (i*7)%20+i/12 > 13 {
			outcome = "yes"
		}
		csv += strings.Join([]string{string(rune('1'+i/20)) + string(rune('0'+i%10)), []string{"left", "right", "both"}[i%3], outcome}, ",") + "\n"
	}
	w := ask(s, http.MethodPost, "/api/v1/datasets", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"+csv+"\r\n--x--\r\n", "Content-Type: multipart/form-data; boundary=x")
	id := reportIDOf(t, w)
	w = ask(s, http.MethodPost, "/api/v1/runs", `{"dataset":"`+id+`","outcome":"outcome","positive":"yes","task":"interval",
		"model":{"kind":"linear","loss":"interval","l2":0.01},"boundaries":[0.3,0.6],"validation":{"kind":"cv","folds":3},"seed":1}`, "Content-Type: application/json")
	run := reportIDOf(t, w)
	finished(t, s, run)
	for _, path := range []string{"/report/" + run, "/api/v1/runs/" + run + "/report"} {
		w := ask(s, http.MethodGet, path, "")
		body := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(body, "<svg") || strings.Contains(body, "style=") {
			t.Errorf("%s: %d, %d bytes", path, w.Code, len(body))
		}
		scripts := strings.Count(body, "<script") - strings.Count(body, "js/sheet.js\"></script>")
		if offers := strings.Contains(body, `href="/help/runs" aria-label="Help"`); scripts != 0 ||
			offers != strings.HasPrefix(path, "/report/") {
			t.Errorf("%s: %d other scripts, help %v", path, scripts, offers)
		}
		w = ask(s, http.MethodGet, path+"?download=1", "")
		if body := w.Body.String(); !strings.Contains(body, "<style>") || strings.Contains(body, "<link") || !strings.Contains(w.Header().Get("Content-Disposition"), "report-"+run) {
			t.Errorf("%s as a file: %s", path, w.Header())
		}
	}
	for path, want := range map[string]string{
		"/report/" + run:                               "<dd class=\"\">1 to 9 masked</dd>",
		"/report/" + run + "?counts=shown":             "<dd class=\"\">shown in full</dd>",
		"/report/" + run + "?counts=shown&download=1":  "<dd class=\"\">shown in full</dd>",
		"/api/v1/runs/" + run + "/report":              "<dd class=\"\">1 to 9 masked</dd>",
		"/api/v1/runs/" + run + "/report?counts=shown": "<dd class=\"\">shown in full</dd>",
		"/report/" + run + "?by=side":                  "by=side&amp;counts=shown",
		"/report/" + run + "?counts=shown&by=side":     "by=side&amp;counts=shown&amp;download=1",
	} {
		if w := ask(s, http.MethodGet, path, ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d, lacks %s", path, w.Code, want)
		}
	}
	if w := ask(s, http.MethodGet, "/report/"+run+"?counts=some", ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("counts=some: %d", w.Code)
	}
	if w := ask(s, http.MethodGet, "/report/none", ""); w.Code != http.StatusNotFound {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

func reportIDOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return made.ID
}
