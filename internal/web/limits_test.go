package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// TestLimits: every kind of request that exceeds the program's limits is refused with 422, the cost and the limit,
// before memory is allocated; reserved memory is released with the answer.
func TestLimits(t *testing.T) {
	s, _ := testServer(t, Config{Memory: 64 << 20, Work: 1e9})
	made := ask(s, "POST", "/api/v1/datasets/generate", `{"generator":"gmm","rows":500,"seed":1}`, "Content-Type: application/json")
	var d struct{ ID, Outcome, Positive string }
	if err := json.Unmarshal(made.Body.Bytes(), &d); err != nil || made.Code != 201 {
		t.Fatalf("a small table: %d %s", made.Code, made.Body)
	}
	spec := func(rest string) string {
		return fmt.Sprintf(`{"dataset":%q,"outcome":%q,"positive":%q,"task":"binary",%s}`, d.ID, d.Outcome, d.Positive, rest)
	}
	grid := `{"dataset":{"generator":"gmm","rows":%d},"models":[{"kind":"linear","loss":"logistic","l2":1}],"replicates":%d}`
	for _, c := range []struct{ name, path, body, flag string }{
		{"a generated table", "/api/v1/datasets/generate", `{"generator":"long-servedio","rows":1000000,"seed":1}`, "-memory"},
		{"trees", "/api/v1/runs", spec(`"model":{"kind":"boost","loss":"alpha","rounds":10000,"depth":16}`), "-memory"},
		{"repeats", "/api/v1/runs", spec(`"model":{"kind":"linear","loss":"logistic"},` +
			`"validation":{"kind":"cv","folds":50,"repeats":100}`), "-max-work"},
		{"a study of many replicates", "/api/v1/studies", fmt.Sprintf(grid, 10_000, 1000), "-max-work"},
		{"a study of many rows", "/api/v1/studies", fmt.Sprintf(grid, 200_000, 1), "-memory"},
	} {
		w := ask(s, "POST", c.path, c.body, "Content-Type: application/json")
		for _, want := range []string{"the limit is", "about", c.flag} {
			if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %s, want 422 and %q", c.name, w.Code, w.Body, want)
			}
		}
	}
	if w := send(t, s, "/data", "big.csv", trialCSV(300_000), script); w.Code != 422 ||
		!strings.Contains(w.Body.String(), "-memory") {
		t.Errorf("a large file: %d %s", w.Code, w.Body)
	}
	if n := s.memory.Requests.Held(); n != 0 {
		t.Errorf("requests hold %d bytes after their answers", n)
	}
}

// TestBusy: a request that gets no memory in time is asked to try again.
func TestBusy(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.echo.GET("/full", func(echo.Context) error {
		return usererr.New(usererr.Busy, "Reading this file needs about 2 GB of memory, which other work holds now.")
	})
	w := ask(s, "GET", "/full", "")
	if w.Code != 503 || w.Header().Get("Retry-After") != fmt.Sprint(int(cost.Patience.Seconds())) ||
		!strings.Contains(w.Body.String(), "other work holds now") {
		t.Errorf("%d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
}
