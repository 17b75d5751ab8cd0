package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
)

// dataFlags are the flags about reading a file.
func dataFlags(d *command.Data) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "outcome", Destination: &d.Outcome, Usage: "`column` of the outcome"},
		&cli.StringSliceFlag{Name: "event", Destination: &d.Event,
			Usage: "`level` of the outcome that is the event; may be repeated"},
		&cli.StringSliceFlag{Name: "other", Destination: &d.Other,
			Usage: "`level` that is the non-event; else the only other one"},
		&cli.StringFlag{Name: "settings", Destination: &d.Settings, Usage: "`file` with answers, as import -ask writes it"},
	}
}

func (p *program) importCommand() *cli.Command {
	var d command.Data
	var ask string
	flags := append(dataFlags(&d),
		&cli.StringFlag{Name: "name", Destination: &d.Name, Usage: "`name` of the dataset; else that of the file"},
		&cli.StringFlag{Name: "ask", Destination: &ask,
			Usage: "write the questions about the file to a settings `file`, with your answers at a terminal; import nothing"})
	return &cli.Command{Name: "import", Usage: "read a CSV, Excel or Parquet file into the data folder", ArgsUsage: "FILE",
		Flags: flags, OnUsageError: p.misused, Metadata: call("curl -F file=@FILE SERVER/api/v1/datasets"),
		Action: func(ctx context.Context, c *cli.Command) error {
			words, err := arguments(c, 1, 1)
			if err != nil {
				return err
			}
			d.File = words[0]
			return p.session(ctx, c, func(s *command.Session) error {
				if ask != "" {
					return s.Ask(ctx, d, ask)
				}
				return s.Import(ctx, d)
			})
		}}
}

func (p *program) datasetsCommand() *cli.Command {
	return p.list("datasets", "list the datasets", (*command.Session).Datasets)
}

func (p *program) runsCommand() *cli.Command {
	return p.list("runs", "list the runs", (*command.Session).Runs)
}

func (p *program) list(name, usage string, do func(*command.Session, context.Context) error) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, OnUsageError: p.misused,
		Metadata: call("curl SERVER/api/v1/" + name),
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c, 0, 0); err != nil {
				return err
			}
			return p.session(ctx, c, func(s *command.Session) error { return do(s, ctx) })
		}}
}
