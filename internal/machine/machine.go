// Package machine says what decides the last bits of a number: the build of this program, and the
// class of the processor that it runs on.
package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"
)

// Class is the class of this machine's processor. Within one a unit has the same bits: Go's package math
// has another path for amd64 with fused multiply-add, which is found at run time, and compilers for other
// processors fuse by themselves, as that for amd64 does from level v3.
func Class() string {
	class := runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" && s.Value != "v1" {
				class += s.Value
			}
		}
	}
	if runtime.GOARCH == "amd64" && cpu.X86.HasAVX && cpu.X86.HasFMA {
		class += "+fma"
	}
	return class
}

// Engine names the build whose numbers are alike: the version of a release with that of Go. A build that
// has no version of its own, or was made of changed files, is known by the hash of its program.
func Engine(version string) (string, error) {
	if version != "dev" && !strings.Contains(version, "dirty") && !strings.Contains(version, "source") {
		return version + " " + runtime.Version(), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("name the engine: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("name the engine: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("name the engine: %w", err)
	}
	return version + " " + hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Name is what other machines call this process.
func Name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "machine"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
