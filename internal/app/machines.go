package app

import (
	"context"
	"strings"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// Machines lists the machines that compute for this one, and their work.
type Machines struct {
	Address string // of the queue; "" if everything is computed here
	List    []job.Machine
	Jobs    []job.Sharing
}

// Machines returns that list: the running stages, then the jobs that ended without some units.
func (a *App) Machines(ctx context.Context) (m Machines, err error) {
	m.Address = a.Jobs.Here.Address
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok {
		m.List, m.Jobs = r.Machines(), r.Shared()
	}
	ended, err := a.db.LeftOut(ctx)
	m.Jobs = append(m.Jobs, ended...)
	return m, err
}

func (l ledger) LeftOut(ctx context.Context, s job.Sharing) error {
	if strings.HasPrefix(s.Job, "s") {
		return l.a.db.KeepLeftOut(ctx, s.Job, "", s)
	}
	run, _ := strings.CutSuffix(s.Job, BootstrapJob(""))
	run = strings.TrimPrefix(strings.TrimPrefix(run, AuditJob("")), TrialJob(""))
	return l.a.db.KeepLeftOut(ctx, "", run, s)
}

func (l ledger) Begun(ctx context.Context, id string) error { return l.a.db.ForgetLeftOut(ctx, id) }

// TryAgain re-offers the units of a job that failed too often.
func (a *App) TryAgain(id string) error {
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok && r.Again(id) {
		return nil
	}
	return usererr.New(usererr.Conflict, "%q has no failed jobs to offer again. Resume the study, or start "+
		"the run, bootstrap or audit again.", id)
}
