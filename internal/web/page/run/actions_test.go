package run

import (
	"strings"
	"testing"

	"taper/internal/engine/runspec"
)

// TestAPICall executes the command that a run's page offers for copying.
func TestAPICall(t *testing.T) {
	spec := runspec.Spec{Name: "it's", Dataset: "d1", Boundaries: []float64{.5}}
	call := apiCall("127.0.0.1:8080", spec)
	head, body, ok := strings.Cut(call, " -d '")
	if !ok || head != "curl -X POST http://127.0.0.1:8080/api/v1/runs -H 'Content-Type: application/json'" {
		t.Fatal(call)
	}
	body = strings.ReplaceAll(strings.TrimSuffix(body, "'"), `'\''`, "'")
	got, err := runspec.Decode(strings.NewReader(body))
	if err != nil || got.Name != "it's" || got.Dataset != "d1" || got.Boundaries[0] != .5 {
		t.Errorf("%v %+v", err, got)
	}
}
