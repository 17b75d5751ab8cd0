package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
)

// schemas returns the part of the description that names the answers' fields.
func schemas(t *testing.T) map[string]struct {
	Properties map[string]struct{ Enum []string }
	Required   []string
} {
	t.Helper()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(openapiJSON, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// TestWarningCodes compares the codes the program can say with the list that
// the description gives.
func TestWarningCodes(t *testing.T) {
	described := schemas(t)["Warning"].Properties["code"].Enum
	for code := range table.Codes {
		if !slices.Contains(described, code) {
			t.Errorf("%s is missing in openapi.json", code)
		}
	}
	for _, code := range described {
		if table.Codes[code] == "" {
			t.Errorf("%s is described and never said", code)
		}
	}
}

// TestDatasetSchema holds an answer to its description: every field of it is
// described, every required one is there.
func TestDatasetSchema(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, trialCSV(60)+"-9,m,3,\n")
	var body map[string]any
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/datasets/"+d.ID, "").Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	asDescribed(t, "Dataset", body)
	asDescribed(t, "Dialect", body["dialect"].(map[string]any))
	for _, c := range body["columns"].([]any) {
		asDescribed(t, "Column", c.(map[string]any))
	}
	for _, w := range body["warnings"].([]any) {
		asDescribed(t, "Warning", w.(map[string]any))
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/generators", "").Body.Bytes(), &list); err != nil || len(list.Items) == 0 {
		t.Fatal(err)
	}
	for _, g := range list.Items {
		asDescribed(t, "Generator", g)
	}
}

func asDescribed(t *testing.T, schema string, v map[string]any) {
	t.Helper()
	s := schemas(t)[schema]
	for name, x := range v {
		p, ok := s.Properties[name]
		if !ok {
			t.Errorf("%s.%s is not described", schema, name)
		}
		if text, isText := x.(string); isText && len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
			t.Errorf("%s.%s is %q, not one of %s", schema, name, text, strings.Join(p.Enum, " "))
		}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			t.Errorf("%s.%s is required and missing", schema, name)
		}
	}
}
