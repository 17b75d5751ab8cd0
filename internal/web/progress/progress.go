// Package progress shows on pages how far jobs are.
package progress

import (
	"cmp"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Waiting says what a queued job waits for; a computation of a page is in no lane.
func Waiting(e job.Event) string {
	if e.Memory {
		return "Waiting for memory that other work holds"
	}
	return "Waiting for the " + cmp.Or(e.Lane, "fit") + " before it"
}

// Show writes into p how far a job is. What it says of itself is left as it is in p until the job
// has said something.
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
