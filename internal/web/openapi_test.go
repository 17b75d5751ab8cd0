package web

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPI finds every API route in the description and the other way
// round.
func TestOpenAPI(t *testing.T) {
	s, _ := testServer(t, Config{})
	var served, described []string
	param := regexp.MustCompile(`:([a-z_]+)`)
	for _, r := range s.echo.Routes() {
		if (strings.HasPrefix(r.Path, "/api/") || r.Path == "/healthz") && slices.Contains(methods, strings.ToLower(r.Method)) {
			served = append(served, r.Method+" "+param.ReplaceAllString(r.Path, "{$1}"))
		}
	}
	doc, err := readAPI()
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		tags[tag.Name] = true
	}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			described = append(described, strings.ToUpper(method)+" "+path)
			if op.Summary == "" || len(op.Responses) == 0 || len(op.Tags) != 1 || !tags[op.Tags[0]] {
				t.Errorf("%s %s lacks its summary, its answers or a known tag", method, path)
			}
		}
	}
	for _, r := range served {
		if !slices.Contains(described, r) {
			t.Errorf("%s is served and not described in openapi.json", r)
		}
	}
	for _, r := range described {
		if !slices.Contains(served, r) {
			t.Errorf("%s is described in openapi.json and not served", r)
		}
	}
}

// TestOpenAPIReferences follows every $ref and checks what OpenAPI 3.1 needs.
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
