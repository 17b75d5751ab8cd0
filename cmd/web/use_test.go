package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"taper/internal/engine"
	"taper/internal/store"
	"taper/testdata"
)

func TestRenameRun(t *testing.T) {
	s, _ := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "First", "interval", .3, .6))
	for _, test := range []struct {
		fields      []string
		status      int
		name, notes string
		says        string
	}{
		{[]string{"name= Second ", "notes=a\r\nb"}, 303, "Second", "a\nb", ""},
		{[]string{"name=Third"}, 303, "Third", "a\nb", ""},
		{[]string{"name= ", "notes=lost?"}, 422, "Third", "a\nb", "Name must hold 1 to 200 bytes."},
		{[]string{"name=" + strings.Repeat("x", 201)}, 422, "Third", "a\nb", "must hold 1 to 200 bytes"},
		{[]string{"name=x", "notes=" + strings.Repeat("n", 20_001)}, 422, "Third", "a\nb", "at most 20,000 bytes"},
		{[]string{"notes=no name"}, 422, "Third", "a\nb", "name is missing"},
	} {
		w := post(s, "/runs/"+r.ID, browser, test.fields...)
		now, err := s.db.Run(context.Background(), r.ID)
		if err != nil || w.Code != test.status || now.Name != test.name || now.Notes != test.notes {
			t.Errorf("%.60q: %d, name %q, notes %q, %v", test.fields, w.Code, now.Name, now.Notes, err)
		}
		if !strings.Contains(plain(w.Body.String()), test.says) {
			t.Errorf("%.60q does not say %q", test.fields, test.says)
		}
	}
	if page := post(s, "/runs/"+r.ID, browser, "name= ", "notes=lost?").Body.String(); !strings.Contains(page, ">lost?</textarea>") {
		t.Error("a refused form loses the notes")
	}
	if w := post(s, "/runs/none", browser, "name=x"); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

// TestRunAgain makes every kind of run twice and compares the bits of all that
// is stored, times apart.
func TestRunAgain(t *testing.T) {
	s, _ := testServer(t, config{})
	d := heart(t, s)
	tuned := heartSpec(d, "Tuned", "interval", .25, .5, .75)
	tuned.Model.L2 = engine.L2{Mode: "cv"}
	split := heartSpec(d, "Split", "logistic", .2, .6)
	split.Validation = engine.Validation{Kind: "split", Test: 0.3}
	for _, spec := range []engine.Spec{heartSpec(d, "", "interval", .3), tuned, split} {
		first := trained(t, s, spec)
		w := post(s, "/runs/"+first.ID+"/again", browser)
		id, ok := strings.CutPrefix(w.Header().Get("Location"), "/runs/")
		if w.Code != 303 || !ok || id == first.ID {
			t.Fatalf("%d to %q", w.Code, w.Header().Get("Location"))
		}
		again := finished(t, s, id)
		if again.Name != first.Name {
			t.Errorf("named %q, want %q", again.Name, first.Name)
		}
		if a, b := bits(t, s, first), bits(t, s, again); a != b {
			t.Errorf("%q differs:\n%.2000s\n%.2000s", spec.Name, a, b)
		}
	}
	if w := post(s, "/runs/none/again", browser); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

// bits is what a run found, without the times it took.
func bits(t *testing.T, s *Server, r store.Run) string {
	t.Helper()
	res := *r.Result
	res.Seconds, res.ElapsedS = 0, 0
	spec := r.Spec
	spec.Name = ""
	j, err := json.Marshal([]any{spec, res})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"/rows", "/model.json"} {
		w := ask(s, "GET", "/api/v1/runs/"+r.ID+part, "")
		if w.Code != 200 || w.Body.Len() == 0 {
			t.Fatalf("%s: %d", part, w.Code)
		}
		j = append(j, w.Body.Bytes()...)
	}
	return string(j)
}

// newPatients is a file as the training one, with known doubts in it.
func newPatients(t *testing.T) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(testdata.Read("heart-clinic.csv"))), "\n")[:41]
	cells := strings.Split(lines[1], ",")
	cells[0] = "207"
	lines[1] = strings.Join(cells, ",")
	cells = strings.Split(lines[2], ",")
	cells[1] = "martian"
	lines[2] = strings.Join(cells, ",")
	return strings.Join(lines, "\n") + "\n"
}

// TestScoreFile scores one file the three ways there are: as a file, looked at
// first, and by a script, which gets both.
func TestScoreFile(t *testing.T) {
	s, _ := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .25, .5, .75))
	to, file := "/runs/"+r.ID+"/score", newPatients(t)
	want := ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file, "Content-Type: text/csv").Body.String()
	if strings.Count(want, "\n") != 41 {
		t.Fatalf("the API scores %d lines", strings.Count(want, "\n"))
	}

	w := send(t, s, to, "my patients.csv", file, browser)
	if w.Code != 200 || w.Body.String() != want || !strings.Contains(w.Header().Get("Content-Disposition"), `"my patients-scored.csv"`) {
		t.Errorf("as a file: %d %s %.200s", w.Code, w.Header(), w.Body)
	}

	w = send(t, s, to, "p.csv", file, browser, "do=look")
	text := plain(w.Body.String())
	bands, warned := bandsOf(t, want)
	for _, says := range []string{"40 rows scored.", fmt.Sprintf("%d rows have warnings", warned), "age is outside the training range: 1 row.", "sex has a level that training never saw: 1 row.",
		"The first ten of 40 rows.", "send it again", fmt.Sprintf("≤\u00a025\u00a0%% %d %.1f", bands[0], 100*float64(bands[0])/40), fmt.Sprintf(">\u00a075\u00a0%% %d", bands[3])} {
		if !strings.Contains(text, spaces.ReplaceAllString(says, " ")) && !strings.Contains(text, says) {
			t.Errorf("the page lacks %q: %s", says, text)
		}
	}

	w = send(t, s, to, "p.csv", file, "Accept: multipart/form-data")
	parts := partsOf(t, w)
	if parts["file"] != want || !strings.Contains(parts["html"], "p-scored.csv") || !strings.Contains(plain(parts["html"]), "40 rows scored.") {
		t.Errorf("for a script: %d, %.300s", w.Code, parts["html"])
	}
}

// bandsOf counts the strata and the warnings in a scored file.
func bandsOf(t *testing.T, scored string) (n [4]int, warned int) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(scored)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(records[0], "stratum")
	for _, rec := range records[1:] {
		k, err := strconv.Atoi(rec[at])
		if err != nil {
			t.Fatal(err)
		}
		n[k]++
		if rec[len(rec)-1] != "" {
			warned++
		}
	}
	return n, warned
}

func partsOf(t *testing.T, w *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	_, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	r, out := multipart.NewReader(w.Body, params["boundary"]), map[string]string{}
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		out[p.FormName()] = string(b)
	}
}

// TestScoreRefused reads the sentence for every file that cannot be scored: on
// the page at the form, which keeps its tick, and for a script as a problem.
func TestScoreRefused(t *testing.T) {
	s, _ := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	to, file := "/runs/"+r.ID+"/score", newPatients(t)
	lines := strings.Split(file, "\n")
	short := strings.Join(append(slices.Clone(lines[:5]), "1,2,3"), "\n")
	unlabelled := ""
	for _, l := range lines[:20] {
		unlabelled += l[:max(0, strings.LastIndexByte(l, ','))] + "\n"
	}
	for _, test := range []struct {
		name, content string
		evaluate      bool
		says          string
	}{
		{"other columns", "a,b\n1,2\n3,4\n", false, "The data lack columns ‘age’, ‘sex’"},
		{"ragged", short, false, "Row 5 has 3 cells, expected 13. Nothing was scored."},
		{"empty", "", false, "The file is empty."},
		{"web page", "<!doctype html><html><body>x</body></html>", false, "This is a web page"},
		{"no outcome", unlabelled, true, "The data lack the outcome column ‘disease’"},
		{"another outcome", strings.NewReplacer(",yes\n", ",1\n", ",no\n", ",0\n").Replace(file), true, "there is nothing to judge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields := []string{}
			if test.evaluate {
				fields = append(fields, "evaluate=1")
			}
			w := send(t, s, to, "x.csv", test.content, browser, fields...)
			page := w.Body.String()
			if w.Code != 422 || !strings.Contains(plain(page), test.says) || !strings.Contains(page, "data-score") || strings.Contains(page, `name="evaluate" value="1" checked`) != test.evaluate {
				t.Errorf("page: %d %s", w.Code, plain(page))
			}
			w = send(t, s, to, "x.csv", test.content, "Accept: multipart/form-data", fields...)
			var p problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || !strings.Contains(p.Detail, test.says) {
				t.Errorf("script: %d %v %s", w.Code, err, w.Body)
			}
		})
	}
	if w := ask(s, "POST", to, "file=x", "Content-Type: application/x-www-form-urlencoded", browser); w.Code != 422 || !strings.Contains(plain(w.Body.String()), "multipart/form-data") {
		t.Errorf("no file: %d %s", w.Code, plain(w.Body.String()))
	}
	if w := ask(s, "GET", "/runs/none/score", "", browser); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

// TestScoreExcel gets a workbook and gives back a CSV.
func TestScoreExcel(t *testing.T) {
	s, _ := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	book := excelize.NewFile()
	records, err := csv.NewReader(strings.NewReader(newPatients(t))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range records {
		row := make([]any, len(rec))
		for k, cell := range rec {
			row[k] = cell
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				row[k] = v
			}
		}
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	w := send(t, s, "/runs/"+r.ID+"/score", "ward.xlsx", b.String(), browser)
	got, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(got) != len(records) || got[0][len(got[0])-1] != "warning" || !strings.Contains(w.Header().Get("Content-Disposition"), "ward-scored.csv") {
		t.Fatalf("%d %v: %d lines, %s", w.Code, err, len(got), w.Header())
	}
	plainFile := send(t, s, "/runs/"+r.ID+"/score", "ward.csv", newPatients(t), browser).Body.String()
	want, _ := csv.NewReader(strings.NewReader(plainFile)).ReadAll()
	at := slices.Index(want[0], "score")
	for i := range want[1:] {
		if got[i+1][at] != want[i+1][at] {
			t.Fatalf("row %d scores %s in the workbook and %s in the CSV", i+1, got[i+1][at], want[i+1][at])
		}
	}
}

// TestJudge compares the page of an external validation with counts made by
// hand from the scored file.
func TestJudge(t *testing.T) {
	s, _ := testServer(t, config{})
	for _, loss := range []string{"interval", "logistic"} {
		r := trained(t, s, heartSpec(heart(t, s), "Bands", loss, .25, .5, .75))
		file := string(testdata.Read("heart-clinic.csv"))
		w := send(t, s, "/runs/"+r.ID+"/score", "h.csv", file, browser, "evaluate=1")
		text := plain(w.Body.String())
		scored, _ := csv.NewReader(strings.NewReader(send(t, s, "/runs/"+r.ID+"/score", "h.csv", file, browser).Body.String())).ReadAll()
		at, outcome := slices.Index(scored[0], "stratum"), slices.Index(scored[0], "disease")
		var n, events [4]int
		for _, rec := range scored[1:] {
			if rec[outcome] == "" {
				continue
			}
			n[rec[at][0]-'0']++
			if rec[outcome] == "yes" {
				events[rec[at][0]-'0']++
			}
		}
		all, yes := n[0]+n[1]+n[2]+n[3], events[0]+events[1]+events[2]+events[3]
		for _, says := range []string{"External validation", fmt.Sprintf("%d rows judged, %d of them disease = yes.", all, yes), "AUC 0."} {
			if !strings.Contains(text, says) {
				t.Errorf("%s: the page lacks %q: %s", loss, says, text)
			}
		}
		for k := range n {
			if !strings.Contains(text, fmt.Sprintf(" %d %.1f %d %.1f ", n[k], 100*float64(n[k])/float64(all), events[k], 100*float64(events[k])/float64(n[k]))) {
				t.Errorf("%s: no line for band %d with %d rows and %d events: %s", loss, k, n[k], events[k], text)
			}
		}
		if strings.Contains(text, "Brier score") != (loss == "logistic") {
			t.Errorf("%s: a Brier score where there is none, or none where there is: %s", loss, text)
		}
		parts := partsOf(t, send(t, s, "/runs/"+r.ID+"/score", "h.csv", file, "Accept: multipart/form-data", "evaluate=1"))
		if !strings.Contains(parts["html"], "External validation") || strings.Count(parts["file"], "\n") != len(scored) {
			t.Errorf("%s: for a script: %.200s", loss, parts["html"])
		}
	}
}

// TestPatient asks for one row in many ways and compares band and score with
// those of the same row as JSON.
func TestPatient(t *testing.T) {
	s, _ := testServer(t, config{})
	d := heart(t, s)
	for _, loss := range []string{"interval", "logistic"} {
		r := trained(t, s, heartSpec(d, "Bands", loss, .25, .5, .75))
		to := "/runs/" + r.ID + "/patient"
		form := ask(s, "GET", to, "", browser).Body.String()
		if n := strings.Count(form, `name="x:`); n != 12 || strings.Contains(form, `name="x:disease"`) {
			t.Errorf("%d fields, want one for each of 12 predictors", n)
		}
		m, err := s.db.RunModel(context.Background(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		usual := map[string]any{}
		for _, c := range m.Columns {
			usual[c.Name] = c.Reference
			if c.Kind == "number" {
				usual[c.Name] = c.Median
			}
		}
		for _, test := range []struct {
			sent []string
			row  map[string]any // differs from the usual
			says string
		}{
			{nil, nil, "Band"},
			{[]string{"x:age=71,5"}, map[string]any{"age": 71.5}, "Band"},
			{[]string{"x:age=71.5", "x:oldpeak=.5"}, map[string]any{"age": 71.5, "oldpeak": 0.5}, "Band"},
			{[]string{"x:oldpeak=\u22121"}, map[string]any{"oldpeak": -1.0}, "Oldpeak −1 is outside the training range 0 – 3.8."},
			{[]string{"x:age=1e2"}, map[string]any{"age": 100.0}, "Age 100 is outside the training range"},
			{[]string{"x:chol="}, map[string]any{"chol": nil}, "Chol is missing: the training median"},
			{[]string{"x:sex=f", "x:exang=yes"}, map[string]any{"sex": "f", "exang": "yes"}, "Band"},
			{[]string{"x:sex="}, map[string]any{"sex": nil}, "Sex is missing"},
		} {
			row := map[string]any{}
			for k, v := range usual {
				row[k] = v
			}
			for k, v := range test.row {
				row[k] = v
			}
			want, err := engine.PredictRows(m, []map[string]any{row})
			if err != nil {
				t.Fatal(err)
			}
			p := want[0]
			w := post(s, to, script, test.sent...)
			var answer struct{ Parts map[string]string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
				t.Fatalf("%v: %d %s", test.sent, w.Code, w.Body)
			}
			text := plain(answer.Parts["patient-answer"])
			score := strings.Replace(strconv.FormatFloat(math.Round(100*p.Score)/100, 'f', 2, 64), "-", "−", 1)
			for _, says := range []string{fmt.Sprintf("Band %d of 4", p.Stratum+1), "Score " + score + ", cut-offs −1.10, 0.00, 1.10", test.says} {
				if !strings.Contains(text, says) {
					t.Errorf("%s %v: %q is missing: %s", loss, test.sent, says, text)
				}
			}
			checkProbability(t, loss, text, p)
			page := post(s, to, browser, test.sent...)
			if page.Code != 200 || !strings.Contains(plain(page.Body.String()), text) {
				t.Errorf("%s %v: the page says otherwise: %s", loss, test.sent, plain(page.Body.String()))
			}
		}
	}
}

// checkProbability wants a percentage of the one patient from a model with a
// link, and none from an interval model.
func checkProbability(t *testing.T, loss, text string, p engine.Prediction) {
	t.Helper()
	if loss == "interval" {
		if !strings.Contains(text, "none: an interval model promises the band") {
			t.Errorf("an interval model names a probability: %s", text)
		}
		return
	}
	if want := fmt.Sprintf("Probability %.1f\u00a0%%, by the logistic link", 100**p.Probability); !strings.Contains(text, want) && !strings.Contains(text, strings.ReplaceAll(want, "\u00a0", " ")) {
		t.Errorf("no %q: %s", want, text)
	}
}

// TestPatientRefused keeps what was entered and names the field.
func TestPatientRefused(t *testing.T) {
	s, _ := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	for _, value := range []string{"sixty", "1,2,3", "1.2.3", "0x10", "NaN", "inf", "1_0", "--1", "1e9999", "60 years"} {
		w := post(s, "/runs/"+r.ID+"/patient", script, "x:age="+value)
		var p problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != "age" {
			t.Errorf("%q: %d %s", value, w.Code, w.Body)
		}
		page := post(s, "/runs/"+r.ID+"/patient", browser, "x:age="+value, "x:chol=311")
		if html := page.Body.String(); page.Code != 422 || !strings.Contains(html, `value="311"`) || !strings.Contains(html, `value="`+value+`"`) || !strings.Contains(html, `aria-invalid="true"`) {
			t.Errorf("%q: the page loses what was entered: %d", value, page.Code)
		}
	}
}

// TestUseKeepsNothing puts a canary into a scored file, into a file that is
// refused and into the form, and finds it in no log and no file.
func TestUseKeepsNothing(t *testing.T) {
	s, log := testServer(t, config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	const mark = "canary-q7z"
	file := strings.Replace(newPatients(t), "martian", mark, 1)
	to := "/runs/" + r.ID
	for _, accept := range []string{browser, "Accept: multipart/form-data"} {
		for _, fields := range [][]string{nil, {"do=look"}, {"evaluate=1"}} {
			if w := send(t, s, to+"/score", mark+".csv", file, accept, fields...); w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		send(t, s, to+"/score", mark+".csv", file+mark+",1\n", accept)
	}
	ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file, "Content-Type: text/csv")
	ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file+mark+"\n", "Content-Type: text/csv")
	for _, accept := range []string{browser, script} {
		w := post(s, to+"/patient", accept, "x:sex="+mark)
		if loc := w.Header().Get("Location"); w.Code != 200 || loc != "" || !strings.Contains(w.Body.String(), mark) {
			t.Errorf("%d to %q", w.Code, loc)
		}
		post(s, to+"/patient", accept, "x:age="+mark)
	}
	if files := canaries(t, s.db.Dir(), []string{mark}); len(files) > 0 {
		t.Errorf("kept: %v", files)
	}
	if left, err := os.ReadDir(s.db.Dir() + "/uploads"); err != nil || len(left) > 0 {
		t.Errorf("left-over uploads: %v, %v", left, err)
	}
	if strings.Contains(log.String(), mark) {
		t.Errorf("in the log: %s", log)
	}
}

// TestAPICall runs the call that a run's page offers for copying.
func TestAPICall(t *testing.T) {
	spec := heartSpec(store.Dataset{ID: "d1"}, "it's", "interval", .5)
	call := apiCall("127.0.0.1:8080", spec)
	head, body, ok := strings.Cut(call, " -d '")
	if !ok || head != "curl -X POST http://127.0.0.1:8080/api/v1/runs -H 'Content-Type: application/json'" {
		t.Fatal(call)
	}
	body = strings.ReplaceAll(strings.TrimSuffix(body, "'"), `'\''`, "'")
	got, err := engine.DecodeSpec(strings.NewReader(body))
	if err != nil || got.Name != "it's" || got.Dataset != "d1" || got.Boundaries[0] != .5 {
		t.Errorf("%v %+v", err, got)
	}
}
