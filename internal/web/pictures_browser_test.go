package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/store"
	"taper/internal/web/resultview"
)

// pictured runs models with different figures: a bounded loss with injected label noise, and a kernel with bands.
func pictured(t *testing.T) (*Server, []store.Run) {
	t.Helper()
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	var all []store.Run
	for _, rest := range []string{
		`"task":"binary","model":{"loss":"alpha","params":{"alpha":4},"l2":0.001},"noise":{"kind":"random","rate":0.1}`,
		`"model":{"kind":"kernel","tuning":"validation-set"},"boundaries":[0.2,0.6],"validation":{"kind":"split"}`,
	} {
		var made struct{ ID string }
		w := ask(s, "POST", "/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":"disease","positive":"yes","seed":7,%s}`, d.ID, rest), "Content-Type: application/json")
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		all = append(all, finished(t, s, made.ID))
	}
	return s, all
}

// TestPicturesLook opens the pages in every look, with all their charts.
func TestPicturesLook(t *testing.T) {
	inBrowser(t)
	s, runs := pictured(t)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	for i, name := range []string{"run-alpha", "run-kernel"} {
		for at, drawn := range ordered([]map[string][]string{
			{"": {"density"}, "/performance": {"roc", "calibration"}, "/model": {"giveup", "convergence"}, "/patients": nil},
			{"": {"density"}, "/performance": {"roc"}, "/model": {"convergence", "gammas"}, "/patients": nil},
		}[i]) {
			everyLook(b, name+strings.ReplaceAll(at, "/", "-"), "/runs/"+runs[i].ID+at)
			for _, id := range drawn {
				b.wait(`document.querySelector('#` + id + ` canvas, #` + id + ` svg')`)
			}
		}
	}
}

// TestPicturesOld shows a run stored before there were figures.
func TestPicturesOld(t *testing.T) {
	_, runs := pictured(t)
	r := runs[0].Result
	r.Pictures, r.Trace, r.Starts = nil, nil, nil
	on := resultview.Bands{Result: r, Spec: runs[0].Spec}
	_, fitted := on.ModelPage(doc.Section{})
	for _, s := range append(on.PerformancePage(), fitted...) {
		if (s.ID == "classification" || s.ID == "way") && len(s.Body) > 0 {
			t.Errorf("pictures of nothing: %+v", s)
		}
	}
}

// TestPicturesTell compares the texts of the page with the result.
func TestPicturesTell(t *testing.T) {
	s, runs := pictured(t)
	r := runs[0].Result
	text := runText(t, s, runs[0].ID)
	for _, want := range []string{
		"Calibration, logistic, scaled link", fmt.Sprintf("%d of %d rows have a weight below ½", r.Pictures.GiveUp.Half, r.Flow.Scored),
		"Predicted yes", "Convergence of the final fit", "Results of the initialisations", "label flipped",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if more := plain(ask(s, "GET", "/runs/"+runs[0].ID+"/model?starts=50", "").Body.String()); !strings.Contains(text, "Try 50 random initialisations") || !strings.Contains(more, "of 50 starts from U[−½, ½] end at") {
		t.Error("the page does not lead to fifty starts")
	}
	text = runText(t, s, runs[1].ID)
	for _, want := range []string{"Choice of γ", "Rows in the score", "Of 49 pairs of γ and λ", "share it as you would share the data"} {
		if !strings.Contains(text, want) {
			t.Errorf("the kernel's page lacks %q", want)
		}
	}
	if strings.Contains(text, "Calibration, ") {
		t.Error("bands alone have a calibration curve")
	}
}
