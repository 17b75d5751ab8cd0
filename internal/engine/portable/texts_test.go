package portable_test

import (
	"encoding/json"
	"fmt"
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
	for name, c := range map[string]struct {
		column prep.Column
		texts  []string
		want   []float64
		odd    int // cells that are no numbers
	}{
		"limits": {prep.Column{Decimal: ",", NonNumeric: "limit"},
			[]string{"12.4", "12,4", "<0.5", "<0,5", "7 g/dl", "1e1", "NA", "", "-9", "\u22123,5", "about 7"},
			[]float64{12.4, 12.4, .5, .5, 50, 10, 50, 50, 50, -3.5, 50}, 2},
		// A point is a thousands separator only where it separates groups of three digits after one to three. Where it can
		// be one, other texts with a point are no numbers, as in training.
		"points between thousands": {prep.Column{Decimal: ",", Thousands: "."},
			[]string{"12.345", "1.234.567,5", "7,5", "0.123", "-0.250", "1234.567", "01.234", "-1.234", "1.23.456"},
			[]float64{12345, 1234567.5, 7.5, 50, 50, 50, 50, -1234, 50}, 5},
		"commas between thousands": {prep.Column{Decimal: ".", Thousands: ","},
			[]string{"12,345.5", "1234,567", "0,123", "1,234,567"}, []float64{12345.5, 50, 50, 1234567}, 2},
		"blanks between thousands": {prep.Column{Decimal: ".", Thousands: " "},
			[]string{"12 345.5", "12\u00a0345", "12\u202f345", "12 34", "\u0663"}, []float64{12345.5, 12345, 12345, 50, 50}, 2},
		"units": {prep.Column{Decimal: ".", NonNumeric: "strip"},
			[]string{"12 mg", "<3 mg", "7,5", "0.25"}, []float64{12, 3, 7.5, .25}, 0},
	} {
		c.column.Name, c.column.Kind, c.column.Max, c.column.Median = "hb", prep.Number, 100, 50
		c.column.Missing = []string{"", "NA", "-9"}
		t.Run(name, func(t *testing.T) { copiesRead(t, c.column, c.texts, c.want, c.odd) })
	}
}

// copiesRead scores texts by the copies of a model whose score is the value of its only column.
func copiesRead(t *testing.T, column prep.Column, texts []string, want []float64, odd int) {
	m := &model.Model{Format: "taper-model/1", Columns: []prep.Column{column},
		Terms: []prep.Term{{Name: "hb", Column: "hb", Kind: prep.Value, SD: 1}}, Weights: []float64{1},
		Loss: "logistic", Params: map[string]any{}, Link: loss.LinkLogistic, Boundaries: []float64{.5}, Delta: []float64{0},
		Cut: .5, Outcome: "died", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}, Levels: []string{"no", "yes"},
		Decimal: column.Decimal}
	p, err := portable.New(m)
	if err != nil {
		t.Fatal(err)
	}
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
		says := ""
		if odd > 0 {
			says = fmt.Sprintf("score.py: some cells are no numbers and were scored as missing: ‘hb’ %d.\n", odd)
		}
		if said.String() != says {
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
		if n := strings.Count(string(out), "odd"); n != odd {
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
		scores, warning := string(out), ""
		if strings.HasPrefix(scores, "warning: ") {
			warning, scores, _ = strings.Cut(scores, "\n")
		}
		if odd > 0 != strings.HasPrefix(warning, fmt.Sprintf("warning: %d cells of hb are no numbers", odd)) {
			t.Errorf("it warns %q", warning)
		}
		same(strings.Fields(scores))
	})
}
