package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// Stalled connections are closed: a client that neither sends nor reads occupies a connection and the memory of its
// request. The deadline is extended with every piece, so that slow lines finish; a quarter of a kilobyte per second
// is enough.
const (
	sendWithin = 10 * time.Second
	takeWithin = 30 * time.Second
	piece      = 16 << 10
)

// paced sets a deadline for each piece of a request's body and of its answer. It is the outermost middleware,
// because it must wrap the connection's own body and writer. If an error leaves part of a body unread, the
// connection is closed.
func paced(send, take time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			res, r := c.Response(), c.Request()
			line := http.NewResponseController(res.Writer)
			plain := res.Writer
			res.Writer = &pieces{ResponseWriter: plain, line: line, within: take}
			defer func() { res.Writer = plain }()
			if r.Body == nil || r.Body == http.NoBody {
				return next(c)
			}
			body := &pacedBody{ReadCloser: r.Body, line: line, within: send}
			r.Body = body
			// The server recognises only its own body. If that is unread, it delays closing the connection, which
			// would otherwise discard the answer for a client that still sends.
			defer func() { r.Body = body.ReadCloser }()
			body.extend() // also if nothing of it is read
			res.Before(func() {
				if res.Status >= http.StatusBadRequest && !body.ended {
					res.Header().Set("Connection", "close")
				}
			})
			return next(c)
		}
	}
}

// The kernel compares deadlines with the real time, so these are the only times that are not injected. An error
// means that there is no connection, as for the recorder of a test.

type pacedBody struct {
	io.ReadCloser
	line   *http.ResponseController
	within time.Duration
	ended  bool
}

func (b *pacedBody) extend() { _ = b.line.SetReadDeadline(time.Now().Add(b.within)) }

func (b *pacedBody) Read(p []byte) (int, error) {
	if !b.ended {
		b.extend()
	}
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
	case err == io.EOF:
		b.ended = true
		// From here the server itself waits for the end of the connection, which cancels the request.
		_ = b.line.SetReadDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = usererr.New(usererr.Stalled, "Nothing more of the request came for %s. Send it again.",
			format.Duration(b.within))
	default: // the connection broke
		err = fmt.Errorf("%w: %w", errLeft, err)
	}
	return n, err
}

// errLeft says that a client disconnected before its request was complete.
var errLeft = errors.New("the client left")

type pieces struct {
	http.ResponseWriter
	line   *http.ResponseController
	within time.Duration
}

func (w *pieces) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *pieces) Write(p []byte) (sent int, err error) {
	for {
		_ = w.line.SetWriteDeadline(time.Now().Add(w.within))
		n, err := w.ResponseWriter.Write(p[:min(len(p), piece)])
		if sent += n; err != nil {
			return sent, err
		}
		if p = p[n:]; len(p) == 0 {
			return sent, nil
		}
	}
}
