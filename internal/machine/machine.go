// Package machine identifies what the last bits of results depend on, the build of the program
// and the class of the processor, and paces the garbage collector.
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

// Class is the class of this machine's processor, within which results are bit-identical. Go's
// package math uses fused multiply-add on amd64 if the processor has it, and compilers for
// other processors, or for amd64 level v3, fuse operations by themselves.
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

// Engine identifies builds with equal results: the program's version and Go's. A development
// build, without a version or with changed files, is identified by the hash of its program
// file.
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

// Name identifies this process to other machines.
func Name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "machine"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
