package main

import (
	"context"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/train"
	"taper/internal/viz"
)

// livePart is a progress event with its time in words.
type livePart struct {
	train.Progress
	Time string `json:"time"`
}

// followLive turns the states of a live computation into events. A cancelled
// one just ends its stream: who cancelled goes on by itself, and the others
// find out when they ask again.
func followLive(ctx context.Context, states <-chan job.Event, now func() time.Time) <-chan event {
	feed := make(chan event)
	start := now()
	go func() {
		defer close(feed)
		for st := range states {
			if st.State == job.Cancelled || st.State == job.Interrupted {
				return
			}
			e := jobEvent(st)
			if p, ok := e.Data.(train.Progress); ok {
				if st.State == job.Queued {
					p.Message = "Waiting for the fit before it"
				}
				e.Data = livePart{p, spent(now().Sub(start), p.ETA)}
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

// spent words the time: 6 s so far, about 9 s left.
func spent(so time.Duration, left float64) string {
	text := viz.Number(so.Seconds(), 0) + nbsp + "s so far"
	if left >= .5 {
		text += ", about " + viz.Number(left, 0) + nbsp + "s left"
	}
	return text
}
