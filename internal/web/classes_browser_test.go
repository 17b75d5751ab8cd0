package web

import (
	"os"
	"strings"
	"testing"
)

// TestClassesLook trains on the three species of iris in every look: steers, saves, opens and prints.
func TestClassesLook(t *testing.T) {
	inBrowser(t)
	p := start(t, t.TempDir())
	data, err := os.ReadFile("../../testdata/csv/iris.csv")
	if err != nil {
		t.Fatal(err)
	}
	id := p.upload("iris.csv", data)
	b := newTab(t, p.base)
	at := "/stratify/" + id + "?outcome=species&task="
	everyLook(b, "classes-abstain", at+"abstain")
	everyLook(b, "classes-cost", at+"multiclass&method=al-cost&noise=random&rate=0.2")
	b.look(1280, "light")

	b.open("/data/" + id)
	if got := b.text("main"); !strings.Contains(got, "Ordered classes") {
		t.Error("the page of the data does not offer ordered classes")
	}
	b.click(`a[href$="task=multiclass"]`)
	b.wait(`document.querySelector('#r-classes table')`)
	b.exec(`(() => { const s = document.querySelector('#method'); s.value = 'softmax'; s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search.includes('method=softmax') && document.querySelector('#r-coefficients').textContent.includes('OR ')`)
	b.exec(`(() => { const s = document.querySelector('#noise'); s.value = 'random'; s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search.includes('noise=random') && document.querySelector('#r-noise').innerText.startsWith('15 of 150 training labels') && document.querySelector('#n-rate')`)
	b.clean()
	b.click(`button[formaction$="/save"]`)
	b.wait(`location.pathname.startsWith('/runs/') && document.querySelector('.tabs')`)
	run := eval[string](b, `location.pathname`)
	if got := b.text("#result"); !strings.Contains(got, "% correct.") {
		t.Errorf("the run says %q", got)
	}
	b.click(`.tabs a[href$="/patients"]`)
	b.wait(`document.querySelector('#patient')`)
	b.click(`#patient .btn-1`)
	b.wait(`document.querySelector('#patient-answer .result')`)
	if got := b.text("#patient-answer"); !strings.Contains(got, "is the answer for species") || !strings.Contains(got, "by the softmax link") {
		t.Errorf("one patient: %q", got)
	}
	everyLook(b, "classes-run", run)
	everyLook(b, "classes-run-patients", run+"/patients")
	for at, drawn := range ordered(map[string][]string{"/performance": {"roc", "calibration"}, "/model": {"convergence"}}) {
		everyLook(b, "classes-run-"+at[1:], run+at)
		for _, id := range drawn {
			b.wait(`document.querySelector('#` + id + ` canvas, #` + id + ` svg')`)
		}
	}
	everyLook(b, "classes-report", strings.Replace(run, "/runs/", "/report/", 1))
	b.look(1280, "light")
	b.open("/runs")
	if got := b.text(".runs"); !strings.Contains(got, "Accuracy 9") {
		t.Errorf("the list of runs says %q", got)
	}
}
