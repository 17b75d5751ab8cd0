package engine

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// TestScorePyReads holds score.py to the engine on cells that are read by
// a column's own rules: dates, levels that are joined, decimal commas, thousands,
// limits and units, and on what no rule reads.
func TestScorePyReads(t *testing.T) {
	long(t)
	python := pythonWith(t)
	records := [][]string{{"seen", "dose", "limit", "cells", "site", "outcome"}}
	for i := range 200 {
		a, b := math.Sin(float64(3*i)), math.Cos(float64(7*i))
		records = append(records, []string{
			fmt.Sprintf("%02d.%02d.20%02d", 1+i%28, 1+i%12, 10+i%9), strings.Replace(fmt.Sprintf("%.1f mg", 20+5*a), ".", ",", 1), []string{"<0,5", "1,25", "3"}[i%3],
			fmt.Sprintf("%d.%03d,5", 4+i%5, i), []string{"North", "north ", "South.", "Hill"}[i%4], []string{"no", "yes"}[i*i%7/3%2],
		})
		if b > 0.8 {
			records[i+1][0], records[i+1][3] = "", "NA"
		}
	}
	tbl, err := table.Read(t.Context(), comma(t, records), table.Options{Dialect: table.Dialect{Decimal: ",", Thousands: "."}, Columns: []table.ColumnSpec{
		{Name: "seen", Type: table.Date, DateAs: "days"}, {Name: "dose", Type: table.Number, NonNumeric: "strip"},
		{Name: "limit", Type: table.Number, NonNumeric: "limit"}, {Name: "site", JoinLevels: true}}}, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"yes"}, Predictors: records[0][:5], Boundaries: []float64{0.3, 0.5}, Seed: 2, Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: 0.01}}}
	m := mustFit(t, tbl, s).Model
	if len(m.Columns) != 5 {
		t.Fatalf("columns %+v", m.Columns)
	}
	rows := append(records[:40:40],
		[]string{"2015-06-30", "7,5", "> 2,5", "12.345,25", "NORTH.", ""}, []string{"31.02.2015", "-3", "2 mg", "1234", "south", ""},
		[]string{"5.6.2015", "<3 mg", "−2", "1.23", "hill..", ""}, []string{"soon", "much", "?", "4,5e2", "Lake", ""}, []string{"", "", "", "", "", ""})
	dir := t.TempDir()
	model, file := filepath.Join(dir, "m.json"), filepath.Join(dir, "d.csv")
	text, _ := json.Marshal(m)
	if os.WriteFile(model, text, 0o600) != nil || os.WriteFile(file, comma(t, rows), 0o600) != nil {
		t.Fatal("cannot write")
	}
	out, err := exec.Command(python, "portable/score.py", model, file).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(lines) != len(rows) {
		t.Fatal(len(lines), err)
	}
	scorer, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		p := scorer.ScoreTexts(cells(rows[0], row), ",")
		if v, _ := strconv.ParseFloat(lines[i+1][0], 64); !(math.Abs(v-p.Score) <= 1e-12*(1+math.Abs(p.Score))) {
			t.Errorf("row %q: score.py says %v, the engine %v", row, v, p.Score)
		}
	}
}

// comma is a comma-separated file.
func comma(t *testing.T, records [][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
