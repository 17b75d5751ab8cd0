package web

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/store"
)

func TestRenameRun(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "First", "interval", .3, .6))
	for _, test := range []struct {
		fields      []string
		status      int
		name, notes string
		says        string
	}{
		{[]string{"name= Second ", "notes=a\r\nb"}, 303, "Second", "a\nb", ""},
		{[]string{"name=Third"}, 303, "Third", "a\nb", ""},
		{[]string{"name= ", "notes=lost?"}, 422, "Third", "a\nb", "Name must hold 1 to 200 bytes."},
		{[]string{"name=" + strings.Repeat("x", 201)}, 422, "Third", "a\nb", "must hold 1 to 200 bytes"},
		{[]string{"name=x", "notes=" + strings.Repeat("n", 20_001)}, 422, "Third", "a\nb", "at most 20\u202f000 bytes"},
		{[]string{"notes=no name"}, 422, "Third", "a\nb", "name is missing"},
	} {
		w := post(s, "/runs/"+r.ID, browser, test.fields...)
		now, err := s.db.Run(context.Background(), r.ID)
		if err != nil || w.Code != test.status || now.Name != test.name || now.Notes != test.notes {
			t.Errorf("%.60q: %d, name %q, notes %q, %v", test.fields, w.Code, now.Name, now.Notes, err)
		}
		if !strings.Contains(plain(w.Body.String()), test.says) {
			t.Errorf("%.60q does not say %q", test.fields, test.says)
		}
	}
	if page := post(s, "/runs/"+r.ID, browser, "name= ", "notes=lost?").Body.String(); !strings.Contains(page, ">lost?</textarea>") {
		t.Error("a refused form loses the notes")
	}
	if w := post(s, "/runs/none", browser, "name=x"); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

// TestRunAgain makes every kind of run twice and compares everything stored to the bit, except for times.
func TestRunAgain(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	tuned := heartSpec(d, "Tuned", "interval", .25, .5, .75)
	tuned.Model.L2 = fit.L2{Mode: "cv"}
	split := heartSpec(d, "Split", "logistic", .2, .6)
	split.Validation = runspec.Validation{Kind: "split", Test: 0.3}
	for _, spec := range []runspec.Spec{heartSpec(d, "", "interval", .3), tuned, split} {
		first := trained(t, s, spec)
		w := post(s, "/runs/"+first.ID+"/again", browser)
		id, ok := strings.CutPrefix(w.Header().Get("Location"), "/runs/")
		if w.Code != 303 || !ok || id == first.ID {
			t.Fatalf("%d to %q", w.Code, w.Header().Get("Location"))
		}
		again := finished(t, s, id)
		if again.Name != first.Name {
			t.Errorf("named %q, want %q", again.Name, first.Name)
		}
		if a, b := bits(t, s, first), bits(t, s, again); a != b {
			t.Errorf("%q differs:\n%.2000s\n%.2000s", spec.Name, a, b)
		}
	}
	if w := post(s, "/runs/none/again", browser); w.Code != 404 {
		t.Errorf("an unknown run: %d", w.Code)
	}
}

// bits is the result of a run without times.
func bits(t *testing.T, s *Server, r store.Run) string {
	t.Helper()
	res := *r.Result
	res.Seconds, res.ElapsedS = 0, 0
	spec := r.Spec
	spec.Name = ""
	j, err := json.Marshal([]any{spec, res})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"/rows", "/model.json"} {
		w := ask(s, "GET", "/api/v1/runs/"+r.ID+part, "")
		if w.Code != 200 || w.Body.Len() == 0 {
			t.Fatalf("%s: %d", part, w.Code)
		}
		j = append(j, w.Body.Bytes()...)
	}
	return string(j)
}

// TestUseKeepsNothing puts a canary into a scored file, into a refused file and into the form; it must be in no log
// and no file.
func TestUseKeepsNothing(t *testing.T) {
	s, log := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	const mark = "canary-q7z"
	file := strings.Replace(newPatients(t), "martian", mark, 1)
	to := "/runs/" + r.ID
	for _, accept := range []string{browser, "Accept: multipart/form-data"} {
		for _, fields := range [][]string{nil, {"do=look"}, {"evaluate=1"}} {
			if w := send(t, s, to+"/score", mark+".csv", file, accept, fields...); w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		send(t, s, to+"/score", mark+".csv", file+mark+",1\n", accept)
	}
	ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file, "Content-Type: text/csv")
	ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file+mark+"\n", "Content-Type: text/csv")
	for _, accept := range []string{browser, script} {
		w := post(s, to+"/patient", accept, "x:sex="+mark)
		if loc := w.Header().Get("Location"); w.Code != 200 || loc != "" || !strings.Contains(w.Body.String(), mark) {
			t.Errorf("%d to %q", w.Code, loc)
		}
		post(s, to+"/patient", accept, "x:age="+mark)
	}
	if files := canaries(t, s.db.Dir(), []string{mark}); len(files) > 0 {
		t.Errorf("kept: %v", files)
	}
	if left, err := os.ReadDir(s.db.Dir() + "/uploads"); err != nil || len(left) > 0 {
		t.Errorf("left-over uploads: %v, %v", left, err)
	}
	if strings.Contains(log.String(), mark) {
		t.Errorf("in the log: %s", log)
	}
}
