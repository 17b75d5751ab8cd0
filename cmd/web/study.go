package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
)

func (p *program) studyCommand() *cli.Command {
	var size, cells, specFile string
	var seed uint64
	var terms command.Terms
	return &cli.Command{Name: "study", Usage: "reproduce a figure or table of the papers; without a name, list them",
		ArgsUsage: "[STUDY]", OnUsageError: p.misused,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "size", Destination: &size, Value: "quick", Usage: "`size`: smoke, quick or full"},
			&cli.Uint64Flag{Name: "seed", Destination: &seed, Value: 1, Usage: "`seed` of the study"},
			&cli.StringFlag{Name: "spec", Destination: &specFile,
				Usage: "`file` with a study of your own design, fields of POST /api/v1/studies"},
			&cli.StringFlag{Name: "o", Destination: &cells, Usage: "write the cells to a `file`, .csv or .parquet"},
			&cli.StringFlag{Name: "class", Destination: &terms.Class,
				Usage: "`class` of processors that alone computes the units, like amd64+fma"},
			&cli.StringFlag{Name: "share-rows", Destination: &terms.Rows,
				Usage: "`queue` to which the rows of an upload may go: that of -queue"},
		},
		Description: "With -queue nats://HOST:4222 the workers of that queue compute the units (docs/reach.md).",
		Metadata: call(`curl -H 'Content-Type: application/json' -d '{"preset":"STUDY","size":"quick","seed":1}' ` +
			"SERVER/api/v1/studies"),
		Action: func(ctx context.Context, c *cli.Command) (err error) {
			words, err := arguments(c, 0, 1)
			if err != nil {
				return err
			}
			if c.IsSet("workers") {
				return command.NewMisuse("taper study lets no workers in (-workers). Start a server with " +
					"-workers and the study there, or name a queue that is there already with -queue.")
			}
			spec := map[string]any{}
			if specFile != "" {
				if spec, err = command.SpecFile(specFile); err != nil {
					return err
				}
			}
			if len(words) == 1 {
				spec["preset"] = words[0]
			}
			if named := spec["preset"] != nil; !named && (c.IsSet("size") || specFile == "" && c.IsSet("seed")) {
				return command.NewMisuse("-size and -seed are for a study of the papers: name one (taper study lists them). " +
					"A grid has no size, and takes -seed.")
			}
			for name, value := range map[string]any{"size": size, "seed": seed} {
				_, given := spec[name]
				if c.IsSet(name) || len(words) == 1 && !given { // else the file holds, or the default of the API
					spec[name] = value
				}
			}
			queue := p.server.Reach
			queue.Listen = "" // that of a server in TAPER_WORKERS
			return p.sessionIn(ctx, c, c.String("data"), queue, func(s *command.Session) error {
				if len(spec) == 0 {
					return s.Presets(ctx)
				}
				return s.Study(ctx, spec, terms, cells)
			})
		}}
}
