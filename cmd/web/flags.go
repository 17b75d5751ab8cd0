package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/web"
)

// command is what the command line and the environment ask for. Flags win over
// the environment, the environment over the defaults.
type command struct {
	name   string // "serve", "backup", "restore", "password", "version", "help"
	file   string // of backup and restore
	server web.Config
}

// errUsage is a mistake in the command line that package flag has explained.
var errUsage = errors.New("usage")

func parseFlags(args []string, env func(string) string, stderr io.Writer) (command, error) {
	cfg := command{name: "serve", server: web.Config{
		Limits: table.DefaultLimits, PasswordHash: env("TAPER_PASSWORD_HASH"), Version: version,
		KeptAnswers: 32 << 20,
	}}
	fs := flag.NewFlagSet("taper", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { usage(fs) }
	fs.StringVar(&cfg.server.Listen, "listen", cmp.Or(env("TAPER_LISTEN"), "127.0.0.1:8080"),
		"`address` to serve on; TAPER_LISTEN")
	fs.StringVar(&cfg.server.Data, "data", env("TAPER_DATA"), "data `folder`; TAPER_DATA (default the user’s data folder)")
	fs.Int64Var(&cfg.server.Limits.Bytes, "max-bytes", cfg.server.Limits.Bytes, "largest upload in bytes")
	fs.IntVar(&cfg.server.Limits.Rows, "max-rows", cfg.server.Limits.Rows, "most rows of a file")
	fs.IntVar(&cfg.server.Limits.Columns, "max-columns", cfg.server.Limits.Columns, "most columns of a file")
	fs.Float64Var(&cfg.server.Work, "max-work", cost.DefaultWork, "most `multiply-adds` of one job, like 1e14")
	memory := fs.String("memory", env("TAPER_MEMORY"), "`amount` of memory for the whole program, like 2GB or "+
		"2048 (MB); TAPER_MEMORY (default three quarters of the machine’s, 4GB at most)")
	trusted := fs.String("trusted-proxy", env("TAPER_TRUSTED_PROXY"), "`addresses` or networks of reverse proxies, with "+
		"separated by commas, whose X-Forwarded headers are trusted; TAPER_TRUSTED_PROXY")
	base := fs.String("base-path", env("TAPER_BASE_PATH"), "`path` under which a reverse proxy serves Taper, like "+
		"/taper; TAPER_BASE_PATH")
	showVersion := fs.Bool("version", false, "print the version and stop")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cfg.name = "help"
		return cfg, errUsage
	case err != nil:
		return cfg, errUsage
	case *showVersion:
		cfg.name = "version"
		return cfg, nil
	}
	if err := cfg.positional(fs.Args()); err != nil {
		return cfg, err
	}
	var err error
	if cfg.server.Memory, err = cost.ParseMemory(*memory); err != nil {
		return cfg, err
	}
	if cfg.server.BasePath, err = web.ParseBasePath(*base); err != nil {
		return cfg, err
	}
	if *trusted != "" {
		if cfg.server.TrustedProxies, err = web.ParseProxies(*trusted); err != nil {
			return cfg, err
		}
	}
	return cfg, cfg.check(env)
}

// positional reads the command after the flags.
func (cfg *command) positional(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case args[0] == "password" && len(args) == 1:
	case (args[0] == "backup" || args[0] == "restore") && len(args) == 2:
		cfg.file = args[1]
	case args[0] == "backup" || args[0] == "restore":
		return usererr.New(usererr.Invalid, "%s takes one file: taper [-data DIR] %[1]s FILE.", args[0])
	default:
		return usererr.New(usererr.Invalid, "There is no command %q. Known are backup FILE, restore FILE and password.",
			args[0])
	}
	cfg.name = args[0]
	return nil
}

func (cfg *command) check(env func(string) string) error {
	if cfg.server.Limits.Bytes < 1 || cfg.server.Limits.Rows < 1 || cfg.server.Limits.Columns < 1 ||
		!(cfg.server.Work >= 1) {
		return usererr.New(usererr.Invalid, "Each limit (-max-bytes, -max-rows, -max-columns, -max-work) must be 1 or more.")
	}
	if cfg.server.Data != "" {
		return nil
	}
	dir, err := userData(env)
	cfg.server.Data = dir
	return err
}

// userData is the user's own data folder for this program.
func userData(env func(string) string) (string, error) {
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
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

func usage(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), `Usage:
  taper [flags]                 serve the dashboard
  taper [flags] backup FILE     save the data folder into one file
  taper [flags] restore FILE    bring a saved file back into an empty folder
  taper password                make a TAPER_PASSWORD_HASH from a line of standard input

Flags:
`)
	fs.PrintDefaults()
}
