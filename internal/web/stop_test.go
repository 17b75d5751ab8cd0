package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
)

// TestStopWithAStalledRequest sends SIGTERM to the program while one run is running, one is queued, and an upload
// has stalled with its connection open. The program exits with 0 and has recorded both runs before it closed the
// database: the message differs from that after a crash.
func TestStopWithAStalledRequest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	v := startVictim(t, dir)
	ended := false
	defer func() {
		if !ended {
			v.kill()
		}
	}()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", "a.csv")
	part.Write(crashFile("stalled", 4000))
	w.Close()
	half := form.Bytes()[:form.Len()/2]
	status, body, err := v.do("POST", "/api/v1/datasets", w.FormDataContentType(), bytes.NewReader(form.Bytes()))
	var data, first, second struct{ ID, Status string }
	if json.Unmarshal(body, &data); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, body, err)
	}
	spec := fmt.Sprintf(`{"dataset":%q,"outcome":"outcome","positive":"yes","task":"binary",
		"model":{"kind":"boost","loss":"alpha","rounds":2000,"depth":2},
		"validation":{"kind":"cv","folds":10,"repeats":50}}`, data.ID)
	for _, r := range []*struct{ ID, Status string }{&first, &second} {
		status, body, err := v.do("POST", "/api/v1/runs", "application/json", strings.NewReader(spec))
		if json.Unmarshal(body, r); err != nil || status != http.StatusAccepted {
			t.Fatalf("%d %s %v", status, body, err)
		}
	}
	for first.Status != store.Running {
		if json.Unmarshal(v.get("/api/v1/runs/"+first.ID), &first); first.Status == store.Done || t.Failed() {
			t.Fatalf("the run is %s", first.Status)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stalled, err := net.Dial("tcp", strings.TrimPrefix(v.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	fmt.Fprintf(stalled, "POST /api/v1/datasets HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(v.base, "http://"), w.FormDataContentType(), form.Len(), half)
	for { // until the request has started
		parts, err := os.ReadDir(filepath.Join(dir, "uploads"))
		if err != nil {
			t.Fatal(err)
		}
		if len(parts) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}

	begin := time.Now()
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = v.cmd.Wait()
	if ended = true; err != nil {
		t.Errorf("the program ended with %v\n%s", err, &v.log)
	}
	t.Logf("stopped in %v", time.Since(begin))
	db, err := store.Open(context.Background(), dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, id := range []string{first.ID, second.ID} {
		r, err := db.Run(context.Background(), id)
		if err != nil || r.Status != store.Interrupted || !strings.HasPrefix(r.Error, "The program was stopped") {
			t.Errorf("run %s is %s: %q, %v", id, r.Status, r.Error, err)
		}
	}
}

// TestAFullDiskIsNoInternalError: the answer names the remedy.
func TestAFullDiskIsNoInternalError(t *testing.T) {
	err := fmt.Errorf("save: %w", usererr.New(usererr.Full, "The disk is full. Free some space."))
	if p := httpio.ProblemOf(err, nil); p.Status != http.StatusInsufficientStorage || p.Title == "" || !strings.Contains(p.Detail, "Free some space") {
		t.Errorf("%+v", p)
	}
}
