// Command taper serves the Taper dashboard and offers its functions on the command line: one program, one data
// folder, one address on this machine.
//
//	taper [-listen 127.0.0.1:8080] [-data DIR]
//	taper worker -queue nats://127.0.0.1:4222
//	taper stratify clinic.csv -outcome died -event yes -o report.html
//	taper help
//
// Every error is one sentence on standard error. The exit status is 0 for success, 1 for a failure, 2 for an error
// in the command line, 3 if a person must answer a question, and 4 if a verification found a difference.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/cli/browser"
	"github.com/urfave/cli/v3"

	"taper/internal/command"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/machine"
	"taper/internal/reach"
	"taper/internal/store"
	"taper/internal/web"
)

// version is set by the linker: -X main.version=…
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := program{env: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: terminal(os.Stderr), asks: terminal(os.Stdin) && terminal(os.Stderr), open: browse}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// browse opens a page in the user's browser, whose output is discarded.
func browse(url string) error {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	return browser.OpenURL(url)
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// program is everything except the process around it; tests start it.
type program struct {
	env            func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal, asks bool                   // stderr is a terminal; stdin too
	open           func(url string) error // opens a page in a browser; nil: there is none

	kinds map[string]job.Opener // kinds of jobs that a worker runs; nil: all

	server serverFlags
	json   bool
	idle   bool // parse the command line and do nothing
}

// Exit statuses.
const (
	failed     = 1
	misused    = 2
	unanswered = 3
	unverified = 4
)

// errUsage is an error in the command line that was explained already.
var errUsage = errors.New("usage")

func (p *program) run(ctx context.Context, args []string) int {
	err := p.root().Run(ctx, append([]string{"taper"}, args...))
	var mistake *command.Misuse
	var open *command.OpenQuestion
	var different *command.Unverified
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return misused
	case errors.As(err, &mistake):
		fmt.Fprintln(p.stderr, "taper: "+mistake.Sentence)
		return misused
	case errors.As(err, &open):
		fmt.Fprintln(p.stderr, "taper: "+open.Sentence)
		return unanswered
	case errors.As(err, &different):
		fmt.Fprintln(p.stderr, "taper: "+different.Sentence)
		return unverified
	}
	fmt.Fprintln(p.stderr, "taper: "+sentence(err))
	return failed
}

// root is the command line. Without a command the program serves.
func (p *program) root() *cli.Command {
	return &cli.Command{
		Name: "taper", Usage: "robust and risk-interval classification",
		Description: "Without a command Taper serves its dashboard on this machine. The commands work on the same data " +
			"folder, open no port, and print tables, or with -json what the API answers.",
		Flags: append(p.serveFlags(), p.queueFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			if name := c.Args().First(); name != "" {
				return command.NewMisuse("There is no command %q. taper help lists the commands.", name)
			}
			return p.serve(ctx, c)
		},
		Commands: []*cli.Command{
			p.stratifyCommand(), p.fitCommand(), p.importCommand(), p.scoreCommand(), p.validateCommand(), p.reportCommand(),
			p.calculatorCommand(), p.codeCommand(),
			p.bundleCommand(), p.verifyCommand(),
			p.compareCommand(), p.runCommand(), p.runsCommand(), p.datasetsCommand(), p.studyCommand(),
			p.backupCommand(), p.restoreCommand(), p.passwordCommand(), p.workerCommand(), p.queueCredsCommand(),
		},
		EnableShellCompletion: true, ConfigureShellCompletionCommand: func(c *cli.Command) { c.Hidden = false },
		HideVersion: true, Reader: p.stdin, Writer: p.stdout, ErrWriter: p.stderr,
		OnUsageError:   p.misused,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run prints it, once
	}
}

// misused explains an error in the command line.
func (p *program) misused(_ context.Context, c *cli.Command, err error, _ bool) error {
	fmt.Fprintf(p.stderr, "taper: %s. %s -h lists the flags.\n", flagProblem(err.Error()), c.FullName())
	return errUsage
}

var (
	flagValue   = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for(?: flag)? -+([^:]+): (.*)$`)
	flagUnknown = regexp.MustCompile(`^flag provided but not defined: -+(.+)$`)
	flagBare    = regexp.MustCompile(`^flag needs an argument: -+(.+)$`)
)

// flagProblem words a message of the command library about a flag, which names Go's functions.
func flagProblem(message string) string {
	if m := flagUnknown.FindStringSubmatch(message); m != nil {
		return "there is no flag -" + m[1]
	}
	if m := flagBare.FindStringSubmatch(message); m != nil {
		return "-" + m[1] + " needs a value"
	}
	m := flagValue.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	what := m[3]
	for function, kind := range map[string]string{"strconv.ParseUint": "a whole number from 0",
		"strconv.ParseInt": "a whole number", "strconv.ParseFloat": "a number", "strconv.ParseBool": "true or false",
		"parse error": "a number, or true or false"} {
		if strings.HasPrefix(m[3], function) {
			what = "must be " + kind
		}
	}
	return usererr.Sprintf("-%s %s (got %q)", m[2], what, m[1])
}

// arguments are the words of a command that are not flags.
func arguments(c *cli.Command, least, most int) ([]string, error) {
	if n := c.Args().Len(); n < least || n > most {
		if c.ArgsUsage == "" {
			return nil, command.NewMisuse("taper %s takes flags alone (got %q).", c.Name, c.Args().First())
		}
		return nil, command.NewMisuse("Write ‘taper %s %s’; taper %[1]s -h explains it.", c.Name, c.ArgsUsage)
	}
	return c.Args().Slice(), nil
}

// session does the work of a command in the data folder. For the name :memory: this is a temporary folder, which is
// deleted.
func (p *program) session(ctx context.Context, c *cli.Command, work func(*command.Session) error) (err error) {
	return p.sessionIn(ctx, c, c.String("data"), reach.Config{}, work)
}

// sessionIn is session in that folder; workers of a queue compute for it, where there is one.
func (p *program) sessionIn(ctx context.Context, c *cli.Command, folder string, queue reach.Config,
	work func(*command.Session) error) (err error) {
	cfg, err := p.config()
	if err != nil || p.idle {
		return err
	}
	if folder == inMemory {
		dir, err := os.MkdirTemp("", "taper-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		cfg.Data = dir
	}
	machine.PaceCollector(ctx, cfg.Memory)
	program, err := web.Open(ctx, cfg, p.stderr, time.Now)
	if errors.Is(err, store.ErrInUse) {
		return inUse(c, cfg.Data)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	if queue.Queue != "" {
		if err := program.Join(ctx, queue); err != nil {
			return err
		}
	}
	err = work(command.New(program, command.Console{In: p.stdin, Out: p.stdout, Err: p.stderr,
		Asks: p.asks, Progress: p.terminal, JSON: p.json}))
	switch {
	case err == nil || ctx.Err() == nil: // a command that succeeds at the moment of the signal has succeeded
		return err
	case folder == inMemory:
		return usererr.New(usererr.Conflict, "Stopped. What was not finished is not kept.")
	}
	return usererr.New(usererr.Conflict, "Stopped. A run or study that had begun goes on when a server starts in the "+
		"data folder %s. Delete it there if it is not wanted.", cfg.Data)
}

// inUse is the error for a data folder that another program has open. For a server it has the call of the API that
// does the same, with the address at which that server listens and with the words of this command.
func inUse(c *cli.Command, folder string) error {
	server := store.Server(folder)
	if server == "" {
		return usererr.New(usererr.Conflict, "The data folder %s is in use by another Taper, which is no server. Wait until "+
			"it ends, or name another folder with -data.", folder)
	}
	words := []string{"SERVER", pageOf(server)}
	if !strings.Contains(c.ArgsUsage, "…") {
		for i, word := range strings.Fields(c.ArgsUsage) {
			// The API does not know “last”, and a word that a shell would change is left to the reader.
			if given := c.Args().Get(i); plain.MatchString(given) && given != "last" {
				word, _, _ = strings.Cut(word, "|")
				words = append(words, word, given)
			}
		}
	}
	return usererr.New(usererr.Conflict, "The data folder %s is in use by another Taper. Ask that one: %s.", folder,
		strings.NewReplacer(words...).Replace(c.Metadata["call"].(string)))
}

// plain is a word that a shell takes as it is.
var plain = regexp.MustCompile(`^[\pL\d._/+-]+$`)

// sentence is the message for the user: that of a user error, or the whole chain of any other error, since a
// terminal has no log to refer to.
func sentence(err error) string {
	if e, ok := usererr.As(err); ok {
		return e.Detail
	}
	return err.Error()
}
