package web

import (
	"strings"
	"testing"
)

// TestKeepTheModel deletes data in the dialog and keeps their model: the list marks it, its page and its report
// open, and it predicts for one patient.
func TestKeepTheModel(t *testing.T) {
	inBrowser(t)
	p := start(t, "")
	run := auditedClinic(t, p)
	data := overAPI(t, p.base, "GET", "/api/v1/runs/"+run, "")["dataset"].(string)
	b := newTab(t, p.base)
	everyLook(b, "keep-question", "/data/"+data+"/delete")
	b.open("/data/" + data)
	b.look(1280, "light")
	b.click(`[data-dialog="delete-` + data + `"]`)
	b.wait(`document.querySelector('dialog[open]')`)
	b.axe("the dialog")
	b.shot("keep-dialog")
	b.click(`dialog[open] form:has(input[name="models"]) button`)
	b.wait(`location.pathname === '/runs' && document.body.innerText.includes('data deleted')`)
	everyLook(b, "keep-runs", "/runs?dataset="+data)
	for _, at := range []string{"", "/performance", "/model", "/patients"} {
		everyLook(b, "keep-run"+strings.ReplaceAll(at, "/", "-"), "/runs/"+run+at)
	}
	everyLook(b, "keep-report", "/report/"+run)
	b.open("/runs/" + run + "/patients")
	b.click(`form[data-swap="patient-answer"] button`)
	b.wait(`document.body.innerText.includes('risk')`)
	b.clean()
}
