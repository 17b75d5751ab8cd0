package study

import (
	"context"
	"fmt"

	"taper/internal/engine/job"
)

// Session is a plan as a job: one stage, whose units are those of the plan.
type Session struct {
	Spec   *Spec     // of a plan that other machines can build too; nil means that units stay on this one
	Rows   *job.Rows // of the dataset that the spec names, which other machines may have; nil means none
	Data   string    // name of that dataset, which units are called by
	Plan   Plan
	Done   Values                  // units of earlier sittings, which are not computed again
	Commit func([]Committed) error // stores units in one transaction; nil stores nothing
	Finish func(context.Context, Values) error
}

// Committed is a finished unit.
type Committed struct {
	Unit   Unit
	Values []float64
	Maker  job.Maker
}

// Stage plans all units at once. Units of a plan that measures times run one at a time.
func (s *Session) Stage(before []job.Bodies) (st job.Stage, err error) {
	if len(before) > 0 {
		return st, nil
	}
	st.Message = func(done, all int) string { return fmt.Sprintf("%d of %d jobs", done, all) }
	st.Done = make(job.Bodies, len(s.Plan.Units))
	if s.Plan.OneAtATime {
		st.Workers = 1
	}
	for i, u := range s.Plan.Units {
		st.Units = append(st.Units, job.Unit{ID: u.ID, Kind: u.Kind, Weight: u.Weight})
		if s.Done.Has(u) {
			st.Done[i] = s.Done[u.ID]
		}
	}
	return st, nil
}

// Unit computes the numbers of a unit.
func (s *Session) Unit(ctx context.Context, _ []job.Bodies, number int, _ func(job.Progress)) (job.Body, error) {
	u := s.Plan.Units[number]
	values, err := u.Run(ctx)
	if err == nil && len(values) != len(u.Keys) {
		panic("study: unit " + u.ID + " has other values than keys")
	}
	return values, err
}

// Keep stores units.
func (s *Session) Keep(_ int, units []job.Kept) error {
	if s.Commit == nil {
		return nil
	}
	all := make([]Committed, len(units))
	for i, k := range units {
		all[i] = Committed{s.Plan.Units[k.Number], k.Body.([]float64), k.Maker}
	}
	return s.Commit(all)
}

// Gather passes the values of all units to Finish.
func (s *Session) Gather(ctx context.Context, stages []job.Bodies) error {
	values := Values{}
	for _, bodies := range stages { // empty if the plan has no units
		for i, body := range bodies {
			values[s.Plan.Units[i].ID] = body.([]float64)
		}
	}
	return s.Finish(ctx, values)
}

// Run computes all units of a plan.
func Run(ctx context.Context, p Plan) (values Values, err error) {
	err = job.Do(ctx, &Session{Plan: p, Finish: func(_ context.Context, all Values) error {
		values = all
		return nil
	}}, nil)
	return values, err
}
