package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
	"taper/internal/reach"
)

// TestStopped: a command that a signal ends says what becomes of what it began; one that has succeeded before the
// signal has succeeded.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		folder   string
		succeeds bool
		want     string
	}{
		{inMemory, false, "Stopped. What was not finished is not kept."},
		{filepath.Join(t.TempDir(), "data"), false, "goes on when a server starts in the data folder"},
		{inMemory, true, ""},
	} {
		p := program{env: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: io.Discard,
			stderr: io.Discard}
		root := p.root() // which sets the defaults of flags
		root.Action = func(ctx context.Context, _ *cli.Command) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			return p.sessionIn(ctx, root, c.folder, reach.Config{}, func(*command.Session) error {
				stop()
				if c.succeeds {
					return nil
				}
				return ctx.Err()
			})
		}
		err := root.Run(t.Context(), []string{"taper", "-data", c.folder})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(sentence(err), c.want)) {
			t.Errorf("%s, succeeds: %v: %v", c.folder, c.succeeds, err)
		}
	}
}
