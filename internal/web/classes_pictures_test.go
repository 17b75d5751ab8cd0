package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/resultview"
	"taper/testdata"
)

// classRun runs a model of several classes on the three species of iris.
func classRun(t *testing.T, s *Server, data, rest string) store.Run {
	t.Helper()
	var made struct{ ID string }
	w := ask(s, "POST", "/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":"species","seed":3,%s}`, data, rest), "Content-Type: application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return finished(t, s, made.ID)
}

// TestClassPicturesTell holds the words of the pages to the results, and shows
// runs of before there were pictures.
func TestClassPicturesTell(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	for _, c := range []struct{ spec, calibration string }{
		{`"task":"multiclass","model":{"loss":"softmax","l2":0.01}`, "Calibration, softmax link"},
		{`"task":"multiclass","model":{"loss":"tempered-multiclass","l2":0.01},"noise":{"kind":"symmetric","rate":0.2}`, "Calibration, escort link"},
		{`"task":"abstain","model":{"loss":"al-abstain","l2":0.01}`, ""},
	} {
		run := classRun(t, s, d.ID, c.spec)
		p := run.Result.Classes.Pictures
		text := plain(ask(s, "GET", "/runs/"+run.ID, "").Body.String())
		worst := math.Inf(1)
		for _, one := range p.Classes {
			worst = min(worst, *one.ROC.AUC.Value)
		}
		wants := []string{"Each class against the others", "area " + viz.Number(worst, 3) + ".", "Convergence of the final fit", "objective ends at " + viz.Short(run.Result.Objective, 6)}
		if c.calibration != "" {
			wants = append(wants, c.calibration, "ranked by its probability", "on average by "+farthest(p)+" points")
		} else if wants = append(wants, "by how much its score leads"); strings.Contains(text, "Calibration, ") {
			t.Errorf("%s: scores have a calibration curve", run.Result.Method)
		}
		if p.GiveUp != nil {
			wants = append(wants, fmt.Sprintf("%d of 150 rows count less than half", p.GiveUp.Half), "flipped on purpose")
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q", run.Result.Method, want)
			}
		}
		before := *run.Result
		classes := *before.Classes
		classes.Pictures, before.Trace, before.Classes = nil, nil, &classes
		for _, section := range (resultview.Classes{Result: &before, Spec: run.Spec}).View().Body {
			for _, n := range section.Body {
				if all, ok := n.(doc.Figures); ok && slices.ContainsFunc(all, func(f doc.Figure) bool { return f.Lines != nil }) {
					t.Error("curves of a run that kept none")
				}
			}
		}
	}
}

// farthest is the largest mean distance of a class's curve from the diagonal.
func farthest(p *engine.ClassPictures) string {
	most := 0.0
	for _, c := range p.Classes {
		if c.Calibration.ICI != nil {
			most = max(most, *c.Calibration.ICI)
		}
	}
	return viz.Number(100*most, 1)
}

// TestShortMedian wants few digits, a value inside the range of the column, and
// one that the form reads back.
func TestShortMedian(t *testing.T) {
	for _, c := range []struct {
		median, low, high float64
		want              string
	}{
		{0.31415926535897, 0, 1, "0.3142"},
		{-12.34567890123, -50, 3, "−12.35"},
		{20240131, 20240101, 20240331, "20240131"},
		{1234567.891, 0, 2e6, "1234568"},
		{1.00000123456, 1.000001, 1.000002, "1.000001235"},
		{1.0 / 3, 1.0 / 3, 1.0 / 3, "0.3333333333333333"},
		{0.66666666, 0.1, 0.66666666, "0.66666666"},
		{0.00001234567, 0, 1, "1.235e−5"},
	} {
		got := shortMedian(prep.Column{Kind: prep.Number, Median: c.median, Min: c.low, Max: c.high})
		if got != c.want {
			t.Errorf("%v in %v – %v: %s, want %s", c.median, c.low, c.high, got, c.want)
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(got, "\u2212", "-"), 64)
		if err != nil || v < c.low || v > c.high || math.Abs(v-c.median) > (c.high-c.low)/1000 || !plainNumber.MatchString(strings.ReplaceAll(got, "\u2212", "-")) {
			t.Errorf("%s is read as %v, %v", got, v, err)
		}
	}
}
