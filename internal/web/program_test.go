package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"taper/internal/engine/table"
	"taper/internal/testlog"
	"taper/internal/testtime"
)

// program is the real program, started by Serve on a free port and a temporary folder.
type program struct {
	t    testing.TB
	base string // http://127.0.0.1:port
	dir  string
	stop func() int // stops it and returns the exit status
	log  *testlog.Log
}

// start runs the program on a folder, or on a new one, until the test ends.
func start(t *testing.T, dir string) *program {
	t.Helper()
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "data")
	}
	p, err := launch(dir)
	if err != nil {
		t.Fatal(err)
	}
	p.t = t
	t.Cleanup(func() { p.stop() })
	return p
}

// launch runs the program on a folder until it is stopped.
func launch(dir string) (*program, error) {
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	p := &program{dir: dir, log: &testlog.Log{}}
	done := make(chan int, 1)
	go func() {
		code := 0
		if err := Serve(ctx, testConfig(dir), in, p.log, time.Now); err != nil {
			fmt.Fprintln(p.log, err)
			code = 1
		}
		in.Close()
		done <- code
	}()
	var once sync.Once
	code := -1
	p.stop = func() int {
		once.Do(func() { cancel(); code = <-done })
		return code
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	p.base = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if p.base == "" {
		p.stop()
		return nil, fmt.Errorf("the program did not start: %s%s", line, p.log)
	}
	return p, nil
}

const testVersion = "dev"

// testConfig is the configuration of a program on a free port.
func testConfig(dir string) Config {
	return Config{Listen: "127.0.0.1:0", Data: dir, Limits: table.DefaultLimits, Version: testVersion, Patience: testtime.Hang}
}

func TestHealthAndStop(t *testing.T) {
	p := start(t, "")
	res, err := http.Get(p.base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if want := `{"status":"ok","version":"` + testVersion + `"}`; res.StatusCode != 200 || strings.TrimSpace(string(body)) != want {
		t.Errorf("/healthz = %d %s, want 200 %s", res.StatusCode, body, want)
	}
	if mode := fileInfo(t, p.dir).Mode().Perm(); mode != 0o700 {
		t.Errorf("data folder has mode %o, want 700", mode)
	}
	if code := p.stop(); code != 0 || strings.Contains(p.log.String(), "did not stop in time") {
		t.Errorf("stopped with %d, want 0 and nothing left to wait for: %s", code, p.log)
	}
	if budget := max(grace+boardsEnd, runsEnd); budget > 5*time.Second {
		t.Errorf("a stop may take %v, more than 5 s", budget)
	}
	if _, err := http.Get(p.base + "/healthz"); err == nil {
		t.Error("still answers after the stop")
	}
}

func fileInfo(t *testing.T, path string) os.FileInfo {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi
}
