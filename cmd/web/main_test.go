package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"taper/internal/testtime"
	"taper/internal/web/session"
)

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

// tryRun runs a command line that should end by itself.
func tryRun(t *testing.T, stdin string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), testtime.Hang)
	defer cancel()
	p := program{env: environ(env), stdin: strings.NewReader(stdin), stdout: &out, stderr: &errOut}
	code = p.run(ctx, args)
	return code, out.String(), errOut.String()
}

// serving runs the program until the test ends, and returns its address.
func serving(t *testing.T, dir string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	done := make(chan int, 1)
	go func() {
		p := program{env: environ(nil), stdin: strings.NewReader(""), stdout: in, stderr: io.Discard}
		done <- p.run(ctx, []string{"-listen", "127.0.0.1:0", "-data", dir})
		in.Close()
	}()
	t.Cleanup(func() { cancel(); <-done })
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, _, ok := strings.Cut(strings.TrimPrefix(line, "Taper "+version+" on http://"), ",")
	if !ok {
		t.Fatalf("the program did not start: %s", line)
	}
	return address
}

// TestOneSentence starts the program in every way that must be refused and checks the message.
func TestOneSentence(t *testing.T) {
	used := filepath.Join(t.TempDir(), "data")
	taken := serving(t, used)
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
	misuse := []string{"unknown command", "backup without a file", "worker with an argument", "key without a file",
		"limit of nothing"}
	for _, test := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"taken port", nil, []string{"-listen", taken, "-data", dir}, "is taken by another program"},
		{"taken folder", nil, []string{"-listen", "127.0.0.1:0", "-data", used}, "is in use by another Taper"},
		{"folder is a file", nil, []string{"-listen", "127.0.0.1:0", "-data", file}, "data folder"},
		{"uploads without a database", nil, []string{"-listen", "127.0.0.1:0", "-data", lost}, "holds 1 uploaded file, but its database taper.db is missing"},
		{"off loopback", nil, []string{"-listen", "0.0.0.0:0", "-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"off loopback by name", nil, []string{"-listen", "example.com:80", "-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"off loopback, no host", []string{"TAPER_LISTEN=:0"}, []string{"-data", dir}, "Set TAPER_PASSWORD_HASH"},
		{"bad hash", []string{"TAPER_PASSWORD_HASH=secret"}, []string{"-listen", "0.0.0.0:0", "-data", dir}, "is not an argon2id hash"},
		{"no address", nil, []string{"-listen", "8080", "-data", dir}, "is not an address"},
		{"unknown command", nil, []string{"-data", dir, "serve"}, "There is no command"},
		{"backup without a file", nil, []string{"-data", dir, "backup"}, "Write ‘taper backup FILE’"},
		{"worker without a queue", nil, []string{"worker"}, "A worker needs the address of the queue"},
		{"worker with an argument", nil, []string{"worker", "x"}, "taper worker takes flags alone (got ‘x’)"},
		{"worker of no processor", nil, []string{"worker", "-cores", "-1", "-queue", "nats://127.0.0.1:1"}, "-cores must be 1 or more"},
		{"two queues", nil, []string{"-data", dir, "-workers", "127.0.0.1:0", "-queue", "nats://127.0.0.1:1"}, "exclude each other"},
		{"no address for workers", nil, []string{"-data", dir, "-workers", "4222"}, "is not an address for workers"},
		{"workers off loopback", nil, []string{"-data", dir, "-workers", "0.0.0.0:4222"}, "need a key and encryption"},
		{"workers off loopback without TLS", nil, []string{"-data", dir, "-workers", ":4222", "-queue-creds", file}, "need a key and encryption"},
		{"queue off loopback", nil, []string{"worker", "-queue", "tls://example.com:4222"}, "takes credentials and encryption"},
		{"queue off loopback without TLS", []string{"TAPER_QUEUE_CREDS=" + file}, []string{"worker", "-queue", "nats://example.com:4222"}, "write tls://example.com:4222"},
		{"password in the address", nil, []string{"worker", "-queue", "nats://a:b@127.0.0.1:4222"}, "holds a password"},
		{"no queue", nil, []string{"worker", "-queue", "127.0.0.1"}, "is not the address of a queue"},
		{"certificate without its key", nil, []string{"-data", dir, "-workers", "127.0.0.1:0", "-queue-cert", file}, "belong together"},
		{"no key in the file", nil, []string{"worker", "-queue", "nats://127.0.0.1:1", "-queue-creds", file}, "holds neither an nkey seed"},
		{"workers with no key in the file", nil, []string{"-listen", "127.0.0.1:0", "-data", dir, "-workers", "127.0.0.1:0", "-queue-creds", file}, "holds no nkey seed"},
		{"authorities that are none", nil, []string{"worker", "-queue", "nats://127.0.0.1:1", "-queue-ca", file}, "holds no certificate in PEM"},
		{"workers at a taken port", nil, []string{"-listen", "127.0.0.1:0", "-data", dir, "-workers", taken}, "Workers cannot be let in at"},
		{"key that exists", nil, []string{"queue-creds", file}, "exists already"},
		{"key without a file", nil, []string{"queue-creds"}, "Write ‘taper queue-creds FILE’"},
		{"limit of nothing", nil, []string{"-data", dir, "-max-rows", "0"}, "must be 1 or more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := tryRun(t, "", test.env, test.args...)
			want := failed
			if slices.Contains(misuse, test.name) {
				want = misused
			}
			if code != want || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want %d and %q", code, stderr, want, test.want)
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
	if code, out, _ := tryRun(t, "", nil, "-h"); code != 0 || !strings.Contains(out, "TAPER_LISTEN") ||
		!strings.Contains(out, "stratify") {
		t.Errorf("-h = %d %q", code, out)
	}
	code, _, stderr := tryRun(t, "", nil, "-nonsense")
	if code != 2 || !strings.Contains(stderr, "-nonsense") || !strings.Contains(stderr, "taper -h lists the flags") {
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

func TestPasswordCommand(t *testing.T) {
	code, out, stderr := tryRun(t, "a long enough one\n", nil, "password")
	if code != 0 {
		t.Fatal(stderr)
	}
	h, err := session.ParseHash(strings.TrimSpace(out))
	if err != nil || !h.Matches("a long enough one") {
		t.Errorf("%q, %v", out, err)
	}
	if code, _, stderr := tryRun(t, "short\n", nil, "password"); code != 1 || !strings.Contains(stderr, "12 characters") {
		t.Errorf("%d %q", code, stderr)
	}
}
