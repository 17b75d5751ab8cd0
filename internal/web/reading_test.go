package web

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/api"
)

// coded is a file whose marker is −9 in some rows: a number, or a code for missing.
func coded() string {
	lines := strings.Split(trialCSV(200), "\n")
	for i := 3; i < len(lines)-1; i += 11 {
		cells := strings.Split(lines[i], ",")
		cells[2] = "-9"
		lines[i] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n")
}

func codedRun(t *testing.T, s *Server) (store.Dataset, store.Run) {
	t.Helper()
	d := bringAnswered(t, s, coded())
	spec := heartSpec(d, "As read first", "logistic", .3, .6)
	spec.Predictors = []string{"age", "sex", "marker"}
	return d, trained(t, s, spec)
}

// allBits is the whole result of a run without times.
func allBits(t *testing.T, s *Server, r store.Run) string {
	t.Helper()
	res := *r.Result
	res.Seconds, res.ElapsedS = 0, 0
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	rows := ask(s, "GET", "/api/v1/runs/"+r.ID+"/rows?format=csv", "").Body.String()
	return string(b) + rows
}

// TestRunKeepsItsReading changes the missing codes after a run: all later computations for the run read the file as
// before.
func TestRunKeepsItsReading(t *testing.T) {
	s, _ := testServer(t, Config{})
	d, first := codedRun(t, s)
	check := func() string {
		w := ask(s, "POST", "/api/v1/runs/"+first.ID+"/bootstrap", `{"replicates":20}`, script)
		if w.Code != 202 {
			t.Fatalf("check: %d %s", w.Code, w.Body)
		}
		auditEnded(t, s, app.BootstrapJob(first.ID))
		var v struct{ Result *engine.Bootstrap }
		if err := json.Unmarshal(ask(s, "GET", "/api/v1/runs/"+first.ID+"/bootstrap", "").Body.Bytes(), &v); err != nil || v.Result == nil {
			t.Fatal(err, v.Result)
		}
		v.Result.ElapsedS = 0
		b, _ := json.Marshal(v.Result)
		return string(b)
	}
	by := func() string {
		return ask(s, "GET", "/api/v1/runs/"+first.ID+"/statistics?by=marker", "").Body.String()
	}
	spec := first.Spec
	spec.Model.Loss = "interval"
	bands := trained(t, s, spec)
	moves := func() [][]engine.Move { // whose model is fitted again for other boundaries
		m, err := s.app.Moves(context.Background(), bands, []float64{.4, .6})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before, groups, moved := check(), by(), moves()
	if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"marker","missing_codes":["-9"]}]}`, script); w.Code != 200 {
		t.Fatalf("patch: %d %s", w.Code, w.Body)
	}
	now := trained(t, s, first.Spec)
	if allBits(t, s, now) == allBits(t, s, first) {
		t.Fatal("the code makes no difference: the test sees nothing")
	}
	w := post(s, "/runs/"+first.ID+"/again", browser)
	again := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if diff := cmp.Diff(allBits(t, s, first), allBits(t, s, again)); diff != "" {
		t.Errorf("made again: %.600s", diff)
	}
	if again.Reading == nil || cmp.Diff(first.Reading, again.Reading) != "" {
		t.Errorf("it notes another reading: %+v", again.Reading)
	}
	if diff := cmp.Diff(before, check()); diff != "" {
		t.Errorf("refits: %.600s", diff)
	}
	if diff := cmp.Diff(moved, moves()); diff != "" {
		t.Errorf("people who change their band: %.600s", diff)
	}
	if diff := cmp.Diff(groups, by()); diff != "" {
		t.Errorf("subgroups: %.600s", diff)
	}
	report := func(id string) string { return plain(ask(s, "GET", "/report/"+id, "", browser).Body.String()) }
	if strings.Contains(report(first.ID), "marker -9") || !strings.Contains(report(now.ID), "marker -9") {
		t.Errorf("the reports say: %s", report(now.ID))
	}
	if text := report(now.ID); !strings.Contains(text, `{ "dialect": {}, "columns": [{"name":"marker","missing_codes":["-9"]}] }`) || strings.Contains(report(first.ID), "read in this way") {
		t.Errorf("the reports do not say how to read the file: %s", text)
	}
	for id, says := range map[string]bool{first.ID: true, again.ID: true, now.ID: false} {
		text := plain(ask(s, "GET", "/runs/"+id+"/model", "", browser).Body.String())
		if strings.Contains(text, "The column ‘marker’ was read in another way when this run was made.") != says {
			t.Errorf("the page of %s: says %v", id, !says)
		}
	}
}

// TestReadingThatIsGone confirms columns that were read differently: then a run cannot be repeated, and the message
// says why.
func TestReadingThatIsGone(t *testing.T) {
	s, _ := testServer(t, Config{})
	d, first := codedRun(t, s)
	ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"marker","missing_codes":["-9"]}]}`, script)
	now := trained(t, s, first.Spec)
	if w := post(s, "/data/"+d.ID, browser, "confirm=1"); w.Code != 303 {
		t.Fatalf("confirm: %d", w.Code)
	}
	w := post(s, "/runs/"+first.ID+"/again", browser)
	if text := plain(w.Body.String()); w.Code != 409 || !strings.Contains(text, "the column ‘marker’ was read in another way; the file was wiped") {
		t.Errorf("made again: %d %s", w.Code, text)
	}
	if text := plain(ask(s, "GET", "/runs/"+first.ID+"/model", "", browser).Body.String()); !strings.Contains(text, "and the file is wiped: it cannot be made again") {
		t.Errorf("its page: %s", text)
	}
	w = post(s, "/runs/"+now.ID+"/again", browser)
	if again := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/")); allBits(t, s, again) != allBits(t, s, now) {
		t.Error("the kept columns make another run")
	}
}

// TestCodesOfAColumnThatIsGone: the report of a run names the codes of its columns, also of one that was not kept.
func TestCodesOfAColumnThatIsGone(t *testing.T) {
	s, _ := testServer(t, Config{})
	d, first := codedRun(t, s)
	ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"marker","missing_codes":["-9"]}]}`, script)
	now := trained(t, s, first.Spec)
	ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"marker","role":"exclude"}]}`, script)
	if w := post(s, "/data/"+d.ID, browser, "confirm=1"); w.Code != 303 {
		t.Fatalf("confirm: %d %s", w.Code, plain(w.Body.String()))
	}
	text := plain(ask(s, "GET", "/report/"+now.ID, "", browser).Body.String())
	if !strings.Contains(text, "Codes for missing: marker -9.") {
		t.Errorf("%.300s", text[max(0, strings.Index(text, "Codes for missing")):])
	}
}

// TestStudyKeepsItsReading pauses a study, changes the missing codes, and resumes: its last units use the same data
// as its first.
func TestStudyKeepsItsReading(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, coded())
	grid := `{"dataset":"` + d.ID + `","outcome":"disease","positive":"yes","models":[{"loss":"logistic","l2":0.001}],
		"noise":{"kind":"symmetric","rates":[0,0.1,0.2,0.3]},"replicates":100,"seed":3}`
	through := studyAt(t, s, studied(t, s, grid), done)
	id := studied(t, s, grid)
	studyAt(t, s, id, func(v api.Study) bool { return v.Done > 0 || done(v) })
	ask(s, "POST", "/api/v1/studies/"+id+"/pause", "")
	if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"marker","missing_codes":["-9"]}]}`, script); w.Code != 200 {
		t.Fatalf("patch: %d %s", w.Code, w.Body)
	}
	ask(s, "POST", "/api/v1/studies/"+id+"/resume", "") // 409 if it ended before the pause
	if v := studyAt(t, s, id, done); !sameValues(v.Cells, through.Cells) {
		t.Error("a study that was paused went on with other data")
	}
	if other := studyAt(t, s, studied(t, s, grid), done); sameValues(other.Cells, through.Cells) {
		t.Error("the code makes no difference: the test sees nothing")
	}
}
