package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"taper/internal/reach"
)

// commands are the commands of systemd and compose in docs/reach.md, each with its environment.
func commands(t *testing.T, text string) (lines []string, env []string) {
	t.Helper()
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, m := range regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/taper ?(.*)$`).FindAllStringSubmatch(text, -1) {
		lines = append(lines, m[1])
	}
	for _, service := range regexp.MustCompile(`(?ms)^  \w+:\n    image: taper\n.*?^    command: ([^\n]*)$`).FindAllStringSubmatch(text, -1) {
		lines = append(lines, service[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^      (TAPER_\w+): (\S+)$`).FindAllStringSubmatch(text, -1) {
		env = append(env, m[1]+"="+m[2])
	}
	return lines, env
}

// TestDeployments: the program accepts every command line of the systemd units and of the compose file, over TLS
// with credentials, and uses every environment variable of the compose file.
func TestDeployments(t *testing.T) {
	text, err := os.ReadFile("../../docs/reach.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, vars := commands(t, string(text))
	if len(lines) != 4 || len(vars) != 3 {
		t.Fatalf("%d commands and %d variables: %q %q", len(lines), len(vars), lines, vars)
	}
	for i, line := range lines {
		env := environ(nil)
		if i >= 2 { // from compose
			env = environ(append(vars, "XDG_DATA_HOME="+t.TempDir()))
		}
		var said strings.Builder
		p := program{env: env, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &said, idle: true}
		if code := p.run(t.Context(), strings.Fields(line)); code != 0 {
			t.Errorf("%s: %d %s", line, code, said.String())
		}
		queue := p.server.Reach
		if !queue.On() || queue.Credentials == "" || queue.Cert == "" && queue.CA == "" {
			t.Errorf("%s has the queue %+v", line, queue)
		}
		if i >= 2 && (queue.Credentials != "/keys/queue.nk" || queue.CA != "/keys/queue-cert.pem") {
			t.Errorf("%s ignores its environment: %+v", line, queue)
		}
		if line == "" || queue == (reach.Config{}) {
			t.Errorf("command %d is empty", i)
		}
	}
}
