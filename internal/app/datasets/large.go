package datasets

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"strconv"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// A large file is mapped into memory, and so are the columns that are read from it: they lie in a file without a name
// in the data folder (store.Room), which the table holds as its Home. So the heap stays small, and the system gives
// the memory of pages to others when it needs it. Once nothing refers to the table, and the requests and jobs of that
// moment have ended, because a slice alone does not keep it, the room is closed. Small files, nearly all, are read on
// the heap as ever.

// mappedFrom is the size from which files, and stored columns, are mapped, in bytes.
const mappedFrom = 64 << 20

// mapped reports whether so many bytes are mapped.
func (s *Service) mapped(bytes int64) bool {
	return store.CanMap && bytes >= cmp.Or(s.mapFrom, mappedFrom)
}

// content returns the bytes of an upload, which may be read until done is called.
func (s *Service) content(ctx context.Context, up *store.Upload) (data []byte, done func() error, err error) {
	if s.mapped(up.Size()) {
		return up.Map()
	}
	data, err = up.Bytes(ctx)
	return data, func() error { return nil }, err
}

// parse reads a file. A large one is mapped, as its columns will be.
func (s *Service) parse(ctx context.Context, data []byte, opt table.Options,
	report table.Progress) (*table.Table, error) {
	within := s.limits
	within.Report = report
	if !s.mapped(int64(len(data))) {
		return table.Read(ctx, data, opt, within)
	}
	return s.lodge(func(room *store.Room) (*table.Table, error) {
		return table.ReadInto(ctx, data, opt, within, room)
	})
}

// fromFile reads the uploaded file of a dataset.
func (s *Service) fromFile(ctx context.Context, d store.Dataset) (*table.Table, error) {
	opt := d.Options.Reading()
	if !s.mapped(d.Bytes) {
		data, err := s.raw(ctx, d)
		if err != nil {
			return nil, err
		}
		return s.parse(ctx, data, opt, nil)
	}
	data, done, err := s.db.MapRaw(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	t, err := s.parse(ctx, data, opt, nil)
	if wiped := done(); wiped != nil { // which explains any other error
		return nil, wiped
	}
	return t, err
}

// lodging is what a table in a room refers to.
type lodging struct{ room *store.Room }

// lodge makes a table in a room of its own, which is closed after its last use.
func (s *Service) lodge(read func(*store.Room) (*table.Table, error)) (*table.Table, error) {
	room, err := s.db.NewRoom()
	if err != nil {
		return nil, err
	}
	t, err := read(room)
	if err != nil {
		return nil, errors.Join(err, room.Close())
	}
	home := &lodging{room}
	runtime.AddCleanup(home, func(room *store.Room) {
		s.memory.WhenUnused(func() { room.Close() }) //nolint:errcheck // the space comes back when the program ends
	}, room)
	t.Home = home
	for _, c := range t.Columns {
		c.Home = home
	}
	return t, nil
}

const (
	// checkedRows is the most rows that all data checks look at; DefaultLimits has as many.
	checkedRows = 5_000_000
	// sampledRows and sampledCells bound the rows of a longer table that they look at.
	sampledRows, sampledCells = 200_000, 8_000_000
)

// checked returns the table that the data checks look at, and each how many-th row of t it has: of a very long table
// they look at some rows, because they sort columns and compare rows, which takes the memory of the table again.
func (s *Service) checked(t *table.Table) (sample *table.Table, step int) {
	all := cmp.Or(s.checkAll, checkedRows)
	if t.Rows <= all {
		return t, 1
	}
	rows := max(1, min(sampledRows, sampledCells/max(1, len(t.Columns)), all))
	step = (t.Rows + rows - 1) / rows
	return t.Every(step), step
}

// fromSample says in each warning that it is about each step-th row.
func fromSample(list []table.Warning, step int) []table.Warning {
	if step == 1 {
		return list
	}
	for i := range list {
		list[i].Message = "Checked on one row in " + strconv.Itoa(step) + ": " + list[i].Message
		if list[i].Row > 0 {
			list[i].Row = (list[i].Row-1)*step + 1
		}
	}
	return list
}

// readingMemory bounds the memory for reading a file again whose table is known.
func (s *Service) readingMemory(d store.Dataset) int64 {
	if s.mapped(d.Bytes) {
		return table.MappedAgain(d.Bytes, s.limits, d.Rows, d.Profiles)
	}
	return table.ReadAgain(d.Bytes, d.Rows, d.Profiles)
}

// loadable returns an error if the columns to keep could not be loaded again within the program's memory: their file
// would be wiped for nothing.
func (s *Service) loadable(kept *table.Table) error {
	return s.memory.Requests.Check("This dataset", s.columnsMemory(kept.Shape()))
}

// keptMemory bounds the memory for loading the stored columns of a dataset.
func (s *Service) keptMemory(d store.Dataset) int64 {
	return s.columnsMemory(table.ShapeOf(d.Rows, d.Profiles))
}

// columnsMemory bounds the memory for loading stored columns: each is in memory twice, or, where they are mapped, one
// at a time and its copy in the database's cache, besides the texts of levels.
func (s *Service) columnsMemory(shape table.Shape) int64 {
	if all := shape.Memory(); !s.mapped(all) {
		return 2 * all
	}
	texts := int64(0)
	for _, c := range shape.Columns {
		texts += cost.Of(64, c.Levels)
	}
	return cost.Of(2*12, shape.Rows) + 2*texts
}
