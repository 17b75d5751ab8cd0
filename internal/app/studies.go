package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"taper/internal/app/datasets"
	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// StartStudy checks a spec, stores the study and queues it.
func (a *App) StartStudy(ctx context.Context, spec study.Spec) (store.Study, error) {
	if len(spec.Name) > datasets.MaxName {
		return store.Study{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName,
			len(spec.Name))
	}
	spec = spec.WithDefaults()
	st := store.Study{ID: a.db.NewID("s"), Dataset: spec.Dataset.ID, Version: a.version, Created: a.now(), Spec: spec,
		Status: store.Queued}
	if d, err := a.db.Dataset(ctx, st.Dataset); err == nil {
		now := d.Options.Clone()
		st.Reading = &now
	}
	if st.Dataset != "" {
		data, err := a.StudyData(ctx, &st)
		if err == nil {
			err = data.RequireOutcome()
		}
		if err != nil {
			return store.Study{}, err
		}
	}
	plan, err := a.StudyPlan(ctx, &st)
	if err != nil {
		return store.Study{}, err
	}
	bytes, err := a.studyMemory(ctx, &st, plan)
	if err != nil {
		return store.Study{}, err
	}
	st.Name, st.Units = studyName(st.Spec), len(plan.Units)
	if err := a.db.CreateStudy(ctx, st); err != nil {
		if st.Dataset != "" {
			err = a.orDeleted(ctx, st.Dataset, "study", err)
		}
		return store.Study{}, err
	}
	if err := a.queueStudy(st, bytes); err != nil {
		return store.Study{}, errors.Join(err, a.db.DeleteStudy(context.WithoutCancel(ctx), st.ID))
	}
	return st, nil
}

// studyName names a study that was not named.
func studyName(spec study.Spec) string {
	if spec.Name != "" {
		return spec.Name
	}
	if p, ok := paper.Presets.ByID(spec.Preset); ok {
		if spec.Dataset.ID != "" {
			title, _ := p.ForUpload()
			return title
		}
		return p.Title
	}
	return fmt.Sprintf("%s by noise, %d replicates", stat.ByID(spec.Metric).Label, spec.Replicates)
}

// WithChoice gives a study of a form the outcome and the event that a person chose
// on the page of its data: the form offers the data by that outcome. The API
// names both itself.
func (a *App) WithChoice(ctx context.Context, spec study.Spec) study.Spec {
	if d, err := a.db.Dataset(ctx, spec.Dataset.ID); err == nil && spec.Outcome == "" {
		spec.Outcome, spec.Positive, spec.Negative = d.Choice.Outcome, d.Choice.Positive, d.Choice.Negative
	}
	return spec
}

// StudyPlan builds the plan of a study with the data it names.
func (a *App) StudyPlan(ctx context.Context, st *store.Study) (study.Plan, error) {
	if _, err := cost.Hold(ctx, "This study", study.PlanMemory(st.Spec)); err != nil {
		return study.Plan{}, err
	}
	if st.Spec.Dataset.ID == "" {
		return study.NewPlan(paper.Presets, st.Spec, nil)
	}
	data, err := a.StudyData(ctx, st)
	if err != nil {
		return study.Plan{}, err
	}
	return study.NewPlan(paper.Presets, st.Spec, data)
}

// StudyData reads the uploaded dataset that a study names, as it was read when
// the study was asked for.
func (a *App) StudyData(ctx context.Context, st *store.Study) (*study.Data, error) {
	spec := &st.Spec
	d, err := a.db.Dataset(ctx, spec.Dataset.ID)
	if usererr.Is(err, usererr.NotFound) {
		return nil, usererr.BadField("dataset", "is %q: there is no such dataset", spec.Dataset.ID)
	}
	if err != nil {
		return nil, err
	}
	as := store.Run{Name: st.Name, Reading: st.Reading, Spec: runspec.Spec{Outcome: spec.Outcome}}
	for _, p := range d.Profiles {
		as.Spec.Predictors = append(as.Spec.Predictors, p.Name)
	}
	t, err := a.Datasets.TableOf(ctx, as, d)
	if err != nil {
		return nil, err
	}
	return &study.Data{Name: d.Name, Table: t, Outcome: spec.Outcome, Positive: spec.Positive, Negative: spec.Negative},
		nil
}

// studyMemory is what a study takes at most; an error where that never fits.
func (a *App) studyMemory(ctx context.Context, st *store.Study, plan study.Plan) (bytes int64, err error) {
	if err := plan.Work.Check("This study", a.mostWork); err != nil {
		return 0, err
	}
	if st.Dataset == "" {
		return plan.Memory, a.memory.Jobs.Check("This study", plan.Memory)
	}
	data, err := a.StudyData(ctx, st)
	if err != nil {
		return 0, err
	}
	d, err := a.db.Dataset(ctx, st.Dataset)
	if err != nil {
		return 0, err
	}
	return jobMemory(a.Datasets, a.memory.Jobs, "This study", d, plan.Memory+data.Table.Shape().Memory())
}

func (a *App) queueStudy(st store.Study, bytes int64) error {
	var of []string
	if st.Dataset != "" {
		of = []string{st.Dataset}
	}
	return a.Jobs.Queue(job.Job{ID: st.ID, Lane: StudyLane, Of: of, Kind: replicating{a}, Bytes: bytes,
		Spec: st.ID})
}

// HaltStudy pauses or cancels a study that has not ended; what is kept stays.
func (a *App) HaltStudy(ctx context.Context, id, status string) error {
	st, err := a.db.Study(ctx, id)
	if err != nil {
		return err
	}
	if HasEnded(st.Status) && st.Status != store.Paused && st.Status != store.Interrupted {
		return usererr.New(usererr.Conflict, "The study has ended already: it is %s.", st.Status)
	}
	sentence := ""
	if status == store.Cancelled {
		sentence = "Cancelled."
	}
	_ = a.Jobs.Halt(ctx, id) // an error says that it is not at work
	return a.db.SetStudy(ctx, id, status, sentence)
}

// ResumeStudy goes on with a study where it stopped.
func (a *App) ResumeStudy(ctx context.Context, id string) error {
	st, err := a.db.Study(ctx, id)
	if err != nil {
		return err
	}
	switch st.Status {
	case store.Queued, store.Running:
		return nil
	case store.Done:
		return usererr.New(usererr.Conflict, "The study is done: there is nothing left to compute.")
	}
	bytes := int64(0)
	plan, err := a.StudyPlan(ctx, &st)
	if err == nil {
		bytes, err = a.studyMemory(ctx, &st, plan)
	}
	if usererr.IsCostly(err) { // what is wrong with its data the job says
		return err
	}
	if err := a.db.SetStudy(ctx, id, store.Queued, ""); err != nil {
		return err
	}
	return a.queueStudy(st, bytes)
}

// ResumeStudies goes on with what a crash or a stop of the program left open.
func (a *App) ResumeStudies(ctx context.Context) error {
	open, _, err := a.db.Studies(ctx, store.StudyFilter{Status: store.Interrupted, Limit: 1000})
	if err != nil {
		return err
	}
	for _, st := range slices.Backward(open) {
		if err := a.ResumeStudy(ctx, st.ID); err != nil {
			a.log.Warn("study not resumed", slog.String("study", st.ID), slog.String("cause", err.Error()))
		}
	}
	return nil
}

// DeleteStudy stops a study if need be and removes it.
func (a *App) DeleteStudy(ctx context.Context, id string) error {
	if _, err := a.db.Study(ctx, id); err != nil {
		return err
	}
	a.Jobs.Stop(ctx, id)
	return a.db.DeleteStudy(ctx, id)
}

// StudyCells sums up a study: what is stored once it is done, and what there
// is so far before.
func (a *App) StudyCells(ctx context.Context, st store.Study) ([]study.Cell, error) {
	if st.Status == store.Done {
		return a.db.StudyCells(ctx, st.ID)
	}
	if st.Done == 0 {
		return nil, nil
	}
	plan, err := a.StudyPlan(ctx, &st)
	if err != nil {
		return nil, err
	}
	kept, err := a.db.StudyUnits(ctx, st.ID)
	if err != nil {
		return nil, err
	}
	return study.Summarise(plan, kept), nil
}

// Here is this process as the maker of units.
func (a *App) Here() job.Maker { return a.here() }

// replicating is a study. Its spec is its id.
type replicating struct{ a *App }

func (replicating) ID() string { return "study" }

func (k replicating) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	var id string
	if err := json.Unmarshal(spec, &id); err != nil {
		return nil, err
	}
	st, err := k.a.db.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := k.a.db.SetStudy(ctx, id, store.Running, ""); err != nil {
		return nil, err
	}
	plan, err := k.a.StudyPlan(ctx, &st)
	if err != nil {
		return nil, err
	}
	kept, err := k.a.keptUnits(ctx, id, plan)
	if err != nil {
		return nil, err
	}
	last := k.a.now()
	return &study.Session{
		Spec: &st.Spec, Plan: plan, Done: kept,
		Commit: func(units []study.Committed) error {
			now := k.a.now()
			took := now.Sub(last)
			last = now
			return k.a.db.KeepUnits(ctx, id, k.a.storedUnits(units), took)
		},
		Finish: func(ctx context.Context, values study.Values) error {
			return k.a.db.FinishStudy(ctx, id, study.Summarise(plan, values))
		},
	}, nil
}

func (a *App) storedUnits(units []study.Committed) (all []store.Unit) {
	for _, u := range units {
		by := u.Maker
		if by == (job.Maker{}) {
			by = a.here()
		}
		all = append(all, store.Unit{ID: u.Unit.ID, Values: u.Values, Machine: by.Machine, Class: by.Class,
			Engine: by.Engine})
	}
	return all
}

// keptUnits returns the units kept that the plan still has; others, left by an
// older version, are forgotten. Where other machines help, numbers of another engine are too: theirs
// must not mix with them.
func (a *App) keptUnits(ctx context.Context, id string, plan study.Plan) (study.Values, error) {
	kept, err := a.db.StudyUnits(ctx, id)
	if err != nil {
		return nil, err
	}
	var old []string
	for unit := range kept {
		i := slices.IndexFunc(plan.Units, func(u study.Unit) bool { return u.ID == unit })
		if i < 0 || !kept.Has(plan.Units[i]) {
			old = append(old, unit)
			delete(kept, unit)
		}
	}
	if a.Jobs.Here.Crew != nil {
		others, err := a.db.UnitsOfOthers(ctx, id, a.Jobs.Here.Maker.Engine)
		if err != nil {
			return nil, err
		}
		for _, unit := range others {
			if _, ok := kept[unit]; ok {
				old = append(old, unit)
				delete(kept, unit)
			}
		}
	}
	if old == nil {
		return kept, nil
	}
	slices.Sort(old)
	return kept, a.db.DropUnits(ctx, id, old)
}

func (k replicating) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var id string
	if err := json.Unmarshal(spec, &id); err != nil {
		return err
	}
	if state == job.Cancelled { // whoever cancelled says what it became: paused, or ended
		return nil
	}
	return k.a.db.SetStudy(ctx, id, string(state), sentence)
}

// OutsideMethod is the method of another program in a study that is done.
func OutsideMethod(st store.Study) (*study.ExternalModel, error) {
	p, ok := paper.Presets.ByID(st.Spec.Preset)
	switch {
	case !ok || p.ExternalModel == nil:
		return nil, usererr.New(usererr.NotFound,
			"The figure of this study has no place for another program’s predictions.")
	case st.Status != store.Done:
		return nil, usererr.New(usererr.Conflict, "This study is %s: predictions are compared when it is done.", st.Status)
	}
	return p.ExternalModel, nil
}
