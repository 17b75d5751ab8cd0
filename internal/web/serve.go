package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/reach"
	"taper/internal/store"
	"taper/internal/web/session"
)

// Stopping takes less than 5 s in all. Open requests get a grace period, also those that stall. Saved runs and
// studies are stopped at the same time, with a budget of their own; computations of pages are stopped last, since
// requests wait for them.
const (
	grace     = 2500 * time.Millisecond
	runsEnd   = 4 * time.Second
	boardsEnd = time.Second
)

// Serve opens the data folder and answers until the context ends. It writes its address to stdout when it answers,
// and its log to stderr. Errors of the configuration or the data folder are user errors.
func Serve(ctx context.Context, cfg Config, stdout, stderr io.Writer, now func() time.Time) error {
	if err := checkListen(cfg.Listen, cfg.PasswordHash); err != nil {
		return err
	}
	if cfg.PasswordHash == "" && len(cfg.TrustedProxies) > 0 {
		return usererr.New(usererr.Forbidden, "Other machines can reach Taper through a proxy. Set "+
			"TAPER_PASSWORD_HASH to an "+
			"argon2id hash (taper password makes one), or start it without -trusted-proxy.")
	}
	ln, err := listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	db, err := store.Open(ctx, cfg.Data, now)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	db.Notify(func(sentence string) { log.Warn(sentence) })
	s, err := newServer(cfg, db, log, now)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	workers, err := s.admitWorkers(ctx, cfg.Reach)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	fmt.Fprintf(stdout, "Taper %s on http://%s, data in %s\n", cfg.Version, ln.Addr(), db.Dir())
	if workers != nil {
		defer workers.Close()
		fmt.Fprintf(stdout, "Workers join by taper worker -queue %s\n", cmp.Or(workers.Address(), cfg.Reach.Queue))
	}
	if err := db.Announce(ln.Addr().String()); err != nil {
		log.Warn("commands that find the data folder in use cannot name this server", job.Cause(err))
	}
	if cfg.Ready != nil {
		cfg.Ready(ln.Addr().String())
	}
	err = s.serve(ctx, ln)
	return errors.Join(err, db.Close())
}

// admitWorkers accepts worker machines if configured; nil otherwise.
func (s *Server) admitWorkers(ctx context.Context, cfg reach.Config) (*reach.Coordinator, error) {
	if !cfg.On() {
		return nil, nil
	}
	here := s.app.Here()
	// Jobs must end before the queue, so that they withdraw their entries.
	c, err := reach.NewCoordinator(context.WithoutCancel(ctx), cfg, here, s.log)
	if err == nil {
		s.app.Jobs.Here = job.Here{Maker: here, Crew: c, Address: cmp.Or(c.Address(), cfg.Queue),
			Class: cfg.Class}
	}
	return c, err
}

// serve answers on ln until the context ends or the database is damaged, then stops within 5 s: streams end at
// once, requests get a grace period, runs are stopped and recorded as interrupted.
func (s *Server) serve(ctx context.Context, ln net.Listener) error {
	base, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	ctx, stop := context.WithCancel(ctx)
	hs := s.listener(sendWithin)
	hs.BaseContext = func(net.Listener) context.Context { return base }
	var samples sync.WaitGroup
	samples.Go(func() { s.datasets.FirstSamples(ctx, s.log) })
	defer samples.Wait()
	defer stop()
	if err := s.app.Resume(ctx); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- hs.Serve(ln) }()
	var why error
	select {
	case err := <-failed:
		why = fmt.Errorf("serve: %w", err)
	case why = <-s.db.Damaged():
	case <-ctx.Done():
	}
	s.close()
	var runs sync.WaitGroup
	runs.Go(func() { s.endRunner(s.app.Jobs.Runner, runsEnd) })
	late, done := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer done()
	if hs.Shutdown(late) != nil {
		abandon()
		hs.Close()
	}
	s.endRunner(s.app.Computations.Runner, boardsEnd)
	runs.Wait()
	// For runs that did not stop in time, or could not record their end.
	if err := s.db.Interrupt(context.WithoutCancel(ctx)); err != nil {
		s.log.Error("open runs not recorded as interrupted", job.Cause(err))
	}
	return why
}

// listener serves s. Idle connections are closed, with and without a session: browsers open new ones.
func (s *Server) listener(silence time.Duration) *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: silence, IdleTimeout: silence,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)}
}

// endRunner stops the jobs of a runner. Jobs that do not stop in time end with the process, which is no error.
func (s *Server) endRunner(r *job.Runner, budget time.Duration) {
	ctx, done := context.WithTimeout(context.Background(), budget)
	defer done()
	if err := r.Close(ctx); err != nil {
		s.log.Warn("a job did not stop in time", job.Cause(err))
	}
}

// listen opens the address, with a clear message for common errors.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, errTaken):
		return nil, usererr.New(usererr.Conflict,
			"The address %s is taken by another program. Stop that one, or name another "+
				"address with -listen.", addr)
	case errors.Is(err, errReserved):
		return nil, usererr.New(usererr.Conflict,
			"This user may not listen on %s. Ports below 1024 are reserved; name a higher "+
				"one with -listen.", addr)
	case errors.Is(err, errElsewhere):
		return nil, usererr.New(usererr.Invalid, "The address %s is not one of this machine. Name another with -listen.",
			addr)
	}
	e := usererr.New(usererr.Invalid, "Taper cannot listen on %s. Name an address like 127.0.0.1:8080 with -listen.", addr)
	e.Cause = err
	return nil, e
}

// checkListen refuses to listen beyond loopback without a password.
func checkListen(addr, hash string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usererr.New(usererr.Invalid, "%q is not an address. Name one like 127.0.0.1:8080 with -listen.", addr)
	}
	if hash != "" {
		_, err := session.ParseHash(hash)
		return err
	}
	if !loopbackName(host) {
		return usererr.New(usererr.Forbidden, "%s can be reached from other machines. Set TAPER_PASSWORD_HASH to an "+
			"argon2id "+
			"hash (taper password makes one), or listen on 127.0.0.1.", addr)
	}
	return nil
}
