package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/errs"
	"taper/internal/engine/table"
	"taper/internal/engine/train"
	"taper/internal/store"
)

// auditRoom is what the pages and the API of one audit read: the ranking with
// its keys, the data, and what is worked out from them once.
type auditRoom struct {
	run     store.Run
	labels  store.Labels
	audit   *store.Audit
	table   *table.Table
	order   []int  // places in the ranking in the order of review
	control []bool // by place in the ranking
	place   map[audit.Key]int
	byRow   map[int]int // data row to place

	mu       sync.Mutex
	vicinity *engine.Vicinity
	orders   map[string][]int // places in the ranking, by what they are sorted by
}

// auditRooms keeps the rooms last used: a review turns page after page.
type auditRooms struct {
	mu    sync.Mutex
	rooms []*auditRoom // the last used last
	open  map[string]string
}

// keptRooms bounds the rooms in memory.
const keptRooms = 2

// auditRoom opens the audit of a run; nil where none was made.
func (s *Server) auditRoom(ctx context.Context, r store.Run) (*auditRoom, error) {
	made, err := s.db.AuditMade(ctx, r.ID)
	if err != nil || made.IsZero() {
		return nil, err
	}
	if room := s.audits.find(r.ID, made); room != nil {
		return room, nil
	}
	a, err := s.db.Audit(ctx, r.ID)
	if err != nil || a == nil {
		return nil, err
	}
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return nil, err
	}
	t, err := s.tableOf(ctx, r, d)
	if err != nil {
		return nil, err
	}
	room := newAuditRoom(r, a, t)
	s.audits.keep(room)
	return room, nil
}

func newAuditRoom(r store.Run, a *store.Audit, t *table.Table) *auditRoom {
	room := &auditRoom{orders: map[string][]int{}, run: r, labels: store.LabelsOf(r), audit: a, table: t, place: make(map[audit.Key]int, len(a.Keys)), byRow: make(map[int]int, len(a.Rows))}
	room.order, room.control = audit.Order(len(a.Rows), a.Summary.Seed)
	for i, k := range a.Keys {
		room.place[k], room.byRow[a.Rows[i].Row] = i, i
	}
	return room
}

func (c *auditRooms) find(run string, made time.Time) *auditRoom {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.rooms, func(r *auditRoom) bool { return r.run.ID == run && r.audit.Created.Equal(made) })
	if i < 0 {
		return nil
	}
	room := c.rooms[i]
	c.rooms = append(slices.Delete(c.rooms, i, i+1), room)
	return room
}

func (c *auditRooms) keep(room *auditRoom) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms = slices.DeleteFunc(c.rooms, func(r *auditRoom) bool { return r.run.ID == room.run.ID })
	if len(c.rooms) >= keptRooms {
		c.rooms = slices.Delete(c.rooms, 0, 1)
	}
	c.rooms = append(c.rooms, room)
}

// drop forgets the rooms of a run or a dataset.
func (c *auditRooms) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms = slices.DeleteFunc(c.rooms, func(r *auditRoom) bool { return r.run.ID == id || r.run.Dataset == id })
}

// near is the design in which neighbours are sought, made when first asked for.
func (r *auditRoom) near(ctx context.Context) (*engine.Vicinity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vicinity == nil {
		v, err := engine.NewVicinity(ctx, r.table, r.run.Spec)
		if err != nil {
			return nil, err
		}
		r.vicinity = v
	}
	return r.vicinity, nil
}

// label is the label of a row as uploaded.
func (r *auditRoom) label(row int) string {
	c := r.table.Column(r.run.Spec.Outcome)
	if c == nil {
		return ""
	}
	return cellText(c, row)
}

// Jobs of an audit: the ranking itself, and a trial on flipped labels.
func auditJob(run string) string { return "audit-" + run }
func trialJob(run string) string { return "trial-" + run }

// auditable reads a finished run whose labels can be audited.
func (s *Server) auditable(ctx context.Context, id string) (store.Run, error) {
	r, err := s.db.Run(ctx, id)
	switch {
	case err != nil:
		return r, err
	case r.Status != store.Done:
		return r, unfinished(r)
	case !r.Wiped.IsZero():
		return r, r.Gone("there are no labels to audit")
	case r.Spec.Bins != nil:
		return r, errs.New(errs.Invalid, "The classes of this run are cut from a number: there are no labels to audit.")
	}
	return r, nil
}

// startAudit queues the ranking of a run's labels.
func (s *Server) startAudit(r store.Run, o engine.AuditOptions) error {
	return s.startJob(r, auditJob(r.ID), func(ctx context.Context, report func(train.Progress)) error {
		d, t, err := s.auditData(ctx, r)
		if err != nil {
			return err
		}
		rows, err := s.db.RunRows(ctx, r.ID)
		if err != nil {
			return err
		}
		a, err := engine.AuditLabels(ctx, t, r.Spec, r.Result, rows, o, report)
		if err != nil {
			return err
		}
		all := audit.Keys(keyed(d, t, r.Spec.Outcome))
		keys := make([]audit.Key, len(a.Ranking))
		for i, row := range a.Ranking {
			keys[i] = all[row.Row]
		}
		s.audits.drop(r.ID)
		return s.db.KeepAudit(ctx, r.ID, version, a, keys)
	})
}

// keyed is the table whose cells make the keys of rows: the columns that are
// kept, whether the rest has gone by now or not.
func keyed(d store.Dataset, t *table.Table, outcome string) *table.Table {
	if d.State == store.Kept || d.Choice.Outcome != outcome {
		return t
	}
	return inUse(d, t)
}

func (s *Server) auditData(ctx context.Context, r store.Run) (store.Dataset, *table.Table, error) {
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return d, nil, err
	}
	t, err := s.tableOf(ctx, r, d)
	return d, t, err
}

// startTrial queues a trial on labels flipped on purpose.
func (s *Server) startTrial(r store.Run, o engine.TrialOptions) error {
	if err := o.Check(r.Spec.Several()); err != nil {
		return err
	}
	return s.startJob(r, trialJob(r.ID), func(ctx context.Context, report func(train.Progress)) error {
		_, t, err := s.auditData(ctx, r)
		if err != nil {
			return err
		}
		v, err := engine.TryAudit(ctx, t, r.Spec, o, report)
		if err != nil {
			return err
		}
		return s.db.KeepTrial(ctx, r.ID, v)
	})
}

// startJob queues work of an audit and notes whose it is, so that deleting the
// run or its data stops it.
func (s *Server) startJob(r store.Run, id string, work func(context.Context, func(train.Progress)) error) error {
	s.audits.mu.Lock()
	s.audits.open[id] = r.Dataset
	s.audits.mu.Unlock()
	err := s.jobs.Start(id, work, func(err error) {
		s.audits.mu.Lock()
		delete(s.audits.open, id)
		s.audits.mu.Unlock()
		if _, user := errs.As(err); err != nil && !user && !cancelled(err) {
			s.log.Error("audit failed", slog.String("job", id), slog.String("cause", err.Error()))
		}
	})
	if err != nil { // it is at work already: whoever asked twice follows the first
		if _, known := s.jobs.Progress(id); known {
			return nil
		}
	}
	return err
}

// stopAudits ends the jobs of audits of a run, or of all runs of a dataset.
func (s *Server) stopAudits(ctx context.Context, run, dataset string) {
	s.audits.mu.Lock()
	var ids []string
	for id, of := range s.audits.open {
		if id == auditJob(run) || id == trialJob(run) || of == dataset {
			ids = append(ids, id)
		}
	}
	s.audits.mu.Unlock()
	for _, id := range ids {
		s.stopJob(ctx, id)
	}
	s.audits.drop(run)
	s.audits.drop(dataset)
}

// decide stores a decision about a row of an audit. A flip without a class goes
// to the likeliest other one.
func (s *Server) decide(ctx context.Context, room *auditRoom, given ...audit.Decision) error {
	for i := range given {
		d := &given[i]
		at, known := room.place[d.Key]
		if !known {
			return errs.New(errs.NotFound, "No row of this audit has that key. The data or the columns in use have changed since: make the audit anew.")
		}
		row := room.audit.Rows[at]
		classes := room.audit.Summary.Classes
		d.Row, d.Label, d.Control = row.Row, room.label(row.Row), room.control[at]
		switch {
		case d.Kind != "" && !d.Kind.Valid():
			return errs.BadField("decision", "must be keep, flip, exclude or unsure (got %.40q)", d.Kind)
		case len(d.Note) > audit.MaxNote:
			return errs.BadField("note", "must hold at most %d bytes", audit.MaxNote)
		case d.Kind != audit.Flip:
			d.To = ""
		case d.To == "":
			d.To = flipTo(classes, d.Label, row)
		case !slices.Contains(classes, d.To) || d.To == d.Label:
			return errs.BadField("to", "must be another class than the label, one of %d (got %.40q)", len(classes), d.To)
		}
	}
	return s.db.Decide(ctx, room.labels, room.run.ID, given...)
}

// flipTo is the class that a label as uploaded is flipped to: the likeliest
// other one. Where an earlier review changed the label that was audited, that is
// the audited one.
func flipTo(classes []string, label string, row audit.Row) string {
	if to := classes[row.Other]; to != label {
		return to
	}
	return classes[row.Label]
}

// reviewOf turns the decisions that stand into a review: flips and exclusions,
// rows ascending. Keeping a label, and leaving it open, changes nothing.
func reviewOf(run string, decisions []audit.Decision) *engine.Review {
	v := &engine.Review{Parent: run}
	for _, d := range decisions {
		switch d.Kind {
		case audit.Flip:
			v.Changes = append(v.Changes, engine.Relabel{Row: d.Row, To: d.To})
		case audit.Exclude:
			v.Changes = append(v.Changes, engine.Relabel{Row: d.Row})
		}
	}
	slices.SortFunc(v.Changes, func(a, b engine.Relabel) int { return a.Row - b.Row })
	v.ID = reviewID(v)
	return v
}

// startChild queues a run on the labels as reviewed.
func (s *Server) startChild(ctx context.Context, r store.Run) (store.Run, error) {
	decisions, err := s.db.Decisions(ctx, store.LabelsOf(r))
	if err != nil {
		return store.Run{}, err
	}
	spec := r.Spec
	spec.Review = reviewOf(r.ID, decisions)
	if len(spec.Review.Changes) == 0 {
		return store.Run{}, errs.New(errs.Conflict, "No label was flipped and no row excluded: a run on the reviewed labels would be the same run.")
	}
	spec.Name = wording.Cut(r.Name, maxName-20) + ", reviewed"
	return s.startRunAs(ctx, spec, r.Reading)
}

// auditFacts is what a run's page and report say of its audit: REPORT's section 9.
type auditFacts struct {
	Made     bool
	Estimate *audit.Estimate // nil without probabilities
	Basis    string
	Tally    audit.Tally
	Before   []classCount // labels as uploaded, of the rows audited
	After    []classCount // with flips and exclusions
	Children []store.Child
}

// classCount is the number of rows of a class.
type classCount struct {
	Class string
	Rows  int
}

// auditFacts gathers them; Made is false where no audit was made.
func (s *Server) auditFacts(ctx context.Context, r store.Run) (f auditFacts, err error) {
	room, err := s.auditRoom(ctx, r)
	if err != nil || room == nil {
		return f, err
	}
	decisions, err := s.db.Decisions(ctx, room.labels)
	if err != nil {
		return f, err
	}
	f.Made, f.Estimate, f.Basis, f.Tally = true, room.audit.Summary.Estimate, room.audit.Summary.Basis, audit.Count(decisions)
	f.Before, f.After = room.counts(decisions)
	f.Children, err = s.db.Children(ctx, r.ID)
	return f, err
}

// counts counts the labels before and after the decisions.
func (r *auditRoom) counts(decisions []audit.Decision) (before, after []classCount) {
	n, m := map[string]int{}, map[string]int{}
	for i := range r.audit.Rows {
		n[r.label(r.audit.Rows[i].Row)]++
	}
	for class, rows := range n {
		m[class] = rows
	}
	for _, d := range decisions {
		if _, known := r.place[d.Key]; !known {
			continue
		}
		switch d.Kind {
		case audit.Flip:
			m[d.Label]--
			m[d.To]++
		case audit.Exclude:
			m[d.Label]--
		}
	}
	for _, class := range r.audit.Summary.Classes {
		before, after = append(before, classCount{class, n[class]}), append(after, classCount{class, m[class]})
	}
	return before, after
}
