// Command taper serves the Taper dashboard: one program, one data folder, one
// address on this machine.
//
//	taper [-listen 127.0.0.1:8080] [-data DIR]
//	taper [-data DIR] backup FILE
//	taper [-data DIR] restore FILE
//	taper password
//
// Whatever stops it is one sentence on standard error and exit status 1.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web"
	"taper/internal/web/session"
)

// version is set by the linker: -X main.version=…
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it; tests start it.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	cfg, err := parseFlags(args, env, stderr)
	if err == nil {
		err = cfg.do(ctx, stdin, stdout, stderr)
	}
	switch {
	case err == nil:
		return 0
	case err == errUsage: // said already
		return 2
	}
	fmt.Fprintln(stderr, "taper: "+sentence(err))
	return 1
}

func (cfg command) do(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	switch cfg.name {
	case "version":
		_, err := fmt.Fprintln(stdout, "taper", version)
		return err
	case "password":
		return password(stdin, stdout)
	case "backup":
		if err := store.Backup(ctx, cfg.server.Data, cfg.file); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "Saved %s to %s.\n", cfg.server.Data, cfg.file)
		return err
	case "restore":
		if err := store.Restore(ctx, cfg.server.Data, cfg.file); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "Restored %s from %s.\n", cfg.server.Data, cfg.file)
		return err
	}
	// Estimates count what is reachable. Above this the collector works harder, so that garbage does not
	// come on top of it; SQLite's pages and the stacks are not the collector's.
	debug.SetMemoryLimit(cfg.server.Memory / 100 * 85)
	// A page leaves more garbage than the program holds: collecting at twice that took a quarter of
	// the processor time of many users.
	debug.SetGCPercent(400)
	return web.Serve(ctx, cfg.server, stdout, stderr, time.Now)
}

// sentence is what the user reads: the sentence of a user's error, or the
// whole chain of anything else, which on a terminal is the best there is.
func sentence(err error) string {
	if e, ok := usererr.As(err); ok {
		return e.Detail
	}
	return err.Error()
}

// password reads a password from a line of r and writes its hash.
func password(r io.Reader, w io.Writer) error {
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("read password: %w", err)
	}
	h, err := session.NewHash(strings.TrimRight(line, "\r\n"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, h)
	return err
}
