package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/machine"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/api"
)

// studied starts a study by the API.
func studied(t *testing.T, s *Server, body string) string {
	t.Helper()
	w := ask(s, "POST", "/api/v1/studies", body, "Content-Type: application/json")
	var made struct{ ID, Status string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 || made.Status != store.Queued || w.Header().Get("Location") != "/api/v1/studies/"+made.ID {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return made.ID
}

// studyAt waits until a study satisfies a condition and returns it.
func studyAt(t *testing.T, s *Server, id string, ready func(api.Study) bool) api.Study {
	t.Helper()
	var v api.Study
	testtime.Until(t, "study "+id, func() bool { v = studyBy(t, s, id); return ready(v) })
	return v
}

func studyBy(t *testing.T, s *Server, id string) (v api.Study) {
	t.Helper()
	w := ask(s, "GET", "/api/v1/studies/"+id, "")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return v
}

func done(v api.Study) bool { return v.Status == store.Done }

func noiseGrid(replicates int) string {
	return fmt.Sprintf(`{"dataset":{"generator":"moons","rows":200},"models":[{"loss":"logistic","l2":0.001},{"loss":"alpha","params":{"alpha":4},"l2":0.001}],
		"noise":{"kind":"symmetric","rates":[0,0.2]},"replicates":%d,"seed":3}`, replicates)
}

// sameValues reports whether two studies have bit-identical numbers.
func sameValues(a, b []study.Cell) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || len(a[i].Values) != len(b[i].Values) {
			return false
		}
		for k, v := range a[i].Values {
			if math.Float64bits(*v) != math.Float64bits(*b[i].Values[k]) {
				return false
			}
		}
	}
	return true
}

// TestStudyResumes: a study that is paused and resumed computes no unit twice and ends with the numbers of an
// uninterrupted one.
func TestStudyResumes(t *testing.T) {
	s, _ := testServer(t, Config{})
	const replicates = 40
	through := studyAt(t, s, studied(t, s, noiseGrid(replicates)), done)
	if len(through.Cells) != 4 || through.Units != 2*replicates || through.Done != through.Units || through.Progress.Fraction != 1 {
		t.Fatalf("%d cells, %d of %d units", len(through.Cells), through.Done, through.Units)
	}
	id := studied(t, s, noiseGrid(replicates))
	for before := 0; ; {
		v := studyAt(t, s, id, func(v api.Study) bool { return v.Done > before || done(v) })
		if done(v) {
			break
		}
		w := ask(s, "POST", "/api/v1/studies/"+id+"/pause", "")
		if w.Code == 409 && done(studyBy(t, s, id)) { // it ended before the pause
			break
		}
		if v = studyBy(t, s, id); w.Code != 200 || v.Status != store.Paused || v.Done < before {
			t.Fatalf("%d %s: %+v", w.Code, w.Body, v)
		}
		before = v.Done
		if err := s.app.Resume(context.Background()); err != nil || studyBy(t, s, id).Status != store.Paused {
			t.Fatal("a start of the program took up a study that was paused", err)
		}
		if w := ask(s, "POST", "/api/v1/studies/"+id+"/resume", ""); w.Code != 200 {
			t.Fatal(w.Body)
		}
	}
	if v := studyAt(t, s, id, done); !sameValues(v.Cells, through.Cells) {
		t.Error("a study that was paused ended with other numbers")
	}
	if w := ask(s, "POST", "/api/v1/studies/"+id+"/resume", ""); w.Code != 409 {
		t.Error(w.Code, w.Body)
	}
}

// TestResumeWhileEnding: a study that is resumed while its paused job is still ending goes on after that end.
func TestResumeWhileEnding(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := studied(t, s, noiseGrid(400))
	if w := ask(s, "POST", "/api/v1/studies/"+id+"/pause", ""); w.Code != 200 {
		t.Fatal(w.Body)
	}
	s.app.Jobs.Stop(t.Context(), id)
	ending, end := make(chan struct{}), make(chan struct{})
	if err := s.app.Jobs.Start(id, 0, func(ctx context.Context, _ func(job.Progress)) error {
		<-ctx.Done()
		close(ending)
		<-end
		return ctx.Err()
	}, func(error) {}); err != nil {
		t.Fatal(err)
	}
	resumed := make(chan *httptest.ResponseRecorder)
	go func() { resumed <- ask(s, "POST", "/api/v1/studies/"+id+"/resume", "") }()
	select {
	case <-ending:
		close(end)
	case w := <-resumed:
		close(end)
		t.Fatalf("it did not wait: %d %s", w.Code, w.Body)
	}
	if w := <-resumed; w.Code != 200 {
		t.Fatal(w.Body)
	}
	studyAt(t, s, id, done)
}

// TestStudyGridEnds: a study whose λ ends at the lower end of its grid says so in its JSON and
// on its page; one whose λ is given doesn’t.
func TestStudyGridEnds(t *testing.T) {
	s, _ := testServer(t, Config{})
	separated := `{"dataset":{"generator":"gmm","rows":200,"params":{"mean":5,"prevalence":0.5}},"replicates":2,
		"models":[{"loss":"logistic"%s}],"seed":3}`
	tuned := studyAt(t, s, studied(t, s, fmt.Sprintf(separated, "")), done)
	if len(tuned.Warnings) != 1 || !strings.Contains(tuned.Warnings[0], "lower end of its grid in 2 of 2 fits") {
		t.Errorf("%q", tuned.Warnings)
	}
	if page := ask(s, "GET", "/studies/"+tuned.ID, "").Body.String(); !strings.Contains(page, "lower end of its grid in") {
		t.Error("the page does not say it")
	}
	if given := studyAt(t, s, studied(t, s, fmt.Sprintf(separated, `,"l2":1`)), done); given.Warnings != nil {
		t.Errorf("λ was given: %q", given.Warnings)
	}
}

// TestStudyTakenUpAtStart: a study interrupted by a stop of the program continues at the next start.
func TestStudyTakenUpAtStart(t *testing.T) {
	s, _ := testServer(t, Config{})
	ctx := context.Background()
	id := studied(t, s, noiseGrid(4))
	studyAt(t, s, id, done)
	st, err := s.db.Study(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	st.ID = s.db.NewID("s")
	if err := s.db.CreateStudy(ctx, st); err != nil {
		t.Fatal(err)
	}
	if err := s.db.SetStudy(ctx, st.ID, store.Interrupted, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.db.KeepUnits(ctx, st.ID, []store.Unit{{ID: "of another version", Answer: job.EncodeNumbers([]float64{1})}}, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Resume(ctx); err != nil {
		t.Fatal(err)
	}
	if a, b := studyAt(t, s, st.ID, done), studyBy(t, s, id); !sameValues(a.Cells, b.Cells) || a.Done != a.Units {
		t.Errorf("%d of %d units", a.Done, a.Units)
	}
}

// TestStudyOfOwnClass: a study that is held to the class of this machine needs no workers.
func TestStudyOfOwnClass(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "POST", "/api/v1/studies?class="+url.QueryEscape(machine.Class()), noiseGrid(4), asJSON)
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
		t.Fatal(w.Code, w.Body)
	}
	if st := studyAt(t, s, made.ID, done); st.Done != st.Units {
		t.Errorf("%d of %d units", st.Done, st.Units)
	}
}

func TestStudyAnswers(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := studied(t, s, noiseGrid(3))
	v := studyAt(t, s, id, done)
	for _, c := range v.Cells {
		if c.N != 3 || c.Mean == nil || c.Low == nil || *c.Low > *c.Mean || c.Median == nil || c.SD == nil {
			t.Errorf("%+v", c)
		}
	}
	var raw map[string]any
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/studies/"+id, "").Body.Bytes(), &raw); err != nil {
		t.Fatal(err)
	}
	asDescribed(t, "Study", raw)
	asDescribed(t, "Cell", raw["cells"].([]any)[0].(map[string]any))
	for of, rows := range map[string]int{"": 4, "?of=replicates": 12} {
		w := ask(s, "GET", "/api/v1/studies/"+id+"/cells.csv"+of, "")
		if all, err := csv.NewReader(w.Body).ReadAll(); err != nil || len(all) != rows+1 {
			t.Errorf("%q: %d rows, %v", of, len(all), err)
		}
	}
	var items struct {
		Items []map[string]any
		Total int
	}
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/presets", "").Body.Bytes(), &items); err != nil || items.Total != len(paper.Presets) {
		t.Fatal(items.Total, err)
	}
	asDescribed(t, "Preset", items.Items[0])
	if w := ask(s, "GET", "/api/v1/studies/"+id+"/events", ""); !strings.Contains(w.Body.String(), "event: done") {
		t.Error(w.Body)
	}
	if w := ask(s, "DELETE", "/api/v1/studies/"+id, ""); w.Code != 204 {
		t.Error(w.Code)
	}
	if w := ask(s, "GET", "/api/v1/studies/"+id, ""); w.Code != 404 {
		t.Error(w.Code)
	}
}

func TestStudyRefusals(t *testing.T) {
	s, _ := testServer(t, Config{})
	for body, field := range map[string]string{
		`{"preset":"none"}`:                      "preset",
		`{"preset":"sypherd-fig5","size":"big"}`: "size",
		`{}`:                                     "dataset",
		`{"dataset":"d-none","outcome":"y"}`:     "dataset",
		`{"dataset":{"generator":"moons"},"noise":{"rates":[2]}}`:      "noise.rates[0]",
		`{"dataset":{"generator":"moons"},"models":[{"loss":"none"}]}`: "models[0].loss",
		`{"dataset":{"generator":"moons"},"replicates":-1}`:            "replicates",
		`{"dataset":{"generator":"moons"},"replicates":0}`:             "replicates",
		`{"dataset":{"generator":"moons"},"test":0}`:                   "test",
		`{"dataset":{"generator":"moons"},"test":0.0e9}`:               "test",
		`{"dataset":{"generator":"moons"},"models":[]}`:                "models",
		`{"dataset":{"generator":"moons"},"noise":{"rates":[]}}`:       "noise.rates",
		`{"dataset":{"generator":"moons"},"tests":0.5}`:                "tests",
	} {
		wantField(t, s, "POST", "/api/v1/studies", body, field)
	}
	for _, what := range []string{"", "/events", "/cells.csv"} {
		if w := ask(s, "GET", "/api/v1/studies/none"+what, ""); w.Code != 404 {
			t.Error(what, w.Code)
		}
	}
}

// TestStudyIntervalLoss: the interval loss of a study needs boundaries; they are stored, and the page shows them in
// per cent as its form does.
func TestStudyIntervalLoss(t *testing.T) {
	s, _ := testServer(t, Config{})
	grid := func(more string) string {
		return `{"dataset":{"generator":"gmm","rows":200},"models":[{"loss":"logistic","l2":0.01},{"loss":"interval","l2":0.01}],` +
			`"replicates":2,"seed":3,"metric":"interval_loss"` + more + `}`
	}
	w := ask(s, "POST", "/api/v1/studies", grid(""), "Content-Type: application/json")
	if w.Code != 422 || !strings.Contains(w.Body.String(), `"boundaries"`) {
		t.Errorf("without boundaries: %d %s", w.Code, w.Body)
	}
	v := studyAt(t, s, studied(t, s, grid(`,"boundaries":[0.1,0.3]`)), done)
	if len(v.Cells) != 2 || !slices.Equal(v.Spec.Boundaries, []float64{.1, .3}) {
		t.Fatalf("%+v", v)
	}
	for _, c := range v.Cells {
		if c.Metric != "interval_loss" || !(*c.Mean > 0 && *c.Mean < 0.3) {
			t.Errorf("%+v", c)
		}
	}
	page := ask(s, "GET", "/studies/"+v.ID, "", browser).Body.String()
	for _, want := range []string{"Interval loss", "<dt>Boundaries</dt>", "10, 30"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
