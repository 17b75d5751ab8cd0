package web

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"taper/internal/engine/stat"
	"taper/testdata"
)

// TestMeanCostInAPI: the API gives the mean cost of a multiclass run and of its external validation with the interval of
// the pages, also where abstaining has a cost. A mean over repeats is that of no table and has no interval, and a binary
// run has no mean cost.
func TestMeanCostInAPI(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	type answer struct {
		ID       string
		MeanCost *stat.Estimate `json:"mean_cost"`
		Result   struct {
			MeanCost *stat.Estimate `json:"mean_cost"`
		}
	}
	read := func(method, path, body, kind string) (v answer) {
		t.Helper()
		w := ask(s, method, path, body, "Content-Type: "+kind)
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code >= 300 {
			t.Fatalf("%s: %d %v %.300s", path, w.Code, err, w.Body)
		}
		return v
	}
	for name, c := range ordered(map[string]struct {
		spec   string
		single bool
	}{
		"abstaining":           {`"task":"abstain","model":{"loss":"al-abstain","l2":0.01}`, true},
		"costs":                {`"task":"multiclass","model":{"loss":"al-cost","l2":0.01,"params":{"matrix":[[0,1,4],[1,0,1],[2,1,0]]}}`, true},
		"a price of no answer": {`"task":"ordinal-abstain","price":0.4,"model":{"loss":"softmax","l2":0.01}`, true},
		"repeats": {`"task":"abstain","model":{"loss":"al-abstain","l2":0.01},` +
			`"validation":{"kind":"cv","folds":3,"repeats":2}`, false},
	}) {
		run := classRun(t, s, d.ID, c.spec)
		if rows := len(run.Result.Classes.Costs); name == "a price of no answer" && rows != 4 {
			t.Fatalf("%d rows of costs", rows)
		}
		got, of := read("GET", "/api/v1/runs/"+run.ID, "", "").MeanCost, run.Result.Classes
		switch {
		case got == nil || got.Value == nil || *got.Value != of.Cost:
			t.Errorf("%s: %+v, want %v", name, got, of.Cost)
		case (got.Low != nil) != c.single || c.single && (*got.Low >= of.Cost || *got.High <= of.Cost):
			t.Errorf("%s: %v, an interval from %v", name, of.Cost, got.Low)
		}
		lines := strings.Split(strings.TrimSpace(string(testdata.Read("iris.csv"))), "\n")
		for i := range lines[1:] {
			lines[i+1] = strings.Replace(lines[i+1], ",", "3,", 1) // other rows than those trained on
		}
		made := read("POST", "/api/v1/runs/"+run.ID+"/predict?evaluate=1", strings.Join(lines, "\n"), "text/csv")
		if made.MeanCost == nil || made.MeanCost.Low == nil || made.ID == "" {
			t.Fatalf("%s: an external validation has the mean cost %+v", name, made.MeanCost)
		}
		kept := read("GET", "/api/v1/evaluations/"+made.ID, "", "").Result.MeanCost
		if kept == nil || *kept.Value != *made.MeanCost.Value || math.Abs(*kept.Low-*made.MeanCost.Low) > 1e-12 {
			t.Errorf("%s: kept as %+v, made as %+v", name, kept, made.MeanCost)
		}
	}
}
