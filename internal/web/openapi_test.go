package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPI: every API route is described, and every description is complete.
func TestOpenAPI(t *testing.T) {
	s, _ := testServer(t, Config{})
	described, tags, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, tag := range s.api.Description().Tags {
		tags[tag.Name] = true
	}
	for _, op := range s.api.Calls() {
		call := op.Method + " " + op.Path
		if op.Summary == "" || len(op.Answers) == 0 || !tags[op.Tag] {
			t.Errorf("%s lacks its summary, its answers or a known tag", call)
		}
		if described[call] || ids[op.ID] || op.ID == "" {
			t.Errorf("%s, id %q, comes twice or has no id", call, op.ID)
		}
		described[call], ids[op.ID] = true, true
	}
	for _, r := range s.echo.Routes() {
		if strings.HasPrefix(r.Path, "/api/") && slices.Contains(methods, r.Method) && !described[r.Method+" "+r.Path] {
			t.Errorf("%s %s is served and not described", r.Method, r.Path)
		}
	}
}

// TestOpenAPIPathParameters: a parameter of the path is described by its name and the thing it identifies.
func TestOpenAPIPathParameters(t *testing.T) {
	s, _ := testServer(t, Config{})
	said := map[string]bool{}
	for _, op := range s.api.Calls() {
		for _, p := range op.Parameters() {
			if p.In == "path" {
				said[p.Description] = true
			}
		}
	}
	want := []string{"The id of the dataset", "The id of the evaluation", "The id of the job",
		"The id of the run", "The id of the study",
		"The language of the code"}
	if got := slices.Sorted(maps.Keys(said)); !slices.Equal(got, want) {
		t.Errorf("path parameters %q, want %q", got, want)
	}
}

// TestOpenAPIReferences resolves every $ref and checks the requirements of OpenAPI 3.1.
func TestOpenAPIReferences(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "GET", "/api/v1/openapi.json", "")
	var doc map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d, %v", w.Code, err)
	}
	if v, _ := doc["openapi"].(string); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("openapi %q, want 3.1", v)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				if ref, ok := x.(string); ok && k == "$ref" && !resolves(doc, ref) {
					t.Errorf("$ref %q leads nowhere", ref)
				}
				walk(x)
			}
		}
	}
	walk(doc)
}

func resolves(doc map[string]any, ref string) bool {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return false
	}
	var at any = doc
	for _, key := range strings.Split(path, "/") {
		m, _ := at.(map[string]any)
		if at, ok = m[key]; !ok {
			return false
		}
	}
	return true
}

// TestReportDescribesItsGroups: the report reads by and order as the statistics do, so its description names both.
func TestReportDescribesItsGroups(t *testing.T) {
	s, _ := testServer(t, Config{})
	names := map[string][]string{}
	for _, op := range s.api.Calls() {
		for _, q := range op.Query {
			names[op.ID] = append(names[op.ID], q.Name)
		}
	}
	for _, id := range []string{"statistics", "report"} {
		if !slices.Contains(names[id], "by") || !slices.Contains(names[id], "order") {
			t.Errorf("%s describes only %q", id, names[id])
		}
	}
}
