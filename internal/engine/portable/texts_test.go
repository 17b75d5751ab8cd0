package portable_test

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// TestTextsOfNumbers: a model of a file with decimal commas is given texts as another program writes them. What a
// text means is read off it by hand; a text that is no number is scored as missing and said to be.
func TestTextsOfNumbers(t *testing.T) {
	column := prep.Column{Name: "hb", Kind: prep.Number, Decimal: ",", NonNumeric: "limit", Max: 100, Median: 50,
		Missing: []string{"", "NA", "-9"}}
	m := &model.Model{Format: "taper-model/1", Columns: []prep.Column{column},
		Terms: []prep.Term{{Name: "hb", Column: "hb", Kind: prep.Value, SD: 1}}, Weights: []float64{1},
		Loss: "logistic", Params: map[string]any{}, Link: loss.LinkLogistic, Boundaries: []float64{.5}, Delta: []float64{0},
		Cut: .5, Outcome: "died", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}, Levels: []string{"no", "yes"},
		Decimal: ","}
	p, err := portable.New(m)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"12.4", "12,4", "<0.5", "<0,5", "7 g/dl", "1e1", "NA", "", "-9", "\u22123,5", "about 7"}
	want := []float64{12.4, 12.4, .5, .5, 50, 10, 50, 50, 50, -3.5, 50}
	same := func(scores []string) {
		t.Helper()
		if len(scores) != len(want) {
			t.Fatalf("%d scores of %d rows: %q", len(scores), len(want), scores)
		}
		for i, text := range scores {
			if v, err := strconv.ParseFloat(text, 64); err != nil || v != want[i] {
				t.Errorf("%q is scored as %s, not as %v", texts[i], text, want[i])
			}
		}
	}
	t.Run("Python", func(t *testing.T) {
		python := program(t, "python3", "the model as Python")
		run := exec.Command(python, written(t, p, "python"), write(t, "data.csv", "hb,name\n\""+strings.Join(texts, "\",x\n\"")+"\",x\n"))
		var said strings.Builder
		run.Stderr = &said
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		var scores []string
		for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n")[1:] {
			scores = append(scores, l[:strings.IndexByte(l, ',')])
		}
		same(scores)
		if said.String() != "score.py: some cells are no numbers and were scored as missing: ‘hb’ 2.\n" {
			t.Errorf("it says %q", said.String())
		}
		wrong := exec.Command(python, written(t, p, "python"), write(t, "data.csv", "hb;name\n12;x\n"))
		if text, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(text), "separated by another sign than a comma") {
			t.Errorf("a file with semicolons: %v, %s", err, text)
		}
	})
	t.Run("JavaScript", func(t *testing.T) {
		node := program(t, "node", "the model as JavaScript")
		driver := write(t, "driver.js", "const { score } = require(process.argv[2]);\n"+
			"for (const text of JSON.parse(process.argv[3])) {\n  const s = score({ hb: text });\n"+
			"  console.log(s.score, s.issues.map((i) => i.kind).join());\n}\n")
		given, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(node, driver, written(t, p, "javascript"), string(given)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var scores []string
		for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			score, _, _ := strings.Cut(l, " ")
			scores = append(scores, score)
		}
		same(scores)
		if n := strings.Count(string(out), "odd"); n != 2 {
			t.Errorf("%d cells are odd:\n%s", n, out)
		}
	})
	t.Run("R", func(t *testing.T) {
		rscript := program(t, "Rscript", "the model as R")
		driver := write(t, "driver.R", `
args <- commandArgs(trailingOnly = TRUE)
source(args[1], encoding = "UTF-8")
texts <- readLines(args[2], encoding = "UTF-8")
said <- withCallingHandlers(score(data.frame(hb = texts, stringsAsFactors = TRUE)),
  warning = function(w) { cat("warning:", conditionMessage(w), "\n"); invokeRestart("muffleWarning") })
cat(sprintf("%.17g", said$score), sep = "\n")
`)
		out, err := exec.Command(rscript, "--vanilla", driver, written(t, p, "r"), write(t, "texts", strings.Join(texts, "\n")+"\n")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		warning, scores, _ := strings.Cut(string(out), "\n")
		if warning != "warning: 2 cells of hb are no numbers and are scored as missing " {
			t.Errorf("it warns %q", warning)
		}
		same(strings.Fields(scores))
	})
}
