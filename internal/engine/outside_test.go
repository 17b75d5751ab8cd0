package engine

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/check"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/table/tabletest"
)

// predicted reads what PredictCSV makes of a file: one map a row.
func predicted(t *testing.T, m *model.Model, in string) (head []string, rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(written(t, m, in))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for k, name := range all[0] {
			row[name] = cells[k]
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// outsiders are rows inside, near the range and far outside it, with what they
// get: the band, and a part of the warning.
const outsiders = "age,marker,sex,site\n" +
	"60,0.5,M,A\n" + // inside
	"60,,F,D\n" + // missing; a rare level that was seen
	"NEAR,0.5,M,A\n" + // less than a quarter of the range above it
	"9999,0.5,M,A\n" + // far above
	"60,-1e6,M,A\n" + // far below
	"60,0.5,X,A\n" + // an unseen level
	"60,0.5,M,\n"

func TestOutsideTheData(t *testing.T) {
	for _, lossID := range []string{"interval", "logistic"} {
		m, _ := trained(t, lossID)
		age := m.Columns[slices.IndexFunc(m.Columns, func(c prep.Column) bool { return c.Name == "age" })]
		near, _ := json.Marshal(age.Max + (age.Max-age.Min)/5)
		head, rows := predicted(t, m, strings.Replace(outsiders, "NEAR", string(near), 1))
		want := []string{"score", "probability", "stratum", "band", "warning"}
		if lossID == "interval" {
			want = slices.Delete(want, 1, 2)
		}
		if got := head[4:]; !slices.Equal(got, want) {
			t.Errorf("%s: %v appended, want %v", lossID, got, want)
		}
		for i, far := range []bool{false, false, false, true, true, true, false} {
			row := rows[i]
			if far != (row["band"] == check.OutsideData) || far != (row["stratum"] == "") || row["score"] == "" ||
				lossID == "logistic" && far != (row["probability"] == "") || far && row["warning"] == "" {
				t.Errorf("%s row %d, far: %v: %v", lossID, i, far, row)
			}
			if !far && row["band"] != []string{"≤ 20 %", "20 – 40 %", "40 – 70 %", "> 70 %"}[row["stratum"][0]-'0'] {
				t.Errorf("%s row %d: stratum %s is called %q", lossID, i, row["stratum"], row["band"])
			}
		}
		if w := rows[2]["warning"]; !strings.Contains(w, "age "+string(near)+" is outside the training range") {
			t.Errorf("a value just outside: %q", w)
		}
	}
}

// TestOutsideAsJSON: the score is there, and nothing to act on.
func TestOutsideAsJSON(t *testing.T) {
	m, _ := trained(t, "logistic")
	rows, err := model.PredictRows(m, []map[string]any{{"age": 9999.0, "marker": 0.5, "sex": "M", "site": "A"}, {"age": 60.0, "marker": 0.5, "sex": "M", "site": "A"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"probability":null,"stratum":null,"band":"outside the data"`, ` %"`} {
		text, err := json.Marshal(rows[i])
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), `"score":null`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// TestOutsideNeedsWeight: a number whose column has no weight moves nothing, and
// is warned of alone.
func TestOutsideNeedsWeight(t *testing.T) {
	m, _ := trained(t, "logistic")
	for k, term := range m.Terms {
		if term.Column == "age" {
			m.Weights[k] = 0
		}
	}
	_, rows := predicted(t, m, outsiders[:strings.Index(outsiders, "60")]+"9999,0.5,M,A\n9999,1e6,M,A\n")
	if rows[0]["band"] == check.OutsideData || !strings.Contains(rows[0]["warning"], "age 9999 is outside") || rows[1]["band"] != check.OutsideData {
		t.Errorf("%v", rows)
	}
	boosted, _ := trainedAs(t, fit.Spec{Kind: "boost", Rounds: 1})
	split := boosted.Terms[boosted.Trees[0].Nodes[0].Feature].Column
	for _, c := range boosted.Columns {
		if used := boosted.UsedColumns()[c.Name]; used != (c.Name == split) {
			t.Errorf("one stump splits %s, and %s is in use: %v", split, c.Name, used)
		}
	}
	kernel, _ := trainedAs(t, fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.2}})
	if n := len(kernel.UsedColumns()); n != len(kernel.Columns) {
		t.Errorf("a kernel uses %d of %d columns", n, len(kernel.Columns))
	}
}

// TestOutsideOfAKeptModel: one whose data were wiped no longer names the levels
// it pooled, so that a level it does not know may be one of them.
func TestOutsideOfAKeptModel(t *testing.T) {
	m, _ := trained(t, "logistic")
	file := "age,marker,sex,site\n60,0.5,M,Z\n60,0.5,M,D\n"
	_, rows := predicted(t, m, file)
	if rows[0]["band"] != check.OutsideData || rows[1]["band"] == check.OutsideData {
		t.Errorf("with its data: %v", rows)
	}
	_, rows = predicted(t, m.WithoutRows(nil), file)
	for _, row := range rows {
		if row["band"] == check.OutsideData || !strings.Contains(row["warning"], "in few of the training rows or in none") {
			t.Errorf("without: %v", row)
		}
	}
	_, rows = predicted(t, m.WithoutRows(nil), "age,marker,sex,site\n9999,0.5,M,A\n60,0.5,X,A\n")
	for _, row := range rows {
		if row["band"] != check.OutsideData {
			t.Errorf("without, far: %v", row)
		}
	}
}

// TestEvaluationLeavesOutsidersOut: rows outside the data are counted with their
// events and columns, and no other number changes by them.
func TestEvaluationLeavesOutsidersOut(t *testing.T) {
	m, _ := trained(t, "logistic")
	var b strings.Builder
	_ = csv.NewWriter(&b).WriteAll(tabletest.Clinic(250, 24))
	judge := func(more string) *external.Evaluation {
		t.Helper()
		e, err := external.EvaluateCSV(context.Background(), m, []byte(b.String()+more), model.PredictOptions{}, external.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	plain := judge("")
	with := judge("9999,0.5,M,A,w,died\n9999,0.5,X,A,w,died\n60,0.5,X,A,w,alive\n9999,0.5,M,A,w,\n")
	if with.Outside != plain.Outside+3 || with.OutsideEvents != plain.OutsideEvents+2 || with.Skipped != plain.Skipped+1 || with.Rows != plain.Rows || with.Events != plain.Events {
		t.Errorf("%+v\nand with three rows outside the data %+v", plain, with)
	}
	if with.Read != with.Rows+with.Skipped+with.Outside || *with.Metrics.AUC != *plain.Metrics.AUC || *with.Recalibration.Slope.Value != *plain.Recalibration.Slope.Value {
		t.Errorf("the numbers moved: %+v, %+v", with.Metrics, plain.Metrics)
	}
	n := 0
	for _, s := range with.Strata {
		n += s.N
	}
	if n != with.Rows {
		t.Errorf("%d rows in bands, %d judged", n, with.Rows)
	}
	at := slices.IndexFunc(with.Warnings, func(w Warning) bool { return w.Code == external.WarnOutside })
	if plain.Outside == 0 && (at < 0 || with.Warnings[at].Message != "3 rows with a known outcome (2 events) lie outside the data the model was trained on (‘age’ beyond its range: 2; ‘sex’ an unseen level: 2): they get no band and are excluded from all figures.") {
		t.Errorf("%+v", with.Warnings)
	}
	_, err := external.EvaluateCSV(context.Background(), m, []byte("age,marker,sex,site,outcome\n9999,0.5,M,A,died\n9999,0.5,M,A,alive\n"), model.PredictOptions{}, external.EvaluateOptions{})
	if err == nil || !strings.Contains(err.Error(), "outside the data it was trained on (‘age’ beyond its range: 2)") {
		t.Errorf("all outside: %v", err)
	}
}
