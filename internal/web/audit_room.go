package web

import (
	"context"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/table"
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
	uploaded map[string]int   // rows of each label as uploaded
}

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
	t, err := s.datasets.TableOf(ctx, r, d)
	if err != nil {
		return nil, err
	}
	room := newAuditRoom(r, a, t)
	s.audits.keep(room)
	return room, nil
}

// auditRooms keeps the rooms last used: a review turns page after page.
type auditRooms struct {
	mu    sync.Mutex
	rooms *cache.Cache[*auditRoom] // by run and when its audit was made
}

func newAuditRooms() *auditRooms {
	return &auditRooms{rooms: cache.Sized[*auditRoom](cache.Unlimited, keptRooms)}
}

// keptRooms bounds the rooms in memory.
const keptRooms = 2

func newAuditRoom(r store.Run, a *store.Audit, t *table.Table) *auditRoom {
	room := &auditRoom{orders: map[string][]int{}, run: r, labels: store.LabelsOf(r), audit: a, table: t,
		place: make(map[audit.Key]int, len(a.Keys)), byRow: make(map[int]int, len(a.Rows))}
	room.order, room.control = audit.Order(len(a.Rows), a.Summary.Seed)
	for i, k := range a.Keys {
		room.place[k], room.byRow[a.Rows[i].Row] = i, i
	}
	return room
}

func (c *auditRooms) find(run string, made time.Time) *auditRoom {
	c.mu.Lock()
	defer c.mu.Unlock()
	room, _ := c.rooms.Get(roomKey(run, made))
	return room
}

func (c *auditRooms) keep(room *auditRoom) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms.Drop(room.run.ID + " ") // of an audit that this one replaced
	c.rooms.Put(roomKey(room.run.ID, room.audit.Created), room, 0)
}

// roomKey names an audit by its run and the moment it was made, whatever the
// time zone in which that was read.
func roomKey(run string, made time.Time) string {
	return run + " " + made.UTC().Format(time.RFC3339Nano)
}

// drop forgets the rooms of a run or a dataset.
func (c *auditRooms) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rooms.Forget(func(_ string, r *auditRoom) bool { return r.run.ID == id || r.run.Dataset == id })
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
	return datasets.CellText(c, row)
}
