package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
	"taper/internal/engine/portable"
	"taper/internal/reach"
)

// ofRun is a command on a run and a number of files.
func (p *program) ofRun(name, usage, words string, files int, flags []cli.Flag, curl string,
	do func(ctx context.Context, s *command.Session, run string, file string) error) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: words, Flags: flags, OnUsageError: p.misused,
		Description: "RUN is the id of a run, or last.", Metadata: call("curl " + curl),
		Action: func(ctx context.Context, c *cli.Command) error {
			words, err := arguments(c, 1+files, 1+files)
			if err != nil {
				return err
			}
			return p.session(ctx, c, func(s *command.Session) error {
				run, err := s.Last(ctx, words[0])
				if err != nil {
					return err
				}
				return do(ctx, s, run, strings.Join(words[1:], ""))
			})
		}}
}

func (p *program) scoreCommand() *cli.Command {
	var to string
	return p.ofRun("score", "score the rows of a file by a run’s model", "RUN FILE", 1,
		[]cli.Flag{&cli.StringFlag{Name: "o", Destination: &to,
			Usage: "write to a `file`, .csv or .parquet; else CSV to standard output"}},
		"--data-binary @FILE -H 'Content-Type: text/csv' SERVER/api/v1/runs/RUN/predict",
		func(ctx context.Context, s *command.Session, run, file string) error {
			return s.Score(ctx, run, file, to)
		})
}

func (p *program) validateCommand() *cli.Command {
	var v command.Validation
	return p.ofRun("validate", "evaluate a run’s model on a file that holds the outcome", "RUN FILE", 1,
		[]cli.Flag{
			&cli.StringFlag{Name: "by", Destination: &v.By, Usage: "`column` that makes subgroups"},
			&cli.StringFlag{Name: "name", Destination: &v.Name, Usage: "`name` of the validation; else that of the file"},
			&cli.StringFlag{Name: "o", Destination: &v.Report, Usage: "write the report to a `file`, .html or .pdf"}},
		"--data-binary @FILE -H 'Content-Type: text/csv' 'SERVER/api/v1/runs/RUN/predict?evaluate=1'",
		func(ctx context.Context, s *command.Session, run, file string) error {
			v.Run, v.File = run, file
			return s.Validate(ctx, v)
		})
}

func (p *program) runCommand() *cli.Command {
	return p.ofRun("show", "print a run", "RUN", 0, nil, "SERVER/api/v1/runs/RUN",
		func(ctx context.Context, s *command.Session, run, _ string) error { return s.Run(ctx, run) })
}

func (p *program) reportCommand() *cli.Command {
	var to, counts string
	return p.ofRun("report", "write the report of a run", "RUN", 0,
		[]cli.Flag{
			&cli.StringFlag{Name: "o", Destination: &to, Value: "report.html",
				Usage: "`file` to write, .html or .pdf; - is standard output"},
			&cli.StringFlag{Name: "counts", Destination: &counts, Usage: "counts of 1 to 9: `masked` (the default) or shown"}},
		"-o report.html 'SERVER/api/v1/runs/RUN/report?download=1'",
		func(ctx context.Context, s *command.Session, run, _ string) error {
			return s.Report(ctx, run, to, counts)
		})
}

func (p *program) calculatorCommand() *cli.Command {
	var to string
	return p.ofRun("calculator", "write a run’s model as one HTML file that scores a patient anywhere", "RUN", 0,
		[]cli.Flag{&cli.StringFlag{Name: "o", Destination: &to, Value: "calculator.html",
			Usage: "`file` to write; - is standard output"}},
		"-o calculator.html SERVER/api/v1/runs/RUN/calculator.html",
		func(ctx context.Context, s *command.Session, run, _ string) error { return s.Calculator(ctx, run, to) })
}

func (p *program) codeCommand() *cli.Command {
	var to string
	c := p.ofRun("code", "write a run’s model as a program or an equation", "RUN LANGUAGE", 1,
		[]cli.Flag{&cli.StringFlag{Name: "o", Destination: &to, Value: "-",
			Usage: "write to a `file`; else to standard output"}},
		"SERVER/api/v1/runs/RUN/code/LANGUAGE",
		func(ctx context.Context, s *command.Session, run, language string) error {
			return s.Code(ctx, run, language, to)
		})
	write := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if language := c.Args().Get(1); language != "" && !slices.Contains(portable.Languages, language) {
			return command.NewMisuse("LANGUAGE must be one of %s (got %q).", strings.Join(portable.Languages, ", "), language)
		}
		return write(ctx, c)
	}
	c.Description += " LANGUAGE is one of " + strings.Join(portable.Languages, ", ") + "."
	return c
}

func (p *program) bundleCommand() *cli.Command {
	var to string
	var data bool
	return p.ofRun("bundle", "write a run as one ZIP file that somebody else can check with taper verify", "RUN", 0,
		[]cli.Flag{
			&cli.StringFlag{Name: "o", Destination: &to, Value: "bundle.zip", Usage: "`file` to write; - is standard output"},
			&cli.BoolFlag{Name: "with-data", Destination: &data, Usage: "put the uploaded file into the bundle"}},
		"-o bundle.zip SERVER/api/v1/runs/RUN/bundle.zip",
		func(ctx context.Context, s *command.Session, run, _ string) error {
			return s.Bundle(ctx, run, to, data)
		})
}

// verifyCommand works in a temporary folder, which is deleted: nothing is stored, and a running server does not
// matter.
func (p *program) verifyCommand() *cli.Command {
	var data string
	return &cli.Command{Name: "verify", Usage: "compute the run of a bundle again, and compare every number",
		ArgsUsage: "BUNDLE", OnUsageError: p.misused,
		Description: "It reads the file as the run did, trains again, and says “Reproduced to the bit”, " +
			"“Reproduced to 1e-9” " +
			"where another build or class of processor computed the run, or names the first number that differs, with status 4.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "data", Destination: &data,
			Usage: "`file` that the run was made from, unless the bundle holds it"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			words, err := arguments(c, 1, 1)
			if err != nil {
				return err
			}
			return p.sessionIn(ctx, c, inMemory, reach.Config{}, func(s *command.Session) error {
				return s.Verify(ctx, words[0], data)
			})
		}}
}

func (p *program) compareCommand() *cli.Command {
	const least, most = 2, 6
	return &cli.Command{Name: "compare", Usage: fmt.Sprintf("compare %d to %d runs with the first", least, most),
		ArgsUsage: "RUN RUN…", OnUsageError: p.misused, Description: "RUN is the id of a run, or last.",
		Metadata: call("curl 'SERVER/api/v1/compare?ids=RUN,RUN'"),
		Action: func(ctx context.Context, c *cli.Command) error {
			words, err := arguments(c, least, most)
			if err != nil {
				return err
			}
			return p.session(ctx, c, func(s *command.Session) error {
				for i, w := range words {
					if words[i], err = s.Last(ctx, w); err != nil {
						return err
					}
				}
				return s.Compare(ctx, words)
			})
		}}
}
