package app

import (
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// Machines lists the machines that compute for this one, and their work.
type Machines struct {
	Address string // of the queue; "" if everything is computed here
	List    []job.Machine
	Jobs    []job.Sharing
}

// Machines returns that list.
func (a *App) Machines() Machines {
	m := Machines{Address: a.Jobs.Here.Address}
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok {
		m.List, m.Jobs = r.Machines(), r.Shared()
	}
	return m
}

// TryAgain re-offers the units of a job that failed too often.
func (a *App) TryAgain(id string) error {
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok && r.Again(id) {
		return nil
	}
	return usererr.New(usererr.Conflict, "The job %q has no failed units to offer again. Resume the study, or start "+
		"the run, bootstrap or audit again.", id)
}
