package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"taper/internal/engine/table"
	"taper/internal/web"
)

// be serves a data folder until it is interrupted.
func be(folder, profile string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	log, err := os.Create(filepath.Join(filepath.Dir(folder), "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	debug.SetGCPercent(400) // as in cmd/web
	cfg := web.Config{Listen: "127.0.0.1:0", Data: folder, Limits: table.DefaultLimits, Version: "load",
		KeptAnswers: 32 << 20}
	return web.Serve(ctx, cfg, os.Stdout, log, time.Now)
}

// server is Taper in its own process with its own data folder.
type server struct {
	base    string // http://127.0.0.1:port
	folder  string
	process *exec.Cmd
}

func startServer(profile string) (*server, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "taper-load-")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder}
	s.process = exec.Command(own, "-serve", filepath.Join(folder, "data"), "-profile", profile)
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if s.base = regexp.MustCompile(`http://[0-9.:]+`).FindString(line); s.base == "" {
		s.stop()
		return nil, fmt.Errorf("the server did not start: %q", line)
	}
	return s, nil
}

func (s *server) stop() {
	_ = s.process.Process.Signal(os.Interrupt)
	_ = s.process.Wait() // its log is in the folder, which is deleted
	_ = os.RemoveAll(s.folder)
}

// usage is what a process has used so far.
type usage struct {
	cpu    time.Duration
	memory int // bytes, resident
}

// usage reads the values from Linux; zero on other systems.
func (s *server) usage() (u usage) {
	at := filepath.Join("/proc", strconv.Itoa(s.process.Process.Pid))
	if text, err := os.ReadFile(filepath.Join(at, "stat")); err == nil {
		// The program's name is in parentheses and may contain blanks. The 12th and 13th fields after it are the
		// times in user and in kernel mode, in hundredths of a second.
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		user, _ := strconv.Atoi(fields[11])
		kernel, _ := strconv.Atoi(fields[12])
		u.cpu = time.Duration(user+kernel) * 10 * time.Millisecond
	}
	if text, err := os.ReadFile(filepath.Join(at, "status")); err == nil {
		found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
		if found != nil {
			kilobytes, _ := strconv.Atoi(string(found[1]))
			u.memory = kilobytes << 10
		}
	}
	return u
}

// ownTime is the processor time of this process.
func ownTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
