package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// formulas are texts that spreadsheets interpret as formulas.
var formulas = []string{"=yes", "+yes", "-no", "@sum", "\t=tab", "\r=return"}

// TestNoCSVHoldsAFormula requests every CSV of the program for data whose names, levels, notes and outcomes are
// formulas: every text cell is escaped, and no number is.
func TestNoCSVHoldsAFormula(t *testing.T) {
	s, _ := testServer(t, Config{})
	two, three := formulaRun(t, s, "=two", []string{"+yes", "-no"}, `"task":"binary","model":{"loss":"logistic","l2":0.01}`),
		formulaRun(t, s, "@three", []string{"+yes", "-no", "-1"}, `"task":"multiclass","model":{"loss":"softmax","l2":0.01}`)
	key := auditNow(t, s, two.run, "").Items[0].Key
	note := url.Values{"key": {key}, "decision": {"flip"}, "note": {"=note"}}
	if w := ask(s, "POST", "/audit/"+two.run+"/decide", note.Encode(), formPost); w.Code >= 400 {
		t.Fatalf("decide: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "PATCH", "/api/v1/runs/"+two.run, `{"notes":"@notes"}`); w.Code >= 400 {
		t.Fatalf("notes: %d %s", w.Code, w.Body)
	}
	grid := fmt.Sprintf(`{"dataset":%q,"outcome":"=label","positive":"+yes","negative":"-no","models":[{"l2":1}],"replicates":2}`, two.data)
	st := studyAt(t, s, studied(t, s, grid), done).ID
	files := map[string]string{ // by address: the start of a cell that it must contain
		"/api/v1/datasets/" + two.data + "/download":     "'=label",
		"/api/v1/runs/" + two.run + "/rows?format=csv":   "'+yes",
		"/api/v1/runs/" + three.run + "/rows?format=csv": "'-no",
		"/runs.csv": "'@notes",
		"/compare.csv?ids=" + two.run + "," + formulaTwin(t, s, two): "'=two",
		"/audit/" + two.run + "/review.csv":                          "'=note",
		"/api/v1/studies/" + st + "/cells.csv":                       "'=two",
		"/api/v1/studies/" + st + "/cells.csv?of=replicates":         "'=two",
		"/studies/preset/sypherd-fig6/cells.csv":                     "",
		"/explore.csv?chart=loss":                                    "",
	}
	for path, must := range files {
		if w := ask(s, "GET", path, ""); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		} else {
			noFormula(t, path, w.Body.String(), must)
		}
	}
	for run, must := range map[string]string{two.run: "'=label", three.run: "'-no"} {
		path := "/api/v1/runs/" + run + "/predict"
		w := ask(s, "POST", path, two.file, "Content-Type: text/csv")
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		noFormula(t, path, w.Body.String(), must)
	}
}

type formulaMade struct{ data, run, file, spec string }

// formulaRun makes a dataset with a binary run and its audit.
func formulaRun(t *testing.T, s *Server, name string, levels []string, model string) formulaMade {
	t.Helper()
	var b strings.Builder
	out := csv.NewWriter(&b)
	_ = out.Write([]string{"=age", "@site", "-x", "=label"})
	for i := range 150 {
		_ = out.Write([]string{strconv.Itoa(i * 37 % 101), formulas[i%len(formulas)], strconv.Itoa(i%7 - 3), levels[(i+i*i/7)%len(levels)]})
	}
	out.Flush()
	made, event := formulaMade{file: b.String()}, ""
	if len(levels) == 2 {
		event = `"positive":"+yes",`
	}
	made.data = byAPI(t, s, made.file).ID
	if w := ask(s, "PATCH", "/api/v1/datasets/"+made.data, fmt.Sprintf(`{"name":%q,"outcome":"=label",%s"confirm":true}`, name, event)); w.Code != 200 {
		t.Fatalf("data: %d %s", w.Code, w.Body)
	}
	made.spec = fmt.Sprintf(`{"name":%q,"dataset":%q,"outcome":"=label",%s,"validation":{"kind":"cv","folds":2}`, name, made.data, model)
	if event != "" {
		made.spec += `,"positive":"+yes"}`
		made.run = auditOf(t, s, made.spec).ID
		return made
	}
	made.spec += "}"
	made.run = started(t, s, made.spec)
	return made
}

// formulaTwin is a second run to compare with.
func formulaTwin(t *testing.T, s *Server, made formulaMade) string {
	t.Helper()
	return started(t, s, strings.Replace(made.spec, `"l2":0.01`, `"l2":1`, 1))
}

func started(t *testing.T, s *Server, spec string) string {
	t.Helper()
	w := ask(s, "POST", "/api/v1/runs", spec, script)
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
		t.Fatalf("run: %d %s", w.Code, w.Body)
	}
	return finished(t, s, made.ID).ID
}

// noFormula parses a file; must is the start of one of its cells.
func noFormula(t *testing.T, path, text, must string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatalf("%s: %d lines, %v", path, len(records), err)
	}
	found := false
	for _, record := range records {
		for _, cell := range record {
			found = found || strings.HasPrefix(cell, must)
			bare := strings.TrimPrefix(cell, "'")
			number, err := strconv.ParseFloat(bare, 64)
			switch isNumber := err == nil || math.IsInf(number, 0); {
			case !isNumber && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && strings.TrimSpace(cell) != "":
				t.Errorf("%s holds the formula %q", path, cell)
			case isNumber && cell != bare:
				t.Errorf("%s guards the number %q", path, cell)
			}
		}
	}
	if !found {
		t.Errorf("%s lacks the cell %q: %.400s", path, must, text)
	}
}
