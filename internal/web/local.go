package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"taper/internal/store"
)

// Local is the program without an address. A command opens a data folder with it, asks what
// pages and other programs ask a server, and closes it: it is an http.RoundTripper.
type Local struct{ s *Server }

// Open opens the data folder of the configuration for one user, its owner: nobody signs in, and
// no proxy stands before it. Warnings go to log. Nothing works in the background that was not
// asked for; studies that a server left open wait for the server.
func Open(ctx context.Context, cfg Config, log io.Writer, now func() time.Time) (*Local, error) {
	cfg.PasswordHash, cfg.BasePath, cfg.TrustedProxies = "", "", nil
	db, err := store.Open(ctx, cfg.Data, now)
	if err != nil {
		return nil, err
	}
	warnings := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db.Notify(func(sentence string) { warnings.Warn(sentence) })
	s, err := newServer(cfg, db, warnings, now)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Local{s}, nil
}

// RoundTrip answers a request to the host 127.0.0.1. The body of the answer is written while it is
// read, so that events come when they happen; closing it ends the request.
func (l *Local) RoundTrip(r *http.Request) (*http.Response, error) {
	caller := r.Context()
	ctx, cancel := context.WithCancel(caller)
	read, write := io.Pipe()
	w := &answer{header: http.Header{}, body: write, begun: make(chan struct{})}
	r = r.Clone(ctx)
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	go func() {
		defer cancel()
		l.s.ServeHTTP(w, r)
		r.Body.Close()
		w.WriteHeader(http.StatusOK)
		write.Close()
	}()
	select {
	case <-w.begun:
	case <-caller.Done():
		read.CloseWithError(caller.Err())
		return nil, caller.Err()
	}
	return &http.Response{
		Status: fmt.Sprint(w.status, " ", http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent, ContentLength: -1,
		Body: readCloser{read, cancel}, Request: r,
	}, nil
}

// Close stops what still works, which is recorded as interrupted, and closes the folder.
func (l *Local) Close() error {
	l.s.close()
	l.s.endRunner(l.s.app.Jobs.Runner, runsEnd)
	l.s.endRunner(l.s.app.Computations.Runner, boardsEnd)
	return errors.Join(l.s.db.Interrupt(context.Background()), l.s.db.Close())
}

// answer is the response of a request that comes from within the program. Headers are those that stood when the
// status was written, as on a connection.
type answer struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	begun        chan struct{}
}

func (w *answer) Header() http.Header { return w.header }

func (w *answer) WriteHeader(status int) {
	if w.status != 0 || status < http.StatusOK { // 1xx: the answer is still to come
		return
	}
	w.status, w.sent = status, w.header.Clone()
	close(w.begun)
}

func (w *answer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush is there for events: what is written can be read already.
func (w *answer) Flush() { w.WriteHeader(http.StatusOK) }

type readCloser struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (r readCloser) Close() error {
	r.cancel()
	return r.PipeReader.Close()
}
