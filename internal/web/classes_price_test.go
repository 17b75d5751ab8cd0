package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/testdata"
)

// TestPriceOfNoAnswer fits, saves, reads, scores and compares ordered classes with a cost of abstention. Each page
// gives the cost, and the run links back to the same page.
func TestPriceOfNoAnswer(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	post(s, "/data/"+d.ID, script, "outcome=species")
	read := func(path, accept string, status int) string {
		t.Helper()
		w := ask(s, "GET", path, "", accept)
		if w.Code != status {
			t.Fatalf("%s: %d %s", path, w.Code, plain(w.Body.String()))
		}
		return w.Body.String()
	}
	says := func(path, page string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(page, text) && !strings.Contains(plain(page), text) {
				t.Errorf("%s does not say %q", path, text)
			}
		}
	}
	at := "/stratify/" + d.ID + "?outcome=species&l2=0.02&task=ordinal-abstain"
	says("data", read("/data/"+d.ID, browser, http.StatusOK), `href="/stratify/`+d.ID+`?task=ordinal-abstain"`)
	page := read(at+"&price=0.4", browser, http.StatusOK)
	says(at, page, `name="price"`, `value="0.4"`, "Ordered, with abstention", "abstaining has its own cost", "Abstention loss 0.0",
		"Trained on the costs of the answers.", "One score and thresholds", "Mean absolute error of its answers")
	if strings.Contains(page, `name="cost"`) {
		t.Error("the costs can be edited beside the price that they are made of")
	}
	says(at, read(at, browser, http.StatusOK), `value="0.5"`)
	says(at, read(at+"&price=-1", browser, http.StatusUnprocessableEntity), "Price must be between 0 and 1000 (got -1). Using 0.5.")
	says(at, read(at+"&price=0", browser, http.StatusOK), "The model answers no row.")
	says(at, read(at+"&method=softmax&price=3", browser, http.StatusOK), "No answer for 0.0\u00a0% of the rows")

	var ids []string
	for _, price := range []string{"0.4", "0.9"} {
		w := ask(s, "POST", "/stratify/"+d.ID+"/save", "task=ordinal-abstain&outcome=species&l2=0.02&price="+price, formPost,
			"Origin: http://127.0.0.1:8080")
		if w.Code != http.StatusSeeOther {
			t.Fatal(w.Code, w.Body)
		}
		run := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
		if run.Spec.Task != "ordinal-abstain" || run.Spec.Price == nil || strconv.FormatFloat(*run.Spec.Price, 'g', -1, 64) != price {
			t.Fatalf("%+v", run.Spec)
		}
		if to := s.stratifyOf(context.Background(), run); !strings.Contains(to, "task=ordinal-abstain") ||
			!strings.Contains(to, "price="+price) {
			t.Errorf("the run leads to %s", to)
		}
		ids = append(ids, run.ID)
	}
	words := "ordered classes or no answer at a price of 0.4"
	for _, path := range []string{"/runs/" + ids[0] + "/model", "/report/" + ids[0]} {
		says(path, read(path, browser, http.StatusOK), words)
	}
	says("runs", read("/runs", browser, http.StatusOK), "Abstention loss 0.")
	says("compare", read("/compare?ids="+url.QueryEscape(strings.Join(ids, ",")), browser, http.StatusOK), "Cost of abstaining")
	says("help", read("/help/task", browser, http.StatusOK), "Ordered, with abstention", "below half a class")
	says("openapi", read("/api/v1/openapi.json", "Accept: */*", http.StatusOK), `"ordinal-abstain"`)

	var m model.Model
	if err := json.Unmarshal([]byte(read("/api/v1/runs/"+ids[0]+"/model.json", "Accept: */*", http.StatusOK)), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Costs) != 4 || m.Costs[0][2] != 2 || m.Costs[3][1] != .4 || m.Task != "ordinal-abstain" {
		t.Errorf("model.json: task %s, costs %v", m.Task, m.Costs)
	}
	w := ask(s, "POST", "/api/v1/runs/"+ids[0]+"/predict", string(testdata.Read("iris.csv")), "Content-Type: text/csv")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), ","+model.AbstainText+",") {
		t.Errorf("predict: %d %.300s", w.Code, w.Body)
	}
	read("/audit/"+ids[0], browser, http.StatusOK)
}
