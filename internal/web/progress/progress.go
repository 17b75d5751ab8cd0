// Package progress shows the progress of jobs on pages.
package progress

import (
	"cmp"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Waiting says what a queued job waits for. Fits of a page, which are in no lane, do not queue.
func Waiting(e job.Event) string {
	if e.Memory {
		return "Waiting for memory that other work holds"
	}
	return "Waiting for the " + cmp.Or(e.Lane, "fit") + " before it"
}

// Show writes the progress of a job into p. The text of p stays until the job reports one.
func Show(p *templates.Progress, e job.Event) {
	if e.State == job.Queued {
		p.Step = Waiting(e)
	} else {
		p.Step = cmp.Or(e.Progress.Message, p.Step)
	}
	p.Percent, p.Time = 100*e.Progress.Fraction, format.Elapsed(e.Progress)
	if e.Lane == app.StudyLane {
		p.Time = format.TimeLeft(e.Progress)
	}
}
