package app

import (
	"cmp"
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

// StartStudy validates a spec, stores the study and queues it.
func (a *App) StartStudy(ctx context.Context, spec study.Spec) (store.Study, error) {
	return a.StartStudyOn(ctx, spec, Terms{})
}

// StartStudyOn is StartStudy on terms by which other machines may help.
func (a *App) StartStudyOn(ctx context.Context, spec study.Spec, terms Terms) (store.Study, error) {
	if len(spec.Name) > datasets.MaxName {
		return store.Study{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName,
			len(spec.Name))
	}
	spec = spec.WithDefaults()
	st := store.Study{ID: a.db.NewID("s"), Dataset: spec.Dataset.ID, Version: a.version, Created: a.now(), Spec: spec,
		Status: store.Queued, Class: terms.Class, Queue: terms.Queue}
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

// studyName is the default name of a study.
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

// WithChoice adds the outcome and the event that a person chose for a dataset. The form of a
// study offers each dataset with that outcome; the API names both itself.
func (a *App) WithChoice(ctx context.Context, spec study.Spec) study.Spec {
	if d, err := a.db.Dataset(ctx, spec.Dataset.ID); err == nil && spec.Outcome == "" {
		spec.Outcome, spec.Positive, spec.Negative = d.Choice.Outcome, d.Choice.Positive, d.Choice.Negative
	}
	return spec
}

// StudyPlan builds the plan of a study with its data.
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

// StudyData loads the uploaded dataset of a study, parsed as when the study was started.
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
	return spec.DataOf(d.Name, t), nil
}

// studyMemory is an upper bound on the memory of a study; an error if it never fits.
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
	rows := data.Table.Shape().Memory() + a.onTheWay(data.Table)
	return jobMemory(a.Datasets, a.memory.Jobs, "This study", d, plan.Memory+rows)
}

func (a *App) queueStudy(st store.Study, bytes int64) error {
	var of []string
	if st.Dataset != "" {
		of = []string{st.Dataset}
	}
	return a.Jobs.Queue(job.Job{ID: st.ID, Lane: StudyLane, Of: of, Kind: replicating{a}, Bytes: bytes,
		Class: st.Class, Spec: st.ID})
}

// HaltStudy pauses or cancels a study that has not ended; stored units stay.
func (a *App) HaltStudy(ctx context.Context, id, status string) error {
	defer a.locks.Lock(id)()
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
	_ = a.Jobs.Halt(ctx, id) // an error means that it is not running
	// The study is halted even if its user does not wait for the answer.
	return a.db.SetStudy(context.WithoutCancel(ctx), id, status, sentence)
}

// ResumeStudy resumes a study where it stopped.
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
	if usererr.IsCostly(err) { // other errors are reported by the job
		return err
	}
	defer a.locks.Lock(id)()
	if st, err = a.db.Study(ctx, id); err != nil || !HasEnded(st.Status) { // somebody else has resumed it meanwhile
		return err
	}
	a.Jobs.Stop(ctx, id) // after a pause the job may still be ending, and then would not be queued again
	if err := a.db.SetStudy(ctx, id, store.Queued, ""); err != nil {
		return err
	}
	return a.queueStudy(st, bytes)
}

// resumeStudies resumes the studies that a crash or a shutdown interrupted.
func (a *App) resumeStudies(ctx context.Context) error {
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

// DeleteStudy stops a study if necessary and deletes it.
func (a *App) DeleteStudy(ctx context.Context, id string) error {
	if _, err := a.db.Study(ctx, id); err != nil {
		return err
	}
	a.Jobs.Stop(ctx, id)
	return a.db.DeleteStudy(ctx, id)
}

// StudyCells summarises a study: the stored summary once it is done, before that the units
// stored so far.
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

// Here identifies this process as the maker of units.
func (a *App) Here() job.Maker { return a.here() }

// replicating is the kind of job that computes a study. Its spec is the study's id.
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
	rows, name, err := k.a.studyRows(ctx, &st)
	if err != nil {
		return nil, err
	}
	kept, err := k.a.keptUnits(ctx, st, plan)
	if err != nil {
		return nil, err
	}
	last := k.a.now()
	return &study.Session{
		Spec: &st.Spec, Rows: rows, Data: name, Plan: plan, Done: kept,
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
		all = append(all, store.Unit{ID: u.Unit.ID, Answer: job.EncodeNumbers(u.Values), Maker: a.madeBy(u.Maker)})
	}
	return all
}

// studyRows returns the rows of a study's dataset for other machines, and the dataset's name; nil
// if the study has no dataset or the rows stay here.
func (a *App) studyRows(ctx context.Context, st *store.Study) (rows *job.Rows, name string, err error) {
	if st.Dataset == "" || !a.shares() {
		return nil, "", nil
	}
	d, err := a.db.Dataset(ctx, st.Dataset)
	if err != nil {
		return nil, "", err
	}
	if !a.mayLeave(d, st.Queue) {
		return nil, "", nil
	}
	data, err := a.StudyData(ctx, st)
	if err != nil {
		return nil, "", err
	}
	if rows, err = rowsOf(data.Table); err != nil {
		return nil, "", fmt.Errorf("rows of a study: %w", err)
	}
	return rows, d.Name, nil
}

// keptUnits returns the stored units that are still in the plan; units of an older version are
// dropped. If other machines help, units of another engine, or of another processor class than the
// study requires, are dropped too, because their numbers must not be mixed.
func (a *App) keptUnits(ctx context.Context, st store.Study, plan study.Plan) (study.Values, error) {
	id := st.ID
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
		others, err := a.db.UnitsOfOthers(ctx, id, a.Jobs.Here.Maker.Engine,
			cmp.Or(st.Class, a.Jobs.Here.Class))
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
	if state == job.Cancelled { // the caller of the cancel stores whether it is paused or ended
		return nil
	}
	return k.a.db.SetStudy(ctx, id, string(state), sentence)
}

// OutsideMethod is the method of another program in a finished study.
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
