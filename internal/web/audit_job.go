package web

import (
	"taper/internal/engine"
	"taper/internal/engine/job"
	"taper/internal/store"
)

// startAudit queues the ranking of a run's labels.
func (s *Server) startAudit(r store.Run, o engine.AuditOptions) error {
	return startOnce(s, ranking{s}, auditJob(r.ID), r, o)
}

// startTrial queues a trial on labels flipped on purpose.
func (s *Server) startTrial(r store.Run, o engine.TrialOptions) error {
	if err := o.Check(r.Spec.Several()); err != nil {
		return err
	}
	return startOnce(s, flipping{s}, trialJob(r.ID), r, o)
}

// startOnce queues a job of an audit. Whoever asks for one that is at work follows
// that.
func startOnce[O any](s *Server, kind job.Kind, id string, r store.Run, options O) error {
	err := queueRun(s, kind, id, r, options)
	if _, known := s.jobs.Progress(id); known {
		return nil
	}
	return err
}
