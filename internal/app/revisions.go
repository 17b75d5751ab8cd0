package app

import (
	"context"
	"strconv"
)

// Revision changes with every change of the stored data.
func (a *App) Revision() string { return strconv.FormatUint(a.db.Revision(), 36) }

// RecordsRevision changes with every change of the stored data, except for new datasets and for
// the progress of runs and studies (store.DB.RecordsRevision).
func (a *App) RecordsRevision() string { return strconv.FormatUint(a.db.RecordsRevision(), 36) }

// DatasetsRevision changes with every change to the list of datasets.
func (a *App) DatasetsRevision() string { return strconv.FormatUint(a.db.DatasetsRevision(), 36) }

// RunRevision changes with every change of what is known about a run. It returns false while a
// job works on the run, because progress is not stored, and for an unknown run.
func (a *App) RunRevision(ctx context.Context, id string) (string, bool) {
	// Read the revision first: a change while the record is read then gives a newer one.
	now := a.RecordsRevision()
	r, err := a.db.RunLine(ctx, id)
	if err != nil || !HasEnded(r.Status) || a.Jobs.Working(id) {
		return "", false
	}
	return now, true
}

// StudyRevision is RunRevision for a study.
func (a *App) StudyRevision(id string) (string, bool) {
	now := a.Revision()
	return now, !a.Jobs.Working(id)
}
