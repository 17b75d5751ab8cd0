package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"taper/testdata"
)

// inFolder changes into a folder with the files named in the documentation.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	clinic := testdata.Read("heart-clinic.csv")
	rows, err := csv.NewReader(strings.NewReader(string(clinic))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var later, patients strings.Builder
	for i, r := range rows[:120] {
		if i > 0 { // rows other than the training rows
			r = append([]string{}, r...)
			r[4] = r[4] + "1"
			r[4] = r[4][:min(3, len(r[4]))]
			r[2] = "17" + string(rune('0'+i%10))
		}
		later.WriteString(strings.Join(r, ",") + "\n")
		patients.WriteString(strings.Join(r[:len(r)-1], ",") + "\n")
	}
	for name, text := range map[string]string{"clinic.csv": string(clinic), "next-year.csv": later.String(),
		"new-patients.csv": patients.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocumentedCommands runs the command lines in docs/command-line.md one by one in one data folder.
func TestDocumentedCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	env := []string{"TAPER_DATA=" + t.TempDir()}
	n := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			var args []string
			for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1)[1:] {
				args = append(args, strings.Trim(word, `"`))
			}
			code, out, said := tryRun(t, "", env, args...)
			if code != 0 || out+said == "" {
				t.Fatalf("%s ends with %d: %s%s", strings.TrimSpace(line), code, out, said)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d commands were found", n)
	}
	for name, want := range map[string]string{"report.html": "</html>", "scored.csv": ",stratum,band,warning",
		"validation.html": "</html>", "calculator.html": "</html>", "model.py": "MODEL = json", "cells.csv": "model",
		"scored.parquet": "PAR1", "cells.parquet": "PAR1"} {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, without %q", name, err, want)
		}
	}
}

// TestCommandStatus: scripts can distinguish a failure, an error in the command line and an open question by the
// exit status, and each prints one sentence.
func TestCommandStatus(t *testing.T) {
	inFolder(t)
	held := filepath.Join(t.TempDir(), "held")
	address := serving(t, held)
	for _, test := range []struct {
		line string
		code int
		want string
	}{
		{"stratify clinic.csv", unanswered, "Which column of clinic.csv is the outcome? Name it with -outcome COLUMN."},
		{"stratify clinic.csv -outcome disease", unanswered, "-event LEVEL, one of ‘"},
		{"stratify clinic.csv -outcome disease -event maybe", failed, "maybe"},
		{"stratify clinic.csv -outcome disease -event yes -boundaries .5,x", misused, "-boundaries must be numbers"},
		{"stratify clinic.csv -outcome disease -event yes -boundaries .5,.2", failed, "-boundaries[1] must be greater"},
		{"stratify clinic.csv -outcome disease -event yes -o report.doc", misused, "ends in .html or .pdf"},
		{"stratify nothing.csv -outcome disease", failed, "neither a file nor the id of a dataset"},
		{"stratify", misused, "Write ‘taper stratify FILE|DATASET’; taper stratify -h"},
		{"stratify clinic.csv -seed one", misused, "-seed must be a whole number from 0 (got ‘one’). taper stratify -h lists"},
		{"stratify clinic.csv -test half", misused, "-test must be a number (got ‘half’)."},
		{"stratify clinic.csv -speed 1", misused, "there is no flag -speed."},
		{"-data :memory: stratify clinic.csv -seed", misused, "-seed needs a value."},
		{"stratify clinic.csv -outcome disease -o a.html -counts all", failed, "-counts must be masked or shown (got ‘all’)."},
		{"fit clinic.csv -outcome disease -event yes -param alpha", misused, "a name and a value"},
		{"fit clinic.csv -spec clinic.csv", failed, "clinic.csv is not JSON"},
		{"import clinic.csv -settings clinic.csv", failed, "clinic.csv is not a file of settings"},
		{"score last clinic.csv", failed, "There is no run yet"},
		{"show r1", failed, "r1"},
		{"study nothing", misused, "There is no study ‘nothing’. taper study lists them."},
		{"study -seed 3", misused, "name one (taper study lists them)"},
		{"nothing", misused, "There is no command ‘nothing’"},
		{"compare last", misused, "Write ‘taper compare RUN RUN…’"},
		{"code last cobol", misused, "LANGUAGE must be one of"},
		{"-data " + held + " runs", failed, "is in use by another Taper. Ask that one: curl http://" + address + "/api/v1/runs."},
		{"-data " + held + " score r1 clinic.csv", failed, "curl --data-binary @clinic.csv -H 'Content-Type: text/csv' http://" +
			address + "/api/v1/runs/r1/predict."},
		{"-data " + held + " stratify clinic.csv", failed, "curl -F file=@clinic.csv http://" + address + "/api/v1/datasets, then"},
		{"-data " + held + " report last", failed, "http://" + address + "/api/v1/runs/RUN/report?"},
		{"-data " + held + " compare r1 r2", failed, "http://" + address + "/api/v1/compare?ids=RUN,RUN'."},
		{"-data :memory: -listen 127.0.0.1:0", misused, "is for commands"},
	} {
		args := strings.Fields(test.line)
		if !strings.Contains(test.line, "-data") {
			args = append(args, "-data", inMemory)
		}
		code, out, said := tryRun(t, "", []string{"TMPDIR=" + t.TempDir()}, args...)
		if code != test.code || !strings.Contains(said, test.want) || out != "" {
			t.Errorf("%s: %d %q %q, want %d and %q", test.line, code, out, said, test.code, test.want)
		}
		if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "taper: ") {
			t.Errorf("%s: not one line: %q", test.line, said)
		}
	}
}

// TestInMemory: the temporary folder of a command is deleted.
func TestInMemory(t *testing.T) {
	inFolder(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	code, out, said := tryRun(t, "", nil, "fit", "clinic.csv", "-data", inMemory, "-outcome", "disease", "-event", "yes",
		"-loss", "logistic", "-l2", ".01")
	if code != 0 || !strings.Contains(out, "AUC") {
		t.Fatalf("%d %s %s", code, out, said)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v, %v stayed", err, left)
	}
}

// TestPrintedReport: the PDF printed by Chromium has the content of the HTML.
func TestPrintedReport(t *testing.T) {
	inFolder(t)
	code, _, said := tryRun(t, "", nil, "fit", "clinic.csv", "-data", inMemory, "-outcome", "disease", "-event", "yes",
		"-loss", "logistic", "-l2", ".01", "-o", "report.pdf")
	if strings.Contains(said, "needs Chromium") {
		t.Skip("Chromium, which prints reports, is not installed: apt-get install chromium.")
	}
	if b, err := os.ReadFile("report.pdf"); code != 0 || err != nil || !strings.HasPrefix(string(b), "%PDF-") {
		t.Errorf("%d %v %s", code, err, said)
	}
}
