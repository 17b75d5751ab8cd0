package api

import (
	"encoding/json"
	"fmt"
	"net/http"
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
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	out := http.NewResponseController(c.Response())
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for id := 1; ; {
		select {
		case e, open := <-feed:
			if !open {
				return nil
			}
			if err := writeEvent(c.Response(), id, e); err != nil {
				return err
			}
			id++
		case <-beat.C:
			if _, err := fmt.Fprint(c.Response(), ": still here\n\n"); err != nil {
				return nil // the client disconnected
			}
		case <-c.Request().Context().Done():
			return nil
		case <-s.Stop:
			return nil
		}
		if out.Flush() != nil {
			return nil
		}
	}
}

// writeEvent writes one event. JSON has no line breaks here, so one data line is enough.
func writeEvent(w http.ResponseWriter, id int, e Event) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Name, err)
	}
	_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", id, e.Name, data)
	return nil
}
