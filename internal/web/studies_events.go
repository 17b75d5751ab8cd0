package web

import (
	"taper/internal/engine/job"
	"taper/internal/web/page/studyreport"
)

// followStudy turns the states of a study's job into events. A study that was
// paused ends its stream as one that was cancelled: its page says which.
func followStudy(gone <-chan struct{}, states <-chan job.Event) <-chan event {
	feed := make(chan event)
	go func() {
		defer close(feed)
		for st := range states {
			e := jobEvent(st)
			if _, ok := e.Data.(told); ok {
				p := st.Progress
				if st.State == job.Queued {
					p.Message = "Waiting for the study before it"
				}
				e.Data = told{p, studyreport.TimeLeft(p)}
			}
			select {
			case feed <- e:
			case <-gone:
				return
			}
		}
	}()
	return feed
}
