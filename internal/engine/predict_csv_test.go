package engine

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// written is what PredictCSV makes of a file.
func written(t *testing.T, m *model.Model, in string) string {
	t.Helper()
	var out bytes.Buffer
	if err := model.PredictCSV(context.Background(), m, []byte(in), &out, model.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPredictCSVKeepsTheFile(t *testing.T) {
	m, _ := trained(t, "interval")
	s, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	score := func(age, marker, sex, site string) string {
		p := s.Score(cells([]string{"age", "marker", "sex", "site"}, []string{age, marker, sex, site}))
		return fmt.Sprintf("%s,%d,%s,", strconv.FormatFloat(p.Score, 'g', -1, 64), p.Stratum, stat.BandLabels(m.Boundaries)[p.Stratum])
	}
	in := "score,age,note,marker,sex,site\r\n" +
		"7, 71.5,\"a \"\"b\"\", c\",-1.25,M,A\r\n" +
		"8,60,=1+1,0.5,F,B\r\n" +
		"9,060,-x,+0.5,F,B\r\n"
	lines := strings.Split(strings.TrimSuffix(written(t, m, in), "\r\n"), "\r\n")
	if lines[0] != "score,age,note,marker,sex,site,score_2,stratum,band,warning" {
		t.Errorf("header %q", lines[0])
	}
	for i, want := range []string{
		"7, 71.5,\"a \"\"b\"\", c\",-1.25,M,A," + score("71.5", "-1.25", "M", "A"),
		"8,60,'=1+1,0.5,F,B," + score("60", "0.5", "F", "B"),
		"9,060,'-x,+0.5,F,B," + score("60", "0.5", "F", "B"),
	} {
		if !strings.HasPrefix(lines[i+1], want) {
			t.Errorf("row %d: %q, want %q…", i+1, lines[i+1], want)
		}
	}
}

func TestPredictCSVInAnotherDialect(t *testing.T) {
	m, records := trained(t, "logistic")
	var point, comma strings.Builder
	_ = csv.NewWriter(&point).WriteAll(records)
	w := csv.NewWriter(&comma)
	w.Comma = ';'
	for i, r := range records {
		if i > 0 {
			r = append([]string{strings.Replace(r[0], ".", ",", 1), strings.Replace(r[1], ".", ",", 1)}, r[2:]...)
		}
		_ = w.Write(r)
	}
	w.Flush()
	a, b := written(t, m, point.String()), written(t, m, comma.String())
	ra, err := csv.NewReader(strings.NewReader(a)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rb := csv.NewReader(strings.NewReader(b))
	rb.Comma = ';'
	other, err := rb.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(ra) != len(records) || len(other) != len(ra) {
		t.Fatalf("%d and %d lines for %d", len(ra), len(other), len(records))
	}
	for i := range ra[1:] {
		x, y := ra[i+1], other[i+1]
		if strings.Replace(y[6], ",", ".", 1) != x[6] || strings.Replace(y[7], ",", ".", 1) != x[7] || x[8] != y[8] || strings.Contains(y[6], ".") {
			t.Fatalf("row %d: %q with points, %q with commas", i+1, x[6:], y[6:])
		}
	}
}

func TestPredictCSVRefuses(t *testing.T) {
	m, _ := trained(t, "interval")
	for in, says := range map[string]string{
		"age,sex\n1,M\n2,F\n":                            "columns ‘marker’ and ‘site’, which the model uses: add them, with empty cells where unknown.",
		"age,marker,sex\n1,2,M\n2,2,F\n":                 "column ‘site’, which the model uses",
		"age,marker,sex,site\n1,2,M,A\n1,2,M\n1,2,F,A\n": "Row 2 has 3 cells, expected 4.",
		"":                                 "empty",
		"age,marker,sex,site\n":            "No data rows below the header",
		"<html><body>log in</body></html>": "web page",
	} {
		var out bytes.Buffer
		err := model.PredictCSV(context.Background(), m, []byte(in), &out, model.PredictOptions{})
		if _, ok := usererr.As(err); !ok || !strings.Contains(err.Error(), says) || out.Len() > 0 {
			t.Errorf("%q: %v, %d bytes written", in, err, out.Len())
		}
	}
	if out := written(t, m, "age,marker,sex,site\n61,,M,\n"); !strings.Contains(out, "marker is missing") {
		t.Errorf("empty cells: %q", out)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := model.PredictCSV(ctx, m, []byte("age,marker,sex,site\n1,2,M,A\n"), &bytes.Buffer{}, model.PredictOptions{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestEvaluateCSV evaluates a model on new rows and recomputes it from the scores.
func TestEvaluateCSV(t *testing.T) {
	for _, lossID := range []string{"interval", "logistic"} {
		m, _ := trained(t, lossID)
		records := tabletest.Clinic(250, 24)
		records[1][5], records[2][5] = "", "lost"
		var data strings.Builder
		_ = csv.NewWriter(&data).WriteAll(records)
		e, err := external.EvaluateCSV(context.Background(), m, []byte(data.String()), model.PredictOptions{}, external.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, _ := m.Scorer()
		var band []int
		var event []bool
		var score []float64
		for _, r := range records[3:] {
			p := s.Score(cells(records[0], r))
			band, event, score = append(band, p.Stratum), append(event, r[5] == "died"), append(score, p.Score)
		}
		auc, _, _ := stat.AUC(score, event)
		if e.Rows != 248 || e.Skipped != 2 || !(math.Abs(*e.Metrics.AUC-auc) <= 1e-15) ||
			!(math.Abs(*e.Metrics.IntervalLoss-stat.IntervalLoss(m.Boundaries, band, event)) <= 1e-15) || (e.Metrics.Brier == nil) != (lossID == "interval") {
			t.Errorf("%s: %+v", lossID, e)
		}
		if auc < 0.65 {
			t.Errorf("%s: AUC %v on new rows", lossID, auc)
		}
		if _, err := external.EvaluateCSV(context.Background(), m, []byte("age,marker,sex,site\n1,2,M,A\n"), model.PredictOptions{}, external.EvaluateOptions{}); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("without the outcome: %v", err)
		}
		if _, err := external.EvaluateCSV(context.Background(), m, []byte("age,marker,sex,site,outcome\n1,2,M,A,lost\n"), model.PredictOptions{}, external.EvaluateOptions{}); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("without a class: %v", err)
		}
	}
}

// TestEvaluateThroughSpellings: new rows whose outcome is spelt otherwise belong
// to the class that training joined it with; numbers to the class of their
// value.
func TestEvaluateThroughSpellings(t *testing.T) {
	m, _ := trained(t, "interval")
	m.OutcomeAliases, m.OutcomeJoin = map[string]string{"deceased": "died"}, true
	rows := "age,marker,sex,site,outcome\n"
	for _, outcome := range []string{"died", " Died.", "DIED", "deceased", "alive", "Alive", "lost", ""} {
		rows += "61,0.5,M,A," + outcome + "\n"
	}
	e, err := external.EvaluateCSV(context.Background(), m, []byte(rows), model.PredictOptions{}, external.EvaluateOptions{})
	if err != nil || e.Rows != 6 || e.Events != 4 || e.Skipped != 2 {
		t.Errorf("joined: %+v, %v", e, err)
	}
	m.OutcomeAliases, m.OutcomeJoin = nil, false
	if e, err = external.EvaluateCSV(context.Background(), m, []byte(rows), model.PredictOptions{}, external.EvaluateOptions{}); err != nil || e.Rows != 2 || e.Skipped != 6 {
		t.Errorf("kept apart: %+v, %v", e, err)
	}
	m.Positive, m.Negative = table.Levels{"1"}, table.Levels{"0"}
	if e, err = external.EvaluateCSV(context.Background(), m, []byte("age,marker,sex,site,outcome\n61,0,M,A,1.0\n61,0,M,A,0\n61,0,M,A,2\n"), model.PredictOptions{}, external.EvaluateOptions{}); err != nil || e.Rows != 2 || e.Events != 1 {
		t.Errorf("numbers: %+v, %v", e, err)
	}
}

// TestModelNamesJoinedOutcomes: the spellings of the outcome that reading
// joined go into the model.
func TestModelNamesJoinedOutcomes(t *testing.T) {
	records := tabletest.Clinic(200, 26)
	for i := 1; i < len(records); i += 9 {
		records[i][5] = strings.ToUpper(records[i][5]) + "."
	}
	var data strings.Builder
	_ = csv.NewWriter(&data).WriteAll(records)
	tab, err := table.Read(context.Background(), []byte(data.String()), table.Options{Columns: []table.ColumnSpec{{Name: "outcome", JoinLevels: true}}}, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := mustFit(t, tab, clinicSpec()).Model
	if !m.OutcomeJoin || m.OutcomeAliases["DIED."] != "died" || m.OutcomeAliases["ALIVE."] != "alive" {
		t.Errorf("aliases %v, join %v", m.OutcomeAliases, m.OutcomeJoin)
	}
}

// TestFromFileToPrediction goes the whole way by the table's own reader.
func TestFromFileToPrediction(t *testing.T) {
	var data strings.Builder
	records := tabletest.Clinic(240, 25)
	_ = csv.NewWriter(&data).WriteAll(records)
	tab, err := table.Read(context.Background(), []byte(data.String()), table.Options{}, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := clinicSpec()
	s.Validation.Kind = "none"
	r := mustFit(t, tab, s)
	out, err := csv.NewReader(strings.NewReader(written(t, r.Model, data.String()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if got, _ := strconv.ParseFloat(out[i+1][6], 64); !(math.Abs(got-row.Score) <= 1e-12*(1+math.Abs(row.Score))) || out[i+1][7] != strconv.Itoa(row.Stratum) {
			t.Fatalf("row %d: the file says %q, the run %v", i, out[i+1][6:], row)
		}
	}
}

// TestEvaluationInFull works the statistics of an external validation out again
// from the predictions.
func TestEvaluationInFull(t *testing.T) {
	records := tabletest.Clinic(300, 9)
	spec := clinicSpec()
	spec.Model.Loss = "logistic"
	r, err := Fit(context.Background(), tabletest.FromRecords(tabletest.Clinic(200, 8)), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for _, cells := range records[1:] {
		row := map[string]any{}
		for k, name := range records[0] {
			row[name] = cells[k]
		}
		for _, name := range []string{"age", "marker"} {
			if v, err := strconv.ParseFloat(row[name].(string), 64); err == nil {
				row[name] = v
			} else {
				row[name] = nil
			}
		}
		rows = append(rows, row)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := external.EvaluateRows(gone, r.Model, rows, external.EvaluateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for it: %v", err)
	}
	predictions, e, err := external.EvaluateRows(t.Context(), r.Model, rows, external.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	brier, expected, events, found := 0.0, 0.0, 0.0, 0.0
	for i, p := range predictions {
		y := 0.0
		if records[1+i][5] == "died" {
			y = 1
			if *p.Probability > 0.4 {
				found++
			}
		}
		brier += (*p.Probability - y) * (*p.Probability - y) / 300
		expected, events = expected+*p.Probability, events+y
	}
	if !(math.Abs(*e.Performance.Brier.Value-brier) <= 1e-12) || !(math.Abs(*e.Performance.ObservedExpected.Value-events/expected) <= 1e-12) {
		t.Errorf("Brier %v, O/E %v; by hand %v, %v", *e.Performance.Brier.Value, *e.Performance.ObservedExpected.Value, brier, events/expected)
	}
	if !(math.Abs(*e.Boundaries[1].Of("sensitivity").Value-found/events) <= 1e-12) || len(e.Calibration.Points) == 0 || e.Performance.ICI.Low == nil {
		t.Errorf("sensitivity at 0.4 is %v, by hand %v", *e.Boundaries[1].Of("sensitivity").Value, found/events)
	}
	// At the recalibrated risks the expected number is the observed one.
	shifted := 0.0
	for _, p := range predictions {
		shifted += 1 / (1 + math.Exp(-(math.Log(*p.Probability/(1-*p.Probability)) + *e.Recalibration.Intercept.Value)))
	}
	if !(math.Abs(shifted-events) <= 1e-6) {
		t.Errorf("recalibrated, %v events are expected of %v", shifted, events)
	}
}
