package app

import (
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// Machines are the machines that compute for this one, and what they do.
type Machines struct {
	Address string // of the queue; "" where everything is computed here
	List    []job.Machine
	Jobs    []job.Sharing
}

// Machines lists them.
func (a *App) Machines() Machines {
	m := Machines{Address: a.Jobs.Here.Address}
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok {
		m.List, m.Jobs = r.Machines(), r.Shared()
	}
	return m
}

// TryAgain offers the units of a job once more that failed too often.
func (a *App) TryAgain(id string) error {
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok && r.Again(id) {
		return nil
	}
	return usererr.New(usererr.Conflict, "The job %q has no units that were left out. Resume a study that failed by "+
		"some, or start a run, bootstrap or audit again.", id)
}
