package notices

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAll: every module of the program, on every system with a release, has its licence in the
// right version.
func TestAll(t *testing.T) {
	text := string(Text())
	licence, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, strings.TrimSpace(string(licence))) {
		t.Error("Taper’s own licence is missing: make notices")
	}
	for _, name := range []string{"\n== Go ", "\n== ECharts ", "\n== morphdom "} {
		if !strings.Contains(text, name) {
			t.Errorf("%q is missing: make notices", name)
		}
	}
	for _, system := range []string{"linux", "windows", "darwin"} {
		list := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_template", "-json=Module", "../../cmd/web")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		missing := map[string]bool{}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p struct {
				Module *struct {
					Path, Version string
					Main          bool
				}
			}
			if err := d.Decode(&p); err != nil {
				t.Fatal(err)
			}
			if m := p.Module; m != nil && !m.Main && !strings.Contains(text, "\n== "+m.Path+" "+m.Version+"\n") {
				missing[m.Path+" "+m.Version] = true
			}
		}
		for m := range missing {
			t.Errorf("%s: no licence of %s: make notices", system, m)
		}
	}
}
