package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"taper/internal/engine/runspec"
	"taper/testdata"
)

// TestClassesNoise corrupts labels of three classes: the page gives the number, the run stores the noise and links
// back to the same page, and noise that needs an event is refused.
func TestClassesNoise(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	post(s, "/data/"+d.ID, script, "outcome=species")
	d = dataset(t, s, d.ID)
	at := "/stratify/" + d.ID + "?task=multiclass&outcome=species&l2=0.01"
	read := func(query string, status int) string {
		t.Helper()
		w := ask(s, "GET", at+query, "", browser)
		if w.Code != status {
			t.Fatalf("%s: %d %s", query, w.Code, plain(w.Body.String()))
		}
		return w.Body.String()
	}
	for query, want := range map[string]string{
		"": "Off: every row is trained with its recorded label.", "&noise=random&rate=0.2": "30 of 150 training labels flipped; evaluated on the recorded labels.",
		"&noise=instance": "15 of 150 rows received the features of another class for training; evaluated on the recorded rows.",
	} {
		page := read(query, http.StatusOK)
		if !strings.Contains(plain(page), want) {
			t.Errorf("%s: the page does not say %q", query, want)
		}
		if strings.Contains(page, `value="class"`) || strings.Contains(page, `value="large-margin"`) {
			t.Error("noise that needs an event is offered")
		}
	}
	if page := read("&noise=class", http.StatusUnprocessableEntity); !strings.Contains(plain(page), "Noise ‘class’ needs an event. Using none.") {
		t.Error("noise by class is not refused")
	}
	w := ask(s, "POST", "/stratify/"+d.ID+"/save", "task=multiclass&outcome=species&l2=0.01&noise=random&rate=0.2&method=tempered-multiclass", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
	if w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, w.Body)
	}
	run := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if run.Spec.Noise != (runspec.Noise{Kind: "random", Rate: .2}) || run.Result.Flow.Flipped != 30 {
		t.Errorf("%+v, %d flipped", run.Spec.Noise, run.Result.Flow.Flipped)
	}
	if to := s.stratifyOf(context.Background(), run); !strings.Contains(to, "noise=random&rate=0.2") {
		t.Errorf("the run leads to %s", to)
	}
	page := runText(t, s, run.ID)
	if n := len(run.Result.Starts); n < 2 || !strings.Contains(page, "Results of the initialisations") || !strings.Contains(page, run.Result.Starts[n-1].Start) {
		t.Errorf("%d starts, and the page does not list them", n)
	}
	if strings.Contains(read("", http.StatusOK), "Results of the initialisations") {
		t.Error("a convex fit lists its starts")
	}
}
