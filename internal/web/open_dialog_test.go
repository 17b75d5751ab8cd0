package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/store"
)

// leakyCSV is a file with a column that leaks the outcome, patients with two rows, a code for missing, and two
// spellings of a level.
func leakyCSV() string {
	var b strings.Builder
	b.WriteString("patient_id,chol,smoker,age,bmi,discharge_code,death\n")
	for i := range 240 {
		chol, smoker, sick := 150+(i*37)%90, []string{"yes", "no", "No"}[i%31%3], 0
		if i%9 == 4 {
			chol = -9
		}
		if (i*53)%100+(i*17)%50/2 > 80 {
			sick = 1
		}
		code := 10*sick + i%9 // 1 to 2 % contradict the outcome
		if i%97 == 1 {
			code = 10*(1-sick) + i%9
		}
		fmt.Fprintf(&b, "P%04d,%d,%s,%d,%.1f,%d,%d\n",
			1000+i-i%12/11, chol, smoker, 30+(i*17)%50, 20+float64(i*13%190)/10, code, sick)
	}
	return b.String()
}

const (
	leakOpen   = "‘discharge_code’ alone reaches AUC 0."
	leakCost   = "if this is not known at the time of prediction, the results are optimistic."
	peopleOpen = "40 rows belong to patients seen more than once (220 patients, 240 rows);"
	codeOpen   = "Not answered: −9 in 27 rows of chol; the code is used as a measured number."
)

// inOrder fails unless the words occur in this order.
func inOrder(t *testing.T, where, text string, words ...string) {
	t.Helper()
	at := 0
	for _, w := range words {
		i := strings.Index(text[at:], w)
		if i < 0 {
			t.Errorf("%s: no %q after %q in: %.1500s", where, w, text[:at], text)
			return
		}
		at += i
	}
}

// TestStratifyAsksFirst: with open serious questions Stratify shows them, most serious first, and deletes nothing
// until they are answered or skipped.
func TestStratifyAsksFirst(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, leakyCSV())
	path := "/data/" + d.ID
	raw := func(when string) {
		t.Helper()
		if state := dataset(t, s, d.ID).State; state != store.Raw {
			t.Fatalf("%s the data are %s", when, state)
		}
	}
	dialog := func(html string) (text string, open bool) {
		t.Helper()
		_, rest, ok := strings.Cut(html, `<dialog class="dlg dlg-ask"`)
		rest, _, end := strings.Cut(rest, "</dialog>")
		if !ok || !end {
			t.Fatalf("no dialog in %.300s", html)
		}
		tag, _, _ := strings.Cut(rest, ">")
		return plain("<" + rest), strings.HasSuffix(tag, " open")
	}
	page := ask(s, "GET", path, "", browser).Body.String()
	if _, open := dialog(page); open {
		t.Error("the dialog is open before Stratify is pressed")
	}
	_, notes, _ := strings.Cut(page, `id="ds-notes"`)
	inOrder(t, "the notes", plain(notes),
		"discharge_code alone", "patients seen more than once", "−9 in 27 rows of chol", "differ by case")

	w := post(s, path, browser, "confirm=1")
	raw("asked")
	text, open := dialog(w.Body.String())
	if w.Code != http.StatusConflict || !open {
		t.Errorf("Stratify: %d, open %v", w.Code, open)
	}
	inOrder(t, "the dialog", text, "Three of the four open questions can change the result.",
		"discharge_code alone reaches AUC", "Leave it out", "It is known then", "patients seen more than once", "Keep together",
		"−9 in 27 rows of chol", "Treat as missing", "Back", "Continue without answering")
	if strings.Contains(text, "differ by case") {
		t.Errorf("the dialog asks what changes little: %s", text)
	}
	w = post(s, path, script, "confirm=1")
	if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "Three of the four open questions") {
		t.Errorf("asked by a script: %d %s", w.Code, w.Body)
	}
	raw("asked by a script")

	for _, answer := range [][2]string{
		{"leak:discharge_code", "Leave it out"}, {"repeated-patients:patient_id", "Keep together"}, {"missing-code:chol", "Treat as missing"},
	} {
		w = post(s, path, browser, "ask=1", "warning="+answer[0], "choice="+answer[1])
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != path+"?ask=1" {
			t.Fatalf("%s: %d to %q", answer[0], w.Code, w.Header().Get("Location"))
		}
		text, open = dialog(ask(s, "GET", path+"?ask=1", "", browser).Body.String())
		if !open || strings.Contains(text, "Leave it out") {
			t.Errorf("after %s: open %v, %s", answer[0], open, text)
		}
	}
	raw("answered")
	inOrder(t, "all answered", text, "No open question can change the result.", "Back", "Stratify")
	if w = post(s, path, browser, "confirm=1"); w.Code != http.StatusSeeOther || dataset(t, s, d.ID).State != store.Kept {
		t.Errorf("all answered: %d", w.Code)
	}
}

// TestLeftOpenIsSaidFirst: skipped questions are in the first lines of the live page, of the run and of the printed
// verdict, never collapsed; columns that are no predictors of the run are not mentioned.
func TestLeftOpenIsSaidFirst(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, leakyCSV())
	w := post(s, "/data/"+d.ID, browser, "confirm=1", "anyway=1")
	if w.Code != http.StatusSeeOther || dataset(t, s, d.ID).State != store.Kept {
		t.Fatalf("passed over: %d %s", w.Code, plain(w.Body.String()))
	}
	look := func(path string) string {
		t.Helper()
		w := ask(s, "GET", path, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		html := w.Body.String()
		for _, folded := range strings.Split(html, "<details")[1:] {
			folded, _, _ = strings.Cut(folded, "</details>")
			if strings.Contains(folded, "Not answered") {
				t.Errorf("%s folds a question away: %s", path, plain(folded))
			}
		}
		_, main, _ := strings.Cut(html, "<h1")
		return plain(main)
	}
	inOrder(t, "live", look("/stratify/"+d.ID), "Not answered: "+leakOpen, leakCost, "Leave discharge_code out",
		"Patients not kept together: "+peopleOpen, codeOpen, "of 240 rows", "Boundaries", "Verdict")

	_, box, _ := strings.Cut(ask(s, "GET", "/stratify/"+d.ID, "", browser).Body.String(), `id="r-open"`)
	if box, _, _ = strings.Cut(box, "</section>"); strings.Count(box, "Open the data") != 1 {
		t.Errorf("the box offers to open the data %d times: %s", strings.Count(box, "Open the data"), plain(box))
	}

	spec := heartSpec(d, "leaky", "interval", .25, .5, .75)
	spec.Outcome, spec.Positive = "death", table.OneLevel("1")
	run := trained(t, s, spec)
	inOrder(t, "run", look("/runs/"+run.ID),
		"Not answered: "+leakOpen, leakCost, codeOpen, "of 240 rows", "Verdict", "Findings", "Interval loss (the mean cost")
	inOrder(t, "report", look("/report/"+run.ID), "Verdict",
		"Not answered: "+leakOpen, leakCost, "Patients not kept together: "+peopleOpen, codeOpen, "Interval loss (the mean cost", "Data")

	spec.Name, spec.Predictors = "clean", []string{"age", "bmi"}
	clean := trained(t, s, spec)
	text := look("/runs/" + clean.ID)
	if strings.Contains(text, leakOpen) || strings.Contains(text, codeOpen) || !strings.Contains(text, peopleOpen) {
		t.Errorf("the run without the column: %.800s", text)
	}
	if w := post(s, "/data/"+d.ID+"/delete", browser, "models=keep"); w.Code != http.StatusSeeOther {
		t.Fatalf("keep: %d %s", w.Code, plain(w.Body.String()))
	}
	kept := look("/report/" + run.ID)
	inOrder(t, "kept report", kept, "Verdict",
		"Not answered: "+leakOpen, peopleOpen, "Not answered: A number that looks like a code for missing;")
	if strings.Contains(kept, "27 rows of chol") {
		t.Error("the kept report quotes a cell")
	}
	inOrder(t, "kept run", look("/runs/"+run.ID), "Not answered: "+leakOpen, "Verdict", "Not answered: "+leakOpen)
}
