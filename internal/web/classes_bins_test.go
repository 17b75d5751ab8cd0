package web

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"taper/internal/store"
)

// valuesCSV has a number with n distinct values and a binary outcome.
func valuesCSV(n int) string {
	var b strings.Builder
	b.WriteString("rooms,age,price,sold\n")
	for i := range n {
		x := math.Sin(float64(7 * i))
		fmt.Fprintf(&b, "%.3f,%d,%.3f,%s\n", x, 20+i%47, 20+5*x+float64(i%11)/10+float64(i)/1e3, []string{"no", "yes"}[i*i%7/3%2])
	}
	return b.String()
}

// TestBinsOfManyValues: a numeric outcome with too many values for levels is cut into classes, before and after its
// dataset is confirmed, and all pages of such a run work.
func TestBinsOfManyValues(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, valuesCSV(120))
	for _, state := range []string{store.Raw, store.Kept} {
		if state == store.Kept {
			if w := post(s, "/data/"+d.ID, browser, "confirm=1"); w.Code != http.StatusSeeOther {
				t.Fatal(w.Code, plain(w.Body.String()))
			}
		}
		if is := dataset(t, s, d.ID).State; is != state {
			t.Fatalf("state %s, want %s", is, state)
		}
		var ids []string
		for _, by := range []string{"length", "frequency"} {
			query := "outcome=price&task=ordinal&bins=5&by=" + by + "&l2=0.01&x=rooms&x=age"
			page := ask(s, "GET", "/stratify/"+d.ID+"?"+query, "", browser)
			if page.Code != http.StatusOK || !strings.Contains(plain(page.Body.String()), "at most ") {
				t.Fatalf("%s, %s: %d %s", state, by, page.Code, plain(page.Body.String()))
			}
			w := ask(s, "POST", "/stratify/"+d.ID+"/save", query, formPost, "Origin: http://127.0.0.1:8080")
			if w.Code != http.StatusSeeOther {
				t.Fatal(w.Code, w.Body)
			}
			run := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
			if run.Spec.Bins == nil || run.Spec.Bins.By != by || run.Result.Flow.Trained != 120 {
				t.Errorf("%s: %+v, %+v", state, run.Spec.Bins, run.Result.Flow)
			}
			ids = append(ids, run.ID)
			binPages(t, s, run)
		}
		if w := ask(s, "GET", "/compare?ids="+url.QueryEscape(strings.Join(ids, ",")), "", browser); w.Code != http.StatusOK {
			t.Errorf("compare: %d", w.Code)
		}
	}
}

// binPages opens the pages of such a run.
func binPages(t *testing.T, s *Server, run store.Run) {
	t.Helper()
	for _, path := range []string{"/runs/" + run.ID, "/api/v1/runs/" + run.ID + "/report", "/api/v1/runs/" + run.ID + "/rows",
		"/runs/" + run.ID + "/performance", "/runs/" + run.ID + "/model", "/runs/" + run.ID + "/patients", "/api/v1/runs/" + run.ID + "/model.json", "/api/v1/runs/" + run.ID} {
		if w := ask(s, "GET", path, "", "Accept: */*"); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, plain(w.Body.String()))
		}
	}
	for _, path := range []string{"/audit/" + run.ID, "/api/v1/runs/" + run.ID + "/statistics"} { // explain why not
		if w := ask(s, "GET", path, ""); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", path, w.Code, plain(w.Body.String()))
		}
	}
	if w := send(t, s, "/api/v1/runs/"+run.ID+"/predict", "new.csv", valuesCSV(30), "application/json"); w.Code >= 500 {
		t.Errorf("predict: %d %s", w.Code, w.Body)
	}
}
