package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Run is the record of one training. After it has ended only Name and Notes change.
type Run struct {
	ID, Dataset, DatasetName, DatasetSHA string // of the dataset when the run was created
	Name, Notes, Status                  string
	Created, Started, Finished           time.Time // zero if not yet
	// when its data were wiped and the model was kept; zero if the data exist
	Wiped time.Time
	Spec  runspec.Spec
	// how the file was read; nil for runs of older versions and wiped ones
	Reading *table.Options
	Result  *engine.Result // nil until done; Model and Rows are read separately
	Error   string         // one sentence
	Version string         // of the program
	Rows    int            // data rows of the dataset
	Summary Summary        // the fields that lists need in addition
}

// ColumnsReading is how the file was read, restricted to the run's columns; nil if not stored.
func (r Run) ColumnsReading() *table.Options {
	if r.Reading == nil {
		return nil
	}
	o, used := r.Reading.Reading(), r.Spec.Columns()
	o.Columns = slices.DeleteFunc(o.Columns, func(c table.ColumnSpec) bool { return !slices.Contains(used, c.Name) })
	return &o
}

// CreateRun stores a queued run. DatasetName, DatasetSHA and Rows come from the dataset; a zero Created
// means now.
func (db *DB) CreateRun(ctx context.Context, r Run) error {
	return db.createRun(ctx, r, func(*sql.Tx) error { return nil })
}

// createRun is CreateRun; with adds to the run in the same transaction.
func (db *DB) createRun(ctx context.Context, r Run, with func(*sql.Tx) error) error {
	d, err := db.Dataset(ctx, r.Dataset)
	if err != nil {
		return err
	}
	r.DatasetName, r.DatasetSHA, r.Rows = d.Name, d.SHA256, d.Rows
	if r.Created.IsZero() {
		r.Created = db.now()
	}
	spec, err := toJSON(r.Spec)
	if err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	reading, err := readingJSON(r.Reading)
	if err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	err = db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		// The row of a dataset remains when only models are kept; it must not get new runs.
		var there bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM datasets WHERE id = ? AND wiped IS NULL)`,
			r.Dataset).Scan(&there); err != nil {
			return false, err
		}
		if !there {
			return false, noDataset(r.Dataset)
		}
		if err := insertRun(ctx, tx, r); err != nil {
			return false, err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO run_specs (run, spec, reading) VALUES (?, ?, ?)`, r.ID, spec, reading)
		if err != nil {
			return false, err
		}
		if err := with(tx); err != nil {
			return false, err
		}
		return runAlone(ctx, tx, r.ID)
	})
	if err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	return nil
}

// readingJSON returns reading options as text; nil if unknown.
func readingJSON(o *table.Options) (*string, error) {
	if o == nil {
		return nil, nil
	}
	text, err := toJSON(o)
	return &text, err
}

func insertRun(ctx context.Context, tx *sql.Tx, r Run) error {
	s := r.Spec
	bounds, err := toJSON(s.Boundaries)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO runs (id, dataset, dataset_name, dataset_sha, row_count, name, notes, find, status, error, version,
			created, loss, task, mode, outcome, positive, boundaries)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', '', ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.Dataset, r.DatasetName, r.DatasetSHA, r.Rows, r.Name, r.Notes,
		findText(r.Name, s.Model.Loss, r.DatasetName, s.Outcome), r.Version,
		millis(r.Created), s.Model.Loss, s.Task, s.Mode, s.Outcome, s.Positive.String(), bounds)
	return err
}

// StartRun marks a queued run as running.
func (db *DB) StartRun(ctx context.Context, id string) error {
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		err = db.change(ctx, tx, id, `UPDATE runs SET status = 'running', started = ? WHERE id = ? AND status = 'queued'`,
			millis(db.now()), id)
		if err != nil {
			return false, err
		}
		return runAlone(ctx, tx, id)
	})
}

// FinishRun stores the result, the model and the scored rows of a run.
func (db *DB) FinishRun(ctx context.Context, id string, res *engine.Result) error {
	found, err := encodeResult(res)
	if err != nil {
		return err
	}
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		if err := db.insertResult(ctx, tx, id, found); err != nil {
			return false, err
		}
		if err := db.endJob(ctx, tx, id, RunJob, Done); err != nil {
			return false, err
		}
		return runAlone(ctx, tx, id)
	})
}

// encodedResult is a result as it is stored.
type encodedResult struct {
	result, model string
	rows          []byte
	sum           Summary
}

func encodeResult(res *engine.Result) (e encodedResult, err error) {
	if e.result, err = toJSON(res); err != nil {
		return e, fmt.Errorf("encode result: %w", err)
	}
	if e.model, err = toJSON(res.Model); err != nil {
		return e, fmt.Errorf("encode model: %w", err)
	}
	e.rows, e.sum = encodeRows(res.Rows), summarize(res)
	return e, nil
}

// insertResult ends a run with a result.
func (db *DB) insertResult(ctx context.Context, tx *sql.Tx, id string, e encodedResult) error {
	sum := e.sum
	err := db.change(ctx, tx, id, `
		UPDATE runs SET `+statisticsChanged+`, status = 'done', finished = ?, n = ?, events = ?,
			seconds = ?, elapsed = ?, bands_ok = ?, bands_judged = ?
		WHERE id = ? AND status IN ('queued', 'running')`,
		append(sum.values(), millis(db.now()), sum.N, sum.Events, sum.Seconds, sum.ElapsedS, sum.BandsOK,
			sum.BandsEvaluated, id)...)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO run_results (run, result, model, row_data) VALUES (?, ?, ?, ?)`,
		id, e.result, e.model, e.rows)
	return err
}

// EndRun ends a run without a result: Failed, Cancelled or Interrupted, with a
// sentence.
func (db *DB) EndRun(ctx context.Context, id, status, sentence string) error {
	switch status {
	case Failed, Cancelled, Interrupted:
	default:
		return fmt.Errorf("end run: status %q", status)
	}
	return db.withReserve(ctx, func() error { // so that a run that failed on a full disk can say so
		return db.tx(ctx, func(tx *sql.Tx) error {
			err := db.change(ctx, tx, id, `
				UPDATE runs SET status = ?, error = ?, finished = ? WHERE id = ? AND status IN ('queued', 'running')`,
				status, sentence, millis(db.now()), id)
			if err != nil {
				return err
			}
			return db.endJob(ctx, tx, id, RunJob, status)
		})
	})
}

// interruptRuns ends the runs that a crash left unfinished.
func (db *DB) interruptRuns(ctx context.Context) error {
	_, err := db.w.ExecContext(ctx, `
		UPDATE runs SET status = 'interrupted', finished = ?, error = 'Taper stopped before this run ended. ' ||
			CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE jobs.id = runs.id) THEN 'It goes on when Taper starts again.'
			ELSE 'Run it again.' END
		WHERE status IN ('queued', 'running')`, millis(db.now()))
	return err
}

// About is what a person writes about a run. A nil field stays as it is stored, so that two changes of
// different fields at the same time are both kept.
type About struct{ Name, Notes *string }

// DescribeRun changes a run's name or notes.
func (db *DB) DescribeRun(ctx context.Context, id string, to About) error {
	return db.tx(ctx, func(tx *sql.Tx) error {
		var name, notes, loss, data, outcome string
		err := tx.QueryRowContext(ctx, `
			SELECT coalesce(?, name), coalesce(?, notes), loss, dataset_name, outcome FROM runs WHERE id = ?`,
			to.Name, to.Notes, id).Scan(&name, &notes, &loss, &data, &outcome)
		if errors.Is(err, sql.ErrNoRows) {
			return noRun(id)
		}
		if err != nil {
			return fmt.Errorf("describe run: %w", err)
		}
		return db.change(ctx, tx, id, `UPDATE runs SET name = ?, notes = ?, find = ? WHERE id = ?`,
			name, notes, findText(name, loss, data, outcome), id)
	})
}

// DeleteRun removes a run and wipes what it held. Cancel its job first.
func (db *DB) DeleteRun(ctx context.Context, id string) error {
	if err := db.erase(ctx, `DELETE FROM runs WHERE id = ?`, id, noRun(id)); err != nil {
		return err
	}
	return db.scrub(ctx)
}

// DeleteRuns removes several runs, all or none, and wipes what they held.
func (db *DB) DeleteRuns(ctx context.Context, ids []string) error {
	err := db.deleting(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			res, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE id = ?`, id)
			if err != nil {
				return fmt.Errorf("delete: %w", err)
			}
			if n, _ := res.RowsAffected(); n == 0 {
				return noRun(id)
			}
		}
		return markScrub(ctx, tx)
	})
	if err != nil {
		return err
	}
	return db.scrub(ctx)
}

// execer is *sql.DB or *sql.Tx.
type execer interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// change runs an update of one run and explains why it changed none.
func (db *DB) change(ctx context.Context, x execer, id, query string, args ...any) error {
	res, err := x.ExecContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("update run: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 1 {
		return nil
	}
	var status string
	err = x.QueryRowContext(ctx, `SELECT status FROM runs WHERE id = ?`, id).Scan(&status)
	if errors.Is(err, sql.ErrNoRows) {
		return noRun(id)
	}
	if err != nil {
		return fmt.Errorf("update run: %w", err)
	}
	return usererr.New(usererr.Conflict, "This run is %s already.", status)
}

func noRun(id string) error {
	return usererr.New(usererr.NotFound, "There is no run %q. It may have been deleted.", id)
}

// Run returns one run with its spec and, when done, its result. The result is shared with other readers
// and must not be modified.
func (db *DB) Run(ctx context.Context, id string) (Run, error) {
	// The revision is read first: a change while the record is being read gives another one.
	revision, known := db.RecordsRevision(), db.w.results.get(id)
	var spec string
	var reading, result *string
	// When the data of a run are wiped, its result is replaced.
	row := db.r.QueryRowContext(ctx, `
		SELECT `+runColumns+`, spec, reading,
			CASE WHEN ? AND (SELECT wiped FROM datasets WHERE datasets.id = runs.dataset) IS NULL THEN NULL ELSE result END
		FROM runs JOIN run_specs ON run_specs.run = id LEFT JOIN run_results ON run_results.run = id WHERE id = ?`,
		known != nil, id)
	r, err := scanRun(row, &spec, &reading, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return r, noRun(id)
	}
	if err != nil {
		return r, fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		return r, fmt.Errorf("read spec: %w", err)
	}
	if reading != nil {
		if err := json.Unmarshal([]byte(*reading), &r.Reading); err != nil {
			return r, fmt.Errorf("read options: %w", err)
		}
	}
	if result != nil {
		r.Result = new(engine.Result)
		if err := json.Unmarshal([]byte(*result), r.Result); err != nil {
			return r, fmt.Errorf("read result: %w", err)
		}
		r.Result.DropParentVerdicts()
		r.Result.MarkMeans()
		r.Result.DropRanks()
		if r.Wiped.IsZero() {
			db.keepResult(id, r.Result, len(*result), revision)
		}
	} else if r.Wiped.IsZero() {
		r.Result = known
	}
	return r, nil
}

// textTimes bounds the memory of a model or result as a multiple of its JSON's length: the text, and the
// decoded values, which are shorter than their digits.
const textTimes = 4

// ComparedMemory returns the bytes that runs take with results, models and rows, and those of the rows
// alone.
func (db *DB) ComparedMemory(ctx context.Context, ids []string) (all, rows int64, err error) {
	for _, id := range ids {
		var head []byte
		var size, texts int64
		err := db.r.QueryRowContext(ctx, `SELECT ifnull(substr(row_data, 1, 14), x''), ifnull(length(row_data), 0),
			ifnull(octet_length(model), 0) + ifnull(octet_length(result), 0) FROM run_results WHERE run = ?`, id).Scan(&head,
			&size, &texts)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, 0, fmt.Errorf("read run: %w", err)
		}
		rows += rowsMemory(head, size)
		all += rowsMemory(head, size) + textTimes*texts
	}
	return all, rows, nil
}

// RunModel returns the model of a finished run, as in model.json.
func (db *DB) RunModel(ctx context.Context, id string) (*model.Model, error) {
	var size int64
	err := db.r.QueryRowContext(ctx, `SELECT ifnull(octet_length(model), 0) FROM run_results WHERE run = ?`,
		id).Scan(&size)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if _, err := cost.Hold(ctx, "Reading the model of this run", textTimes*size); err != nil {
		return nil, err
	}
	var text sql.RawBytes
	m := new(model.Model)
	err = db.finished(ctx, id, `SELECT model FROM run_results WHERE run = ?`, &text, func() error {
		return json.Unmarshal(text, &m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// RunRows returns the scored rows of a finished run, as in rows.csv. A run whose data were wiped has
// none.
func (db *DB) RunRows(ctx context.Context, id string) ([]engine.RowScore, error) {
	var head []byte
	var size int64
	err := db.r.QueryRowContext(ctx, `SELECT substr(row_data, 1, 14), length(row_data) FROM run_results
		WHERE run = ? AND row_data IS NOT NULL`, id).Scan(&head, &size)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if _, err := cost.Hold(ctx, "Reading the rows of this run", rowsMemory(head, size)); err != nil {
		return nil, err
	}
	var blob sql.RawBytes
	var rows []engine.RowScore
	wiped := false
	err = db.finished(ctx, id, `SELECT row_data FROM run_results WHERE run = ?`, &blob, func() (err error) {
		if wiped = blob == nil; !wiped {
			rows, err = decodeRows(blob)
		}
		return err
	})
	if err != nil || !wiped {
		return rows, err
	}
	r, err := db.RunLine(ctx, id)
	if err != nil {
		return nil, err
	}
	return nil, r.DataWiped("its rows went with them")
}

// finished scans one column of a finished run and decodes it in place.
func (db *DB) finished(ctx context.Context, id, query string, dst *sql.RawBytes, decode func() error) error {
	rows, err := db.r.QueryContext(ctx, query, id)
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), db.unfinished(ctx, id))
	}
	if err := rows.Scan(dst); err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	if err := decode(); err != nil {
		return fmt.Errorf("decode run: %w", err)
	}
	return rows.Err()
}

func (db *DB) unfinished(ctx context.Context, id string) error {
	var status string
	err := db.r.QueryRowContext(ctx, `SELECT status FROM runs WHERE id = ?`, id).Scan(&status)
	if errors.Is(err, sql.ErrNoRows) {
		return noRun(id)
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	return noResult(status)
}

func noResult(status string) error {
	return usererr.New(usererr.Conflict, "This run has no result; it is %s.", status)
}

// RequireResult returns an error if the run had none when it was read. That RunModel finds a model says
// less: the run may have ended in between.
func (r Run) RequireResult() error {
	if r.Result == nil {
		return noResult(r.Status)
	}
	return nil
}

// The statistics by which lists of runs sort have columns named by their ids. Each is used for one kind
// of task: accuracy of a two-class run depends on the threshold, so it does not rank such runs, but it
// does rank multiclass ones.
var (
	eventStatistics   = []string{"auc", "interval_loss", "brier"}
	classStatistics   = []string{"accuracy", "mae", "abstention_loss"}
	statisticColumns  = slices.Concat(eventStatistics, classStatistics)
	statisticList     = strings.Join(statisticColumns, ", ")
	statisticsChanged = strings.Join(statisticColumns, " = ?, ") + " = ?" // in an UPDATE
)

// DataWiped is the error for work on the rows of a run whose data were wiped; what says what is
// impossible: "there is nothing to audit".
func (r Run) DataWiped(what string) error {
	return usererr.New(usererr.Conflict, "The data of ‘%s’ were deleted on %s and its model was kept: %s.", r.Name,
		Day(r.Wiped), what)
}

// Day writes a date in words.
func Day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// Summary are the fields of a run in a list, copied from spec and result, so that a list need not decode
// them.
type Summary struct {
	Loss, Task, Mode, Outcome, Positive string
	Boundaries                          []float64

	// From the result; nil or 0 until done, nil where undefined.
	Statistics              map[string]*float64 // by id, for those of statisticColumns that the task has
	N, Events               int                 // rows of the strata table and events among them
	Seconds, ElapsedS       float64             // of the final fit, and of the whole run
	BandsOK, BandsEvaluated int                 // bands within their limits, of those with a verdict

	Caveat string // TrainingRows, Recalibrated or ReviewedLabels, "" for most runs
}

// Caveats are what sets the statistics of a run apart in a list: its model was trained on the rows that evaluate it,
// its risks are meant for another population than its rows, or a review changed labels that evaluate it or left rows
// out.
const (
	TrainingRows   = "training rows"
	Recalibrated   = "recalibrated"
	ReviewedLabels = "reviewed labels"
)

// caveatOf selects the caveat of a run of the table runs. A run kept without its data has the id of its review only.
const caveatOf = `coalesce((SELECT CASE
	WHEN EXISTS (SELECT 1 FROM run_parents WHERE run_parents.run = runs.id) THEN '` + Recalibrated + `'
	WHEN json_extract(s.spec, '$.validation.kind') = 'none' AND
		coalesce(json_extract(s.spec, '$.model.kind'), '') <> '` + fit.KindGiven + `' THEN '` + TrainingRows + `'
	WHEN json_array_length(s.spec, '$.review.changes') > 0 OR
		json_extract(s.spec, '$.review.id') IS NOT NULL THEN '` + ReviewedLabels + `'
	ELSE '' END FROM run_specs s WHERE s.run = runs.id), '')`

// values are the statistics in the order of their columns.
func (s Summary) values() (all []any) {
	for _, id := range statisticColumns {
		all = append(all, s.Statistics[id])
	}
	return all
}

func summarize(r *engine.Result) Summary {
	s := Summary{Statistics: map[string]*float64{}, N: r.Flow.Scored, Events: r.Flow.ScoredEvents, Seconds: r.Seconds,
		ElapsedS: r.ElapsedS}
	ids, of := eventStatistics, r.Metrics.Test.Of
	if c := r.Classes; c != nil {
		ids, of = classStatistics, c.Metrics.Test.Of
	}
	if r.IsRecalibrated() { // its rows are of another population
		s.Statistics["auc"] = of("auc").Value
		return s
	}
	for _, id := range ids {
		s.Statistics[id] = of(id).Value
	}
	for _, b := range r.Strata {
		switch b.Verdict {
		case "inside", "compatible":
			s.BandsOK++
			s.BandsEvaluated++
		case "unclear", "outside":
			s.BandsEvaluated++
		}
	}
	return s
}

// findText is the text that searches look at. It is folded to lower case here because SQLite folds ASCII
// only.
func findText(name, loss, data, outcome string) string {
	return strings.ToLower(strings.Join([]string{name, loss, data, outcome}, "\n"))
}

var runColumns = `id, dataset, dataset_name, dataset_sha, row_count, name, notes, status, error, version,
	created, started, finished, loss, task, mode, outcome, positive, boundaries,
	coalesce(n, 0), coalesce(events, 0), coalesce(seconds, 0), coalesce(elapsed, 0),
	coalesce(bands_ok, 0), coalesce(bands_judged, 0),
	(SELECT wiped FROM datasets WHERE datasets.id = runs.dataset), ` + caveatOf + `, ` + statisticList

// scanRun scans runColumns and whatever the query selects after them.
func scanRun(s scanner, more ...any) (Run, error) {
	var r Run
	var created, started, finished, wiped sql.NullInt64
	var bounds string
	m := &r.Summary
	dst := []any{&r.ID, &r.Dataset, &r.DatasetName, &r.DatasetSHA, &r.Rows, &r.Name, &r.Notes,
		&r.Status, &r.Error, &r.Version, &created, &started, &finished,
		&m.Loss, &m.Task, &m.Mode, &m.Outcome, &m.Positive, &bounds,
		&m.N, &m.Events, &m.Seconds, &m.ElapsedS, &m.BandsOK, &m.BandsEvaluated, &wiped, &m.Caveat}
	statistics := make([]*float64, len(statisticColumns))
	for k := range statistics {
		dst = append(dst, &statistics[k])
	}
	err := s.Scan(append(dst, more...)...)
	if err != nil {
		return r, err
	}
	m.Statistics = map[string]*float64{}
	for k, id := range statisticColumns {
		m.Statistics[id] = statistics[k]
	}
	r.Created, r.Started, r.Finished = fromMillis(created), fromMillis(started), fromMillis(finished)
	r.Wiped = fromMillis(wiped)
	return r, json.Unmarshal([]byte(bounds), &m.Boundaries)
}

// RunLine returns one run as in lists, without Spec and Result.
func (db *DB) RunLine(ctx context.Context, id string) (Run, error) {
	r, err := scanRun(db.r.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, noRun(id)
	}
	if err != nil {
		return r, fmt.Errorf("read run: %w", err)
	}
	return r, nil
}
