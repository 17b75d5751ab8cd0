package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// wardCanary is a level that occurs only in the uploaded data.
const wardCanary = "ward-kn7d3fq"

// dirtyWithCanary is the dirty sample with one more column, which the model uses.
func dirtyWithCanary(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/csv/heart-clinic-dirty.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	for i := range lines {
		switch lines[i] = strings.TrimRight(lines[i], "\r"); {
		case i == 0: // the title above the header
		case i == 1:
			lines[i] += ";ward"
		case i%3 == 0:
			lines[i] += ";" + wardCanary
		default:
			lines[i] += ";ward-b"
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// TestJourney is the main use from end to end: upload the dirty file, repair it by clicks, read the strata, save,
// restart the program, find the run, score a new file, delete the data, and find nothing of them anywhere.
func TestJourney(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clinic.csv")
	if err := os.WriteFile(file, dirtyWithCanary(t), 0o600); err != nil {
		t.Fatal(err)
	}
	p, b := ownTab(t)
	b.open("/data")
	b.pick(file)
	data := eval[string](b, `location.pathname`)
	b.repair()
	if got := b.text("#result"); !strings.HasSuffix(got, "Nothing needs your attention.") {
		t.Errorf("after the repair: %q", got)
	}
	b.click(`#ds-bar form .btn-1`)
	b.wait(`location.pathname.startsWith('/stratify/') && document.querySelectorAll('#r-strata tbody tr').length === 4`)
	b.click(`.head .acts button[formaction$="/save"]`)
	b.wait(`location.pathname.startsWith('/runs/r') && document.querySelector('#r-strata tbody tr')`)
	run, strata := eval[string](b, `location.pathname`), b.text("#r-strata")
	log := p.log
	b.leave()
	if code := p.stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}

	p = start(t, p.dir)
	b.base = p.base
	b.open("/runs")
	b.click(fmt.Sprintf(`a[href=%s]`, quote(run)))
	b.wait(`document.querySelector('#r-strata tbody tr')`)
	if got := b.text("#r-strata"); got != strata {
		t.Errorf("after the restart the strata read\n%s\nwant\n%s", got, strata)
	}
	b.click(`.tabs a[href$="/patients"]`)
	b.wait(`document.querySelector('#score')`)
	b.do(chromedp.SetUploadFiles(`#score input[type="file"]`, []string{file}))
	b.wait(`document.querySelector('#score-answer [data-save]')`)
	if got := b.text("#score-answer"); !strings.Contains(got, "600") {
		t.Errorf("scoring says %q", got)
	}

	b.open(data)
	b.click(`.head .btn-bad`)
	b.wait(`document.querySelector('dialog').open`)
	if got := b.text("dialog"); !strings.Contains(got, "1 run") {
		t.Errorf("the dialog does not say that a run goes too: %q", got)
	}
	b.click(`dialog .btn-bad`)
	b.wait(`location.pathname === '/data'`)
	b.open("/runs")
	if eval[bool](b, fmt.Sprintf(`Boolean(document.querySelector('a[href=%s]'))`, quote(run))) {
		t.Error("the run outlived its data")
	}
	b.leave()
	nowhere(t, p.dir, wardCanary)
	p.stop()
	for _, where := range found(t, p.dir, wardCanary) {
		t.Errorf("%s still holds a value of the deleted data", where)
	}
	if text := log.String() + p.log.String(); strings.Contains(text, wardCanary) || strings.Contains(text, "clinic.csv") {
		t.Error("the log holds a value or a name of the data")
	}
}

// repair answers the questions about the dirty file.
func (b *tab) repair() {
	b.Helper()
	for _, answer := range [][2]string{
		{"The header looks like line 2.", "Use line 2"},
		{"Which column is the outcome?", "disease"},
		{"not numeric", "Use the limit (0.5 for <0.5)"},
		{"−9 in 9 rows of trestbps.", "Treat as missing"},
		{"−9 in 33 rows of chol.", "Treat as missing"},
		{"differ by a final full stop or case", "Join them"},
		{"patients seen more than once", "Keep together"},
		{"discharge_code alone reaches AUC", "Leave it out"},
	} {
		b.press(answer[0], answer[1])
	}
}

// TestFourClicks counts the clicks from the landing page to a saved and validated run of a clean new file, with the
// one that opens the browser's file dialog, without those in it.
func TestFourClicks(t *testing.T) {
	_, b := ownTab(t)
	clicks := 0
	click := func(selector string) {
		clicks++
		b.click(selector)
	}
	b.open("/")
	click(`.door[value="/data"]`)
	b.wait(`location.pathname === '/data'`)
	clicks++ // “Choose a file” opens the dialog
	b.pick("../../testdata/csv/heart-clinic.csv")
	click(`#ds-notes .btn-1`) // the outcome; its event is unambiguous
	b.wait(`document.querySelector('#ds-bar [name="then"]')`)
	click(`#ds-bar [name="then"]`)
	b.wait(`location.pathname.startsWith('/runs/') && document.querySelectorAll('#r-strata tbody tr').length === 4`)
	if verdict := b.text(`.result`); !strings.Contains(verdict, "inside their limits") {
		t.Errorf("the run says %q", verdict)
	}
	if clicks > 4 {
		t.Errorf("%d clicks, at most 4 are allowed", clicks)
	}
}
