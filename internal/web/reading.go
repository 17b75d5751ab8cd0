package web

import (
	"context"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/store"
)

// readingNote says on a run's page that its file is now read differently, "" where it is not.
func (s *Server) readingNote(ctx context.Context, r store.Run) string {
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return ""
	}
	what, same := datasets.SameReading(r, d)
	switch {
	case same:
		return ""
	case d.State == store.Kept:
		return phrase.UpperFirst(what) + " when this run was made, and the file is wiped: it cannot be made again, " +
			"checked or audited."
	}
	return phrase.UpperFirst(what) + " when this run was made. What is worked out for it still reads it so; the " +
		"stratify page reads it as it is now."
}
