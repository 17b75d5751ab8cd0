package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/usererr"
)

// Summary is the line of a run in a list: copies from spec and result, so that
// a list decodes neither.
type Summary struct {
	Loss, Task, Mode, Outcome, Positive string
	Boundaries                          []float64

	// From the result; nil or 0 until done, nil where undefined.
	Statistics           map[string]*float64 // by id: those of statisticColumns that the task has
	N, Events            int                 // rows of the strata table and events among them
	Seconds, ElapsedS    float64             // the final fit, the whole run
	BandsOK, BandsJudged int                 // bands whose rate lies where it should, of those with enough rows
}

// The statistics that lists of runs show and sort by stand in columns named by their
// ids. Each belongs to one kind of task: a run of several classes has accuracy, but
// that of two, which depends on the cut, is no number to rank runs by.
var (
	eventStatistics   = []string{"auc", "interval_loss", "brier"}
	classStatistics   = []string{"accuracy", "mae", "abstention_loss"}
	statisticColumns  = slices.Concat(eventStatistics, classStatistics)
	statisticList     = strings.Join(statisticColumns, ", ")
	statisticsChanged = strings.Join(statisticColumns, " = ?, ") + " = ?" // in an UPDATE
)

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
	for _, id := range ids {
		s.Statistics[id] = of(id).Value
	}
	for _, b := range r.Strata {
		switch b.Verdict {
		case "inside", "compatible":
			s.BandsOK++
			s.BandsJudged++
		case "unclear", "outside":
			s.BandsJudged++
		}
	}
	return s
}

// RunFilter selects and orders runs. The zero value is the newest 50.
type RunFilter struct {
	Dataset string // id
	Status  string
	Loss    string
	Query   string // every word must occur in name, loss, data name or outcome
	Sort    string // see RunSorts; "" = newest first
	Desc    bool   // with Sort: largest first; what is undefined comes last either way
	Limit   int    // 0 = 50
	Offset  int
}

// runSorts maps the sort keys of the API to columns; a statistic is its own.
var runSorts = map[string]string{
	"created": "created", "name": "name COLLATE NOCASE", "data": "dataset_name COLLATE NOCASE", "loss": "loss",
	"status": "status", "n": "n", "events": "events", "seconds": "seconds",
	"bands_ok": "1.0 * bands_ok / nullif(bands_judged, 0)",
}

// RunStatuses returns the statuses of runs, in the order a filter offers them.
func RunStatuses() []string {
	return []string{Queued, Running, Done, Failed, Cancelled, Interrupted}
}

// RunSorts returns the sort keys.
func RunSorts() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(statisticColumns), maps.Keys(runSorts))))
}

// Runs returns one page of runs, without Spec and Result, and the number that
// match the filter.
func (db *DB) Runs(ctx context.Context, f RunFilter) ([]Run, int, error) {
	order, err := f.order()
	if err != nil {
		return nil, 0, err
	}
	where, args := f.where()
	var total int
	if err := db.r.QueryRowContext(ctx, `SELECT count(*) FROM runs`+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count runs: %w", err)
	}
	rows, err := db.r.QueryContext(ctx, `SELECT `+runColumns+` FROM runs`+where+order+` LIMIT ? OFFSET ?`,
		append(args, pageSize(f.Limit), f.Offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list runs: %w", err)
	}
	defer rows.Close()
	list := []Run{}
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, 0, fmt.Errorf("list runs: %w", err)
		}
		list = append(list, r)
	}
	return list, total, rows.Err()
}

// RunLine returns one run as lists have it, without Spec and Result.
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

func (f RunFilter) order() (string, error) {
	if f.Sort == "" {
		return ` ORDER BY created DESC, id DESC`, nil
	}
	if !slices.Contains(RunSorts(), f.Sort) {
		return "", usererr.BadField("sort", "must be one of %s (got %q)", strings.Join(RunSorts(), ", "), f.Sort)
	}
	column := cmp.Or(runSorts[f.Sort], f.Sort)
	dir := "ASC"
	if f.Desc {
		dir = "DESC"
	}
	return fmt.Sprintf(` ORDER BY %s %s NULLS LAST, created %[2]s, id %[2]s`, column, dir), nil
}

func (f RunFilter) where() (string, []any) {
	var terms []string
	var args []any
	add := func(term string, arg any) { terms, args = append(terms, term), append(args, arg) }
	if f.Dataset != "" {
		add(`dataset = ?`, f.Dataset)
	}
	if f.Status != "" {
		add(`status = ?`, f.Status)
	}
	if f.Loss != "" {
		add(`loss = ?`, f.Loss)
	}
	for _, word := range strings.Fields(strings.ToLower(f.Query)) {
		add(`instr(find, ?) > 0`, word)
	}
	if terms == nil {
		return "", nil
	}
	return ` WHERE ` + strings.Join(terms, ` AND `), args
}

// findText is what the search looks in. SQLite folds the case of ASCII only,
// so Go does it.
func findText(name, loss, data, outcome string) string {
	return strings.ToLower(strings.Join([]string{name, loss, data, outcome}, "\n"))
}

var runColumns = `id, dataset, dataset_name, dataset_sha, row_count, name, notes, status, error, version,
	created, started, finished, loss, task, mode, outcome, positive, boundaries,
	coalesce(n, 0), coalesce(events, 0), coalesce(seconds, 0), coalesce(elapsed, 0),
	coalesce(bands_ok, 0), coalesce(bands_judged, 0),
	(SELECT wiped FROM datasets WHERE datasets.id = runs.dataset), ` + statisticList

// scanRun scans runColumns and whatever the query selects after them.
func scanRun(s scanner, more ...any) (Run, error) {
	var r Run
	var created, started, finished, wiped sql.NullInt64
	var bounds string
	m := &r.Summary
	dst := []any{&r.ID, &r.Dataset, &r.DatasetName, &r.DatasetSHA, &r.Rows, &r.Name, &r.Notes,
		&r.Status, &r.Error, &r.Version, &created, &started, &finished,
		&m.Loss, &m.Task, &m.Mode, &m.Outcome, &m.Positive, &bounds,
		&m.N, &m.Events, &m.Seconds, &m.ElapsedS, &m.BandsOK, &m.BandsJudged, &wiped}
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
