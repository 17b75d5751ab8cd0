package engine

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// wards are patients of which some died, some were transferred and some were
// lost: the records of clinic with four levels, and with died and transferred
// called by one name.
func wards(n int) (records, merged [][]string) {
	records = tabletest.Clinic(n, 31)
	for i := 1; i <= n; i++ {
		switch {
		case records[i][5] == "died" && i%3 == 0:
			records[i][5] = "transferred"
		case records[i][5] == "alive" && i%11 == 0:
			records[i][5] = "lost"
		case records[i][5] == "alive" && i%4 == 0:
			records[i][5] = "home"
		}
	}
	for _, r := range records {
		r = slices.Clone(r)
		r[5] = strings.NewReplacer("transferred", "died", "home", "alive").Replace(r[5])
		merged = append(merged, r)
	}
	return records, merged
}

func wardSpec() runspec.Spec {
	s := clinicSpec()
	s.Positive, s.Negative, s.ScoreOnly = table.Levels{"died", "transferred"}, table.Levels{"alive", "home"}, []string{"lost"}
	return s
}

// TestSeveralLevelsAreOneEvent: the model of two levels as one event is that of
// a file in which they have one name; rows keep the level as uploaded.
func TestSeveralLevelsAreOneEvent(t *testing.T) {
	records, merged := wards(220)
	r := mustFit(t, tabletest.FromRecords(records), wardSpec())
	plain := clinicSpec()
	plain.Negative, plain.ScoreOnly = table.Levels{"alive"}, []string{"lost"}
	want := mustFit(t, tabletest.FromRecords(merged), plain)
	if r.Objective != want.Objective || r.Flow.TrainedEvents != want.Flow.TrainedEvents || r.Flow.Trained != want.Flow.Trained || len(r.Rows) != len(want.Rows) {
		t.Fatalf("objective %v of %+v, want %v of %+v", r.Objective, r.Flow, want.Objective, want.Flow)
	}
	for i, row := range r.Rows {
		if row.Score != want.Rows[i].Score || row.Outcome != records[1+row.Row][5] {
			t.Fatalf("row %d scores %v as %q, want %v as uploaded", row.Row, row.Score, row.Outcome, want.Rows[i].Score)
		}
	}
	if r.Positive.String() != "died or transferred" || !slices.Equal(r.Model.Levels, []string{"alive or home", "died or transferred"}) {
		t.Errorf("the classes are %q and %q", r.Positive, r.Model.Levels)
	}
	var names []string
	for _, d := range r.Density {
		names = append(names, d.Level)
	}
	if !slices.Equal(names, []string{"alive or home", "died or transferred", "lost"}) {
		t.Errorf("densities of %q", names)
	}
	at, wanted := r.Statistics(wardSpec().WithDefaults(), r.Rows, nil), want.Statistics(plain.WithDefaults(), want.Rows, nil)
	if a, b := at.Ordered, wanted.Ordered; !slices.Equal(a.N, b.N) || !cmp.Equal(a.All, b.All) {
		t.Errorf("order %+v, want %+v", a, b)
	}
}

// TestSeveralLevelsInNewData: a file with every level counts each as its class.
func TestSeveralLevelsInNewData(t *testing.T) {
	records, merged := wards(220)
	r := mustFit(t, tabletest.FromRecords(records), wardSpec())
	var texts []map[string]any
	events, others := 0, 0
	for _, rec := range records[1:] {
		row := map[string]any{}
		for j, name := range records[0] {
			row[name] = rec[j]
		}
		texts = append(texts, row)
		switch {
		case r.Positive.Has(rec[5]):
			events++
		case r.Negative.Has(rec[5]):
			others++
		}
	}
	_, e, err := external.EvaluateRows(t.Context(), r.Model, texts, external.EvaluateOptions{})
	if err != nil || e.Events != events || e.Rows != events+others || e.Skipped != len(records)-1-events-others {
		t.Fatalf("%+v, %v", e, err)
	}
	for level, event := range map[string]bool{"died": true, "transferred": true, "alive": false, "home": false} {
		if is, ok := r.Model.Event(level); !ok || is != event {
			t.Errorf("%s: event %v, known %v", level, is, ok)
		}
	}
	if _, ok := r.Model.Event("lost"); ok {
		t.Error("a level that is only scored is a class")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: score.py is left out")
	}
	dir := t.TempDir()
	b, err := json.Marshal(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"positive":["died","transferred"],"negative":["alive","home"]`) {
		t.Errorf("model.json lacks the levels: %.300s", b)
	}
	var csv strings.Builder
	for _, rec := range merged {
		csv.WriteString(strings.Join(rec, ",") + "\n")
	}
	model, file := filepath.Join(dir, "model.json"), filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(model, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "portable/score.py", model, file).Output()
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || len(lines) != len(records) {
		t.Errorf("score.py: %v, %.300s", err, out)
	}
}

// TestLevelsAreChecked names the field and the level that is wrong.
func TestLevelsAreChecked(t *testing.T) {
	records, _ := wards(220)
	tab := tabletest.FromRecords(records)
	for _, c := range []struct {
		change func(*runspec.Spec)
		field  string
		says   string
	}{
		{func(s *runspec.Spec) { s.Negative = table.Levels{"alive", "died"} }, "negative", "‘died’"},
		{func(s *runspec.Spec) { s.Positive = table.Levels{"died", "nowhere"} }, "positive[1]", "‘nowhere’"},
		{func(s *runspec.Spec) { s.Positive = table.Levels{"died", "died"} }, "positive[1]", "‘died’"},
		{func(s *runspec.Spec) { s.Positive = table.Levels{} }, "positive", "at least one"},
		{func(s *runspec.Spec) { s.Negative = table.Levels{} }, "negative", "at least one"},
		{func(s *runspec.Spec) { s.ScoreOnly = []string{"transferred"} }, "score_only[0]", "‘transferred’"},
		{func(s *runspec.Spec) { s.ScoreOnly = []string{"lost", "home"} }, "score_only[1]", "‘home’"},
		{func(s *runspec.Spec) { s.Negative = nil }, "negative", "‘home’, ‘alive’"},
	} {
		s := wardSpec()
		c.change(&s)
		e, ok := usererr.As(s.Validate(tab))
		if !ok || !slices.ContainsFunc(e.Fields, func(f usererr.Field) bool { return f.Field == c.field && strings.Contains(f.Message, c.says) }) {
			t.Errorf("want %s saying %s, got %+v", c.field, c.says, e)
		}
	}
	for text, field := range map[string]string{`"positive":[]`: "positive", `"positive":5`: "positive", `"positive":["a",5]`: "positive[1]", `"negative":{}`: "negative"} {
		_, err := runspec.Decode(strings.NewReader(`{"dataset":"d","outcome":"y",` + text + `}`))
		if e, ok := usererr.As(err); !ok || e.Fields[0].Field != field {
			t.Errorf("%s: %v", text, err)
		}
	}
	s, err := runspec.Decode(strings.NewReader(`{"dataset":"d","outcome":"y","positive":["died","transferred"],"negative":"alive"}`))
	if err != nil || !slices.Equal(s.Positive, []string{"died", "transferred"}) || !slices.Equal(s.Negative, []string{"alive"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestReviewOfSeveralLevels flips a row to a class of several levels, and
// another to one level of it.
func TestReviewOfSeveralLevels(t *testing.T) {
	records, _ := wards(220)
	s := wardSpec()
	alive := slices.IndexFunc(records, func(r []string) bool { return r[5] == "alive" }) - 1
	died := slices.IndexFunc(records, func(r []string) bool { return r[5] == "died" }) - 1
	s.Review = &runspec.Review{Changes: []runspec.Relabel{{Row: alive, To: "died or transferred"}, {Row: died, To: "home"}}}
	slices.SortFunc(s.Review.Changes, func(a, b runspec.Relabel) int { return a.Row - b.Row })
	before, after := mustFit(t, tabletest.FromRecords(records), wardSpec()), mustFit(t, tabletest.FromRecords(records), s)
	if after.Flow.Relabelled != 2 || after.Flow.TrainedEvents != before.Flow.TrainedEvents {
		t.Errorf("flow %+v of %+v", after.Flow, before.Flow)
	}
	s.Review.Changes[0].To = "alive or died"
	if err := s.Validate(tabletest.FromRecords(records)); err == nil {
		t.Error("a class that is none is taken")
	}
}

// TestStoredSpecsAndModelsStay: what was stored with one level opens as it did,
// and is written as it was.
func TestStoredSpecsAndModelsStay(t *testing.T) {
	const spec = `{"dataset":"d1","outcome":"diagnosis","positive":"malignant","negative":"benign","task":"interval","model":{"kind":"linear","loss":"interval","l2":"cv"},` +
		`"boundaries":[0.25,0.5,0.75],"mode":"interval","validation":{"kind":"cv","folds":5},"noise":{"kind":"none"},"seed":7}`
	var s runspec.Spec
	if err := json.Unmarshal([]byte(spec), &s); err != nil || !slices.Equal(s.Positive, []string{"malignant"}) || !slices.Equal(s.Negative, []string{"benign"}) {
		t.Fatalf("%+v, %v", s, err)
	}
	if b, err := json.Marshal(s); err != nil || string(b) != spec {
		t.Errorf("%v: the spec is written as\n%s", err, b)
	}
	const stored = `{"format":"taper-model/1","columns":[{"name":"age","kind":"number","missing":["NA"],"median":50,"min":20,"max":90}],` +
		`"terms":[{"name":"age","column":"age","kind":"value","mean":50,"sd":10}],"weights":[1],"intercept":-0.5,"loss":"logistic","params":{},"link":"logistic",` +
		`"boundaries":[0.5],"delta":[0],"cut":0.5,"outcome":"died","positive":"1","negative":"0","levels":["0","1"],"decimal":".","version":"dev"}`
	var m model.Model
	if err := json.Unmarshal([]byte(stored), &m); err != nil {
		t.Fatal(err)
	}
	p, e, err := external.EvaluateRows(t.Context(), &m, []map[string]any{{"age": 60.0, "died": "1.0"}, {"age": 40.0, "died": "0"}, {"age": 60.0, "died": "2"}}, external.EvaluateOptions{})
	if err != nil || !(math.Abs(p[0].Score-0.5) <= 1e-12) || e.Events != 1 || e.Rows != 2 || e.Skipped != 1 {
		t.Errorf("%+v, %+v, %v", p, e, err)
	}
	b, err := json.Marshal(m)
	if err != nil || !strings.Contains(string(b), `"outcome":"died","positive":"1","negative":"0","levels":["0","1"]`) {
		t.Errorf("%v: the model is written as\n%s", err, b)
	}
	var r Result
	if err := json.Unmarshal([]byte(`{"outcome":"species","positive":"","negative":""}`), &r); err != nil || r.Positive != nil {
		t.Errorf("%q, %v", r.Positive, err)
	}
	if b, _ := json.Marshal(r); !strings.HasPrefix(string(b), `{"outcome":"species","positive":"","negative":""`) {
		t.Errorf("the result is written as %.100s", b)
	}
	var o table.OutcomeChoice
	if err := json.Unmarshal([]byte(`{"column":"y","positive":"1","negative":"0"}`), &o); err != nil || o.Positive.String() != "1" {
		t.Errorf("%+v, %v", o, err)
	}
}
