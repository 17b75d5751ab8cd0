// Package datasets implements the use cases of datasets that need storage. It caches the tables
// last used, and serialises the changes of a dataset. A person's answers about a file are a
// Patch. Questions about a run use TableOf, which parses the file as it was parsed for the run.
package datasets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"taper/internal/app/lock"
	"taper/internal/engine/check"
	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Service implements the use cases of datasets: from a file to typed columns, data checks,
// changes, and the deletion of the file. Each role of a column is stored once: outcome, group
// and weights in store.Choice, use as a predictor in its table.ColumnSpec. The displayed role
// is derived from both.
type Service struct {
	db       *store.DB
	limits   table.Limits
	memory   cost.Memory
	mapFrom  int64 // of tests; 0 = mappedFrom
	checkAll int   // of tests; 0 = checkedRows
	tables   *tableCache
	now      func() time.Time
	locks    lock.ByID  // changes of one dataset are serialised
	sampling sync.Mutex // samples are loaded one at a time
}

// keptBytes bounds the memory of cached tables besides the last one.
const keptBytes = 400 << 20

// New returns the service of a store. Files must be within the limits; cached tables stay
// within the memory.
func New(db *store.DB, limits table.Limits, memory cost.Memory, now func() time.Time) *Service {
	return &Service{db: db, limits: limits, memory: memory, tables: newTableCache(keptBytes, memory), now: now}
}

// File is the description of an uploaded file.
type File struct {
	Name, File string
	Options    table.Options
	Choice     store.Choice // Outcome "" = still to be chosen
	Draft      bool         // keep a file that cannot be parsed, so that its dialect can be changed
	Sample     bool
	Simulated  bool
	Source     string
	Report     table.Progress // informed how far the file is read; nil: nobody is
}

// Limits are the limits for files.
func (s *Service) Limits() table.Limits { return s.limits }

// Upload streams a file into the data folder. The caller must call Abort in the end, which
// deletes the file unless Create has taken it.
func (s *Service) Upload(r io.Reader) (*store.Upload, error) {
	up, err := s.db.NewUpload(s.limits.Bytes)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(up, r); err != nil {
		return nil, errors.Join(err, up.Abort())
	}
	return up, nil
}

// Create parses an uploaded file and stores the dataset. A file that cannot be parsed is an
// error; with Draft, if some rows can be shown, it becomes a dataset whose Problem says what to
// change.
func (s *Service) Create(ctx context.Context, up *store.Upload, nd File) (store.Dataset, error) {
	data, done, err := s.content(ctx, up)
	if err != nil {
		return store.Dataset{}, fmt.Errorf("read upload: %w", err)
	}
	defer done()
	d := store.Dataset{
		ID: s.db.NewID("d"), Name: nd.Name, File: nd.File, Bytes: up.Size(), SHA256: up.Sum(), Created: s.now(),
		State: store.Raw, Options: nd.Options, Choice: nd.Choice, Sample: nd.Sample, Simulated: nd.Simulated,
		Source: nd.Source,
	}
	parse := func() (*table.Table, error) {
		t, err := s.parse(ctx, data, d.Options.Reading(), nd.Report)
		if err == nil {
			nd.Report.Say("Checking the columns", 1)
		}
		return t, err
	}
	if err := s.read(ctx, &d, parse); err != nil {
		return store.Dataset{}, err
	}
	if d.State == store.Draft {
		if _, err := table.Head(ctx, data, d.Options.Dialect, 1); err != nil || !nd.Draft {
			return store.Dataset{}, d.Problem
		}
	}
	if err := s.db.CreateDataset(ctx, d, up); err != nil {
		s.tables.drop(d.ID)
		return store.Dataset{}, err
	}
	return d, nil
}

// NewName is a name that no other dataset has: the given one, numbered if necessary. Two
// uploads at the same moment may get the same; nothing depends on names.
func (s *Service) NewName(ctx context.Context, name string) (string, error) {
	last, err := s.db.LastDatasetNumbered(ctx, name)
	if err != nil || last == 0 {
		return name, err
	}
	return name + " #" + strconv.Itoa(last+1), nil
}

// Generate stores a simulated dataset.
func (s *Service) Generate(ctx context.Context, id string, rows int, seed uint64,
	params map[string]float64) (store.Dataset, error) {
	need, err := synth.Memory(id, rows, params)
	if err != nil {
		return store.Dataset{}, err
	}
	release, err := cost.Hold(ctx, "This table", need)
	if err != nil {
		return store.Dataset{}, err
	}
	defer release()
	t, meta, err := synth.Generate(id, rows, seed, params)
	if err != nil {
		return store.Dataset{}, err
	}
	g := generator(id)
	up, err := s.db.NewUpload(s.limits.Bytes)
	if err != nil {
		return store.Dataset{}, err
	}
	defer up.Abort()
	if err := synth.WriteCSV(up, t); err != nil {
		return store.Dataset{}, fmt.Errorf("write %s: %w", id, err)
	}
	rows, t.Columns = t.Rows, nil // parsing the file has its own memory
	release()
	name, err := s.NewName(ctx, fmt.Sprintf("%s, %d rows, seed %d", g.Title, rows, seed))
	if err != nil {
		return store.Dataset{}, err
	}
	return s.Create(ctx, up, File{
		Name: name, File: meta.Name,
		Choice: store.Choice{Outcome: meta.Outcome, Positive: table.OneLevel(meta.Positive),
			Negative: table.OneLevel(meta.Negative), ScoreOnly: meta.ScoreOnly},
		Simulated: true, Source: "simulated after " + g.Source,
	})
}

// generator returns the generator with this id; it must exist.
func generator(id string) synth.Generator {
	return synth.Generators[slices.IndexFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == id })]
}

// read updates d from its options: load parses the file unless a table parsed in the same way is
// cached. A file that cannot be parsed makes d a draft.
func (s *Service) read(ctx context.Context, d *store.Dataset, load func() (*table.Table, error)) error {
	start := s.now()
	t, fresh, err := s.tables.get(ctx, *d, load)
	if problem, ok := usererr.As(err); ok && problem.Code == usererr.Invalid && len(problem.Fields) == 0 &&
		!problem.Costly {
		d.State, d.Problem, d.Rows = store.Draft, problem, 0
		d.Profiles, d.Warnings, d.Dropped, d.Dialect = nil, nil, nil, d.Options.Dialect
		return nil
	}
	if err != nil {
		return err
	}
	d.State, d.Problem = store.Raw, nil
	if fresh {
		d.ReadMS = s.now().Sub(start).Milliseconds()
	}
	s.describe(ctx, d, t)
	return ctx.Err()
}

// describe updates everything that is displayed about the parsed table.
func (s *Service) describe(ctx context.Context, d *store.Dataset, base *table.Table) {
	t := base.WithOptions(d.Options)
	settleChoice(d, t)
	predictors := Predictors(*d, t)
	d.Rows, d.Dialect, d.Dropped = t.Rows, t.Dialect, t.Dropped
	d.Profiles = table.Profiles(t)
	for i, p := range d.Profiles {
		d.Profiles[i].Role = roleOf(d, p.Name, predictors)
		if check.Personal(t.Columns[i]) { // columns that identify people are counted, never listed
			d.Profiles[i].Levels, d.Profiles[i].Histogram = nil, nil
		}
	}
	t = base.WithOptions(withChoice(d.Options, d.Choice))
	some, step := s.checked(t)
	outcome := fromSample(check.Outcome(ctx, some, outcomeChoice(d.Choice), predictors, d.Options), step)
	d.Warnings = check.Sort(table.Join(t.Warnings, fromSample(check.Columns(some, d.Options), step), outcome))
}

// Table returns the typed columns of a dataset, with the roles of its options.
func (s *Service) Table(ctx context.Context, d store.Dataset) (*table.Table, error) {
	t, _, err := s.tables.get(ctx, d, func() (*table.Table, error) {
		switch d.State {
		case store.Draft:
			return nil, d.Problem
		case store.Kept:
			return s.kept(ctx, d)
		}
		return s.fromFile(ctx, d)
	})
	if err != nil {
		return nil, err
	}
	return t.WithOptions(d.Options), nil
}

// raw loads the uploaded file.
func (s *Service) raw(ctx context.Context, d store.Dataset) ([]byte, error) {
	if _, err := cost.Hold(ctx, "Reading this file", table.ReadMemory(d.Bytes)); err != nil {
		return nil, err
	}
	return s.db.RawFile(ctx, d.ID)
}

// ReadingMemory is an upper bound on the memory of Table if the table is not cached. A job
// reserves it at its start, since it cannot ask for memory later.
func (s *Service) ReadingMemory(d store.Dataset) (int64, error) {
	switch {
	case d.State == store.Draft:
		return 0, nil
	case d.State == store.Kept:
		return s.keptMemory(d), nil
	case d.Dialect.Format != "xlsx":
		return s.readingMemory(d), nil
	}
	f, err := s.db.OpenRaw(d.ID)
	if usererr.Is(err, usererr.Conflict) { // the file was deleted meanwhile; its stored columns are loaded
		return s.keptMemory(d), nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return table.WorkbookAgain(f, d.Bytes, d.Rows, d.Profiles)
}

// kept loads the stored columns. Of the stored warnings it returns those that cannot be
// recomputed: warnings from parsing, and repeated patients if the identifying column is gone.
func (s *Service) kept(ctx context.Context, d store.Dataset) (*table.Table, error) {
	if _, err := cost.Hold(ctx, "This dataset", s.keptMemory(d)); err != nil {
		return nil, err
	}
	load := func(room *store.Room) (*table.Table, error) { return s.db.ColumnsInto(ctx, d.ID, room) }
	var t *table.Table
	var err error
	if s.mapped(table.ShapeOf(d.Rows, d.Profiles).Memory()) {
		t, err = s.lodge(load)
	} else {
		t, err = load(nil)
	}
	if err != nil {
		return nil, err
	}
	t.Warnings = slices.DeleteFunc(t.Warnings, func(w table.Warning) bool {
		return !w.FromReading() && (w.Code != check.RepeatedPatients || w.Column != "")
	})
	return t, nil
}

// Confirm ends the editing of a dataset: it is stored as d, only the columns in use stay, and the
// uploaded file is deleted. A second call does nothing.
func (s *Service) Confirm(ctx context.Context, d store.Dataset) (store.Dataset, error) {
	if d.State == store.Kept {
		return d, nil
	}
	if why := OpenQuestion(d); why != "" {
		return d, usererr.New(usererr.Conflict, "%s Only the columns in use are kept.", why)
	}
	t, err := s.Table(ctx, d)
	if err != nil {
		return d, err
	}
	kept := InUse(d, t)
	if err := s.loadable(kept); err != nil {
		return d, err
	}
	some, _ := s.checked(t)
	if err := s.db.KeepColumns(ctx, d, kept, leaksOf(ctx, d, some, kept)...); err != nil {
		return d, err
	}
	s.tables.drop(d.ID)
	return s.db.Dataset(ctx, d.ID)
}

// Delete deletes a dataset with all its runs.
func (s *Service) Delete(ctx context.Context, id string) error {
	defer s.locks.Lock(id)()
	s.tables.drop(id)
	return s.db.DeleteDataset(ctx, id)
}

// KeepModels deletes a dataset and keeps the models of some of its runs. made builds them while
// changes of the dataset are blocked.
func (s *Service) KeepModels(ctx context.Context, id string, made func() ([]store.KeptRun, error)) error {
	defer s.locks.Lock(id)()
	kept, err := made()
	if err != nil {
		return err
	}
	s.tables.drop(id)
	return s.db.KeepModels(ctx, id, kept)
}

// Preview returns the first rows as text: from the file while it exists, otherwise from the
// stored columns.
func (s *Service) Preview(ctx context.Context, d store.Dataset, rows int) (table.Preview, error) {
	if d.State != store.Kept {
		data, err := head(ctx, s.db, d)
		if err != nil {
			return table.Preview{}, err
		}
		return table.Head(ctx, data, previewDialect(d), rows)
	}
	t, err := s.Table(ctx, d)
	if err != nil {
		return table.Preview{}, err
	}
	return previewOf(t, rows), nil
}

// headBytes is the size of the part of a text file read for a preview, more than its rows need.
const headBytes = 4 << 20

// head returns the start of an upload; all of it for a workbook, or if its encoding is not yet
// known.
func head(ctx context.Context, db *store.DB, d store.Dataset) ([]byte, error) {
	size := d.Bytes
	if d.Dialect.Format == "csv" && d.Dialect.Encoding != "" {
		size = min(size, headBytes)
	}
	if _, err := cost.Hold(ctx, "Reading this file", table.ReadMemory(size)); err != nil {
		return nil, err
	}
	f, err := db.OpenRaw(d.ID)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size == d.Bytes {
		return io.ReadAll(f)
	}
	data, err := io.ReadAll(io.LimitReader(f, size))
	if i := bytes.LastIndexByte(data, '\n'); i > 0 {
		data = data[:i+1] // drop a record cut in the middle
	}
	return data, err
}
