package vector

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const gonumInVectors = true

// paths allow a set of instructions; a processor without them skips the test.
var paths = map[string]func(t testing.TB) (back func()){
	"portable": func(testing.TB) func() { return allow(false) },
	"AVX2": func(t testing.TB) func() {
		if !has256 {
			t.Skip("this processor has no AVX2")
		}
		return allow(true)
	},
}

func allow(avx2 bool) (back func()) {
	had := has256
	has256 = avx2
	return func() { has256 = had }
}

// TestUpperHalves: once a kernel has filled the upper half of a register, no instruction older than AVX follows before
// that half is cleared: each would wait for it, and some processors take a microsecond.
func TestUpperHalves(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	wide, old := regexp.MustCompile(`\bY\d+\b`), regexp.MustCompile(`\bX\d+\b`)
	name, filled, kernels := "", false, 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "TEXT":
			name, filled = fields[1], false
			kernels++
		case fields[0] == "VZEROUPPER":
			filled = false
		case wide.MatchString(line):
			filled = true
		case filled && !strings.HasPrefix(fields[0], "V") && old.MatchString(line):
			t.Errorf("%s has filled upper halves when it comes to%s", name, strings.TrimSuffix(line, "\n"))
		case filled && fields[0] == "RET":
			t.Errorf("%s leaves upper halves filled", name)
		}
	}
	if kernels < 10 {
		t.Errorf("%d kernels were read", kernels)
	}
}
