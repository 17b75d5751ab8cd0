package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"taper/internal/app"
	"taper/internal/engine/job"
)

// asBlocked is an environment variable with the name of a file: while it exists, units of a worker wait until they
// are cancelled.
const asBlocked = "TAPER_TEST_BLOCKED"

// blockedKinds are the kinds of the program, with units that wait.
func blockedKinds(file string) map[string]job.Opener {
	all := app.Recipes()
	for kind, open := range all {
		all[kind] = func(ctx context.Context, spec json.RawMessage, rows []byte) (job.Portable, error) {
			s, err := open(ctx, spec, rows)
			return blocked{s, file}, err
		}
	}
	return all
}

type blocked struct {
	job.Portable
	file string
}

func (b blocked) Unit(ctx context.Context, before []job.Bodies, n int, report func(job.Progress)) (job.Body, error) {
	if _, err := os.Stat(b.file); err != nil {
		return b.Portable.Unit(ctx, before, n, report)
	}
	fmt.Fprintln(os.Stderr, "unit waits")
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "unit ended at", time.Now().UnixMilli())
	return nil, ctx.Err()
}

// TestCancelOnEveryMachine: cancelling a study ends its units on every worker process; these units never end by
// themselves. The workers are then free for the next study, which is paused and resumed and has bit-identical
// numbers to one process.
func TestCancelOnEveryMachine(t *testing.T) {
	study := sharedStudy(15)
	want := alone(t, study)
	file := filepath.Join(t.TempDir(), "blocked")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(asBlocked, file)
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-workers", "127.0.0.1:0")
	queue := c.queue()
	workers := []*process{work(t, queue), work(t, queue)}
	for n := 0; n < 2; n = strings.Count(c.log.String(), "worker joined") {
		time.Sleep(10 * time.Millisecond)
	}
	id := c.study(study)
	for _, w := range workers {
		for !strings.Contains(w.log.String(), "unit waits") {
			time.Sleep(10 * time.Millisecond)
		}
	}
	asked := time.Now()
	var s studied
	if !c.call("POST", "/api/v1/studies/"+id+"/cancel", "", &s) {
		t.Fatal("nobody answers")
	}
	for i, w := range workers {
		for !strings.Contains(w.log.String(), "unit ended") {
			time.Sleep(10 * time.Millisecond)
		}
		if strings.Count(w.log.String(), "unit waits") != strings.Count(w.log.String(), "unit ended") {
			t.Errorf("worker %d has units that nobody wants: %s", i, w.log)
		}
	}
	t.Logf("both workers had ended their units %v after the study was cancelled", time.Since(asked))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	id = c.study(study)
	c.until(id, func(s studied) bool { return s.Done > 2 })
	a, err := http.Post(c.url+"/api/v1/studies/"+id+"/pause", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode >= 300 && a.StatusCode != http.StatusConflict { // the study may have ended
		t.Fatalf("pause: %d", a.StatusCode)
	}
	paused := c.until(id, func(s studied) bool { return s.Status == "paused" || s.Status == "done" })
	if paused.Status == "done" {
		t.Log("the study was done before it was paused")
	} else if !c.call("POST", "/api/v1/studies/"+id+"/resume", "", &s) {
		t.Fatal("nobody answers")
	}
	if differs := c.until(id, ended).same(want); differs != "" {
		t.Error(differs)
	}
	for _, w := range workers {
		w.end()
	}
	c.end()
}
