package store

import (
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
	AUC, IntervalLoss, Brier      *float64
	Accuracy, MAE, AbstentionLoss *float64 // several classes
	N, Events                     int      // rows of the strata table and events among them
	Seconds, ElapsedS             float64  // the final fit, the whole run
	BandsOK, BandsJudged          int      // bands whose rate lies where it should, of those with enough rows
}

func summarize(r *engine.Result) Summary {
	m := r.Metrics.Test
	s := Summary{
		AUC: m.AUC, IntervalLoss: m.IntervalLoss, Brier: m.Brier,
		N: r.Flow.Scored, Events: r.Flow.ScoredEvents, Seconds: r.Seconds, ElapsedS: r.ElapsedS,
	}
	if c := r.Classes; c != nil {
		s.AUC, s.IntervalLoss, s.Brier = nil, nil, nil
		s.Accuracy, s.MAE, s.AbstentionLoss = c.Metrics.Test.Accuracy, c.Metrics.Test.MAE, c.Metrics.Test.AbstentionLoss
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

// runSorts maps the sort keys of the API to columns.
var runSorts = map[string]string{
	"created": "created", "name": "name COLLATE NOCASE", "data": "dataset_name COLLATE NOCASE", "loss": "loss",
	"status": "status", "auc": "auc", "interval_loss": "interval_loss", "brier": "brier", "n": "n",
	"accuracy": "accuracy", "mae": "mae", "abstention_loss": "abstention_loss",
	"events": "events", "seconds": "seconds", "bands_ok": "1.0 * bands_ok / nullif(bands_judged, 0)",
}

// RunSorts returns the sort keys.
func RunSorts() []string { return slices.Sorted(maps.Keys(runSorts)) }

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
	column, ok := runSorts[f.Sort]
	if !ok {
		return "", usererr.BadField("sort", "must be one of %s (got %q)", strings.Join(RunSorts(), ", "), f.Sort)
	}
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

const runColumns = `id, dataset, dataset_name, dataset_sha, row_count, name, notes, status, error, version,
	created, started, finished, loss, task, mode, outcome, positive, boundaries,
	auc, interval_loss, brier, coalesce(n, 0), coalesce(events, 0), coalesce(seconds, 0), coalesce(elapsed, 0),
	coalesce(bands_ok, 0), coalesce(bands_judged, 0), accuracy, mae, abstention_loss,
	(SELECT wiped FROM datasets WHERE datasets.id = runs.dataset)`

// scanRun scans runColumns and whatever the query selects after them.
func scanRun(s scanner, more ...any) (Run, error) {
	var r Run
	var created, started, finished, wiped sql.NullInt64
	var bounds string
	m := &r.Summary
	err := s.Scan(append([]any{&r.ID, &r.Dataset, &r.DatasetName, &r.DatasetSHA, &r.Rows, &r.Name, &r.Notes,
		&r.Status, &r.Error, &r.Version, &created, &started, &finished,
		&m.Loss, &m.Task, &m.Mode, &m.Outcome, &m.Positive, &bounds,
		&m.AUC, &m.IntervalLoss, &m.Brier, &m.N, &m.Events, &m.Seconds, &m.ElapsedS,
		&m.BandsOK, &m.BandsJudged, &m.Accuracy, &m.MAE, &m.AbstentionLoss, &wiped}, more...)...)
	if err != nil {
		return r, err
	}
	r.Created, r.Started, r.Finished = fromMillis(created), fromMillis(started), fromMillis(finished)
	r.Wiped = fromMillis(wiped)
	return r, json.Unmarshal([]byte(bounds), &m.Boundaries)
}
