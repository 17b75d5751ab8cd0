package progress

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
)

// Progress is how far a job is, as the API says it.
type Progress struct {
	Fraction float64 `json:"fraction"`
	Message  string  `json:"message"`
	ETA      float64 `json:"eta_s"`
}

// Of is how far a job is.
func Of(p linear.Progress) *Progress { return &Progress{p.Fraction, p.Message, p.ETA} }

// Announce streams how far a job is until it ends, then how it ended: as last says
// where the job ended long ago.
func (s Streams) Announce(c echo.Context, id string, last Ending) error {
	ctx := c.Request().Context()
	states, err := s.Jobs.Watch(ctx, id)
	if err != nil { // not among those the manager remembers
		return s.End(c, last)
	}
	return s.Send(c, Follow(ctx.Done(), states))
}

// End streams the last event alone.
func (s Streams) End(c echo.Context, last Ending) error {
	feed := make(chan Event, 1)
	feed <- Event{last.Status, last}
	close(feed)
	return s.Send(c, feed)
}

// Ending is the data of the last event.
type Ending struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// Follow turns the states of a job into events. What a page computes and somebody
// cancelled just ends its stream: who cancelled goes on by itself, and the others
// find out when they ask again. A study that was paused ends as one that was
// cancelled: its page says which.
func Follow(gone <-chan struct{}, states <-chan job.Event) <-chan Event {
	feed := make(chan Event)
	go func() {
		defer close(feed)
		for st := range states {
			if st.Lane == "" && (st.State == job.Cancelled || st.State == job.Interrupted) {
				return
			}
			select {
			case feed <- jobEvent(st):
			case <-gone:
				return
			}
		}
	}()
	return feed
}

func jobEvent(st job.Event) Event {
	if st.State.Final() {
		return Event{string(st.State), Ending{st.ID, string(st.State), Reason(st.Err)}}
	}
	p := st.Progress
	if st.State == job.Queued {
		p.Message = "Waiting for the " + cmp.Or(st.Lane, "fit") + " before it"
	}
	if st.Lane == app.StudyLane {
		return Event{"progress", told{p, format.TimeLeft(p)}}
	}
	return Event{"progress", told{p, format.Elapsed(p)}}
}

// told is progress with its time in words.
type told struct {
	linear.Progress
	Time string `json:"time,omitempty"`
}

// Reason is what a watcher reads of an error; causes go to the log.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := usererr.As(err); ok {
		return e.Detail
	}
	return "The run ended: " + store.Failed + "."
}
