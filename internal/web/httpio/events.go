package httpio

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

const eventStream = "text/event-stream"

// Events is an answer of server-sent events, numbered from 1.
type Events struct {
	w   http.ResponseWriter
	out *http.ResponseController
	mu  sync.Mutex
	id  int
}

const opened = "httpio.events"

// OpenEvents begins the answer. An error of the request is sent as its last event from then on.
func OpenEvents(c echo.Context) (*Events, error) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, eventStream)
	h.Set("X-Accel-Buffering", "no") // a proxy would hold the events back
	c.Response().WriteHeader(http.StatusOK)
	e := &Events{w: c.Response(), out: http.NewResponseController(c.Response())}
	if err := e.out.Flush(); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	c.Set(opened, e)
	return e, nil
}

// OpenedEvents returns the events with which a request is being answered; nil = none.
func OpenedEvents(c echo.Context) *Events {
	e, _ := c.Get(opened).(*Events)
	return e
}

// Send writes an event. JSON has no line breaks here, so that one data line is enough. Any goroutine may call it.
func (e *Events) Send(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.id++
	if _, err := fmt.Fprintf(e.w, "id: %d\nevent: %s\ndata: %s\n\n", e.id, name, text); err != nil {
		return err
	}
	return e.out.Flush()
}

// Beat writes a comment, which keeps proxies from closing an idle answer.
func (e *Events) Beat() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := fmt.Fprint(e.w, ": still here\n\n"); err != nil {
		return err
	}
	return e.out.Flush()
}

// step is the data of an event progress, as jobs send it.
type step struct {
	Fraction float64 `json:"fraction"`
	Message  string  `json:"message"`
}

// Watched answers a request with what work returns. A client that accepts server-sent events receives what is being
// done: events progress {fraction, message}, at the end one of created, with the answer, or problem. It stops the
// work by closing the connection.
func Watched(c echo.Context, status int, work func(report func(doing string, fraction float64)) (any, error)) error {
	if !strings.Contains(c.Request().Header.Get(echo.HeaderAccept), eventStream) {
		answer, err := work(nil)
		if err != nil {
			return err
		}
		return c.JSON(status, answer)
	}
	events, err := OpenEvents(c)
	if err != nil {
		return err
	}
	answer, err := work(func(doing string, fraction float64) {
		_ = events.Send("progress", step{fraction, doing}) // the context ends with the client
	})
	if err != nil {
		return err
	}
	return events.Send("created", answer)
}
