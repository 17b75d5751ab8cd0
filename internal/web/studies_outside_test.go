package web

import (
	"encoding/csv"
	"math"
	"net/http"
	"strings"
	"testing"

	"taper/internal/store"
	"taper/internal/web/api"
)

// TestStudyOutside uploads predictions of another program to a finished figure: they are evaluated on its rows,
// shown in its figure and files, and replaced by the next upload.
func TestStudyOutside(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "POST", "/studies", "preset=sypherd-fig4&size=smoke&seed=4", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
	id := strings.TrimPrefix(w.Header().Get("Location"), "/studies/")
	if w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, w.Body)
	}
	if w := send(t, s, "/studies/"+id+"/outside", "p.csv", "x", browser); w.Code != http.StatusConflict && studyBy(t, s, id).Status != store.Done {
		t.Errorf("predictions for a study that is not done: %d", w.Code)
	}
	studyAt(t, s, id, func(v api.Study) bool { return v.Status == store.Done })
	page := plain(ask(s, "GET", "/studies/"+id, "", browser).Body.String())
	if !strings.Contains(page, "The paper also shows xgboost") || strings.Contains(page, "xgboost, uploaded") {
		t.Error("the page does not ask for predictions, or has some")
	}
	lines, err := csv.NewReader(ask(s, "GET", "/studies/"+id+"/rows.csv", "").Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	file, n := "depth,replicate,row,prediction\n", 0
	for _, l := range lines[1:] {
		if l[1] == "test" {
			file += "3,0," + l[2] + ",1\n"
			n++
		}
	}
	upload := func(file string, status int) string {
		t.Helper()
		w := send(t, s, "/studies/"+id+"/outside", "p.csv", file, browser)
		if w.Code != status {
			t.Fatalf("%d %s", w.Code, plain(w.Body.String()))
		}
		return plain(w.Body.String())
	}
	upload(file, http.StatusSeeOther)
	accuracy := func() (found []float64) {
		for _, c := range studyBy(t, s, id).Cells {
			if c.Model == "xgboost, uploaded" {
				if c.At != 3 || c.Metric != "accuracy" || c.N != 1 {
					t.Errorf("%+v", c)
				}
				found = append(found, *c.Mean)
			}
		}
		return found
	}
	ones := accuracy()
	if n != 5000 || len(ones) != 1 || math.Abs(ones[0]-.5) > .05 { // half of the rows are of class 1
		t.Fatalf("%d rows, accuracies %v", n, ones)
	}
	if page := plain(ask(s, "GET", "/studies/"+id, "", browser).Body.String()); !strings.Contains(page, "xgboost, uploaded") {
		t.Error("the figure does not show the predictions")
	}
	upload(strings.ReplaceAll(file, ",1\n", ",0.25\n"), http.StatusSeeOther)
	if zeros := accuracy(); len(zeros) != 1 || math.Abs(zeros[0]+ones[0]-1) > 1e-12 {
		t.Errorf("accuracies %v after %v", zeros, ones)
	}
	if said := upload(file+"3,0,0,1\n", http.StatusUnprocessableEntity); !strings.Contains(said, "row 0 of replicate 0 is there twice at depth 3") {
		t.Error(said)
	}
	if said := upload(strings.ReplaceAll(file, ",", ";"), http.StatusUnprocessableEntity); !strings.Contains(said, "The predictions were not taken.") || !strings.Contains(said, "commas") || !strings.Contains(said, "Reproduce this study") {
		t.Errorf("on the page of the study: %s", said)
	}
	if zeros := accuracy(); len(zeros) != 1 {
		t.Errorf("a bad file changed the figure: %v", zeros)
	}
}
