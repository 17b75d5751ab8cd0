package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the real program, started by run on a port of its own and a
// folder that ends with the test.
type program struct {
	t    *testing.T
	base string // http://127.0.0.1:port
	dir  string
	stop func() int // stops it and returns its exit status
	log  *buffer
}

// start runs the program. Env pairs are name=value.
func start(t *testing.T, dir string, env ...string) *program {
	t.Helper()
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "data")
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	p := &program{t: t, dir: dir, log: &buffer{}}
	done := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"-listen", "127.0.0.1:0", "-data", dir}, environ(env), strings.NewReader(""), in, p.log)
		in.Close()
		done <- code
	}()
	var once sync.Once
	code := -1
	p.stop = func() int {
		once.Do(func() { cancel(); code = <-done })
		return code
	}
	t.Cleanup(func() { p.stop() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	p.base = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if p.base == "" {
		t.Fatalf("the program did not start: %s%s", line, p.log)
	}
	return p
}

func environ(pairs []string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if v, ok := strings.CutPrefix(p, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

// tryRun runs a command line that is expected to end by itself.
func tryRun(t *testing.T, stdin string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	code = run(ctx, args, environ(env), strings.NewReader(stdin), &out, &errOut)
	return code, out.String(), errOut.String()
}

func TestHealthAndStop(t *testing.T) {
	p := start(t, "")
	res, err := http.Get(p.base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if want := `{"status":"ok","version":"` + version + `"}`; res.StatusCode != 200 || strings.TrimSpace(string(body)) != want {
		t.Errorf("/healthz = %d %s, want 200 %s", res.StatusCode, body, want)
	}
	if mode := stat(t, p.dir).Mode().Perm(); mode != 0o700 {
		t.Errorf("data folder has mode %o, want 700", mode)
	}
	begin := time.Now()
	if code := p.stop(); code != 0 || time.Since(begin) > 5*time.Second {
		t.Errorf("stopped with %d after %s, want 0 within 5 s", code, time.Since(begin))
	}
	if _, err := http.Get(p.base + "/healthz"); err == nil {
		t.Error("still answers after the stop")
	}
}

// TestOneSentence starts the program in every way that must be refused and
// reads the sentence.
func TestOneSentence(t *testing.T) {
	p := start(t, "")
	taken := strings.TrimPrefix(p.base, "http://")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	lost := t.TempDir()
	if err := os.Mkdir(filepath.Join(lost, "raw"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lost, "raw", "d1.raw"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"taken port", nil, []string{"-listen", taken, "-data", dir}, "is taken by another program"},
		{"taken folder", nil, []string{"-listen", "127.0.0.1:0", "-data", p.dir}, "is in use by another Taper"},
		{"folder is a file", nil, []string{"-listen", "127.0.0.1:0", "-data", file}, "data folder"},
		{"uploads without a database", nil, []string{"-listen", "127.0.0.1:0", "-data", lost}, "holds 1 uploaded file, but its database taper.db is missing"},
		{"off loopback", nil, []string{"-listen", "0.0.0.0:0", "-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"off loopback by name", nil, []string{"-listen", "example.com:80", "-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"off loopback, no host", []string{"TAPER_LISTEN=:0"}, []string{"-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"bad hash", []string{"TAPER_PASSWORD_HASH=secret"}, []string{"-listen", "0.0.0.0:0", "-data", dir}, "is not an argon2id hash"},
		{"no address", nil, []string{"-listen", "8080", "-data", dir}, "is not an address"},
		{"unknown command", nil, []string{"-data", dir, "serve"}, "There is no command"},
		{"backup without a file", nil, []string{"-data", dir, "backup"}, "backup takes one file"},
		{"limit of nothing", nil, []string{"-data", dir, "-max-rows", "0"}, "must be 1 or more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := tryRun(t, "", test.env, test.args...)
			if code != 1 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want 1 and %q", code, stderr, test.want)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "taper: ") {
				t.Errorf("not one line: %q", stderr)
			}
		})
	}
}

func TestVersionAndUsage(t *testing.T) {
	if code, out, _ := tryRun(t, "", nil, "-version"); code != 0 || out != "taper "+version+"\n" {
		t.Errorf("-version = %d %q", code, out)
	}
	code, _, stderr := tryRun(t, "", nil, "-nonsense")
	if code != 2 || !strings.Contains(stderr, "-nonsense") || !strings.Contains(stderr, "TAPER_LISTEN") {
		t.Errorf("-nonsense = %d %q", code, stderr)
	}
}

func TestUserDataFolder(t *testing.T) {
	for _, test := range []struct {
		env  []string
		want string
	}{
		{[]string{"XDG_DATA_HOME=/xdg", "HOME=/home/a"}, "/xdg/taper"},
		{[]string{"XDG_DATA_HOME=relative", "HOME=/home/a"}, "/home/a/.local/share/taper"},
		{[]string{"HOME=/home/a"}, "/home/a/.local/share/taper"},
	} {
		if got, err := userData(environ(test.env)); err != nil || got != test.want {
			t.Errorf("userData(%v) = %q, %v; want %q", test.env, got, err, test.want)
		}
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *buffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *buffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
