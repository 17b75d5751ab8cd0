package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/urfave/cli/v3"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/machine"
	"taper/internal/reach"
)

// queueFlags say where worker machines meet; workers and the program with the store have them.
func (p *program) queueFlags() []cli.Flag {
	q := &p.server.Reach
	text := func(to *string, name, env, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Destination: to, Value: p.env(env), Usage: usage + "; " + env}
	}
	return []cli.Flag{
		text(&q.Listen, "workers", "TAPER_WORKERS", "`address` at which machines that compute join, like 127.0.0.1:4222"),
		text(&q.Queue, "queue", "TAPER_QUEUE", "`address` of a NATS server with JetStream that is there already, like "+
			"nats://127.0.0.1:4222"),
		text(&q.Credentials, "queue-creds", "TAPER_QUEUE_CREDS", "`file` of an nkey seed or of NATS credentials"),
		text(&q.CA, "queue-ca", "TAPER_QUEUE_CA", "`file` of the certificates that sign the queue’s certificate"),
		text(&q.Cert, "queue-cert", "TAPER_QUEUE_CERT", "`file` of the certificate shown to workers"),
		text(&q.Key, "queue-key", "TAPER_QUEUE_KEY", "`file` of its private key"),
		text(&q.Class, "queue-class", "TAPER_QUEUE_CLASS", "`class` of processors; no other computes units, like "+
			"amd64+fma"),
	}
}

func (p *program) workerCommand() *cli.Command {
	var cores int
	var list bool
	return &cli.Command{Name: "worker", Usage: "compute for a Taper on another machine", OnUsageError: p.misused,
		Description: "taper worker -queue nats://HOST:4222\n\nA worker needs no data folder. docs/reach.md says how " +
			"several machines are set up.",
		Flags: []cli.Flag{&cli.IntFlag{Name: "cores", Destination: &cores,
			Usage: "`number` of processors to use; else all"},
			&cli.BoolFlag{Name: "list", Destination: &list,
				Usage: "compute nothing; say which workers the queue has and what they hold in memory"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c, 0, 0); err != nil {
				return err
			}
			switch {
			case cores < 0:
				return usererr.New(usererr.Invalid, "-cores must be 1 or more (got %d).", cores)
			case p.server.Reach.Queue == "":
				return usererr.New(usererr.Invalid,
					"A worker needs the address of the queue: taper worker -queue nats://HOST:4222.")
			}
			cfg, err := p.config()
			if err != nil || p.idle {
				return err
			}
			if list {
				return p.listWorkers(ctx, cfg.Reach)
			}
			machine.PaceCollector(ctx, cfg.Memory)
			return p.work(ctx, cfg.Reach, cores)
		}}
}

// work computes units until the context ends.
func (p *program) work(ctx context.Context, queue reach.Config, cores int) error {
	if cores > 0 {
		runtime.GOMAXPROCS(cores) // a unit may use several cores
	}
	engine, err := machine.Engine(version)
	if err != nil {
		return err
	}
	kinds := p.kinds
	if kinds == nil {
		kinds = app.Recipes()
	}
	w := reach.Worker{Kinds: kinds, Cores: runtime.GOMAXPROCS(0),
		Log:   slog.New(slog.NewTextHandler(p.stderr, nil)),
		Maker: job.Maker{Machine: machine.Name(), Class: machine.Class(), Engine: engine}}
	if err := p.print(fmt.Sprintf("Taper %s computes on %s, class %s, for the queue %s", version, w.Maker.Machine,
		w.Maker.Class, queue.Queue)); err != nil {
		return err
	}
	return w.Run(ctx, queue)
}

// listWorkers prints the workers of a queue, each with what it holds.
func (p *program) listWorkers(ctx context.Context, queue reach.Config) error {
	all, err := reach.List(ctx, queue)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return p.print("No worker has joined the queue " + queue.Queue + ".")
	}
	for _, m := range all {
		if err := p.print(m.String()); err != nil {
			return err
		}
		for _, h := range m.Holds {
			if err := p.print("  holds " + h.String()); err != nil {
				return err
			}
		}
		if len(m.Holds) == 0 {
			if err := p.print("  holds nothing"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) queueCredsCommand() *cli.Command {
	return &cli.Command{Name: "queue-creds", Usage: "make the key that workers and their Taper share", ArgsUsage: "FILE",
		OnUsageError: p.misused,
		Action: func(_ context.Context, c *cli.Command) error {
			words, err := arguments(c, 1, 1)
			if err != nil || p.idle {
				return err
			}
			public, err := reach.NewKey(words[0])
			if err != nil {
				return err
			}
			return p.print(fmt.Sprintf("%s holds the key. Its public half is %s.", words[0], public))
		}}
}
