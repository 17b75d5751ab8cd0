package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"taper/internal/web/httpio"
	"taper/testdata"
)

// newPatients is a file like the training file, with known problems.
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

// TestScoreFile scores a file in three ways: as a file, on a page, and by a script, which gets both.
func TestScoreFile(t *testing.T) {
	s, _ := testServer(t, Config{})
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
	for _, says := range []string{"40 rows scored.", fmt.Sprintf("%d rows have warnings", warned), "age is outside the training range: 1 row.", "sex has a level that is not in the training data: 1 row.",
		"2 rows lie outside the data the model was trained on: they get a score but no band.", "Outside the data 2 5.0", "1 outside the data", "2 outside the data", "The model’s answer for rows outside the data",
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
		if k, err := strconv.Atoi(rec[at]); err == nil {
			n[k]++
		} else if rec[at+1] != "outside the data" {
			t.Fatal(err)
		}
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

// TestScoreRefused checks the message for every file that cannot be scored: on the page at the form, which keeps
// its checkbox, and for a script as a problem.
func TestScoreRefused(t *testing.T) {
	s, _ := testServer(t, Config{})
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
		{"another case", strings.Replace(file, "age,", "Age (years),", 1), false, "add it, with empty cells where unknown."},
		{"another case", strings.NewReplacer("age,", "AGE,", "sex,", "_Sex,").Replace(file), false,
			"If they are the same, rename ‘AGE’ to ‘age’ and ‘_Sex’ to ‘sex’."},
		{"another case of the outcome", strings.Replace(file, "disease", "Disease", 1), true,
			"If they are the same, rename ‘Disease’ to ‘disease’."},
		{"ragged", short, false, "Row 5 has 3 cells, expected 13. Nothing was scored."},
		{"empty", "", false, "The file is empty."},
		{"web page", "<!doctype html><html><body>x</body></html>", false, "This is a web page"},
		{"no outcome", unlabelled, true, "The data lack the outcome column ‘disease’"},
		{"another outcome", strings.NewReplacer(",yes\n", ",1\n", ",no\n", ",0\n").Replace(file), true, "there is nothing to evaluate"},
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
			var p httpio.Problem
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

// TestScoreExcel scores a workbook and returns a CSV.
func TestScoreExcel(t *testing.T) {
	s, _ := testServer(t, Config{})
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

// TestJudge compares the page of an external validation with counts computed from the scored file.
func TestJudge(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, loss := range []string{"interval", "logistic"} {
		r := trained(t, s, heartSpec(heart(t, s), "Bands", loss, .25, .5, .75))
		file := regexp.MustCompile(`(?m)^\d+`).ReplaceAllString(string(testdata.Read("heart-clinic.csv")), "${0}.5") // other patients
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
		for _, says := range []string{"External validation", fmt.Sprintf("%d rows evaluated, %d of them disease = yes.", all, yes), "AUC 0."} {
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
