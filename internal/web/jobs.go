package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
	"taper/internal/web/progress"
	"taper/web/templates"
)

const (
	jobPace     = 200 * time.Millisecond // between two answers to a page that follows a job
	jobPatience = 15 * time.Second       // until a request without news is answered
	jobUnknown  = time.Second            // until a page is asked to reload
	jobGrace    = 5 * time.Second        // for which a computation continues while its page reloads
)

// jobLive answers GET /jobs/{id}/live: the progress of a job as soon as it differs from what the page shows, and
// the end of the job.
func (s *Server) jobLive(c echo.Context) error {
	ctx, stop := context.WithCancel(c.Request().Context())
	defer stop()
	httpio.WaitsForJob(c)
	id := c.Param("id")
	states, left := s.app.Computations.Watch(ctx, id, jobGrace)
	computes := states != nil
	if computes {
		defer left()
	} else {
		states, _ = s.app.Jobs.Watch(ctx, id) // nil for an unknown job
	}
	if states == nil {
		// The job ended long ago, or will be queued soon. A page that still shows it as running must not reload in
		// a tight loop.
		select {
		case <-time.After(jobUnknown):
		case <-ctx.Done():
		case <-s.stopping:
		}
		return c.JSON(http.StatusOK, live.Answer{Ended: true})
	}
	var news live.Answer
	pace, patience := time.After(jobPace), time.After(jobPatience)
	for paced := false; !paced || len(news.Parts) == 0; {
		select {
		case e, going := <-states:
			switch {
			case !going:
				return ctx.Err() // the page was closed
			case computes && (e.State == job.Cancelled || e.State == job.Interrupted):
				// This page cancelled the job, or the data were deleted. The page navigates by itself; reloading it
				// would start the computation again.
				return c.JSON(http.StatusOK, live.Answer{})
			case e.State.Final():
				return c.JSON(http.StatusOK, live.Answer{Ended: true})
			}
			p := templates.Progress{Job: id}
			progress.Show(&p, e)
			parts := templates.ProgressParts(p)
			if p.Step == "" { // the page has its own text for this step
				delete(parts, id+"-step")
			}
			news = live.Answer{}
			if err := news.Add(ctx, live.ReadWant(c.QueryParams()), parts); err != nil {
				return err
			}
		case <-pace:
			paced = true
		case <-patience:
			return c.JSON(http.StatusOK, live.Answer{})
		case <-s.stopping:
			return c.JSON(http.StatusOK, live.Answer{})
		}
	}
	return c.JSON(http.StatusOK, news)
}
