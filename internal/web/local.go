package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"taper/internal/engine/usererr"
	"taper/internal/reach"
	"taper/internal/store"
)

// Local is the program without a network address. A command opens a data folder with it, sends the requests of
// pages and of the API, and closes it. It is an http.RoundTripper.
type Local struct {
	s       *Server
	workers *reach.Coordinator // nil: everything is computed here
}

// Open opens the data folder of the configuration for its owner, without sign-in and proxy. Warnings go to log.
// Nothing runs in the background except what requests start; interrupted studies wait for the server.
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
	return &Local{s: s}, nil
}

// Join has the units of jobs computed by the workers of a queue; a queue of its own is not started.
func (l *Local) Join(ctx context.Context, queue reach.Config) (err error) {
	queue.Listen = ""
	l.workers, err = l.s.admitWorkers(ctx, queue)
	return err
}

// RoundTrip answers a request to the host 127.0.0.1. The body of the answer is written while it is read, so that
// events arrive as they happen; closing it ends the request.
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
		cut := l.serve(w, r)
		r.Body.Close()
		w.WriteHeader(http.StatusOK)
		write.CloseWithError(cut)
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

// errCut is what a reader of an answer gets that was cut off. A connection would break.
var errCut = usererr.New(usererr.Conflict, "The answer ended too early, because of the error above. Try again.")

// serve answers a request, and returns errCut if the answer is incomplete.
func (l *Local) serve(w http.ResponseWriter, r *http.Request) (cut error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			cut = errCut
		default:
			panic(v)
		}
	}()
	l.s.ServeHTTP(w, r)
	return nil
}

// Close stops running jobs, which are recorded as interrupted, and closes the folder.
func (l *Local) Close() error {
	l.s.close()
	l.s.endRunner(l.s.app.Jobs.Runner, runsEnd)
	l.s.endRunner(l.s.app.Computations.Runner, boardsEnd)
	if l.workers != nil {
		l.workers.Close()
	}
	return errors.Join(l.s.db.Interrupt(context.Background()), l.s.db.Close())
}

// answer is the response to a request from within the program. Its headers are those at the time of the status, as
// on a connection.
type answer struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	begun        chan struct{}
}

func (w *answer) Header() http.Header { return w.header }

func (w *answer) WriteHeader(status int) {
	if w.status != 0 || status < http.StatusOK { // 1xx: the final status follows
		return
	}
	w.status, w.sent = status, w.header.Clone()
	close(w.begun)
}

func (w *answer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush makes the written part readable, for events.
func (w *answer) Flush() { w.WriteHeader(http.StatusOK) }

type readCloser struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (r readCloser) Close() error {
	r.cancel()
	return r.PipeReader.Close()
}
