package web

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/page/studyreport"
)

// apiRunEvents answers GET /api/v1/runs/{id}/events: progress until the run
// ends, then how it ended. A run that has ended sends that alone.
func (s *Server) apiRunEvents(c echo.Context) error {
	r, err := s.db.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return s.announce(c, r.ID, ending{r.ID, r.Status, r.Error})
}

// announce streams how far a job is until it ends, then how it ended: as last says
// where the job ended long ago.
func (s *Server) announce(c echo.Context, id string, last ending) error {
	ctx := c.Request().Context()
	states, err := s.app.Jobs.Watch(ctx, id)
	if err != nil { // not among those the manager remembers
		return s.streamEnd(c, last)
	}
	return s.stream(c, follow(ctx.Done(), states))
}

// streamEnd streams the last event alone.
func (s *Server) streamEnd(c echo.Context, last ending) error {
	feed := make(chan event, 1)
	feed <- event{last.Status, last}
	close(feed)
	return s.stream(c, feed)
}

// ending is the data of the last event.
type ending struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// follow turns the states of a job into events. What a page computes and somebody
// cancelled just ends its stream: who cancelled goes on by itself, and the others
// find out when they ask again. A study that was paused ends as one that was
// cancelled: its page says which.
func follow(gone <-chan struct{}, states <-chan job.Event) <-chan event {
	feed := make(chan event)
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

func jobEvent(st job.Event) event {
	if st.State.Final() {
		return event{string(st.State), ending{st.ID, string(st.State), shortSentence(st.Err)}}
	}
	p := st.Progress
	if st.State == job.Queued {
		p.Message = "Waiting for the " + cmp.Or(st.Lane, "fit") + " before it"
	}
	if st.Lane == app.StudyLane {
		return event{"progress", told{p, studyreport.TimeLeft(p)}}
	}
	return event{"progress", told{p, timeWords(p)}}
}

// told is progress with its time in words.
type told struct {
	linear.Progress
	Time string `json:"time,omitempty"`
}

// timeWords words the time: 6 s so far, about 9 s left. What is left was
// worked out from what has passed, so that is known too.
func timeWords(p linear.Progress) string {
	if !(p.Fraction > 0 && p.Fraction < 1) {
		return ""
	}
	so := p.ETA * p.Fraction / (1 - p.Fraction)
	text := viz.Number(so, 0) + format.NBSP + "s so far"
	if p.ETA >= .5 {
		text += ", about " + viz.Number(p.ETA, 0) + format.NBSP + "s left"
	}
	return text
}

// shortSentence is what a watcher reads of an error; causes go to the log.
func shortSentence(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := usererr.As(err); ok {
		return e.Detail
	}
	return "The run ended: " + store.Failed + "."
}
