package web

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// TestNoPredictorOnPages: a run with all weights 0 says so on its page, on the live page, in the report, in the API
// and in comparisons. None of them draws or tests a ranking, which would come only from the intercepts of the
// folds.
func TestNoPredictorOnPages(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := rand.New(rand.NewPCG(5, 9))
	var csv strings.Builder
	csv.WriteString("a,b,died\n")
	for i := range 263 {
		fmt.Fprintf(&csv, "%.3f,%.3f,%s\n", r.NormFloat64(), r.NormFloat64(), map[bool]string{true: "yes", false: "no"}[i%9 == 0])
	}
	d := bring(t, s, csv.String())
	spec := runspec.Spec{Dataset: d.ID, Outcome: "died", Positive: table.Levels{"yes"}, Predictors: []string{"a", "b"}, Seed: 3, Model: fit.Spec{L2: fit.L2{Value: 4}}}
	run := trained(t, s, spec)
	spec.Model.Loss = "logistic"
	other := trained(t, s, spec)
	get := func(path string) string { return ask(s, "GET", path, "", browser).Body.String() }
	const says = "at this penalty the model gives every row the same answer."
	for name, path := range map[string]string{
		"page": "/runs/" + run.ID, "performance": "/runs/" + run.ID + "/performance", "model": "/runs/" + run.ID + "/model", "report": "/report/" + run.ID, "live page": "/stratify/" + d.ID + "?outcome=died&positive=yes&l2=4"} {
		page := get(path)
		if !strings.Contains(page, "No predictor is used:") || !strings.Contains(page, says) {
			t.Errorf("the %s does not say that no predictor is used", name)
		}
		for _, picture := range []string{"ROC", `id="points"`, "fig-roc", "fig-calibration", "Median score"} {
			if strings.Contains(page, picture) {
				t.Errorf("the %s draws noise: %s", name, picture)
			}
		}
	}
	if api := get("/api/v1/runs/" + run.ID); !strings.Contains(api, `"no_predictor":true`) || strings.Count(api, `"auc":0.5,"auc_low":null,"auc_high":null`) < 2 {
		t.Error("the API gives another AUC than ½")
	}
	if api := get("/api/v1/runs/" + run.ID + "/statistics"); !strings.Contains(api, `"auc":{"value":0.5,"ci_low":null,"ci_high":null}`) || strings.Contains(api, `"p_value":0`) {
		t.Errorf("the statistics test a constant: %.600s", api)
	}
	if api := get("/api/v1/compare?ids=" + run.ID + "," + other.ID); !strings.Contains(api, `"roc":[]`) {
		t.Errorf("compared runs draw the ROC curve of a constant")
	}
	if page := get("/compare?ids=" + run.ID + "," + other.ID); !strings.Contains(page, "0.500") {
		t.Error("compared runs show another AUC than ½")
	}
}
