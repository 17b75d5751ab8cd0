package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
)

// Machines are the worker machines of this program.
type Machines struct {
	Queue    string      `json:"queue"`
	Machines []Machine   `json:"machines"`
	Jobs     []SharedJob `json:"jobs"`
}

// Machine is a worker machine.
type Machine struct {
	Machine string        `json:"machine"`
	Class   string        `json:"class"`
	Engine  string        `json:"engine"`
	Cores   int           `json:"cores"`
	Helps   bool          `json:"helps"`
	Units   int           `json:"units"`
	Seconds float64       `json:"seconds"`
	Holds   []job.Holding `json:"holds"`
}

// SharedJob is a stage of a job shared with workers, or a job with failed units.
type SharedJob struct {
	Job       string       `json:"job"`
	Stage     int          `json:"stage"`
	Units     int          `json:"units"`
	Done      int          `json:"units_done"`
	Out       int          `json:"units_out"`
	PerSecond float64      `json:"units_per_second"`
	Twice     int          `json:"units_computed_twice"`
	Ended     bool         `json:"ended"`
	Failed    []FailedUnit `json:"failed"`
}

// FailedUnit is a unit that failed.
type FailedUnit struct {
	Unit    string `json:"unit"`
	Machine string `json:"machine"`
	Cause   string `json:"cause"`
	Times   int    `json:"times"`
	LeftOut bool   `json:"left_out"`
}

// machines answers GET /api/v1/machines.
func (h *Handlers) machines(c echo.Context) error {
	return h.machinesView(c)
}

func (h *Handlers) machinesView(c echo.Context) error {
	all, err := h.App.Machines(c.Request().Context())
	if err != nil {
		return err
	}
	v := Machines{Queue: all.Address, Machines: []Machine{}, Jobs: []SharedJob{}}
	for _, m := range all.List {
		v.Machines = append(v.Machines, Machine{m.Machine, m.Class, m.Engine, m.Cores, m.Helps, m.Units, m.Seconds,
			append([]job.Holding{}, m.Holds...)})
	}
	for _, s := range all.Jobs {
		shared := SharedJob{s.Job, s.Stage, s.Units, s.Done, s.Out, s.PerSecond, s.Twice, s.Ended, []FailedUnit{}}
		for _, f := range s.Failed {
			shared.Failed = append(shared.Failed, FailedUnit{f.Unit, f.On.Machine, f.Cause, f.Times, f.LeftOut})
		}
		v.Jobs = append(v.Jobs, shared)
	}
	return c.JSON(http.StatusOK, v)
}

// tryAgain answers POST /api/v1/jobs/{id}/again.
func (h *Handlers) tryAgain(c echo.Context) error {
	if err := h.App.TryAgain(c.Param("id")); err != nil {
		return err
	}
	return h.machinesView(c)
}
