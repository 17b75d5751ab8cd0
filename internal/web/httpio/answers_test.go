package httpio

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
)

// TestAnswers requests a page as a new visitor: after the first visitor it is not rendered again until a revision
// that its tag contains changes.
func TestAnswers(t *testing.T) {
	p := newTagged()
	p.tagger.Answers = NewAnswers(1<<20, cost.Memory{})
	for _, step := range []struct {
		what   string
		change func()
		made   int
		asked  []string
	}{
		{"first", nil, 1, nil},
		{"the next visitor", nil, 1, nil},
		{"in the dark", nil, 2, []string{"Cookie: theme=dark"}},
		{"again in the dark", nil, 2, []string{"Cookie: theme=dark"}},
		{"again in the light", nil, 2, nil},
		{"changed", func() { p.revision = "2" }, 3, nil},
		{"again", nil, 3, nil},
		{"forgotten", func() { p.tagger.Answers.drop() }, 4, nil},
		{"at work", func() { p.none = true }, 5, nil},
		{"still at work", nil, 6, nil},
		{"on its way", func() { p.none, p.passing, p.revision = false, true, "3" }, 7, nil},
		{"still on its way", nil, 8, nil},
		{"an error", func() { p.passing, p.status = false, 422 }, 9, nil},
		{"no error any more", func() { p.status = 200 }, 10, nil},
		{"again", nil, 10, nil},
		{"with a new session", func() { p.cookie = "s" }, 11, nil},
	} {
		if step.change != nil {
			step.change()
		}
		w := p.ask("GET", "/page", step.asked...)
		if w.Code != p.status || w.Body.String() != "page" || w.Header().Get("Content-Type") != "text/html; charset=UTF-8" {
			t.Errorf("%s: %d %q %v", step.what, w.Code, w.Body, w.Header())
		}
		if p.made != step.made {
			t.Errorf("%s: made %d times, want %d", step.what, p.made, step.made)
		}
	}
}

// TestAnswersOfPatients: answers that no browser may store are cached here, so that a visitor without a tag does
// not cause another rendering; each answer forbids storing.
func TestAnswersOfPatients(t *testing.T) {
	made, e := 0, echo.New()
	tagger := Tagger{Start: "v1", Answers: NewAnswers(1<<20, cost.Memory{})}
	e.GET("/rows", func(c echo.Context) error {
		made++
		return c.HTML(http.StatusOK, "rows")
	}, tagger.By(OfPatients(Constant)))
	for range 3 {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/rows", nil))
		if cache := w.Header().Get("Cache-Control"); w.Code != http.StatusOK || w.Body.String() != "rows" || cache != "no-store" {
			t.Errorf("%d %q, Cache-Control %q", w.Code, w.Body, cache)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// TestAnswersGiveWay: the cache counts as memory of the program and is dropped when others need it.
func TestAnswersGiveWay(t *testing.T) {
	memory := cost.NewMemory(4000) // 1,000 for caches
	p := newTagged()
	p.tagger.Answers = NewAnswers(1<<20, memory)
	p.ask("GET", "/page")
	if memory.Caches.Held() < int64(len("page")) {
		t.Errorf("a kept answer holds %d bytes", memory.Caches.Held())
	}
	for i := range 1000 {
		p.revision = strconv.Itoa(i)
		p.ask("GET", "/page")
	}
	if held := memory.Caches.Held(); held > 1000 {
		t.Errorf("%d bytes are kept of 1,000", held)
	}
	release, err := memory.Requests.Acquire(t.Context(), 2500)
	if err != nil || memory.Caches.Held() != 0 {
		t.Errorf("%v, and answers hold %d bytes", err, memory.Caches.Held())
	}
	release()
}

// failing fails after some bytes, as a connection does.
type failing struct {
	http.ResponseWriter
	room int
}

func (w *failing) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errors.New("gone")
	}
	return w.ResponseWriter.Write(p)
}

// TestAnswersWhole: files keep their names; answers that are too long or were cut short are not stored.
func TestAnswersWhole(t *testing.T) {
	for name, c := range map[string]struct {
		length, room int
		kept         bool
	}{
		"a file":     {length: 1000, room: 1 << 30, kept: true},
		"the most":   {length: longestAnswer, room: 1 << 30, kept: true},
		"too long":   {length: longestAnswer + 1, room: 1 << 30},
		"broken off": {length: 1000, room: 400},
	} {
		e, made, length := echo.New(), 0, c.length
		tags := Tagger{Answers: NewAnswers(1<<30, cost.Memory{})}
		e.GET("/file", func(c echo.Context) error {
			made++
			Attach(c, "text/csv", "a.csv")
			for left := length; left > 0; left -= 100 {
				_, _ = c.Response().Write([]byte(strings.Repeat("x", min(100, left)))) // a handler may ignore the error
			}
			return nil
		}, func(next echo.HandlerFunc) echo.HandlerFunc {
			return func(ctx echo.Context) error {
				ctx.Response().Writer = &failing{ctx.Response().Writer, c.room}
				return tags.By(Constant)(next)(ctx)
			}
		})
		p := &tagged{echo: e}
		first, second := p.ask("GET", "/file"), p.ask("GET", "/file")
		if want := map[bool]int{true: 1, false: 2}[c.kept]; made != want {
			t.Errorf("%s: made %d times, want %d", name, made, want)
		}
		if second.Body.String() != first.Body.String() || second.Header().Get("Content-Disposition") != "attachment; filename=a.csv" {
			t.Errorf("%s: %d and %d bytes, %v", name, first.Body.Len(), second.Body.Len(), second.Header())
		}
	}
}
