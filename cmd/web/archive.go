package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
	"taper/internal/store"
	"taper/internal/web/session"
)

func (p *program) backupCommand() *cli.Command {
	return p.archive("backup", "save the data folder into one file", store.Backup,
		func(data, file string) string { return fmt.Sprintf("Saved %s to %s.", data, file) })
}

func (p *program) restoreCommand() *cli.Command {
	return p.archive("restore", "bring a saved file back into an empty folder", store.Restore,
		func(data, file string) string { return fmt.Sprintf("Restored %s from %s.", data, file) })
}

func (p *program) archive(name, usage string, do func(ctx context.Context, data, file string) error,
	done func(data, file string) string) *cli.Command {
	action := func(ctx context.Context, c *cli.Command) error {
		if c.Args().Len() != 1 {
			return command.NewMisuse("Write ‘taper %s FILE’; taper %[1]s -h explains it.", name)
		}
		cfg, err := p.config()
		if err != nil || p.idle {
			return err
		}
		if err := do(ctx, cfg.Data, c.Args().First()); err != nil {
			return err
		}
		return p.print(done(cfg.Data, c.Args().First()))
	}
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: "FILE", Action: action}
}

func (p *program) passwordCommand() *cli.Command {
	return &cli.Command{Name: "password", Usage: "make a TAPER_PASSWORD_HASH from a line of standard input",
		Action: func(_ context.Context, c *cli.Command) error {
			if _, err := arguments(c, 0, 0); err != nil || p.idle {
				return err
			}
			line, err := bufio.NewReader(p.stdin).ReadString('\n')
			if err != nil && err != io.EOF {
				return fmt.Errorf("read password: %w", err)
			}
			h, err := session.NewHash(strings.TrimRight(line, "\r\n"))
			if err != nil {
				return err
			}
			return p.print(h)
		}}
}

func (p *program) print(a ...any) error {
	_, err := fmt.Fprintln(p.stdout, a...)
	return err
}
