package api

import (
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/web/httpio"
)

// Event is one server-sent event: its name and its JSON.
type Event struct {
	Name string
	Data any
}

// heartbeat is the interval of comments on an idle stream, which keep proxies from closing it.
const heartbeat = 15 * time.Second

// Streams sends server-sent events of jobs, which end with the outcome of the job.
type Streams struct {
	Jobs *job.Manager
	Stop <-chan struct{} // closed when the program stops, which ends all streams
}

// Send sends a feed as server-sent events, numbered from 1, until the feed is closed, the client disconnects or the
// program stops.
func (s Streams) Send(c echo.Context, feed <-chan Event) error {
	httpio.WaitsForJob(c)
	out, err := httpio.OpenEvents(c)
	if err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		err := error(nil)
		select {
		case e, open := <-feed:
			if !open {
				return nil
			}
			err = out.Send(e.Name, e.Data)
		case <-beat.C:
			err = out.Beat()
		case <-c.Request().Context().Done():
			return nil
		case <-s.Stop:
			return nil
		}
		if err != nil {
			return nil // the client disconnected
		}
	}
}
