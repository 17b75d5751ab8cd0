package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
	"time"

	"taper/internal/engine/check"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// intake holds the use cases around a dataset, shared by the pages and the
// API. The part a column plays has one truth each: outcome, group and weights
// stand in store.Choice, using or leaving out a predictor in its
// table.ColumnSpec; the role shown is derived from both.
type intake struct {
	db     *store.DB
	limits table.Limits
	tables *tableCache
	now    func() time.Time
	locks  [64]sync.Mutex // by dataset id: changes of one dataset wait for each other
}

// lock keeps other changes of a dataset out until the function it returns is
// called.
func (in *intake) lock(id string) (unlock func()) {
	mu := &in.locks[crc32.ChecksumIEEE([]byte(id))%uint32(len(in.locks))]
	mu.Lock()
	return mu.Unlock
}

// keptCells bounds the tables kept in memory besides the last one: 400 MB.
const keptCells = 50_000_000

func newIntake(db *store.DB, limits table.Limits, now func() time.Time) *intake {
	return &intake{db: db, limits: limits, tables: newTableCache(keptCells), now: now}
}

// newDataset is what a file brings besides its bytes.
type newDataset struct {
	Name, File string
	Options    table.Options
	Choice     store.Choice // Outcome "" = asked
	Draft      bool         // keep an unreadable file so that its dialect can be changed
	Sample     bool
	Simulated  bool
	Source     string
}

// Upload streams a file into the data folder. The caller aborts it when it is
// done, which wipes what Create did not take.
func (in *intake) Upload(r io.Reader) (*store.Upload, error) {
	up, err := in.db.NewUpload(in.limits.Bytes)
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
func (in *intake) Create(ctx context.Context, up *store.Upload, nd newDataset) (store.Dataset, error) {
	data, err := uploaded(up)
	if err != nil {
		return store.Dataset{}, fmt.Errorf("read upload: %w", err)
	}
	d := store.Dataset{
		ID: in.db.NewID("d"), Name: nd.Name, File: nd.File, Bytes: up.Size(), SHA256: up.Sum(), Created: in.now(),
		State: store.Raw, Options: nd.Options, Choice: nd.Choice, Sample: nd.Sample, Simulated: nd.Simulated,
		Source: nd.Source,
	}
	if err := in.read(ctx, &d, func() ([]byte, error) { return data, nil }); err != nil {
		return store.Dataset{}, err
	}
	if d.State == store.Draft {
		if _, err := table.Head(ctx, data, d.Options.Dialect, 1); err != nil || !nd.Draft {
			return store.Dataset{}, d.Problem
		}
	}
	if err := in.db.CreateDataset(ctx, d, up); err != nil {
		in.tables.drop(d.ID)
		return store.Dataset{}, err
	}
	return d, nil
}

// uploaded returns what an upload holds.
func uploaded(up *store.Upload) ([]byte, error) {
	f, err := up.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, up.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// Generate stores a simulated dataset.
func (in *intake) Generate(ctx context.Context, id string, rows int, seed uint64,
	params map[string]float64) (store.Dataset, error) {
	t, meta, err := synth.Generate(id, rows, seed, params)
	if err != nil {
		return store.Dataset{}, err
	}
	g := generator(id)
	var file bytes.Buffer
	if err := synth.WriteCSV(&file, t); err != nil {
		return store.Dataset{}, fmt.Errorf("write %s: %w", id, err)
	}
	up, err := in.Upload(&file)
	if err != nil {
		return store.Dataset{}, err
	}
	defer up.Abort()
	return in.Create(ctx, up, newDataset{
		Name: fmt.Sprintf("%s, %d rows, seed %d", g.Title, t.Rows, seed), File: meta.Name,
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
func (in *intake) read(ctx context.Context, d *store.Dataset, load func() ([]byte, error)) error {
	start := in.now()
	t, fresh, err := in.tables.get(ctx, *d, func() (*table.Table, error) {
		data, err := load()
		if err != nil {
			return nil, err
		}
		return table.Read(ctx, data, d.Options.Reading(), in.limits)
	})
	if problem, ok := usererr.As(err); ok && problem.Code == usererr.Invalid && len(problem.Fields) == 0 {
		d.State, d.Problem, d.Rows = store.Draft, problem, 0
		d.Profiles, d.Warnings, d.Dropped, d.Dialect = nil, nil, nil, d.Options.Dialect
		return nil
	}
	if err != nil {
		return err
	}
	d.State, d.Problem = store.Raw, nil
	if fresh {
		d.ReadMS = in.now().Sub(start).Milliseconds()
	}
	describe(ctx, d, t)
	return ctx.Err()
}

// describe refreshes everything that is shown of the table as it was read.
func describe(ctx context.Context, d *store.Dataset, base *table.Table) {
	t := base.With(d.Options)
	settleChoice(d, t)
	predictors := predictorsOf(*d, t)
	d.Rows, d.Dialect, d.Dropped = t.Rows, t.Dialect, t.Dropped
	d.Profiles = table.Profiles(t)
	for i, p := range d.Profiles {
		d.Profiles[i].Role = roleOf(d.Choice, p.Name, predictors)
	}
	t = base.With(withChoice(d.Options, d.Choice))
	outcome := check.Outcome(ctx, t, outcomeChoice(d.Choice), predictors, d.Options)
	d.Warnings = check.Sort(table.Join(t.Warnings, check.Columns(t, d.Options), outcome))
}

// Table returns the typed columns of a dataset, with the roles of its options.
func (in *intake) Table(ctx context.Context, d store.Dataset) (*table.Table, error) {
	t, _, err := in.tables.get(ctx, d, func() (*table.Table, error) {
		switch d.State {
		case store.Draft:
			return nil, d.Problem
		case store.Kept:
			return in.kept(ctx, d.ID)
		}
		data, err := in.db.Raw(ctx, d.ID)
		if err != nil {
			return nil, err
		}
		return table.Read(ctx, data, d.Options.Reading(), in.limits)
	})
	if err != nil {
		return nil, err
	}
	return t.With(d.Options), nil
}

// kept loads the stored columns. Of the stored warnings only those belong to
// the table that cannot be made anew: those of the reading, and that patients
// repeat where the column that told is gone.
func (in *intake) kept(ctx context.Context, id string) (*table.Table, error) {
	t, err := in.db.Columns(ctx, id)
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
func (in *intake) Confirm(ctx context.Context, d store.Dataset) (store.Dataset, error) {
	if d.State == store.Kept {
		return d, nil
	}
	if why := openChoice(d); why != "" {
		return d, usererr.New(usererr.Conflict, "%s Only the columns in use are kept.", why)
	}
	t, err := in.Table(ctx, d)
	if err != nil {
		return d, err
	}
	kept := inUse(d, t)
	if err := in.db.KeepColumns(ctx, d.ID, kept, leaksOf(ctx, d, t, kept)...); err != nil {
		return d, err
	}
	in.tables.drop(d.ID)
	return in.db.Dataset(ctx, d.ID)
}

// Delete wipes the dataset with all its runs.
func (in *intake) Delete(ctx context.Context, id string) error {
	defer in.lock(id)()
	in.tables.drop(id)
	return in.db.DeleteDataset(ctx, id)
}

// Preview returns the first rows as text: of the file while it is there, else
// of the kept columns.
func (in *intake) Preview(ctx context.Context, d store.Dataset, rows int) (table.Preview, error) {
	if d.State != store.Kept {
		data, err := head(in.db, d)
		if err != nil {
			return table.Preview{}, err
		}
		return table.Head(ctx, data, previewDialect(d), rows)
	}
	t, err := in.Table(ctx, d)
	if err != nil {
		return table.Preview{}, err
	}
	return previewOf(t, rows), nil
}

// headBytes is what a preview reads of a text file: more than its rows need.
const headBytes = 4 << 20

// head returns the start of an upload; of a workbook, or where the encoding is
// still to be found, all of it.
func head(db *store.DB, d store.Dataset) ([]byte, error) {
	f, err := db.OpenRaw(d.ID)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if d.Dialect.Format != "csv" || d.Dialect.Encoding == "" || d.Bytes <= headBytes {
		return io.ReadAll(f)
	}
	data, err := io.ReadAll(io.LimitReader(f, headBytes))
	if i := bytes.LastIndexByte(data, '\n'); i > 0 {
		data = data[:i+1] // a record cut in the middle is not shown
	}
	return data, err
}
