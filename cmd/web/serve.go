package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/machine"
	"taper/internal/web"
)

// inMemory is the name of a temporary data folder that is deleted when the command ends.
const inMemory = ":memory:"

// serverFlags are the flags and environment variables of the server. Flags win over the environment, the
// environment over the defaults.
type serverFlags struct {
	web.Config
	memory, trusted, base string
}

func (p *program) serveFlags() []cli.Flag {
	s := &p.server
	s.Config = web.Config{Limits: table.DefaultLimits, PasswordHash: p.env("TAPER_PASSWORD_HASH"), Version: version,
		KeptAnswers: 32 << 20}
	return []cli.Flag{
		&cli.StringFlag{Name: "listen", Destination: &s.Listen, Value: cmp.Or(p.env("TAPER_LISTEN"), "127.0.0.1:8080"),
			Usage: "`address` to serve on; TAPER_LISTEN"},
		&cli.StringFlag{Name: "data", Destination: &s.Data, Value: p.env("TAPER_DATA"),
			DefaultText: "the user’s data folder",
			Usage:       "data `folder`; of a command " + inMemory + " is one that is wiped; TAPER_DATA"},
		&cli.Int64Flag{Name: "max-bytes", Destination: &s.Limits.Bytes, Value: s.Limits.Bytes,
			Usage: "largest upload in `bytes`"},
		&cli.IntFlag{Name: "max-rows", Destination: &s.Limits.Rows, Value: s.Limits.Rows, Usage: "most `rows` of a file"},
		&cli.IntFlag{Name: "max-columns", Destination: &s.Limits.Columns, Value: s.Limits.Columns,
			Usage: "most `columns` of a file"},
		&cli.Float64Flag{Name: "max-work", Destination: &s.Work, Value: cost.DefaultWork,
			Usage: "most `multiply-adds` of one job, like 1e14"},
		&cli.StringFlag{Name: "memory", Destination: &s.memory, Value: p.env("TAPER_MEMORY"),
			DefaultText: "three quarters of the machine’s, 4GB at most",
			Usage:       "`amount` of memory for the whole program, like 2GB or 2048 (MB); TAPER_MEMORY"},
		&cli.StringFlag{Name: "trusted-proxy", Destination: &s.trusted, Value: p.env("TAPER_TRUSTED_PROXY"),
			Usage: "`addresses` or networks of reverse proxies, separated by commas, whose X-Forwarded headers are trusted; " +
				"TAPER_TRUSTED_PROXY"},
		&cli.StringFlag{Name: "base-path", Destination: &s.base, Value: p.env("TAPER_BASE_PATH"),
			Usage: "`path` under which a reverse proxy serves Taper, like /taper; TAPER_BASE_PATH"},
		&cli.BoolFlag{Name: "json", Destination: &p.json, Usage: "of a command: print what the API answers"},
		&cli.BoolFlag{Name: "open", Value: p.watched(), DefaultText: "where a person sits at a terminal with a screen",
			Usage: "open the page in the browser; -open=false does not"},
		&cli.BoolFlag{Name: "version", Usage: "print the version and stop"},
	}
}

// config is the configuration that the flags ask for.
func (p *program) config() (cfg web.Config, err error) {
	cfg = p.server.Config
	if cfg.Limits.Bytes < 1 || cfg.Limits.Rows < 1 || cfg.Limits.Columns < 1 || !(cfg.Work >= 1) {
		return cfg, command.NewMisuse("Each limit (-max-bytes, -max-rows, -max-columns, -max-work) must be 1 or more.")
	}
	if cfg.Memory, err = cost.ParseMemory(p.server.memory); err != nil {
		return cfg, err
	}
	if err = cfg.Reach.Check(); err != nil {
		return cfg, err
	}
	if cfg.BasePath, err = web.ParseBasePath(p.server.base); err != nil {
		return cfg, err
	}
	if p.server.trusted != "" {
		if cfg.TrustedProxies, err = web.ParseProxies(p.server.trusted); err != nil {
			return cfg, err
		}
	}
	if cfg.Data == "" {
		cfg.Data, err = userData(p.env)
	}
	return cfg, err
}

func (p *program) serve(ctx context.Context, c *cli.Command) error {
	if c.Bool("version") {
		return p.print("taper", version)
	}
	cfg, err := p.config()
	if err == nil && cfg.Data == inMemory {
		err = command.NewMisuse("-data %s is for commands. Name a folder for the dashboard.", inMemory)
	}
	if err != nil || p.idle {
		return err
	}
	if c.Bool("open") && p.open != nil {
		cfg.Ready = func(address string) { p.show(pageOf(address) + cfg.BasePath) }
	}
	machine.PaceCollector(ctx, cfg.Memory)
	return web.Serve(ctx, cfg, p.stdout, p.stderr, time.Now)
}

// watched reports whether a person would see a browser: there is a terminal and a screen of this machine.
// Continuous integration and remote shells have none.
func (p *program) watched() bool {
	screen := runtime.GOOS != "linux" || p.env("DISPLAY") != "" || p.env("WAYLAND_DISPLAY") != ""
	return p.asks && screen && p.env("CI") == "" && p.env("SSH_CONNECTION") == ""
}

// pageOf is the address of the page of a server that listens at address; if it listens on all addresses, the page
// is on loopback.
func pageOf(address string) string {
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		address = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
	}
	return "http://" + address
}

// show opens a page. The server does not wait for the browser, which may run until its user closes it.
func (p *program) show(url string) {
	go func() {
		if err := p.open(url); err != nil {
			fmt.Fprintf(p.stderr, "taper: no browser could be opened. Open %s.\n", url)
		}
	}()
}

// userData is the user's data folder for this program.
func userData(env func(string) string) (string, error) {
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "taper"), nil
	}
	if runtime.GOOS == "windows" { // %LOCALAPPDATA%, which is not synchronised to other machines
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", usererr.New(usererr.Invalid, "This user has no folder for data. Name a data folder with -data DIR.")
		}
		return filepath.Join(dir, "taper"), nil
	}
	home := env("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", usererr.New(usererr.Invalid, "This user has no home folder. Name a data folder with -data DIR.")
		}
	}
	return filepath.Join(home, ".local", "share", "taper"), nil
}
