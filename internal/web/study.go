package web

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
)

// startStudy checks a spec, stores the study and queues it.
func (s *Server) startStudy(ctx context.Context, spec study.Spec) (store.Study, error) {
	if len(spec.Name) > datasets.MaxName {
		return store.Study{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, len(spec.Name))
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
	t, err := s.datasets.TableOf(ctx, as, d)
	if err != nil {
		return nil, err
	}
	return &study.Data{Name: d.Name, Table: t, Outcome: spec.Outcome, Positive: spec.Positive, Negative: spec.Negative},
		nil
}

func (s *Server) queueStudy(st store.Study) error {
	var of []string
	if st.Dataset != "" {
		of = []string{st.Dataset}
	}
	return s.jobs.Queue(job.Job{ID: st.ID, Lane: studyLane, Of: of, Kind: replicating{s}, Spec: st.ID})
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
	_ = s.jobs.Halt(ctx, id) // an error says that it is not at work
	return s.db.SetStudy(ctx, id, status, sentence)
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
	s.jobs.Stop(ctx, id)
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
