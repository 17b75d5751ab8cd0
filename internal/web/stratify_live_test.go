package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"taper/internal/engine/job"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/page/stratify"
)

// slowTable is large enough that tuning takes many seconds.
func slowTable() string {
	var b strings.Builder
	for k := range 40 {
		fmt.Fprintf(&b, "x%d,", k)
	}
	b.WriteString("y\n")
	state := uint64(1)
	for range 9000 {
		sum := 0.0
		for range 40 {
			state = state*6364136223846793005 + 1442695040888963407
			v := float64(state>>40)/(1<<24) - .5
			sum += v
			fmt.Fprintf(&b, "%.4f,", v)
		}
		b.WriteString(map[bool]string{true: "yes\n", false: "no\n"}[sum > .4])
	}
	return b.String()
}

// promptly is the most processor time that a cancelled fit may still take: 500 ms on two cores, more under the race
// detector.
const promptly = 2 * time.Second

// slow is a server with a dataset whose page must show progress.
func slow(t *testing.T) (*Server, store.Dataset) {
	t.Helper()
	s, _ := testServer(t, Config{})
	id := loaded(t, s, "slow.csv", slowTable())
	if w := ask(s, "PATCH", "/api/v1/datasets/"+id, `{"outcome":"y","positive":"yes"}`); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	d, err := s.db.Dataset(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	s.app.Computations.Patience = 50 * time.Millisecond // so that a fast machine shows progress, too
	t.Cleanup(func() { s.app.Computations.Drop(id); idle(t, s) })
	return s, d
}

// idle waits until no computation is running.
func idle(t *testing.T, s *Server) {
	t.Helper()
	testtime.Until(t, "the end of what nobody waits for", func() bool {
		_, working, _ := s.app.Computations.Counts()
		return working == 0
	})
}

// occupied lets no computation begin until the test ends or calls release.
func occupied(t *testing.T, s *Server) (release func()) {
	t.Helper()
	ctx, release := context.WithCancel(context.Background())
	t.Cleanup(release)
	for i := range 2 { // as many as run at a time
		if err := s.app.Computations.Runner.Start(fmt.Sprint("another ", i), 0, func(work context.Context, _ func(job.Progress)) error {
			select {
			case <-ctx.Done():
			case <-work.Done():
			}
			return nil
		}, func(error) {}); err != nil {
			t.Fatal(err)
		}
	}
	return release
}

// TestProgressPage opens the page of a slow fit: progress, partial content, and a Cancel that stops the solver and
// shows the controls only.
func TestProgressPage(t *testing.T) {
	s, d := slow(t)
	start := time.Now()
	w := ask(s, "GET", "/stratify/"+d.ID+"?folds=10", "", browser)
	if took := time.Since(start); took < s.app.Computations.Patience {
		t.Errorf("the page came after %s, want %s at least", took, s.app.Computations.Patience)
	}
	body := w.Body.String()
	for _, words := range []string{"data-progress", `data-live-poll="/jobs/live-`, "Cancel", "Fitting 4 bands", `id="surrogate"`} {
		if !strings.Contains(body, words) {
			t.Errorf("the page (%d) lacks %q", w.Code, words)
		}
	}
	back := "/stratify/" + d.ID + "?folds=10&hold=1"
	job := jobOf(t, body)
	begin := testtime.Spent()
	w = ask(s, "POST", "/stratify/"+d.ID+"/cancel", url.Values{"job": {job}, "back": {back}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != back {
		t.Errorf("cancel: %d to %q", w.Code, w.Header().Get("Location"))
	}
	idle(t, s)
	if took := testtime.Spent() - begin; took > promptly {
		t.Errorf("the solver worked for %s after Cancel", took)
	}
	if w := ask(s, "GET", back, "", browser); !strings.Contains(w.Body.String(), "Nothing is computed") {
		t.Errorf("after Cancel: %d", w.Code)
	}
}

// jobOf is the id of the computation that a page shows.
func jobOf(t *testing.T, body string) string {
	t.Helper()
	found := regexp.MustCompile(`"/jobs/(live-[a-z0-9]+)/live"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatal("the page names no computation")
	}
	return found[1]
}

// TestCancelAnothers: only a page that knows the unguessable id of a computation can cancel it. If another page
// waits for it, also between two of its requests, it continues.
func TestCancelAnothers(t *testing.T) {
	s, d := slow(t)
	s.app.Computations.Grace = testtime.Hang // both pages wait, however slow the machine is
	occupied(t, s)
	open := func() string {
		return jobOf(t, ask(s, "GET", "/stratify/"+d.ID+"?folds=10", "", browser).Body.String())
	}
	first, second := open(), open()
	if started, working, _ := s.app.Computations.Counts(); started != 1 || working != 1 || first == second {
		t.Fatalf("%d computations for two pages, %q and %q", started, first, second)
	}
	cancel := func(dataset, job string) (int, string) {
		w := ask(s, "POST", "/stratify/"+dataset+"/cancel", url.Values{"job": {job}, "back": {"/data"}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
		return w.Code, w.Body.String()
	}
	other := loaded(t, s, "other.csv", slowTable())
	for _, guess := range []struct{ dataset, job string }{{d.ID, "live-1"}, {d.ID, "1"}, {other, first}} {
		code, body := cancel(guess.dataset, guess.job)
		if code != http.StatusNotFound || !strings.Contains(body, "under way. It has ended, or it is another page’s") {
			t.Errorf("cancelling %s of %s: %d %s", guess.job, guess.dataset, code, body)
		}
	}
	followed(t, s, first, "") // the cancelling page has just polled, the other has not

	if code, _ := cancel(d.ID, first); code != http.StatusSeeOther {
		t.Errorf("cancelling the wait of one page: %d", code)
	}
	if code, _ := cancel(d.ID, first); code != http.StatusNotFound {
		t.Errorf("a page waits once, and cancels once: %d", code)
	}
	if a := followed(t, s, second, ""); a.Ended || a.Parts[second+"-percent"] == "" {
		t.Errorf("the other page is told %+v", a)
	}
	if code, _ := cancel(d.ID, second); code != http.StatusSeeOther {
		t.Errorf("cancelling the wait of the last page: %d", code)
	}
	idle(t, s)
}

// TestFollowed follows a slow fit by polling until it is cancelled.
func TestFollowed(t *testing.T) {
	s, d := slow(t)
	st, _ := stratify.Parse(url.Values{"folds": {"20"}}, d) // slower than two polls on any machine
	_, f, err := s.app.Computations.Start(d, st.Spec(0))
	if err != nil {
		t.Fatal(err)
	}
	id, had := s.app.Computations.Follow(f).ID, ""
	s.app.Computations.Leave(f, 0)
	for range 2 { // the polls say what the page shows, so news are detected
		a := followed(t, s, id, had)
		if a.Ended || a.Parts[id+"-percent"] == "" {
			t.Fatalf("%+v", a)
		}
		if a.Stamps[id+"-step"] != "" {
			had = id + "-step:" + a.Stamps[id+"-step"]
		}
	}
	if !s.app.Computations.Cancel(d.ID, id) { // which ends it unless others wait
		t.Fatal("the fit has ended")
	}
	testtime.Until(t, "the end", func() bool { return followed(t, s, id, "").Ended })
	idle(t, s)
}

// TestAbandoned abandons a live request, which stops its solver.
func TestAbandoned(t *testing.T) {
	s, d := slow(t)
	ctx, leave := context.WithCancel(context.Background())
	r := httptest.NewRequest("GET", "http://127.0.0.1:8080/stratify/"+d.ID+"/live?held=0.001&drag=r-strata", nil).WithContext(ctx)
	time.AfterFunc(100*time.Millisecond, leave)
	s.ServeHTTP(httptest.NewRecorder(), r)
	begin := testtime.Spent()
	idle(t, s)
	if took := testtime.Spent() - begin; took > promptly {
		t.Errorf("the solver worked for %s after its request", took)
	}
}

// TestOneFlight: concurrent equal requests share one computation and get equal pages.
func TestOneFlight(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	clock := regexp.MustCompile(`[0-9.]+\x{a0}m?s`)
	var wg sync.WaitGroup
	pages := make([]string, 6)
	for i := range pages {
		wg.Go(func() {
			pages[i] = clock.ReplaceAllString(ask(s, "GET", "/stratify/"+id, "", browser).Body.String(), "")
		})
	}
	wg.Wait()
	for i := range pages {
		if pages[i] != pages[0] {
			t.Errorf("page %d differs from page 0", i)
		}
	}
	if started, _, _ := s.app.Computations.Counts(); started != 1 {
		t.Errorf("%d computations for one question", started)
	}
}

// TestLiveForgets: cached results are dropped when the data change or are deleted.
func TestLiveForgets(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	held := func() int {
		_, _, kept := s.app.Computations.Counts()
		return kept
	}
	open := func() { ask(s, "GET", "/stratify/"+id+"?l2=0.0156", "", browser) }
	open()
	if held() != 2 {
		t.Fatalf("%d things kept after one page, want the preparation and the result", held())
	}
	if w := ask(s, "PATCH", "/api/v1/datasets/"+id, `{"columns":[{"name":"mean_radius","role":"exclude"}]}`, "Content-Type: application/json"); w.Code != 200 {
		t.Fatalf("patch: %d %s", w.Code, w.Body)
	}
	open()
	if held() != 2 {
		t.Errorf("%d things kept after a change, want those of the new reading alone", held())
	}
	if w := ask(s, "DELETE", "/api/v1/datasets/"+id, ""); w.Code != http.StatusNoContent {
		t.Fatalf("delete: %d", w.Code)
	}
	if held() != 0 {
		t.Errorf("%d things kept after the data were deleted", held())
	}
}

// TestMovedAsReleased: the answers to a moving slider, whose fits start from those of the position before, show what
// the page shows where it is released.
func TestMovedAsReleased(t *testing.T) {
	s, _ := testServer(t, Config{})
	id := loaded(t, s, "moved.csv", string(simulated(220, 24)))
	if w := ask(s, "PATCH", "/api/v1/datasets/"+id, `{"outcome":"ill","positive":"yes"}`); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	parts := func(at string) map[string]string {
		w := ask(s, "GET", "/stratify/"+id+"/live?lambda=.03&how=hand&l2=.03&"+at, "", script)
		var a struct{ Parts map[string]string }
		if err := json.Unmarshal(w.Body.Bytes(), &a); w.Code != http.StatusOK || err != nil {
			t.Fatal(w.Code, err, w.Body)
		}
		return a.Parts
	}
	compared := 0
	for k := range 12 {
		pi := fmt.Sprintf("pi=%.3f,.5,.75", .1+.025*float64(k))
		s.app.Computations.Patience = 1 // the page of another state would not wait for a longer fit
		moved := parts(pi + "&drag=result,r-strata,r-strip")
		s.app.Computations.Patience = testtime.Hang
		if moved["r-strata"] == "" {
			t.Fatalf("%s: a move is not waited for", pi)
		}
		for id, text := range parts(pi) {
			if was, shown := moved[id]; shown && id != "r-took" {
				compared++
				if was != text {
					t.Errorf("%s: %s moved differs from released:\n%s\n%s", pi, id, was, text)
				}
			}
		}
	}
	if compared < 24 {
		t.Errorf("%d parts compared", compared)
	}
	if started, _, _ := s.app.Computations.Counts(); started != 24 {
		t.Errorf("%d computations for 12 positions, moved and released", started)
	}
	for at, has := range map[string]string{"?drag=x": "predictors-h", "/live?panel=1&drag=x&tab=flow": `name=\"tab\"`} {
		if w := ask(s, "GET", "/stratify/"+id+at, "", script); !strings.Contains(w.Body.String(), has) {
			t.Errorf("%s lacks %s, which only the answer to a move leaves out", at, has)
		}
	}
}
