package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/app"
	"taper/internal/testtime"
)

// overAPI sends JSON to the running program and returns its answer.
func overAPI(t *testing.T, base, method, path, body string) map[string]any {
	t.Helper()
	req, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, b, err)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// doneOverAPI waits until a run has succeeded.
func doneOverAPI(t *testing.T, base, run string) {
	t.Helper()
	var status string
	testtime.Until(t, "the end of run "+run, func() bool {
		status, _ = overAPI(t, base, "GET", "/api/v1/runs/"+run, "")["status"].(string)
		return app.HasEnded(status)
	})
	if status != "done" {
		t.Fatalf("the run is %s", status)
	}
}

// auditedClinic makes a run of the clinic file that contains a canary level.
func auditedClinic(t *testing.T, p *program) string {
	t.Helper()
	lines := []string{"age,site,load,disease"}
	for i := range 240 {
		age, load, site, class := 30+i*37%50, float64(i*53%101)/50, []string{wardCanary, "B", "C"}[i%3], "no"
		if float64(age-55)/8+load > 1 != (i%19 == 3) { // one label in nineteen is wrong
			class = "yes"
		}
		lines = append(lines, fmt.Sprintf("%d,%s,%.2f,%s", age, site, load, class))
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("file", "visits.csv")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(part, strings.Join(lines, "\n"))
	m.Close()
	req, err := http.NewRequest("POST", p.base+"/api/v1/datasets", &form)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", m.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var d struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&d); err != nil || res.StatusCode != 201 {
		t.Fatal(res.StatusCode, err)
	}
	run := overAPI(t, p.base, "POST", "/api/v1/runs", `{"dataset":"`+d.ID+`","outcome":"disease","positive":"yes","predictors":["age","site","load"],"task":"binary","model":{"loss":"alpha","params":{"alpha":4},"l2":"cv","tuning":"same-folds"},"seed":3,"name":"Visits"}`)["id"].(string)
	doneOverAPI(t, p.base, run)
	return run
}

// TestAuditByKeyboard is a complete review: rank, decide and undo by keys, write a note, restart the program,
// continue, fit the child run, and compare it with its parent. No data get into the log or into addresses.
func TestAuditByKeyboard(t *testing.T) {
	inBrowser(t)
	p := start(t, "")
	run := auditedClinic(t, p)
	b := newTab(t, p.base)
	b.open("/runs/" + run)
	b.click(`a[href="/audit/` + run + `"]`)
	b.wait(`location.pathname.startsWith('/audit/')`)
	everyLook(b, "audit-start", "/audit/"+run)
	b.look(1280, "light")
	b.click(`main form .btn-1`)
	b.wait(`document.querySelector('#card')`)
	b.look(360, "light")
	b.wait(`document.querySelector('.audit-desk').firstElementChild.id === 'card'`)
	b.tabsDown("the audit at 360 px")
	b.look(1280, "light")

	card := func() string { return b.text("#card-h") }
	key := func(k string) {
		t.Helper()
		at := eval[string](b, `location.href + document.querySelector('#audit-tally').innerText`)
		b.do(chromedp.KeyEvent(k))
		b.wait(fmt.Sprintf(`document.querySelector('#card') && location.href + document.querySelector('#audit-tally').innerText !== %s`, quote(at)))
	}
	first := card()
	key("f")
	b.wait(`document.activeElement.id === 'card'`)
	second := card()
	if first == second {
		t.Fatal("a decision does not lead to the next row")
	}
	key("k")
	key("e")
	fourth := card()
	key("j")
	if card() == fourth {
		t.Error("j does not lead on")
	}
	key(kb.ArrowUp)
	if got := card(); got != fourth {
		t.Errorf("↑ leads to %s, not back to %s", got, fourth)
	}
	b.do(chromedp.KeyEvent("n"))
	b.wait(`document.activeElement.tagName === 'TEXTAREA'`)
	b.do(chromedp.SendKeys(`#card textarea`, "ask k about f"), chromedp.KeyEvent(kb.Escape))
	key("u")
	tally := func() string { return b.text("#audit-tally") }
	if got := tally(); !strings.Contains(got, "1 of 4") {
		t.Errorf("after flip, keep, exclude, unsure the tally is %q", got)
	}
	key("z")
	if got, at := tally(), card(); !strings.Contains(got, "1 of 3") || at != fourth {
		t.Errorf("after the undo the tally is %q at %s", got, at)
	}
	key("u")
	key("k")
	if !eval[bool](b, `document.querySelector('figure .fig-plot svg') !== null`) {
		t.Error("after five decisions there is no running rate")
	}
	key("z")
	url := eval[string](b, `location.href`)
	before := tally()
	for _, text := range []string{url, p.log.String()} {
		if strings.Contains(text, wardCanary) || strings.Contains(text, "ask k about") {
			t.Errorf("the data show in %q", text)
		}
	}
	b.leave()
	if code := p.stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}

	p = start(t, p.dir)
	b.base = p.base
	b.open("/audit/" + run)
	if got := tally(); got != before {
		t.Errorf("after the restart the tally is\n%s\nwant\n%s", got, before)
	}
	for _, path := range []string{"", "?state=flip", "?blind=0"} {
		everyLook(b, "audit"+strings.NewReplacer("?", "-", "=", "-").Replace(path), "/audit/"+run+path)
	}
	b.look(1280, "light")
	b.open("/audit/" + run)
	b.click(`#try form .btn`)
	b.wait(`document.querySelector('#try table')`)
	b.shot("audit-tried-1280-light")
	b.click(`form[action$="/refit"] .btn-1`)
	b.wait(`location.pathname.startsWith('/runs/r') && document.querySelector('#r-strata tbody tr')`)
	child := strings.TrimPrefix(eval[string](b, `location.pathname`), "/runs/")
	everyLook(b, "audit-beside", "/audit/"+run+"/beside/"+child)
	b.open("/audit/" + run)
	if got := b.text(".audit-children"); !strings.Contains(got, "2 changes") || !strings.Contains(got, "Compare with its parent") {
		t.Errorf("the children are %q", got)
	}
	if log := p.log.String(); strings.Contains(log, wardCanary) || strings.Contains(log, "ask k about") {
		t.Error("the log holds data")
	}
}
