package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/cache"
	"taper/internal/engine/audit"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// ReviewQueue holds what is loaded for one audit: the ranking with its keys, the data, and
// orders computed once.
type ReviewQueue struct {
	Run     store.Run
	Labels  store.Labels
	Audit   *store.Audit
	Table   *table.Table
	Place   map[audit.Key]int // index in the ranking
	ByRow   map[int]int       // data row → index in the ranking
	order   []int             // order of review, as indices in the ranking
	control []bool            // by index in the ranking

	mu       sync.Mutex
	vicinity *audit.Vicinity
	orders   map[string][]int // indices in the ranking, by sort key
	uploaded map[string]int   // number of rows per uploaded label
}

// Auditable loads a finished run whose labels can be audited.
func (a *App) Auditable(ctx context.Context, id string) (store.Run, error) {
	r, err := a.db.Run(ctx, id)
	switch {
	case err != nil:
		return r, err
	case r.Status != store.Done:
		return r, unfinished(r)
	case !r.Wiped.IsZero():
		return r, r.DataWiped("there are no labels to audit")
	case r.Spec.Bins != nil:
		return r, usererr.New(usererr.Invalid, "The classes of this run are cut from a number: there are no labels to audit.")
	}
	return r, nil
}

// Review opens the audit of a run; nil if there is none.
func (a *App) Review(ctx context.Context, r store.Run) (*ReviewQueue, error) {
	made, err := a.db.AuditMade(ctx, r.ID)
	if err != nil || made.IsZero() {
		return nil, err
	}
	if queue := a.reviews.find(r.ID, made); queue != nil {
		return queue, nil
	}
	bytes, rows, err := a.db.AuditMemory(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if _, err := cost.Hold(ctx, "Reading this audit", bytes+cost.Of(queueRowBytes, rows)); err != nil {
		return nil, err
	}
	found, err := a.db.Audit(ctx, r.ID)
	if err != nil || found == nil {
		return nil, err
	}
	d, err := a.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return nil, err
	}
	t, err := a.Datasets.TableOf(ctx, r, d)
	if err != nil {
		return nil, err
	}
	queue := NewReviewQueue(r, found, t)
	a.reviews.keep(queue)
	return queue, nil
}

// Reviewed is Review with an error if there is no audit.
func (a *App) Reviewed(ctx context.Context, r store.Run) (*ReviewQueue, error) {
	queue, err := a.Review(ctx, r)
	if err == nil && queue == nil {
		err = usererr.New(usererr.Conflict, "The labels of this run have not been ranked yet: audit them first.")
	}
	return queue, err
}

// reviewQueues caches the queues last used, because a review requests page after page.
type reviewQueues struct {
	mu     sync.Mutex
	queues *cache.Cache[*ReviewQueue] // by run and time of its audit
}

func newReviewQueues(memory cost.Memory) *reviewQueues {
	c := &reviewQueues{queues: cache.NewSized[*ReviewQueue](cache.Unlimited, keptQueues).Within(memory.Caches)}
	memory.GiveWay(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.queues.Drop("")
	})
	return c
}

// queueRowBytes estimates the memory per row of a queue: the row, its key, and entries in two
// maps.
const queueRowBytes = 400

// keptQueues is the number of cached queues.
const keptQueues = 2

// NewReviewQueue builds the queue of an audit from the table whose labels were audited.
func NewReviewQueue(r store.Run, a *store.Audit, t *table.Table) *ReviewQueue {
	queue := &ReviewQueue{orders: map[string][]int{}, Run: r, Labels: store.LabelsOf(r), Audit: a, Table: t,
		Place: make(map[audit.Key]int, len(a.Keys)), ByRow: make(map[int]int, len(a.Rows))}
	queue.order, queue.control = audit.Order(len(a.Rows), a.Summary.Seed)
	for i, k := range a.Keys {
		queue.Place[k], queue.ByRow[a.Rows[i].Row] = i, i
	}
	return queue
}

func (c *reviewQueues) find(run string, made time.Time) *ReviewQueue {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue, _ := c.queues.Get(queueKey(run, made))
	return queue
}

func (c *reviewQueues) keep(queue *ReviewQueue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queues.Drop(queue.Run.ID + " ") // of an audit that this one replaces
	size := cost.Of(queueRowBytes, len(queue.Audit.Rows)) + audit.VicinityMemory(queue.Run.Spec, queue.Table.Shape())
	c.queues.Put(queueKey(queue.Run.ID, queue.Audit.Created), queue, int(size))
}

// queueKey identifies an audit by its run and its time, independent of the time zone it was
// read in.
func queueKey(run string, made time.Time) string {
	return run + " " + made.UTC().Format(time.RFC3339Nano)
}

// drop removes the queues of a run or a dataset.
func (c *reviewQueues) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queues.Forget(func(_ string, r *ReviewQueue) bool { return r.Run.ID == id || r.Run.Dataset == id })
}

// Vicinity returns the design for finding neighbours, built on first use.
func (r *ReviewQueue) Vicinity(ctx context.Context) (*audit.Vicinity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vicinity == nil {
		_, err := cost.Hold(ctx, "Finding similar rows", audit.VicinityMemory(r.Run.Spec, r.Table.Shape()))
		if err != nil {
			return nil, err
		}
		v, err := audit.NewVicinity(ctx, r.Table, r.Run.Spec)
		if err != nil {
			return nil, err
		}
		r.vicinity = v
	}
	return r.vicinity, nil
}

// Label is the uploaded label of a row.
func (r *ReviewQueue) Label(row int) string {
	c := r.Table.Column(r.Run.Spec.Outcome)
	if c == nil {
		return ""
	}
	return datasets.CellText(c, row)
}

// class is the class of an uploaded label, which is one of several values where they were joined.
func (r *ReviewQueue) class(label string) string {
	if r.Run.Result == nil {
		return label
	}
	return r.Run.Result.ClassOf(label)
}

// Selection filters and sorts the rows of a queue.
type Selection struct {
	Sort  string // review, suspicion, margin, weight or row
	State string // open, decided, or a kind of decision; "" = all
	Label string // class as audited; "" = all
}

// List returns the selected rows in order, as indices in the ranking.
func (r *ReviewQueue) List(q Selection, decided map[audit.Key]audit.Decision) []int {
	order := r.sorted(q.Sort)
	if q.State == "" && q.Label == "" {
		return order
	}
	kinds := make([]audit.Kind, len(order)) // by index; most rows have no decision
	for key, d := range decided {
		if at, known := r.Place[key]; known {
			kinds[at] = d.Kind
		}
	}
	label := slices.Index(r.Audit.Summary.Classes, q.Label)
	all := make([]int, 0, len(order))
	for _, at := range order {
		if (q.Label == "" || r.Audit.Rows[at].Label == label) && inState(q.State, kinds[at]) {
			all = append(all, at)
		}
	}
	return all
}

func inState(state string, kind audit.Kind) bool {
	switch state {
	case "":
		return true
	case "open":
		return kind == ""
	case "decided":
		return kind != ""
	}
	return string(kind) == state
}

// sorted returns the indices in an order, computed once; callers must not change it.
func (r *ReviewQueue) sorted(by string) []int {
	if by == "review" {
		return r.order
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.orders[by] != nil {
		return r.orders[by]
	}
	order := make([]int, len(r.order))
	for i := range order {
		order[i] = i // the ranking is sorted by suspicion
	}
	rows := r.Audit.Rows
	key := map[string]func(i int) float64{
		"margin": func(i int) float64 { return rows[i].Margin },
		"weight": func(i int) float64 { return rows[i].Weight },
		"row":    func(i int) float64 { return float64(rows[i].Row) },
	}[by]
	if key != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	r.orders[by] = order
	return order
}

// uploadedLabels counts the uploaded labels, once; callers must not change it.
func (r *ReviewQueue) uploadedLabels() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.uploaded == nil {
		r.uploaded = map[string]int{}
		for i := range r.Audit.Rows {
			r.uploaded[r.Label(r.Audit.Rows[i].Row)]++
		}
	}
	return r.uploaded
}

// Decide stores decisions on rows of an audit. A flip without a class goes to the most likely
// other one.
func (a *App) Decide(ctx context.Context, queue *ReviewQueue, given ...audit.Decision) error {
	defer a.locks.Lock(reviewOn(queue))()
	before, err := a.Decisions(ctx, queue)
	if err != nil {
		return err
	}
	return a.decide(ctx, queue, ByKey(before), given...)
}

// reviewOn is the id of the lock of the decisions about the labels of a queue.
func reviewOn(queue *ReviewQueue) string {
	l := queue.Labels
	return "review " + l.Dataset + " " + l.DataHash + " " + l.Outcome
}

// Annotate stores the note of d on its row, whose decision stays, also if it is made at the same time.
func (a *App) Annotate(ctx context.Context, queue *ReviewQueue, d audit.Decision) error {
	defer a.locks.Lock(reviewOn(queue))()
	before, err := a.Decisions(ctx, queue)
	if err != nil {
		return err
	}
	all := ByKey(before)
	was := all[d.Key]
	if d.Kind, d.To = was.Kind, was.To; d.Kind == "" && d.Note == was.Note {
		return nil
	}
	return a.decide(ctx, queue, all, d)
}

// decide is Decide for callers that hold the lock and know the decisions before.
func (a *App) decide(ctx context.Context, queue *ReviewQueue, before map[audit.Key]audit.Decision,
	given ...audit.Decision) error {
	for i := range given {
		d := &given[i]
		at, known := queue.Place[d.Key]
		if !known {
			return usererr.New(usererr.NotFound, "No row of this audit has that key. The data or the columns in use have "+
				"changed "+
				"since: run the audit again.")
		}
		row := queue.Audit.Rows[at]
		classes := queue.Audit.Summary.Classes
		own := queue.class(queue.Label(row.Row))
		d.Row, d.Label, d.Control = row.Row, queue.Label(row.Row), queue.control[at]
		switch {
		case d.Kind != "" && !d.Kind.Valid():
			return usererr.BadField("decision", "must be keep, flip, exclude or unsure (got %.40q)", d.Kind)
		case len(d.Note) > audit.MaxNote:
			return usererr.BadField("note", "must hold at most %d bytes", audit.MaxNote)
		case d.Kind != audit.Flip:
			d.To = ""
		case d.To == "":
			d.To = FlipTo(classes, own, row)
		case !slices.Contains(classes, d.To) || d.To == own:
			return usererr.BadField("to", "must be another class than the label, one of %d (got %.40q)", len(classes), d.To)
		}
		// The evidence is shown from the first decision on, so a changed one was not made without it.
		if was := before[d.Key]; was.Kind != "" {
			d.Blind = was.Blind && was.Kind == d.Kind && was.To == d.To
		}
	}
	return a.db.Decide(ctx, queue.Labels, queue.Run.ID, given...)
}

// Decisions lists the valid decisions about the rows of an audit, each with the place of its row in the data of the
// run. Decisions belong to the labels of a file: those that a run made on other rows of it, as of another sheet, are
// left out.
func (a *App) Decisions(ctx context.Context, queue *ReviewQueue) ([]audit.Decision, error) {
	all, err := a.db.Decisions(ctx, queue.Labels)
	own := all[:0]
	for _, d := range all {
		if at, known := queue.Place[d.Key]; known {
			d.Row = queue.Audit.Rows[at].Row
			own = append(own, d)
		}
	}
	return own, err
}

// ImportDecisions stores those decisions of a file that change something, and counts them.
func (a *App) ImportDecisions(ctx context.Context, queue *ReviewQueue, given []audit.Decision) (n int, err error) {
	before, err := a.Decisions(ctx, queue)
	if err != nil {
		return 0, err
	}
	decided := ByKey(before)
	var fresh []audit.Decision
	for _, d := range given {
		was, is := decided[d.Key]
		if is && was.Kind == d.Kind && was.Note == d.Note && (d.To == "" || was.To == d.To) {
			continue
		}
		fresh = append(fresh, d)
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	return len(fresh), a.Decide(ctx, queue, fresh...)
}

// FlipTo is the default class for a flip: the most likely other one. If an earlier review
// changed the label, it is the audited label.
func FlipTo(classes []string, own string, row audit.Row) string {
	if to := classes[row.Other]; to != own {
		return to
	}
	return classes[row.Label]
}

// ByKey maps row keys to decisions.
func ByKey(decisions []audit.Decision) map[audit.Key]audit.Decision {
	m := make(map[audit.Key]audit.Decision, len(decisions))
	for _, d := range decisions {
		m[d.Key] = d
	}
	return m
}

// Counts counts the labels by class before and after decisions.
func (r *ReviewQueue) Counts(decisions []audit.Decision) (before, after map[string]int) {
	before = map[string]int{}
	for label, n := range r.uploadedLabels() {
		before[r.class(label)] += n
	}
	after = maps.Clone(before)
	for _, d := range decisions {
		if _, known := r.Place[d.Key]; !known {
			continue
		}
		switch d.Kind {
		case audit.Flip:
			after[r.class(d.Label)]--
			after[d.To]++
		case audit.Exclude:
			after[r.class(d.Label)]--
		}
	}
	return before, after
}
