package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"taper/internal/engine/runspec"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
)

// many makes the sample data of a server count as many rows.
func many(s *Server) {
	s.app.Computations.Scale = runspec.Scale{HoldOut: 500, Class: 20, Sample: 100, PerTerm: .1}
}

// TestHoldOutIsTheDefault: from the scale on a page evaluates on a hold-out, says so, and offers five folds.
func TestHoldOutIsTheDefault(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	at := "/stratify/" + id + "?x=mean_radius&x=mean_texture&l2=0.01"
	if body := ask(s, "GET", at, "", browser).Body.String(); strings.Contains(body, "hold-out of") ||
		strings.Contains(body, `id="r-extent"`) {
		t.Fatal("569 rows are evaluated on a hold-out by default")
	}
	s, id = sampleServer(t, "wdbc.csv")
	many(s)
	at = "/stratify/" + id + "?x=mean_radius&x=mean_texture&l2=0.01"
	body := ask(s, "GET", at, "", browser).Body.String()
	for _, words := range []string{"All 569 rows, evaluated on a hold-out of 113", "Use five folds",
		"Evaluated on a hold-out of 113 rows, which the model was not trained on.", "Comparison on the same held-out rows"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if strings.Contains(body, "Preview on") {
		t.Error("an address without the flag shows a preview")
	}
	body = ask(s, "GET", at+"&folds=5", "", browser).Body.String()
	if !strings.Contains(body, "All 569 rows, in 5 folds") || strings.Contains(body, "hold-out of 113") {
		t.Error("five folds are not five folds")
	}
	d, err := s.db.Dataset(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for query, folds := range map[string]int{"": 0, "folds=5": 5, "folds=holdout": 0, "folds=0": 0, "folds=2": 2} {
		q, _ := url.ParseQuery(query)
		st, bad := stratify.ParseAt(q, d, s.app.Computations.Scale)
		if st.Folds != folds || (len(bad) > 0) != (query == "folds=0") {
			t.Errorf("%q: %d folds, %v", query, st.Folds, bad)
		}
		q, _ = url.ParseQuery(strings.TrimPrefix(st.Query(), "?"))
		if again, _ := stratify.ParseAt(q, d, s.app.Computations.Scale); again.Folds != st.Folds {
			t.Errorf("%q is written as %q, which reads as %d folds", query, st.Query(), again.Folds)
		}
	}
}

// TestPreview: a moving slider is answered from a sample, and the page says so; its release is answered from all rows.
func TestPreview(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	many(s)
	query := "x=mean_radius&x=mean_texture&l2=0.01&pi=0.3,0.6"
	moved := func(more string) live.Answer {
		t.Helper()
		w := ask(s, "GET", "/stratify/"+id+"/live?"+query+more, "")
		var a live.Answer
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %v %s", w.Code, err, w.Body)
		}
		return a
	}
	drag := moved("&drag=r-strata") // the mark is out of sight
	if mark := drag.Parts["r-extent"]; !strings.Contains(mark, "Preview on 100 of 569 rows") || drag.MS == nil {
		t.Errorf("a drag is marked %q, ms %v", mark, drag.MS)
	}
	if strings.Contains(drag.URL, "preview") {
		t.Errorf("a drag leads to %s, which is not the exact result", drag.URL)
	}
	had := "&had=r-extent:" + drag.Stamps["r-extent"]
	if _, again := moved("&drag=r-strata" + had).Parts["r-extent"]; again {
		t.Error("the mark is sent, and announced, at every move")
	}
	released := moved(had)
	if mark := released.Parts["r-extent"]; !strings.Contains(mark, "All 569 rows") || released.MS != nil {
		t.Errorf("a release is marked %q, ms %v", mark, released.MS)
	}
	if released.Parts["r-strata"] == "" || released.Parts["r-strata"] == drag.Parts["r-strata"] {
		t.Error("a release shows the strata of the sample")
	}
	body := ask(s, "GET", "/stratify/"+id+"?preview=1&"+query, "", browser).Body.String()
	if !strings.Contains(body, "Preview on 100 of 569 rows") || !strings.Contains(body, "Compute all rows") {
		t.Error("an address with the flag is not marked as a preview")
	}
}

// TestHoldOutSaved: a saved run of a hold-out has the numbers of the page to the bit, λ tuned or not, and lists the
// held-out rows alone.
func TestHoldOutSaved(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	many(s)
	d, err := s.db.Dataset(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"x=mean_radius&x=mean_texture&l2=0.01", "x=mean_radius&x=mean_texture"} {
		q, _ := url.ParseQuery(query)
		st, _ := stratify.ParseAt(q, d, s.app.Computations.Scale)
		if code := ask(s, "GET", "/stratify/"+id+"?"+query, "", browser).Code; code != http.StatusOK {
			t.Fatal(code)
		}
		shown := s.app.Computations.Known(d, st.Spec(0))
		if shown == nil || shown.Rows != nil || shown.Optimistic {
			t.Fatalf("the page shows %+v", shown)
		}
		w := ask(s, "POST", "/stratify/"+id+"/save", query, browser, "Content-Type: application/x-www-form-urlencoded",
			"Origin: http://127.0.0.1:8080")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		run := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
		r := run.Result
		if !reflect.DeepEqual(shown.Strata, r.Strata) || !reflect.DeepEqual(shown.Metrics, r.Metrics) ||
			shown.Objective != r.Objective || shown.L2 != r.L2 || !reflect.DeepEqual(shown.Coefficients, r.Coefficients) {
			t.Errorf("%s: the saved run differs from the page", query)
		}
		rows, err := s.db.RunRows(context.Background(), run.ID)
		if err != nil || len(rows) != r.Flow.Scored {
			t.Errorf("%s: %d rows are listed of %d held out: %v", query, len(rows), r.Flow.Scored, err)
		}
		to, shows := stratify.OfRun(run.Spec, d)
		if to.Scale = s.app.Computations.Scale; !shows || to.Query() != st.Query() {
			t.Errorf("%s: the run leads back to %q, not %q", query, to.Query(), st.Query())
		}
	}
}
