package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"taper/internal/engine/errs"
	"taper/internal/engine/table"
)

// config is what the command line and the environment ask for. Flags win over
// the environment, the environment over the defaults.
type config struct {
	command  string // "serve", "backup", "restore", "password", "version"
	file     string // of backup and restore
	listen   string
	data     string
	password string // argon2id hash; "" = no sign-in
	limits   table.Limits
}

// errUsage is a mistake in the command line that package flag has explained.
var errUsage = errors.New("usage")

func configure(args []string, env func(string) string, stderr io.Writer) (config, error) {
	cfg := config{command: "serve", limits: table.DefaultLimits, password: env("TAPER_PASSWORD_HASH")}
	fs := flag.NewFlagSet("taper", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { usage(fs) }
	fs.StringVar(&cfg.listen, "listen", or(env("TAPER_LISTEN"), "127.0.0.1:8080"), "`address` to serve on; TAPER_LISTEN")
	fs.StringVar(&cfg.data, "data", env("TAPER_DATA"), "data `folder`; TAPER_DATA (default the user's data folder)")
	fs.Int64Var(&cfg.limits.Bytes, "max-bytes", cfg.limits.Bytes, "largest upload in bytes")
	fs.IntVar(&cfg.limits.Rows, "max-rows", cfg.limits.Rows, "most rows of a file")
	fs.IntVar(&cfg.limits.Columns, "max-columns", cfg.limits.Columns, "most columns of a file")
	showVersion := fs.Bool("version", false, "print the version and stop")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cfg.command = "help"
		return cfg, errUsage
	case err != nil:
		return cfg, errUsage
	case *showVersion:
		cfg.command = "version"
		return cfg, nil
	}
	if err := cfg.positional(fs.Args()); err != nil {
		return cfg, err
	}
	return cfg, cfg.check(env)
}

// positional reads the command after the flags.
func (cfg *config) positional(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case args[0] == "password" && len(args) == 1:
	case (args[0] == "backup" || args[0] == "restore") && len(args) == 2:
		cfg.file = args[1]
	case args[0] == "backup" || args[0] == "restore":
		return errs.New(errs.Invalid, "%s takes one file: taper [-data DIR] %[1]s FILE.", args[0])
	default:
		return errs.New(errs.Invalid, "There is no command %q. Known are backup FILE, restore FILE and password.", args[0])
	}
	cfg.command = args[0]
	return nil
}

func (cfg *config) check(env func(string) string) error {
	if cfg.limits.Bytes < 1 || cfg.limits.Rows < 1 || cfg.limits.Columns < 1 {
		return errs.New(errs.Invalid, "Each limit (-max-bytes, -max-rows, -max-columns) must be 1 or more.")
	}
	if cfg.data != "" {
		return nil
	}
	dir, err := userData(env)
	cfg.data = dir
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
			return "", errs.New(errs.Invalid, "This user has no home folder. Name a data folder with -data DIR.")
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

func or(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
