package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/resultview"
	"taper/testdata"
)

// classRun runs a multiclass model on the three species of iris.
func classRun(t *testing.T, s *Server, data, rest string) store.Run {
	t.Helper()
	var made struct{ ID string }
	w := ask(s, "POST", "/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":"species","seed":3,%s}`, data, rest), "Content-Type: application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return finished(t, s, made.ID)
}

// TestClassPicturesTell compares the texts of the pages with the results, and shows runs stored before there were
// figures.
func TestClassPicturesTell(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	for _, c := range []struct{ spec, calibration string }{
		{`"task":"multiclass","model":{"loss":"softmax","l2":0.01}`, "Calibration, softmax link"},
		{`"task":"multiclass","model":{"loss":"tempered-multiclass","l2":0.01},"noise":{"kind":"symmetric","rate":0.2}`, "Calibration, power link"},
		{`"task":"abstain","model":{"loss":"al-abstain","l2":0.01}`, ""},
	} {
		run := classRun(t, s, d.ID, c.spec)
		p := run.Result.Classes.Pictures
		text := runText(t, s, run.ID)
		worst := math.Inf(1)
		for _, one := range p.Classes {
			worst = min(worst, *one.ROC.AUC.Value)
		}
		wants := []string{"ROC curve of each class against the others", ", " + viz.Number(worst, 3) + " (95", "Convergence of the final fit", "objective ends at " + viz.Short(run.Result.Objective, 6)}
		if c.calibration != "" {
			wants = append(wants, c.calibration, "ranked by the probability of the class", "on average by "+farthest(p)+" percentage points")
		} else if wants = append(wants, "by the margin of the class over the others"); strings.Contains(text, "Calibration, ") {
			t.Errorf("%s: scores have a calibration curve", run.Result.Method)
		}
		if p.GiveUp != nil {
			wants = append(wants, fmt.Sprintf("%d of 150 rows have a weight below ½", p.GiveUp.Half), "label flipped")
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q", run.Result.Method, want)
			}
		}
		before := *run.Result
		classes := *before.Classes
		classes.Pictures, before.Trace, before.Classes = nil, nil, &classes
		for _, section := range (resultview.Classes{Result: &before, Spec: run.Spec}).View().Sections {
			for _, n := range section.Body {
				if all, ok := n.(doc.Figures); ok && slices.ContainsFunc(all, func(f doc.Figure) bool { return f.Lines != nil }) {
					t.Error("curves of a run that kept none")
				}
			}
		}
	}
}

// farthest is the largest mean distance of a class's calibration curve from the diagonal.
func farthest(p *engine.ClassPictures) string {
	most := 0.0
	for _, c := range p.Classes {
		if c.Calibration.ICI != nil {
			most = max(most, *c.Calibration.ICI)
		}
	}
	return viz.Number(100*most, 1)
}
