package api

import (
	"github.com/labstack/echo/v4"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/progress"
)

// Progress is the progress of a job.
type Progress struct {
	Fraction float64 `json:"fraction"`
	Message  string  `json:"message"`
	ETA      float64 `json:"eta_s"`
}

func progressOf(p linear.Progress) *Progress { return &Progress{p.Fraction, p.Message, p.ETA} }

// announce streams the progress of a job until it ends, then its outcome. If the job ended long ago, last gives the
// outcome. A paused study ends as a cancelled one does; its record says which it was.
func (s Streams) announce(c echo.Context, id string, last ending) error {
	ctx, feed := c.Request().Context(), make(chan Event, 1)
	states, err := s.Jobs.Watch(ctx, id)
	if err != nil { // the manager has forgotten the job
		feed <- Event{last.Status, last}
		close(feed)
		return s.Send(c, feed)
	}
	go func() {
		defer close(feed)
		for st := range states {
			select {
			case feed <- jobEvent(st):
			case <-ctx.Done():
				return
			}
		}
	}()
	return s.Send(c, feed)
}

// ending is the data of the last event.
type ending struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

func jobEvent(st job.Event) Event {
	if st.State.Final() {
		return Event{string(st.State), ending{st.ID, string(st.State), reason(st.Err)}}
	}
	p := st.Progress
	if st.State == job.Queued {
		p.Message = progress.Waiting(st)
	}
	return Event{"progress", p}
}

// reason is the message of an error for clients; causes are logged only.
func reason(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := usererr.As(err); ok {
		return e.Detail
	}
	return "The run ended: " + store.Failed + "."
}
