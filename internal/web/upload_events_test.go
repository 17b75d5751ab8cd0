package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// told returns the names of the events of an answer, without repetitions, and the data of the last.
func told(t *testing.T, answer string) (names string, last map[string]any) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSuffix(answer, "\n\n"), "\n\n") {
		lines := strings.Split(event, "\n")
		if len(lines) != 3 {
			t.Fatalf("event %q", event)
		}
		name := strings.TrimPrefix(lines[1], "event: ")
		if !strings.HasSuffix(names, name) {
			names += " " + name
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &last); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSpace(names), last
}

// TestUploadTellsItsProgress: an upload whose client accepts events learns how far it is read, and then where the
// dataset is or what is wrong with the file.
func TestUploadTellsItsProgress(t *testing.T) {
	s, _ := testServer(t, Config{})
	const events = "Accept: text/event-stream, application/json"
	for path, field := range map[string]string{"/data": "url", "/api/v1/datasets": "id"} {
		w := send(t, s, path, "trial.csv", trialCSV(80), events)
		names, last := told(t, w.Body.String())
		if w.Code != 200 || names != "progress created" || last[field] == nil || last[field] == "" {
			t.Errorf("%s: %d %s, %v", path, w.Code, names, last)
		}
		w = send(t, s, path, "login.csv", "<!doctype html><html><body>Sign in</body></html>", events)
		names, last = told(t, w.Body.String())
		if names != "problem" || last["status"] != 422.0 || !strings.Contains(last["detail"].(string), "web page") {
			t.Errorf("%s of a web page: %s, %v", path, names, last)
		}
	}
}

// leaver is a client that leaves when it receives progress.
type leaver struct {
	*httptest.ResponseRecorder
	leave context.CancelFunc
}

func (l leaver) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "event: progress") {
		l.leave()
	}
	return l.ResponseRecorder.Write(b)
}

// TestUploadStops: a client that leaves while its file is read leaves nothing behind.
func TestUploadStops(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, path := range []string{"/data", "/api/v1/datasets"} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		body, kind := fileForm(t, "trial.csv", trialCSV(80))
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+path, strings.NewReader(body)).WithContext(ctx)
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Accept", "text/event-stream")
		s.ServeHTTP(leaver{httptest.NewRecorder(), leave}, r)
		list, total, err := s.db.Datasets(t.Context(), 10, 0)
		if err != nil || total != 0 {
			t.Errorf("%s left %v (%v)", path, list, err)
		}
	}
	for _, folder := range []string{"uploads", "raw"} {
		if left, err := os.ReadDir(filepath.Join(s.db.Dir(), folder)); err != nil || len(left) > 0 {
			t.Errorf("%v are left in %s (%v)", left, folder, err)
		}
	}
}
