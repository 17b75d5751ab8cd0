package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"taper/internal/web/resultview"
)

// atThreshold are measures at a single threshold.
var atThreshold = regexp.MustCompile(`(?i)accuracy|\bF1\b|sensitivity|specificity|precision|recall`)

// axesOfROC are the axes of a ROC curve, which covers all thresholds.
var axesOfROC = regexp.MustCompile(`Sensitivity against 1 − specificity at every threshold|1 − specificity, %|Sensitivity, %`)

// TestCoreMeasuresFirst: the page of a run and its report start with AUC, calibration, net benefit and the
// densities by class. Measures at a threshold are under Classification, with the threshold. For a model without
// probabilities this is stated.
func TestCoreMeasuresFirst(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	for _, c := range []struct {
		name, spec string
		soft       bool
		order      []string
	}{
		{"probabilities", `"task":"binary","model":{"loss":"logistic","l2":0.01},"boundaries":[0.25,0.5]`, true,
			[]string{"AUC", "Calibration", "Decision curve", "Score distribution by class"}},
		{"bands alone", `"task":"interval","model":{"loss":"interval","l2":0.01},"boundaries":[0.25,0.5]`, false,
			[]string{"AUC", "Net benefit at the boundaries", "Score distribution by class"}},
	} {
		w := ask(s, http.MethodPost, "/api/v1/runs", `{"dataset":"`+d.ID+`","outcome":"disease","positive":"yes","seed":7,`+
			c.spec+`}`, "Content-Type: application/json")
		run := finished(t, s, reportIDOf(t, w))
		for _, path := range []string{"/runs/" + run.ID + "/performance", "/report/" + run.ID} {
			html := ask(s, http.MethodGet, path, "", browser).Body.String()
			html = axesOfROC.ReplaceAllString(html, "")
			text := plain(regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(html, "")) // options of charts
			says := resultview.CoreMeasures(c.soft, resultview.Core{Calibration: true, Benefit: true, Distribution: true})
			before, after, ok := strings.Cut(text, says)
			if !ok {
				t.Fatalf("%s, %s: it lacks %q", c.name, path, says)
			}
			first, rest, ok := strings.Cut(after, " Classification ")
			if !ok || atThreshold.MatchString(first) {
				t.Errorf("%s, %s: before Classification stands %q", c.name, path, atThreshold.FindString(first))
			}
			at := 0
			if first := strings.HasPrefix(path, "/report/"); strings.Contains(before, "Observed rate") != first {
				t.Errorf("%s, %s: strata before the core measures: want %v", c.name, path, first)
			}
			for _, title := range c.order {
				k := strings.Index(first[at:], title)
				if k < 0 {
					t.Errorf("%s, %s: %q does not follow", c.name, path, title)
					break
				}
				at += k + len(title)
			}
			for _, at := range atThreshold.FindAllStringIndex(rest, -1) {
				if !regexp.MustCompile(`threshold of [^.]*\d`).MatchString(rest[:at[0]]) {
					t.Errorf("%s, %s: no threshold above %q", c.name, path, rest[max(0, at[0]-80):at[1]])
				}
			}
		}
	}
}
