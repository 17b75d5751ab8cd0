package web

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
)

// visits is a file with a patient id, a number without leakage, an outcome and a measured weight: 40 patients in n
// rows.
func visits(n int) string {
	var b strings.Builder
	b.WriteString("patient,age,site,load,disease\n")
	for i := range n {
		fmt.Fprintf(&b, "P%03d,%d,%s,%.2f,%s\n", 100+i%40, 30+i*7%50, []string{"A", "B", "C"}[i%3], 0.5+float64(i*37%101)/100, []string{"no", "yes", "no", "yes", "no"}[i%5])
	}
	return b.String()
}

// byAPI uploads a file by the API and returns its dataset.
func byAPI(t *testing.T, s *Server, content string) api.Dataset {
	t.Helper()
	var d api.Dataset
	w := send(t, s, "/api/v1/datasets", "visits.csv", content, script)
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != 201 {
		t.Fatalf("upload: %d %v %s", w.Code, err, w.Body)
	}
	return d
}

// answeredByAPI is byAPI with the outcome named.
func answeredByAPI(t *testing.T, s *Server, content string) api.Dataset {
	t.Helper()
	d := byAPI(t, s, content)
	if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"outcome":"disease"}`); w.Code != 200 {
		t.Fatalf("outcome: %d %s", w.Code, w.Body)
	}
	return d
}

// TestPatchRefuses sends invalid changes of a dataset; none may have an effect.
func TestPatchRefuses(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := answeredByAPI(t, s, visits(200)).ID
	before := ask(s, "GET", "/api/v1/datasets/"+id, "").Body.String()
	for body, field := range map[string]string{
		`{"dialect":5}`:                                              "dialect",
		`{"dialect":{"delimiter":"zz"}}`:                             "dialect.delimiter",
		`{"dialect":{"header_row":1.5}}`:                             "dialect.header_row",
		`{"dialect":{"header_row":-1}}`:                              "dialect.header_row",
		`{"columns":[5]}`:                                            "columns[0].name",
		`{"columns":[{"name":"nope"}]}`:                              "columns[0].name",
		`{"columns":[{"name":"age"},{"name":"age","type":"float"}]}`: "columns[1].type",
		`{"columns":[{"name":"age","non_numeric":"trim"}]}`:          "columns[0].non_numeric",
		`{"columns":[{"name":"age","date_as":"age"}]}`:               "columns[0].date_as",
		`{"columns":[{"name":"age","role":"feature"}]}`:              "columns[0].role",
		`{"columns":[{"name":"site","role":"weights"}]}`:             "columns[0].role",
		`{"settle":["leak:age","never-heard-of:age"]}`:               "settle[1]",
		`{"dialect":{"header_row":1},"group":"disease"}`:             "group",
		`{"weights":"site"}`:                                         "weights",
		`{"group":"patient","weights":"patient"}`:                    "weights",
		`{"score_only":["maybe"]}`:                                   "score_only[0]",
		`{"score_only":["yes"]}`:                                     "score_only[0]",
		`{"positive":"maybe"}`:                                       "positive",
		`{"positive":["yes","maybe"]}`:                               "positive[1]",
		`{"positive":["yes","yes"]}`:                                 "positive[1]",
		`{"positive":[]}`:                                            "positive",
		`{"positive":5}`:                                             "positive",
		`{"positive":"yes","negative":["no","yes"]}`:                 "negative[1]",
		`{"negative":"yes"}`:                                         "negative",
		`{"positive":["no","yes"],"negative":"no"}`:                  "negative",
		`{"positive":["yes"],"score_only":["yes"]}`:                  "score_only[0]",
		`{"name":""}`:                                                "name",
	} {
		w := ask(s, "PATCH", "/api/v1/datasets/"+id, body)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != field || !strings.HasPrefix(p.Detail, field) {
			t.Errorf("%s: %d %+v, want field %s", body, w.Code, p, field)
		}
	}
	if after := ask(s, "GET", "/api/v1/datasets/"+id, "").Body.String(); after != before {
		t.Errorf("refused changes left\n%s\nof\n%s", after, before)
	}
}

// TestOneRoleAColumn changes roles: a former outcome is not suggested again, and no column has two roles.
func TestOneRoleAColumn(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := answeredByAPI(t, s, visits(200)).ID
	for _, test := range []struct{ body, outcome, group, weights string }{
		{`{"group":"patient","weights":"load"}`, "disease", "patient", "load"},
		{`{"columns":[{"name":"load","role":"group"}]}`, "disease", "load", ""},
		{`{"columns":[{"name":"site","role":"group"},{"name":"patient","role":"group"}]}`, "disease", "patient", ""},
		{`{"columns":[{"name":"disease","role":"group"}]}`, "", "disease", ""},
	} {
		var d api.Dataset
		w := ask(s, "PATCH", "/api/v1/datasets/"+id, test.body)
		if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != 200 || d.Outcome != test.outcome || d.Group != test.group || d.Weights != test.weights {
			t.Errorf("%s: %d, outcome %q, group %q, weights %q", test.body, w.Code, d.Outcome, d.Group, d.Weights)
		}
	}
}

// TestKeptColumnsStay asks for another reading of a column that was changed before its file was deleted: the answer
// must not claim to apply it.
func TestKeptColumnsStay(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := answeredByAPI(t, s, visits(200)).ID
	for _, test := range []struct {
		body   string
		status int
	}{
		{`{"columns":[{"name":"age","missing_codes":["31"]}]}`, 200},
		{`{"confirm":true}`, 200},
		{`{"columns":[{"name":"age","type":"category"}]}`, 409},
		{`{"columns":[{"name":"age","missing_codes":["32"]}]}`, 409},
		{`{"columns":[{"name":"age","role":"exclude"}]}`, 200},
	} {
		if w := ask(s, "PATCH", "/api/v1/datasets/"+id, test.body); w.Code != test.status {
			t.Errorf("%s: %d, want %d: %.200s", test.body, w.Code, test.status, w.Body)
		}
	}
}

func TestUploadRefusesFields(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, f := range []string{"delimeter=;", "name=" + strings.Repeat("n", 201), "header_row=first", "decimal=;"} {
		field, _, _ := strings.Cut(f, "=")
		var p httpio.Problem
		w := send(t, s, "/api/v1/datasets", "visits.csv", visits(40), script, f)
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%.30s: %d %+v", f, w.Code, p)
		}
	}
}

// TestConfirmBehindAQueuedRun deletes the file of a queued run, which must finish on the kept columns.
func TestConfirmBehindAQueuedRun(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := dataset(t, s, answeredByAPI(t, s, visits(160)).ID)
	spec := runspec.Spec{Dataset: d.ID, Outcome: "disease", Positive: table.Levels{"yes"}, Seed: 3}
	ctx := context.Background()
	if err := s.app.Jobs.Queue(job.Job{ID: "ahead", Lane: app.RunLane, Kind: waits{}}); err != nil {
		t.Fatal(err)
	}
	r, err := s.app.StartRun(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := s.app.Jobs.Progress(r.ID); !ok || e.State != job.Queued {
		t.Errorf("the run does not wait: %+v", e)
	}
	_, err = s.datasets.Confirm(ctx, d)
	s.app.Jobs.Stop(ctx, "ahead")
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.app.Jobs.Watch(ctx, r.ID)
	if err == nil {
		for range events {
		}
	}
	if r, err = s.db.Run(ctx, r.ID); err != nil || r.Status != store.Done {
		t.Fatalf("the run is %s: %q, %v", r.Status, r.Error, err)
	}
	if m, err := s.db.RunModel(ctx, r.ID); err != nil || m.Version != s.cfg.Version {
		t.Errorf("the model names version %q, want %q; %v", m.Version, s.cfg.Version, err)
	}
}

// TestPredictJSON sends rows of every wrong shape, then requests predictions with their validation.
func TestPredictJSON(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, runspec.Spec{Dataset: byAPI(t, s, visits(200)).ID, Outcome: "disease", Positive: table.Levels{"yes"}, Model: fit.Spec{L2: fit.L2{Value: .1}}, Seed: 1})
	predict := func(body, query string) (int, map[string]any) {
		w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict"+query, body)
		var v map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatalf("%s: %d %v %s", body, w.Code, err, w.Body)
		}
		return w.Code, v
	}
	for body, field := range map[string]string{
		`{"rows":5}`:   "rows",
		`{"rows":{}}`:  "rows",
		`{"rows":[]}`:  "rows",
		`{"rows":[5]}`: "rows[0]",
		`{"rows":[{"age":50,"site":"A","load":1},null]}`: "rows[1]",
		`{"rows":[[50,"A",1]]}`:                          "rows[0]",
		`{"rows":[{"age":[50],"site":"A","load":1}]}`:    "rows[0].age",
		`{"rows":[{"age":1e999,"site":"A","load":1}]}`:   "rows[0].age",
		`{"row":[]}`: "row",
	} {
		code, v := predict(body, "")
		list, _ := v["errors"].([]any)
		if code != 422 || len(list) != 1 || list[0].(map[string]any)["field"] != field {
			t.Errorf("%s: %d %v, want field %s", body, code, v, field)
		}
	}
	rows := `{"rows":[{"age":50,"site":"A","load":1,"disease":"yes"},{"age":70,"site":"C","load":0.7,"disease":"no"},{"age":41,"site":"B","load":1.2,"disease":null}]}`
	_, plain := predict(rows, "")
	code, v := predict(rows, "?evaluate=1")
	if code != 200 || v["n"] != 2. || v["events"] != 1. || v["skipped"] != 1. || v["metrics"] == nil || v["strata"] == nil {
		t.Errorf("evaluated: %d %v", code, v)
	}
	if fmt.Sprint(v["rows"]) != fmt.Sprint(plain["rows"]) || plain["metrics"] != nil {
		t.Errorf("scores %v, with validation %v", plain["rows"], v["rows"])
	}
	asDescribed(t, "EvaluatedRows", v)
	if w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", "--x--", "Content-Type: multipart/form-data; boundary=x"); w.Code != 422 || !strings.Contains(w.Body.String(), "text/csv") {
		t.Errorf("a form: %d %s", w.Code, w.Body)
	}
}

// TestUnfinishedRun: missing results of a run are null, and the answer to a cancel shows how the run ended.
func TestUnfinishedRun(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := byAPI(t, s, visits(200))
	r, err := s.app.StartRun(context.Background(), runspec.Spec{Dataset: d.ID, Outcome: "disease", Positive: table.Levels{"yes"}, Validation: runspec.Validation{Kind: "cv", Folds: 40, Repeats: 20}})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{{"GET", ""}, {"POST", "/cancel"}, {"GET", ""}} {
		var v map[string]any
		w := ask(s, call[0], "/api/v1/runs/"+r.ID+call[1], "")
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
			t.Fatalf("%s%s: %d %v", call[0], call[1], w.Code, err)
		}
		for _, field := range []string{"metrics", "strata", "tuning", "coefficients", "objective", "gap", "seconds", "warnings"} {
			if x, there := v[field]; !there || x != nil {
				t.Errorf("%s of an unfinished run is %v, there: %v", field, x, there)
			}
		}
		asDescribed(t, "Run", v)
		if call[0] == "POST" && v["status"] != store.Cancelled {
			t.Errorf("cancelled: %v", v["status"])
		}
		if v["status"] == store.Cancelled && v["progress"].(map[string]any)["fraction"] == 1. {
			t.Error("a cancelled run reads as complete")
		}
	}
}
