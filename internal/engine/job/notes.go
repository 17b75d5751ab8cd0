package job

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Answer is a finished unit as a ledger keeps it.
type Answer struct {
	Stage int
	Unit  string // id, the same whenever the stage is planned
	Text  []byte // as the kind encodes it
	Maker Maker
}

// keepEvery spaces the commits of units that this process computes. A commit waits some milliseconds for the disk, so
// a job takes at most some thousandths longer, one that ends sooner writes nothing, and a crash costs about a second.
const keepEvery = time.Second

// notes keep the finished units of a job in the ledger, so that a program that starts again takes them up. A job goes
// on without them if the ledger fails, for instance on a full disk: it can still end well.
type notes struct {
	ledger Ledger
	job    string
	maker  Maker // this process
	log    *slog.Logger

	mu   sync.Mutex
	open []Answer // computed here since the last commit
	last time.Time
	over bool // the ledger failed
}

func newNotes(ledger Ledger, job string, maker Maker, log *slog.Logger) *notes {
	return &notes{ledger: ledger, job: job, maker: maker, log: log, last: time.Now()}
}

// found puts the answers that were kept of a stage into their places. No notes have none.
func (n *notes) found(ctx context.Context, stage int, units []Unit, decode func(int, []byte) (Body, error),
	into Bodies) error {
	if n == nil {
		return nil
	}
	at := make(map[string]int, len(units))
	for i, u := range units {
		at[u.ID] = i
	}
	taken := 0
	err := n.ledger.Kept(ctx, n.job, stage, func(unit string, text []byte) error {
		i, ok := at[unit]
		if !ok {
			return nil
		}
		if body, err := decode(i, text); err == nil { // else it is computed again
			into[i] = body
			taken++
		}
		return nil
	})
	if taken > 0 {
		n.log.Info("kept units are taken up", slog.String("job", n.job), slog.Int("stage", stage),
			slog.Int("units", taken), slog.Int("of", len(units)))
	}
	return err
}

// keep takes finished units. Those of other machines are stored at once, since a machine that hears that they are kept
// forgets them; those of this process at the next commit.
func (n *notes) keep(ctx context.Context, stage int, answers ...Answer) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return
	}
	due := time.Since(n.last) >= keepEvery
	for _, a := range answers {
		a.Stage = stage
		n.open = append(n.open, a)
		due = due || a.Maker != n.maker
	}
	if !due {
		return
	}
	if err := n.ledger.Keep(ctx, n.job, n.open); err != nil && ctx.Err() == nil {
		n.over = true
		n.log.Warn("units of a job are not kept: a restart loses them", slog.String("job", n.job), Cause(err))
	}
	n.open, n.last = nil, time.Now()
}
