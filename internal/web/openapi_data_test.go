package web

import (
	"encoding/json"
	"strings"
	"testing"

	"taper/internal/web/api"

	"github.com/google/jsonschema-go/jsonschema"
)

// described is the OpenAPI document of this build.
func described(t *testing.T) []byte {
	t.Helper()
	document, err := new(api.Handlers).Description().Document()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestWarningCodes: the codes of warnings about data and runs are those described.
func TestWarningCodes(t *testing.T) {
	for code := range api.Codes() {
		asDescribed(t, "Warning", map[string]any{"code": code, "message": "."})
	}
	if err := wrong(t, "Warning", map[string]any{"code": "never-said", "message": "."}); err == nil {
		t.Error("any code is allowed")
	}
}

// TestDatasetSchema compares answers about data with their schemas.
func TestDatasetSchema(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, trialCSV(60)+"-9,m,3,\n")
	for path, schema := range map[string]string{
		"datasets/" + d.ID: "Dataset", "datasets": "Datasets", "datasets/" + d.ID + "/preview": "Preview",
		"generators": "Generators", "losses": "Losses", "presets": "Presets", "runs": "Runs", "studies": "Studies",
		"datasets/none": "Problem",
	} {
		asDescribed(t, schema, decoded(t, ask(s, "GET", "/api/v1/"+path, "").Body.Bytes()))
	}
	for body, schema := range map[string]string{
		`{"loss":"logistic","margins":[-1,0,2]}`:                                "MarginAnswer",
		`{"loss":"interval","params":{"pi":[0.2,0.6]},"margins":[1]}`:           "IntervalAnswer",
		`{"loss":"softmax","potentials":[[0,1],[2,3]],"labels":[0,1]}`:          "PotentialAnswer",
		`{"loss":"al-zero-one","potentials":[[0,1],[2,3]],"labels":[0,1]}`:      "PotentialAnswer",
		`{"loss":"all-threshold","scores":[0.5],"thresholds":[0],"labels":[0]}`: "ThresholdAnswer",
	} {
		w := ask(s, "POST", "/api/v1/losses/evaluate", body, "Content-Type: application/json")
		asDescribed(t, schema, decoded(t, w.Body.Bytes()))
		asDescribed(t, "EvaluatedLoss", decoded(t, w.Body.Bytes()))
	}
}

func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return v
}

// asDescribed validates a value against a schema. Fields that are not described are errors here, although clients
// must expect additional fields.
func asDescribed(t *testing.T, schema string, v any) {
	t.Helper()
	if err := wrong(t, schema, v); err != nil {
		t.Errorf("%s: %v", schema, err)
	}
}

func wrong(t *testing.T, schema string, v any) error {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	raw := strings.ReplaceAll(string(described(t)), "#/components/schemas/", "#/$defs/")
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	closeObjects(doc.Components.Schemas)
	whole, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + schema, "$defs": doc.Components.Schemas})
	if err != nil {
		t.Fatal(err)
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(whole, &root); err != nil {
		t.Fatal(err)
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(v)
}

func closeObjects(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			closeObjects(x)
		}
	case map[string]any:
		for _, x := range v {
			closeObjects(x)
		}
		if _, object := v["properties"].(map[string]any); object && v["type"] != nil && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
	}
}
