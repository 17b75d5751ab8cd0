package web

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/store"
	"taper/internal/testtime"
)

// runsTab is a tab on three finished runs.
func runsTab(t *testing.T) (*tab, *Server, []store.Run) {
	t.Helper()
	inBrowser(t)
	s, r := threeRuns(t)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return newTab(t, web.URL), s, r
}

// TestRunsLook opens the pages of runs in every look.
func TestRunsLook(t *testing.T) {
	b, _, r := runsTab(t)
	for name, path := range ordered(map[string]string{
		"runs": "/runs", "runs-none": "/runs?q=nothing", "runs-delete": "/runs/delete?id=" + r[0].ID + "&id=" + r[2].ID,
		"run": "/runs/" + r[0].ID, "run-patients": "/runs/" + r[1].ID + "/patients?band=0",
	}) {
		everyLook(b, name, path)
	}
	for _, width := range []int{600, 800, 1000, 1150} {
		b.look(width, "light")
		b.open("/runs")
		b.fits(fmt.Sprintf("runs at %d", width))
	}
	b.look(1280, "light")
	b.open("/runs")
	b.click(`[data-select-all]`)
	b.click(`#pick .btn-bad`)
	b.wait(`document.querySelector('dialog[open]')`)
	b.shot("runs-dialog-1280-light")
}

// TestRunsByHand uses the list as a person does: sort, filter, select, ask and keep, delete, one by its menu and
// two by the bar.
func TestRunsByHand(t *testing.T) {
	b, _, r := runsTab(t)
	row := func(i int) string { return "#" + r[i].ID }
	b.open("/runs")
	b.click(`th a[href*="sort=name"]`)
	b.wait(`document.querySelector('th[aria-sort="ascending"] a')?.textContent.includes('Name')`)
	if got := eval[string](b, `document.querySelector('.runs tbody tr').id`); got != r[2].ID {
		t.Errorf("by name %s comes first", got)
	}
	b.exec(`(() => { const s = document.querySelector('select[name="loss"]'); s.value = 'interval'; s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search === '?loss=interval&sort=name' && document.querySelectorAll('.runs tbody tr').length === 2`)
	if got := eval[string](b, `(() => { // as after Back to a page that the browser kept
		const s = document.querySelector('select[name="loss"]');
		s.value = '';
		dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}));
		return s.value;
	})()`); got != "interval" {
		t.Errorf("after Back the list of interval fits says it shows %q", got)
	}

	if eval[bool](b, `document.querySelector('#pick').checkVisibility()`) {
		t.Error("the bar of the selection shows before anything is selected")
	}
	b.click(row(0) + ` input`)
	b.wait(`document.querySelector('#pick').checkVisibility() && document.querySelector('[data-selected]').textContent === '1 selected'`)
	b.click(`[data-select-all]`)
	b.wait(`document.querySelector('#pick .btn-bad').textContent.includes('Delete 2')`)
	b.look(360, "dark")
	b.fits("selection at 360")
	b.axe("selection")
	b.shot("runs-selected-360-dark")
	b.look(1280, "light")
	b.shot("runs-selected-1280-light")
	b.look(1280, "light")
	b.click(`#pick .btn-bad`)
	b.wait(`document.querySelector('dialog[open]')`)
	if got := b.text("dialog"); !strings.Contains(got, "Delete 2 runs?") || !strings.Contains(got, "1112 scored rows") {
		t.Errorf("the dialog asks %q", got)
	}
	if got := eval[string](b, `document.activeElement.textContent`); got != "Keep" {
		t.Errorf("the dialog opens on %q, want the safe button", got)
	}
	b.axe("dialog of two runs")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`!document.querySelector('dialog')`)
	b.click(`#pick [type="reset"]`)
	b.wait(`!document.querySelector('#pick').checkVisibility()`)

	b.click(row(2) + ` .menu summary`)
	b.shot("runs-menu-1280-light")
	b.look(1280, "light")
	b.do(chromedp.Focus(row(2) + ` .menu summary`))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`!document.querySelector('.menu[open]')`)
	b.click(row(2) + ` .menu summary`)
	b.click(row(2) + ` .menu .bad`)
	b.wait(`document.querySelector('dialog[open]')`)
	b.click(`dialog .btn-bad`)
	b.wait(`document.querySelectorAll('.runs tbody tr').length === 1`)
	if got := eval[string](b, `location.pathname + location.search`); got != "/runs?loss=interval&sort=name" {
		t.Errorf("after a deletion the page is %s", got)
	}
	b.open("/runs")
	b.click(`[data-select-all]`)
	b.click(`#pick .btn-bad`)
	b.wait(`document.querySelector('dialog[open]')`)
	b.click(`dialog .btn-bad`)
	b.wait(`document.querySelector('.empty')`)
	everyLook(b, "runs-empty", "/runs")
}

// TestRunUse renames a run, follows its tabs, scores a file, validates the model, is refused, and predicts for one
// patient.
func TestRunUse(t *testing.T) {
	b, s, r := runsTab(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	page := "/runs/" + r[0].ID + "/patients"
	b.open("/runs/" + r[0].ID)
	b.do(chromedp.SetValue(`#run-name`, "Second name"), chromedp.SetValue(`#run-notes`, "seen by two"))
	b.click(`.about button`)
	b.wait(`document.querySelector('h1').textContent === 'Second name'`)
	b.click(`.tabs a[href="` + page + `"]`)
	b.wait(`location.pathname === '` + page + `' && document.querySelector('.tabs [aria-current]').textContent === 'Patients'`)

	b.do(chromedp.SetUploadFiles(`#score input[type="file"]`, []string{write("ward 3.csv", newPatients(t))}))
	b.wait(`document.querySelector('#score-answer [data-save]')?.href.startsWith('blob:')`)
	if got := b.text("#score-answer"); !strings.Contains(got, "40 rows scored.") || !strings.Contains(got, "Save ward 3-scored.csv") {
		t.Errorf("the answer says %q", got)
	}
	want := ask(s, "POST", "/api/v1/runs/"+r[0].ID+"/predict", newPatients(t), "Content-Type: text/csv").Body.String()
	if got := savedFile(b, dir, "ward 3-scored.csv"); got != want {
		t.Errorf("the file that is saved differs from the API's: %.200q", got)
	}
	b.click(`#score-evaluate`)
	b.wait(`document.querySelector('#judged tbody tr')`)
	b.axe("a scored file")
	b.fits("a scored file")
	b.shot("run-scored-1280-light")
	b.look(1280, "light")
	b.look(360, "dark")
	b.fits("a scored file at 360")
	if wide := eval[int](b, `Math.max(...[...document.querySelectorAll('#score-answer .scroll')].map((e) => e.scrollWidth - e.clientWidth))`); wide > 0 {
		t.Errorf("at 360 the first rows are %d px wider than their place", wide)
	}
	b.axe("a scored file at 360")
	b.shot("run-scored-360-dark")
	b.look(1280, "light")
	b.do(chromedp.SetUploadFiles(`#score input[type="file"]`, []string{write("other.csv", "a,b\n1,2\n3,4\n")}))
	b.wait(`document.querySelector('#score [data-problem]').textContent.startsWith('The data lack columns')`)
	b.expect("422")
	if eval[bool](b, `Boolean(document.querySelector('#score-answer').children.length)`) {
		t.Error("the answer of another file stays beside the refusal")
	}

	b.do(chromedp.SetValue(`[name="x:age"]`, "71,5"))
	b.click(`#patient .btn-1`)
	b.wait(`document.querySelector('#patient-answer .result')`)
	first := b.text("#patient-answer")
	if !strings.Contains(first, "Predicted risk: from 25 to 50\u00a0% (disease = yes)") || strings.Contains(first, "by the logistic link") {
		t.Errorf("one patient: %q", first)
	}
	b.axe("one patient")
	b.shot("run-patient-answer-1280-light")
	b.look(1280, "light")
	b.do(chromedp.SetValue(`[name="x:age"]`, "old"))
	b.click(`#patient .btn-1`)
	b.wait(`document.querySelector('#patient-answer .err')`)
	b.expect("422")
	if got := eval[string](b, `document.activeElement.name`); got != "x:age" {
		t.Errorf("the cursor is in %q, want the wrong field", got)
	}
	if got := eval[string](b, `location.pathname + location.search`); got != page {
		t.Errorf("the address is %s", got)
	}
	b.look(360, "light")
	b.open(page)
	b.drawn()
	b.fits("the page of patients at 360")
	b.shot("run-360-light")
}

// savedFile clicks the link of a scored file and reads the downloaded file.
func savedFile(b *tab, dir, name string) string {
	b.Helper()
	_, err := chromedp.Call(b.ctx, browserdomain.SetDownloadBehavior, browserdomain.SetDownloadBehaviorParams{
		Behavior: browserdomain.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID})
	if err != nil {
		b.Fatal(err)
	}
	b.click(`#score-answer [data-save]`)
	var text []byte
	testtime.Until(b, name, func() bool {
		text, err = os.ReadFile(filepath.Join(dir, name)) // it gets this name when complete
		return err == nil && len(text) > 0
	})
	return string(text)
}

// TestBoxesStandStill: a box that is selected stays where it was.
func TestBoxesStandStill(t *testing.T) {
	b, _, _ := runsTab(t)
	b.open("/runs")
	const tops = `[...document.querySelectorAll('.runs .cb')].map((e) => e.getBoundingClientRect().top)`
	before := eval[[]float64](b, tops)
	if len(before) < 2 {
		t.Fatalf("boxes at %v", before)
	}
	b.click(`.runs tbody .cb`)
	b.wait(`document.querySelector('#pick').checkVisibility()`)
	if after := eval[[]float64](b, tops); !slices.Equal(after, before) {
		t.Errorf("the boxes stand at %v, and after one was selected at %v", before, after)
	}
}

// TestCheckedRunOnAPhone: the tables of a run whose optimism was checked are no wider than a phone.
func TestCheckedRunOnAPhone(t *testing.T) {
	b, _, r := runsTab(t)
	b.look(360, "light")
	b.open("/runs/" + r[0].ID + "/performance")
	b.exec(`document.querySelector('form[action$="/bootstrap"] input').value = '20'`)
	b.click(`form[action$="/bootstrap"] button`)
	b.wait(`[...document.querySelectorAll('button')].some((b) => b.textContent.includes('Check again'))`)
	for _, wide := range eval[[]string](b, `[...document.querySelectorAll('main .scroll')].filter((e) =>
		e.scrollWidth > e.clientWidth).map((e) => e.textContent.slice(0, 60))`) {
		t.Errorf("wider than its place: %q", wide)
	}
}
