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
	jobUnknown  = time.Second            // until a page is told to look for itself
	jobGrace    = 5 * time.Second        // that a computation goes on for a page that is being loaded again
)

// jobLive answers GET /jobs/{id}/live: what of a job's progress the page does not show yet, as
// soon as there is something, and that it has ended.
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
		states, _ = s.app.Jobs.Watch(ctx, id) // nil for one that is unknown
	}
	if states == nil {
		// It ended long ago, or is about to be queued: a page that says it is at work must not be
		// loaded again and again without a pause.
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
				return ctx.Err() // the page left
			case computes && (e.State == job.Cancelled || e.State == job.Interrupted):
				// This page cancelled it, or the data are gone. It goes on by itself, and must not be
				// led back to a state that computes.
				return c.JSON(http.StatusOK, live.Answer{})
			case e.State.Final():
				return c.JSON(http.StatusOK, live.Answer{Ended: true})
			}
			p := templates.Progress{Job: id}
			progress.Show(&p, e)
			parts := templates.ProgressParts(p)
			if p.Step == "" { // the page has its own words for that
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
