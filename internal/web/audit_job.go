package web

import (
	"context"
	"errors"
	"log/slog"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Jobs of an audit: the ranking itself, and a trial on flipped labels.
func auditJob(run string) string { return "audit-" + run }

func trialJob(run string) string { return "trial-" + run }

// startAudit queues the ranking of a run's labels.
func (s *Server) startAudit(r store.Run, o engine.AuditOptions) error {
	return s.startJob(r, auditJob(r.ID), func(ctx context.Context, report func(linear.Progress)) error {
		d, t, err := s.auditData(ctx, r)
		if err != nil {
			return err
		}
		rows, err := s.db.RunRows(ctx, r.ID)
		if err != nil {
			return err
		}
		a, err := engine.AuditLabels(ctx, t, r.Spec, r.Result, rows, o, report)
		if err != nil {
			return err
		}
		all := audit.Keys(keyed(d, t, r.Spec.Outcome))
		keys := make([]audit.Key, len(a.Ranking))
		for i, row := range a.Ranking {
			keys[i] = all[row.Row]
		}
		s.audits.drop(r.ID)
		return s.db.KeepAudit(ctx, r.ID, s.cfg.Version, a, keys)
	})
}

// keyed is the table whose cells make the keys of rows: the columns that are
// kept, whether the rest has gone by now or not.
func keyed(d store.Dataset, t *table.Table, outcome string) *table.Table {
	if d.State == store.Kept || d.Choice.Outcome != outcome {
		return t
	}
	return inUse(d, t)
}

func (s *Server) auditData(ctx context.Context, r store.Run) (store.Dataset, *table.Table, error) {
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return d, nil, err
	}
	t, err := s.tableOf(ctx, r, d)
	return d, t, err
}

// startTrial queues a trial on labels flipped on purpose.
func (s *Server) startTrial(r store.Run, o engine.TrialOptions) error {
	if err := o.Check(r.Spec.Several()); err != nil {
		return err
	}
	return s.startJob(r, trialJob(r.ID), func(ctx context.Context, report func(linear.Progress)) error {
		_, t, err := s.auditData(ctx, r)
		if err != nil {
			return err
		}
		v, err := engine.TryAudit(ctx, t, r.Spec, o, report)
		if err != nil {
			return err
		}
		return s.db.KeepTrial(ctx, r.ID, v)
	})
}

// startJob queues work of an audit and notes whose it is, so that deleting the
// run or its data stops it.
func (s *Server) startJob(r store.Run, id string, work func(context.Context, func(linear.Progress)) error) error {
	s.audits.mu.Lock()
	s.audits.open[id] = r.Dataset
	s.audits.mu.Unlock()
	err := s.jobs.Start(id, work, func(err error) {
		s.audits.mu.Lock()
		delete(s.audits.open, id)
		s.audits.mu.Unlock()
		if _, user := usererr.As(err); err != nil && !user && !cancelled(err) {
			s.log.Error("audit failed", slog.String("job", id), cause(err))
		}
	})
	if err != nil { // it is at work already: whoever asked twice follows the first
		if _, known := s.jobs.Progress(id); known {
			return nil
		}
	}
	return err
}

// stopAudits ends the jobs of audits of a run, or of all runs of a dataset.
func (s *Server) stopAudits(ctx context.Context, run, dataset string) {
	s.audits.mu.Lock()
	var ids []string
	for id, of := range s.audits.open {
		if id == auditJob(run) || id == trialJob(run) || of == dataset {
			ids = append(ids, id)
		}
	}
	s.audits.mu.Unlock()
	for _, id := range ids {
		s.stopJob(ctx, id)
	}
	s.audits.drop(run)
	s.audits.drop(dataset)
}

// cancelled reports a job that was stopped, by its user or with the program.
func cancelled(err error) bool {
	return errors.Is(err, job.ErrCancelled) || errors.Is(err, job.ErrClosed)
}
