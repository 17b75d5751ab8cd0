package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
)

// startStudy checks a spec, stores the study and queues it.
func (s *Server) startStudy(ctx context.Context, spec study.Spec) (store.Study, error) {
	if len(spec.Name) > maxName {
		return store.Study{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", maxName, len(spec.Name))
	}
	spec = spec.WithDefaults()
	st := store.Study{ID: s.db.NewID("s"), Dataset: spec.Dataset.ID, Version: s.cfg.Version, Created: s.now(), Spec: spec,
		Status: store.Queued}
	if d, err := s.db.Dataset(ctx, st.Dataset); err == nil {
		now := d.Options.Clone()
		st.Reading = &now
	}
	if st.Dataset != "" {
		data, err := s.studyData(ctx, &st)
		if err == nil {
			err = data.Named()
		}
		if err != nil {
			return store.Study{}, err
		}
	}
	plan, err := s.studyPlan(ctx, &st)
	if err != nil {
		return store.Study{}, err
	}
	st.Name, st.Units = studyName(st.Spec), len(plan.Units)
	if err := s.db.CreateStudy(ctx, st); err != nil {
		if st.Dataset != "" {
			err = s.orDeleted(ctx, st.Dataset, "study", err)
		}
		return store.Study{}, err
	}
	return st, s.queueStudy(st)
}

// studyName names a study that was not named.
func studyName(spec study.Spec) string {
	if spec.Name != "" {
		return spec.Name
	}
	if p, ok := study.PresetByID(spec.Preset); ok {
		if spec.Dataset.ID != "" {
			title, _ := p.On()
			return title
		}
		return p.Title
	}
	return fmt.Sprintf("%s by noise, %d replicates", format.UpperFirst(spec.Metric), spec.Replicates)
}

// onChoice gives a study of a form the outcome and the event that a person chose
// on the page of its data: the form offers the data by that outcome. The API
// names both itself.
func (s *Server) onChoice(ctx context.Context, spec study.Spec) study.Spec {
	if d, err := s.db.Dataset(ctx, spec.Dataset.ID); err == nil && spec.Outcome == "" {
		spec.Outcome, spec.Positive, spec.Negative = d.Choice.Outcome, d.Choice.Positive, d.Choice.Negative
	}
	return spec
}

// studyPlan builds the plan of a study with the data it names.
func (s *Server) studyPlan(ctx context.Context, st *store.Study) (study.Plan, error) {
	if st.Spec.Dataset.ID == "" {
		return study.NewPlan(st.Spec, nil)
	}
	data, err := s.studyData(ctx, st)
	if err != nil {
		return study.Plan{}, err
	}
	return study.NewPlan(st.Spec, data)
}

// studyData reads the uploaded dataset that a study names, as it was read when
// the study was asked for.
func (s *Server) studyData(ctx context.Context, st *store.Study) (*study.Data, error) {
	spec := &st.Spec
	d, err := s.db.Dataset(ctx, spec.Dataset.ID)
	if usererr.Is(err, usererr.NotFound) {
		return nil, usererr.BadField("dataset", "is %q: there is no such dataset", spec.Dataset.ID)
	}
	if err != nil {
		return nil, err
	}
	as := store.Run{Name: st.Name, Reading: st.Reading, Spec: engine.Spec{Outcome: spec.Outcome}}
	for _, p := range d.Profiles {
		as.Spec.Predictors = append(as.Spec.Predictors, p.Name)
	}
	t, err := s.tableOf(ctx, as, d)
	if err != nil {
		return nil, err
	}
	return &study.Data{Name: d.Name, Table: t, Outcome: spec.Outcome, Positive: spec.Positive, Negative: spec.Negative},
		nil
}

func (s *Server) queueStudy(st store.Study) error {
	return s.studies.Start(st.ID, s.studyWork(st), func(err error) { s.endStudy(st.ID, err) })
}

// studyWork does the units of a study that are not kept yet and sums up.
func (s *Server) studyWork(st store.Study) job.Work {
	return func(ctx context.Context, report func(linear.Progress)) error {
		if err := s.db.SetStudy(ctx, st.ID, store.Running, ""); err != nil {
			return err
		}
		plan, err := s.studyPlan(ctx, &st)
		if err != nil {
			return err
		}
		kept, err := s.keptUnits(ctx, st.ID, plan)
		if err != nil {
			return err
		}
		last := s.now()
		values, err := study.Run(ctx, plan, kept, func(u study.Unit, values []float64) error {
			now := s.now()
			took := now.Sub(last)
			last = now
			return s.db.KeepUnit(ctx, st.ID, u.ID, values, took)
		}, func(p study.Progress) { report(studyProgress(p)) })
		if err != nil {
			return err
		}
		return s.db.FinishStudy(ctx, st.ID, study.Summarise(plan, values))
	}
}

// keptUnits returns the units kept that the plan still has; others, left by an
// older version, are forgotten.
func (s *Server) keptUnits(ctx context.Context, id string, plan study.Plan) (study.Values, error) {
	kept, err := s.db.StudyUnits(ctx, id)
	if err != nil {
		return nil, err
	}
	var old []string
	for unit, values := range kept {
		if i := slices.IndexFunc(plan.Units, func(u study.Unit) bool { return u.ID == unit }); i < 0 ||
			len(values) != len(plan.Units[i].Keys) {
			old = append(old, unit)
			delete(kept, unit)
		}
	}
	if old == nil {
		return kept, nil
	}
	slices.Sort(old)
	return kept, s.db.DropUnits(ctx, id, old)
}

func studyProgress(p study.Progress) linear.Progress {
	t := linear.Progress{Fraction: p.Fraction, Message: fmt.Sprintf("%d of %d units", p.Done, p.Units)}
	if p.Left != nil {
		t.ETA = *p.Left
	}
	return t
}

// endStudy records how a study ended that is not done.
func (s *Server) endStudy(id string, err error) {
	if err == nil {
		return
	}
	status, sentence := store.Failed, "Internal error."
	switch user, ok := usererr.As(err); {
	case errors.Is(err, job.ErrClosed):
		status, sentence = store.Interrupted, ""
	case errors.Is(err, job.ErrCancelled):
		return // whoever cancelled has said what it became
	case ok:
		sentence = user.Detail
	default:
		s.log.Error("study failed", slog.String("study", id), cause(err))
	}
	err = s.db.SetStudy(context.Background(), id, status, sentence)
	if err != nil && !usererr.Is(err, usererr.NotFound) { // deleted while it ran
		s.log.Error("end of study not stored", slog.String("study", id), slog.String("cause", err.Error()))
	}
}

// haltStudy pauses or cancels a study that has not ended; what is kept stays.
func (s *Server) haltStudy(ctx context.Context, id, status string) error {
	st, err := s.db.Study(ctx, id)
	if err != nil {
		return err
	}
	if ended(st.Status) && st.Status != store.Paused && st.Status != store.Interrupted {
		return usererr.New(usererr.Conflict, "The study has ended already: it is %s.", st.Status)
	}
	sentence := ""
	if status == store.Cancelled {
		sentence = "Cancelled."
	}
	wait, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	s.stopStudy(wait, id)
	return s.db.SetStudy(ctx, id, status, sentence)
}

// stopStudy stops the work of a study and waits until it has ended.
func (s *Server) stopStudy(ctx context.Context, id string) {
	if s.studies.Cancel(id) != nil {
		return
	}
	events, err := s.studies.Watch(ctx, id)
	if err != nil {
		return
	}
	for range events { // closed after the final state
	}
}

// resumeStudy goes on with a study where it stopped.
func (s *Server) resumeStudy(ctx context.Context, id string) error {
	st, err := s.db.Study(ctx, id)
	if err != nil {
		return err
	}
	switch st.Status {
	case store.Queued, store.Running:
		return nil
	case store.Done:
		return usererr.New(usererr.Conflict, "The study is done: there is nothing left to compute.")
	}
	if err := s.db.SetStudy(ctx, id, store.Queued, ""); err != nil {
		return err
	}
	return s.queueStudy(st)
}

// resumeStudies goes on with what a crash or a stop of the program left open.
func (s *Server) resumeStudies(ctx context.Context) error {
	open, _, err := s.db.Studies(ctx, store.StudyFilter{Status: store.Interrupted, Limit: 1000})
	if err != nil {
		return err
	}
	for _, st := range slices.Backward(open) {
		if err := s.resumeStudy(ctx, st.ID); err != nil {
			s.log.Warn("study not resumed", slog.String("study", st.ID), slog.String("cause", err.Error()))
		}
	}
	return nil
}

// deleteStudy stops a study if need be and removes it.
func (s *Server) deleteStudy(ctx context.Context, id string) error {
	if _, err := s.db.Study(ctx, id); err != nil {
		return err
	}
	s.stopStudy(ctx, id)
	return s.db.DeleteStudy(ctx, id)
}

// studyCells sums up a study: what is stored once it is done, and what there
// is so far before.
func (s *Server) studyCells(ctx context.Context, st store.Study) ([]study.Cell, error) {
	if st.Status == store.Done {
		return s.db.StudyCells(ctx, st.ID)
	}
	if st.Done == 0 {
		return nil, nil
	}
	plan, err := s.studyPlan(ctx, &st)
	if err != nil {
		return nil, err
	}
	kept, err := s.db.StudyUnits(ctx, st.ID)
	if err != nil {
		return nil, err
	}
	return study.Summarise(plan, kept), nil
}

// worked is the time a study has been at work.
func worked(st store.Study) float64 { return st.Elapsed.Round(time.Millisecond).Seconds() }
