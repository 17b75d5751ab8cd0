package app

import (
	"context"
	"strconv"
)

// Revision is another text after every change of what is stored.
func (a *App) Revision() string { return strconv.FormatUint(a.db.Revision(), 36) }

// RecordsRevision is another text after every change of what is stored but for new datasets and
// the way of runs and studies from their start to their end (store.DB.RecordsRevision).
func (a *App) RecordsRevision() string { return strconv.FormatUint(a.db.RecordsRevision(), 36) }

// DatasetsRevision is the same for what lists datasets.
func (a *App) DatasetsRevision() string { return strconv.FormatUint(a.db.DatasetsRevision(), 36) }

// RunRevision is another text after every change of what is known about a run; false while
// something works on it, whose progress is not stored, and where there is no such run.
func (a *App) RunRevision(ctx context.Context, id string) (string, bool) {
	// The number comes first: what changes while the record is read makes another one.
	now := a.RecordsRevision()
	r, err := a.db.RunLine(ctx, id)
	if err != nil || !HasEnded(r.Status) || a.Jobs.Working(id) {
		return "", false
	}
	return now, true
}

// StudyRevision is the same of a study.
func (a *App) StudyRevision(id string) (string, bool) {
	now := a.Revision()
	return now, !a.Jobs.Working(id)
}
