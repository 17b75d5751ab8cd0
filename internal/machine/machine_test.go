package machine

import (
	"runtime"
	"strings"
	"testing"
)

// TestEngine: releases are identified by their version; development builds with the same
// version are distinguished.
func TestEngine(t *testing.T) {
	release, err := Engine("1.2.0")
	if err != nil || release != "1.2.0 "+runtime.Version() {
		t.Errorf("%q, %v", release, err)
	}
	for _, version := range []string{"dev", "1.2.0-3-gabcdef-dirty", "0.1.0-source"} {
		first, err := Engine(version)
		again, _ := Engine(version)
		if err != nil || first != again || !strings.HasPrefix(first, version+" ") || len(first) != len(version)+17 {
			t.Errorf("%s: %q then %q, %v", version, first, again, err)
		}
	}
}

func TestClass(t *testing.T) {
	if c := Class(); !strings.HasPrefix(c, runtime.GOARCH) {
		t.Errorf("%q on %s", c, runtime.GOARCH)
	}
}
