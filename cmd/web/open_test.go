package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"taper/internal/testlog"
	"taper/internal/testtime"
)

// opened starts the program in an environment and returns the page that it opened, "" for none, with its output.
func opened(t *testing.T, env []string, atTerminal bool, fails error, args ...string) (page, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testtime.Hang)
	defer cancel()
	pages, spoken := make(chan string, 1), &testlog.Log{}
	out, in := io.Pipe()
	done := make(chan int, 1)
	p := program{env: environ(env), stdin: strings.NewReader(""), stdout: in, stderr: spoken, asks: atTerminal,
		open: func(url string) error {
			if answer, err := http.Get(url); err == nil { // the server answers already
				answer.Body.Close()
			} else {
				t.Error(err)
			}
			pages <- url
			return fails
		}}
	go func() {
		done <- p.run(ctx, append([]string{"-listen", "127.0.0.1:0", "-data", t.TempDir()}, args...))
		in.Close()
	}()
	buf := make([]byte, 1<<10)
	n, _ := out.Read(buf) // its address
	go io.Copy(io.Discard, out)
	if !strings.HasPrefix(string(buf[:n]), "Taper ") {
		t.Fatalf("it did not start: %s", buf[:n])
	}
	if atTerminal && !strings.Contains(strings.Join(args, " "), "-open=false") && p.watched() ||
		strings.Contains(strings.Join(args, " "), "-open=true") {
		page = <-pages
	}
	if fails != nil { // the program may end before it has said so
		testtime.Until(t, "the sentence about the browser", func() bool {
			return strings.Contains(spoken.String(), "Open "+page+".\n")
		})
	}
	cancel()
	<-done
	select {
	case page = <-pages:
	default:
	}
	return page, spoken.String()
}

// TestOpen: the page is opened if a person uses a terminal with a screen, not in continuous integration or in a
// remote shell, and as the flag says. If that fails, the address is printed.
func TestOpen(t *testing.T) {
	screen := []string{"DISPLAY=:0"}
	for _, test := range []struct {
		name     string
		env      []string
		terminal bool
		args     []string
		opens    bool
	}{
		{"a person", screen, true, nil, true},
		{"a script", screen, false, nil, false},
		{"a script that asks for it", nil, false, []string{"-open=true"}, true},
		{"a person who does not want it", screen, true, []string{"-open=false"}, false},
		{"continuous integration", append([]string{"CI=true"}, screen...), true, nil, false},
		{"a shell from elsewhere", append([]string{"SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22"}, screen...), true, nil, false},
		{"no screen", nil, true, nil, runtime.GOOS != "linux"},
	} {
		page, _ := opened(t, test.env, test.terminal, nil, test.args...)
		if (page != "") != test.opens || test.opens && !strings.HasPrefix(page, "http://127.0.0.1:") {
			t.Errorf("%s: %q is opened, want %v", test.name, page, test.opens)
		}
	}
	page, said := opened(t, screen, true, errors.New("no browser"))
	if !strings.Contains(said, "taper: no browser could be opened. Open "+page+".") {
		t.Errorf("%q is not said: %s", page, said)
	}
	for address, want := range map[string]string{"0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:80": "http://127.0.0.1:80",
		"[::1]:80": "http://[::1]:80", "192.0.2.1:443": "http://192.0.2.1:443"} {
		if got := pageOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
