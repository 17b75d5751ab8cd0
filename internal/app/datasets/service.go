// Package datasets holds the use cases of datasets that need the disk. It keeps the
// tables last used in memory, and lets one change of a dataset happen at a time. What
// a person answers about a file is a Patch; the table for a question about a run is
// TableOf, since the file is read as it was read for the run.
package datasets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"taper/internal/engine/check"
	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Service holds the use cases of datasets: from a file to typed columns, what was
// found and asked about them, changes, the file that is wiped. The part a column
// plays has one truth each: outcome, group and weights stand in store.Choice, using
// or leaving out a predictor in its table.ColumnSpec; the role shown is derived from
// both.
type Service struct {
	db       *store.DB
	limits   table.Limits
	tables   *tableCache
	now      func() time.Time
	locks    [64]sync.Mutex // by dataset id: changes of one dataset wait for each other
	sampling sync.Mutex     // samples are loaded one at a time
}

// lock keeps other changes of a dataset out until the function it returns is
// called.
func (s *Service) lock(id string) (unlock func()) {
	mu := &s.locks[crc32.ChecksumIEEE([]byte(id))%uint32(len(s.locks))]
	mu.Lock()
	return mu.Unlock
}

// keptBytes bounds the tables kept in memory besides the last one.
const keptBytes = 400 << 20

// New returns the service of a store; files must keep to the limits, and tables are kept within the memory.
func New(db *store.DB, limits table.Limits, memory cost.Memory, now func() time.Time) *Service {
	return &Service{db: db, limits: limits, tables: newTableCache(keptBytes, memory), now: now}
}

// File is what a file brings besides its bytes.
type File struct {
	Name, File string
	Options    table.Options
	Choice     store.Choice // Outcome "" = asked
	Draft      bool         // keep an unreadable file so that its dialect can be changed
	Sample     bool
	Simulated  bool
	Source     string
}

// Limits bound the files that are read.
func (s *Service) Limits() table.Limits { return s.limits }

// Upload streams a file into the data folder. The caller aborts it when it is
// done, which wipes what Create did not take.
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

// Create reads an uploaded file and stores what was found. An unreadable file
// is an error; with Draft one that shows some rows all the same becomes a
// dataset whose Problem says what to change.
func (s *Service) Create(ctx context.Context, up *store.Upload, nd File) (store.Dataset, error) {
	data, err := up.Bytes(ctx)
	if err != nil {
		return store.Dataset{}, fmt.Errorf("read upload: %w", err)
	}
	d := store.Dataset{
		ID: s.db.NewID("d"), Name: nd.Name, File: nd.File, Bytes: up.Size(), SHA256: up.Sum(), Created: s.now(),
		State: store.Raw, Options: nd.Options, Choice: nd.Choice, Sample: nd.Sample, Simulated: nd.Simulated,
		Source: nd.Source,
	}
	if err := s.read(ctx, &d, func() ([]byte, error) { return data, nil }); err != nil {
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

// NewName is a name for a dataset that tells it apart in lists: the given one, numbered where another dataset has it.
// Two that arrive at the same moment may get the same; nothing depends on names.
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
	rows, t.Columns = t.Rows, nil // what reads the file has memory of its own
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

// generator returns the generator of that id, which must exist.
func generator(id string) synth.Generator {
	return synth.Generators[slices.IndexFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == id })]
}

// read brings d up to date with its options: it reads the file unless a table
// read the same way is at hand. A file that cannot be read makes d a draft.
func (s *Service) read(ctx context.Context, d *store.Dataset, load func() ([]byte, error)) error {
	start := s.now()
	t, fresh, err := s.tables.get(ctx, *d, func() (*table.Table, error) {
		data, err := load()
		if err != nil {
			return nil, err
		}
		return table.Read(ctx, data, d.Options.Reading(), s.limits)
	})
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
	describe(ctx, d, t)
	return ctx.Err()
}

// describe refreshes everything that is shown of the table as it was read.
func describe(ctx context.Context, d *store.Dataset, base *table.Table) {
	t := base.WithOptions(d.Options)
	settleChoice(d, t)
	predictors := Predictors(*d, t)
	d.Rows, d.Dialect, d.Dropped = t.Rows, t.Dialect, t.Dropped
	d.Profiles = table.Profiles(t)
	for i, p := range d.Profiles {
		d.Profiles[i].Role = roleOf(d, p.Name, predictors)
		if check.Personal(t.Columns[i]) { // what names people is counted, never listed
			d.Profiles[i].Levels, d.Profiles[i].Histogram = nil, nil
		}
	}
	t = base.WithOptions(withChoice(d.Options, d.Choice))
	outcome := check.Outcome(ctx, t, outcomeChoice(d.Choice), predictors, d.Options)
	d.Warnings = check.Sort(table.Join(t.Warnings, check.Columns(t, d.Options), outcome))
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
		data, err := s.raw(ctx, d)
		if err != nil {
			return nil, err
		}
		return table.Read(ctx, data, d.Options.Reading(), s.limits)
	})
	if err != nil {
		return nil, err
	}
	return t.WithOptions(d.Options), nil
}

// raw loads the uploaded file, to be read.
func (s *Service) raw(ctx context.Context, d store.Dataset) ([]byte, error) {
	if _, err := cost.Hold(ctx, "Reading this file", table.ReadMemory(d.Bytes)); err != nil {
		return nil, err
	}
	return s.db.RawFile(ctx, d.ID)
}

// keptMemory is what loading the stored columns takes at most: beside the columns stands one as it is stored.
func keptMemory(d store.Dataset) int64 { return 2 * table.ShapeOf(d.Rows, d.Profiles).Memory() }

// ReadingMemory is what Table takes at most where the table is not at hand. A job holds it from its start, since
// it cannot ask for memory while it works.
func (s *Service) ReadingMemory(d store.Dataset) (int64, error) {
	switch {
	case d.State == store.Draft:
		return 0, nil
	case d.State == store.Kept:
		return keptMemory(d), nil
	case d.Dialect.Format != "xlsx":
		return table.ReadAgain(d.Bytes, d.Rows, d.Profiles), nil
	}
	f, err := s.db.OpenRaw(d.ID)
	if usererr.Is(err, usererr.Conflict) { // the file was wiped meanwhile, and its columns are read
		return keptMemory(d), nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return table.WorkbookAgain(f, d.Bytes, d.Rows, d.Profiles)
}

// kept loads the stored columns. Of the stored warnings only those belong to
// the table that cannot be made again: those of the reading, and that patients
// repeat where the column that told is gone.
func (s *Service) kept(ctx context.Context, d store.Dataset) (*table.Table, error) {
	if _, err := cost.Hold(ctx, "This dataset", keptMemory(d)); err != nil {
		return nil, err
	}
	t, err := s.db.Columns(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	t.Warnings = slices.DeleteFunc(t.Warnings, func(w table.Warning) bool {
		return !w.FromReading() && (w.Code != check.RepeatedPatients || w.Column != "")
	})
	return t, nil
}

// Confirm ends the reading: only the columns in use remain, and the uploaded
// file is wiped. Confirming twice is fine.
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
	if err := s.db.KeepColumns(ctx, d.ID, kept, leaksOf(ctx, d, t, kept)...); err != nil {
		return d, err
	}
	s.tables.drop(d.ID)
	return s.db.Dataset(ctx, d.ID)
}

// Delete wipes the dataset with all its runs.
func (s *Service) Delete(ctx context.Context, id string) error {
	defer s.lock(id)()
	s.tables.drop(id)
	return s.db.DeleteDataset(ctx, id)
}

// KeepModels wipes a dataset and keeps the models of some of its runs, which are
// made while nobody changes the dataset.
func (s *Service) KeepModels(ctx context.Context, id string, made func() ([]store.KeptRun, error)) error {
	defer s.lock(id)()
	kept, err := made()
	if err != nil {
		return err
	}
	s.tables.drop(id)
	return s.db.KeepModels(ctx, id, kept)
}

// Preview returns the first rows as text: of the file while it is there, else
// of the kept columns.
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

// headBytes is what a preview reads of a text file: more than its rows need.
const headBytes = 4 << 20

// head returns the start of an upload; of a workbook, or where the encoding is
// still to be found, all of it.
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
		data = data[:i+1] // a record cut in the middle is not shown
	}
	return data, err
}
