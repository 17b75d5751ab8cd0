package reach

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// List asks a queue which workers are there and what they hold in memory. It listens for three beats, in each of
// which a worker says so, and for ten while it hears none, since a busy machine may be late. Of what workers did, and
// whether they help, only their coordinator knows.
func List(ctx context.Context, cfg Config) (all []job.Machine, err error) {
	nc, err := connect(cfg, nil, "taper list")
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	var mu sync.Mutex
	there := map[string]job.Machine{}
	if _, err := nc.Subscribe(helloOf, func(m *nats.Msg) {
		var h hello
		if json.Unmarshal(m.Data, &h) != nil || h.Machine == "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		there[h.Machine] = job.Machine{Maker: h.Maker, Cores: h.Cores, Holds: h.Holds}
		if h.Leaves {
			delete(there, h.Machine)
		}
	}); err != nil {
		return nil, err
	}
	asked, stop := context.WithTimeout(ctx, 10*beat)
	defer stop()
	for !nc.IsConnected() { // connect goes on trying
		select {
		case <-time.After(beat / 10):
		case <-asked.Done():
			return nil, usererr.New(usererr.Conflict, "The queue %s does not answer within %v: %v. Start it, or name another "+
				"with -queue.", cfg.Queue, 10*beat, cmp.Or(nc.LastError(), asked.Err()))
		}
	}
	heard := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(there)
	}
	for beats := 0; beats < 3 || beats < 10 && heard() == 0; beats++ {
		select {
		case <-time.After(beat):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, m := range there {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b job.Machine) int { return cmp.Compare(a.Machine, b.Machine) })
	return all, nil
}
