package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// unanswered is a file with two questions: implausible zeros in three columns, and patients with two rows.
func unanswered() string {
	var b strings.Builder
	b.WriteString("patient_id,glucose,bmi,pressure,age,disease\n")
	for i := range 240 {
		glucose, bmi, pressure := 80+(i*37)%90, 20+(i*13)%19, 60+(i*29)%45
		switch i % 10 {
		case 3:
			glucose = 0
		case 6:
			bmi = 0
		case 9:
			pressure = 0
		}
		sick := "no"
		if (i*53)%100+glucose/4 > 80 {
			sick = "yes"
		}
		fmt.Fprintf(&b, "P%04d,%d,%d,%d,%d,%s\n", 1000+i-i%12/11, glucose, bmi, pressure, 30+(i*17)%50, sick)
	}
	return b.String()
}

// TestOpenQuestionsTravel: unanswered questions are shown with the numbers, before and after the upload is deleted.
func TestOpenQuestionsTravel(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, unanswered())
	const zeros, people = "0 in glucose (24 rows), bmi (24 rows) and pressure (24 rows)", "40 rows belong to patients seen more than once (220 patients, 240 rows)"
	says := func(when, path string) {
		t.Helper()
		w := ask(s, "GET", path, "", browser)
		text := plain(w.Body.String())
		for _, want := range []string{zeros, people} {
			if w.Code != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s: %d, %s does not say %q", when, w.Code, path, want)
			}
		}
	}
	says("as it came", "/stratify/"+d.ID)
	post(s, "/data/"+d.ID, browser, "confirm=1", "anyway=1")
	says("once confirmed", "/stratify/"+d.ID)
	says("once confirmed", "/data/"+d.ID)
	if text := plain(ask(s, "GET", "/data/"+d.ID, "", browser).Body.String()); !strings.Contains(text, "Two questions were left open when the file was wiped.") {
		t.Error("the data page does not say that questions were left open")
	}
	d = dataset(t, s, d.ID)
	run := trained(t, s, heartSpec(d, "open", "interval", .25, .5, .75))
	for _, at := range []string{"", "/performance", "/model", "/patients"} {
		says("of the run", "/runs/"+run.ID+at)
	}
	for _, at := range []string{"/group", "/nomogram", "/calculator.html"} { // these say how many, and no count of rows
		text := plain(ask(s, "GET", "/runs/"+run.ID+at, "", browser).Body.String())
		if !strings.Contains(text, "Two questions about the data were left open") || strings.Contains(text, "24 rows") {
			t.Errorf("%s says nothing of the open questions, or too much", at)
		}
	}

	d = bringAnswered(t, s, unanswered()+"\n")
	post(s, "/data/"+d.ID, browser, "warning=impossible-zero:glucose, bmi, pressure", "choice=Keep the numbers")
	if text := plain(ask(s, "GET", "/stratify/"+d.ID, "", browser).Body.String()); strings.Contains(text, "0 in glucose") {
		t.Error("a question that was answered is asked again")
	}
}

// TestRunKeepsItsPredictors: a run keeps its predictors whatever roles the columns get later, and can be repeated.
func TestRunKeepsItsPredictors(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	first := trained(t, s, heartSpec(d, "before", "interval", .25, .5, .75))
	if len(first.Spec.Predictors) < 5 {
		t.Fatalf("the stored spec names %q", first.Spec.Predictors)
	}
	gone := first.Spec.Predictors[2]
	if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, fmt.Sprintf(`{"columns":[{"name":%q,"role":"exclude"}]}`, gone), "Content-Type: application/json"); w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	if text := plain(ask(s, "GET", "/runs/"+first.ID+"/model", "", browser).Body.String()); !strings.Contains(text, "Predictors "+first.Spec.Predictors[0]) || !strings.Contains(text, gone) {
		t.Errorf("the run's page does not name its predictors: %s", text)
	}
	again := trained(t, s, first.Spec)
	if a, b := *first.Result.Metrics.Test.IntervalLoss, *again.Result.Metrics.Test.IntervalLoss; a != b {
		t.Errorf("made again, the interval loss is %g and was %g", b, a)
	}
}
