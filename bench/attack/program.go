package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"taper/internal/testlog"
)

// program is Taper in its own process.
type program struct {
	cmd  *exec.Cmd
	base string // http://127.0.0.1:PORT
	log  testlog.Log
	gone chan struct{} // closed when the process has ended
	err  error         // how it ended
}

var listening = regexp.MustCompile(`http://[0-9.:]+`)

// start runs the program on a folder and waits until it listens. Otherwise it returns an error with the output.
func start(ctx context.Context, taper, data string, attr *syscall.SysProcAttr, env []string, args ...string) (*program,
	error) {
	p := &program{gone: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, taper, append([]string{"-listen", "127.0.0.1:0", "-data", data}, args...)...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.log
	p.cmd.SysProcAttr = attr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	if p.base = listening.FindString(line); p.base == "" {
		p.kill()
		return nil, errors.New(strings.TrimSpace(p.log.String()))
	}
	return p, nil
}

// kill is kill −9.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.gone
}

// stop ends the program by a signal; after the time limit it is killed.
func (p *program) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.gone:
		return p.err
	case <-time.After(hang):
		p.kill()
		return errors.New("did not stop")
	}
}

func (p *program) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

func (p *program) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), file)
}

// resetPeak resets the largest resident size.
func (p *program) resetPeak() { _ = os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) }

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMB is the largest resident size since the last reset; 0 where the system does not provide it.
func (p *program) peakMB() int {
	text, err := os.ReadFile(p.proc("status"))
	if m := highWater.FindSubmatch(text); err == nil && m != nil {
		kb, _ := strconv.Atoi(string(m[1]))
		return kb >> 10
	}
	return 0
}

// hang is the time limit of every wait. It ends only waits that would never end.
const hang = 5 * time.Minute

// until polls until ready returns true, and reports whether it did.
func until(ready func() bool) bool {
	for end := time.Now().Add(hang); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// smallDisk mounts a disk of the given MB, or returns the reason why it may not.
func smallDisk(dir string, mb int) (unmount func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := syscall.Mount("taper-attack", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mb)); err != nil {
		return nil, fmt.Errorf("no small disk could be mounted: %w", err)
	}
	return func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }, nil
}
