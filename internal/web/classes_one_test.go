package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"taper/internal/viz"
	"taper/testdata"
)

// TestOneClassAbstaining: rows of one class give a model that may abstain no accuracy, recall or loss, which would follow
// from which class it is: neither on the page nor in the API. Their answers and abstentions are counted.
func TestOneClassAbstaining(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	run := classRun(t, s, d.ID, `"task":"abstain","model":{"loss":"al-abstain","l2":0.01}`)
	file := "sepal_length,sepal_width,petal_length,petal_width,species\n"
	for i := range 40 { // from clear to between two species
		file += fmt.Sprintf("6.%d3,2.9,%.2f,%.2f,virginica\n", i%10, 4.4+float64(i)*.04, 1.41+float64(i)*.02)
	}
	var v struct {
		ID       string
		Warnings []struct{ Code string }
		Metrics  map[string]json.RawMessage
	}
	w := ask(s, "POST", "/api/v1/runs/"+run.ID+"/predict?evaluate=1", file, "Content-Type: text/csv")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	var answered, n int
	var abstained []int
	for name, to := range map[string]any{"n": &n, "answered": &answered, "abstained": &abstained} {
		if err := json.Unmarshal(v.Metrics[name], to); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if v.ID != "" || len(v.Warnings) == 0 || v.Warnings[0].Code != "one-class" || n != 40 || answered == n ||
		answered+abstained[2] != n {
		t.Errorf("%+v: %d of %d answered", v, answered, n)
	}
	for _, name := range []string{"accuracy", "accuracy_low", "abstention_loss", "macro_f1", "balanced_accuracy", "log_loss"} {
		if got := string(v.Metrics[name]); got != "null" && got != "" {
			t.Errorf("%s is %s on rows of one class", name, got)
		}
	}
	text := plain(send(t, s, "/runs/"+run.ID+"/score", "one.csv", file, browser, "evaluate=1").Body.String())
	says := []string{"No verdict: all rows are of one class.", "40 rows evaluated", "Only ‘virginica’ is present",
		"Nothing was kept.", "No answer", "Answer Rows Share", fmt.Sprintf("%d (%s)", abstained[2], viz.Percent(float64(abstained[2])/40, 0))}
	for _, want := range says {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	for _, no := range []string{"Accuracy", "Recall", "Abstention loss", "Macro F1"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q on rows of one class", no)
		}
	}
}
