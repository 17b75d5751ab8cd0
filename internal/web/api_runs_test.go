package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
)

// TestRunSchemas compares the answers about runs with their schemas.
func TestRunSchemas(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	spec := heartSpec(d, "Bands", "logistic", .25, .75)
	spec.Model.L2, spec.Mode = fit.L2{Mode: "cv"}, "reject"
	spec.Model.Tuning = "same-folds" // causes a warning
	r := trained(t, s, spec)
	read := func(path, body string, headers ...string) map[string]any {
		t.Helper()
		method := "GET"
		if body != "" {
			method = "POST"
		}
		var v map[string]any
		w := ask(s, method, "/api/v1/runs"+path, body, headers...)
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v %.300s", path, w.Code, err, w.Body)
		}
		return v
	}
	each := func(schema string, list any) {
		t.Helper()
		items, _ := list.([]any)
		if len(items) == 0 {
			t.Errorf("no %s to look at", schema)
		}
		for _, v := range items {
			asDescribed(t, schema, v.(map[string]any))
		}
	}
	run := read("/"+r.ID, "")
	asDescribed(t, "Run", run)
	asDescribed(t, "Spec", run["spec"].(map[string]any))
	metrics := run["metrics"].(map[string]any)
	asDescribed(t, "Metrics", metrics["test"].(map[string]any))
	each("Stratum", run["strata"])
	each("Warning", run["warnings"])
	each("RunItem", read("", "")["items"])
	asDescribed(t, "Statistics", read("/"+r.ID+"/statistics", ""))
	asDescribed(t, "Audit", read("/"+r.ID+"/audit", ""))
	model := read("/"+r.ID+"/model.json", "")
	asDescribed(t, "Model", model)
	each("ModelColumn", model["columns"])
	each("ModelTerm", model["terms"])
	file := newPatients(t)
	judged := read("/"+r.ID+"/predict?evaluate=1", file, "Content-Type: text/csv")
	asDescribed(t, "Evaluation", judged)
	each("Warning", judged["warnings"])
	row := map[string]any{}
	for _, c := range model["columns"].([]any) {
		row[c.(map[string]any)["name"].(string)] = nil
	}
	j, _ := json.Marshal(map[string]any{"rows": []any{row}})
	each("Prediction", read("/"+r.ID+"/predict", string(j), "Content-Type: application/json")["rows"])
}

// TestRunListAPI filters and sorts by the API, and checks the errors.
func TestRunListAPI(t *testing.T) {
	s, r := threeRuns(t)
	for query, want := range map[string][]string{
		"":                      {r[2].ID, r[1].ID, r[0].ID},
		"?loss=logistic":        {r[1].ID},
		"?sort=name&desc=true":  {r[1].ID, r[0].ID, r[2].ID},
		"?sort=name&desc=0":     {r[2].ID, r[0].ID, r[1].ID},
		"?limit=1&offset=1":     {r[1].ID},
		"?status=queued":        nil,
		"?q=plain+heart+study":  nil,
		"?q=plain+study.csv":    {r[1].ID},
		"?limit=1000&offset=99": nil,
	} {
		var l struct {
			Items []struct{ ID string }
			Total int
		}
		w := ask(s, "GET", "/api/v1/runs"+query, "")
		if err := json.Unmarshal(w.Body.Bytes(), &l); err != nil || w.Code != 200 || l.Items == nil {
			t.Fatalf("%q: %d %s", query, w.Code, w.Body)
		}
		var got []string
		for _, it := range l.Items {
			got = append(got, it.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	for query, field := range map[string]string{"?sort=colour": "sort", "?status=lost": "status", "?desc=maybe": "desc", "?limit=1001": "limit", "?offset=x": "offset"} {
		wantField(t, s, "GET", "/api/v1/runs"+query, "", field)
	}
}

// wantField expects a 422 that names the field.
func wantField(t *testing.T, s *Server, method, path, body, field string) {
	t.Helper()
	w := ask(s, method, path, body, "Content-Type: application/json")
	var p httpio.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != field {
		t.Errorf("%s %s %.60s: %d %s, want 422 and the field %s", method, path, body, w.Code, w.Body, field)
	}
}

// meanwhile is a body during whose reading something else is done.
type meanwhile struct {
	io.Reader
	do func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Reader.Read(p)
}

// TestPatchRunAtOnce changes the notes while the body of a change of the name arrives: both are kept.
func TestPatchRunAtOnce(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "First", "interval", .3))
	to := "/api/v1/runs/" + r.ID
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("PATCH", "http://127.0.0.1:8080"+to,
		&meanwhile{strings.NewReader(`{"name":"Second"}`), func() {
			if w := ask(s, "PATCH", to, `{"notes":"checked by two"}`); w.Code != 200 {
				t.Errorf("notes: %d %s", w.Code, w.Body)
			}
		}}))
	now, err := s.db.Run(t.Context(), r.ID)
	if err != nil || w.Code != 200 || now.Name != "Second" || now.Notes != "checked by two" {
		t.Errorf("%d, name %q, notes %q, %v", w.Code, now.Name, now.Notes, err)
	}
}

func TestPatchRun(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "First", "interval", .3))
	to := "/api/v1/runs/" + r.ID
	for _, test := range []struct{ body, name, notes string }{
		{`{"name":"Second"}`, "Second", ""},
		{`{"notes":"checked by two"}`, "Second", "checked by two"},
		{`{"name":"  Third ","notes":""}`, "Third", ""},
		{`{}`, "Third", ""},
	} {
		var got api.Run
		w := ask(s, "PATCH", to, test.body, "Content-Type: application/json")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.Name != test.name || got.Notes != test.notes {
			t.Errorf("%s: %d, name %q, notes %q", test.body, w.Code, got.Name, got.Notes)
		}
	}
	for body, field := range map[string]string{
		`{"name":""}`: "name", `{"name":7}`: "name", `{"status":"done"}`: "status", `{"seed":8}`: "seed",
		fmt.Sprintf(`{"notes":%q}`, strings.Repeat("n", 20_001)): "notes",
	} {
		wantField(t, s, "PATCH", to, body, field)
	}
	if w := ask(s, "PATCH", "/api/v1/runs/none", `{"name":"x"}`); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
	if w := ask(s, "DELETE", to, ""); w.Code != 204 {
		t.Errorf("delete: %d", w.Code)
	}
	for _, path := range []string{"", "/rows", "/model.json", "/report", "/events"} {
		if w := ask(s, "GET", to+path, ""); w.Code != 404 {
			t.Errorf("%s of a deleted run: %d", path, w.Code)
		}
	}
}

// waits is a job that ends when it is cancelled.
type waits struct{}

func (waits) ID() string { return "waits" }

func (waits) Open(ctx context.Context, _ json.RawMessage) (job.Session, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (waits) End(context.Context, json.RawMessage, job.State, string) error { return nil }

// TestQueueIsBounded: a job that would wait behind a thousand others is refused, and nothing of it is stored.
func TestQueueIsBounded(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := heart(t, s)
	done := trained(t, s, heartSpec(id, "First", "interval", .3))
	for i := range 1001 {
		if err := s.app.Jobs.Queue(job.Job{ID: fmt.Sprint("w", i), Lane: app.RunLane, Kind: waits{}}); err != nil {
			t.Fatal(i, err)
		}
	}
	spec, err := json.Marshal(heartSpec(id, "Second", "interval", .3))
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{
		"/api/v1/runs":                           string(spec),
		"/api/v1/runs/" + done.ID + "/bootstrap": "{}",
		"/api/v1/runs/" + done.ID + "/audit":     `{"start": true}`,
	} {
		w := ask(s, "POST", path, body, "Content-Type: application/json")
		if w.Code != 429 || !strings.Contains(w.Body.String(), "1000 others wait already") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	var list struct{ Total int }
	if w := ask(s, "GET", "/api/v1/runs", ""); json.Unmarshal(w.Body.Bytes(), &list) != nil || list.Total != 1 {
		t.Errorf("%d runs are stored: %s", list.Total, w.Body)
	}
	if b, err := s.db.RunBootstrap(t.Context(), done.ID); err != nil || b == nil || b.Status != store.Failed {
		t.Errorf("the bootstrap is %+v, %v", b, err)
	}
	s.app.Jobs.Stop(t.Context(), "w50")
	var second api.Run
	w := ask(s, "POST", "/api/v1/runs", string(spec), "Content-Type: application/json")
	if json.Unmarshal(w.Body.Bytes(), &second); w.Code != 202 || second.Status != store.Queued {
		t.Errorf("with room again: %d %s", w.Code, w.Body)
	}
	for i := range 1001 {
		s.app.Jobs.Stop(t.Context(), fmt.Sprint("w", i))
	}
}
