package web

import (
	"context"

	"taper/internal/engine/job"
)

// followLive turns the states of a live computation into events. A cancelled
// one just ends its stream: who cancelled goes on by itself, and the others
// find out when they ask again.
func followLive(ctx context.Context, states <-chan job.Event) <-chan event {
	feed := make(chan event)
	go func() {
		defer close(feed)
		for st := range states {
			if st.State == job.Cancelled || st.State == job.Interrupted {
				return
			}
			e := jobEvent(st)
			if p, ok := e.Data.(told); ok && st.State == job.Queued {
				p.Message = "Waiting for the fit before it"
				e.Data = p
			}
			select {
			case feed <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return feed
}
