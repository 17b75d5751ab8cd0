package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"taper/internal/engine/usererr"
)

// RunFilter selects and orders runs. The zero value is the newest 50.
type RunFilter struct {
	Dataset string // id
	Status  string
	Loss    string
	Query   string // every word must occur in name, loss, data name or outcome
	Sort    string // see RunSorts; "" = newest first
	Desc    bool   // with Sort: largest first; undefined values always come last
	Limit   int    // 0 = 50
	Offset  int
}

// runSorts maps the sort keys of the API to columns; a statistic is its own column.
var runSorts = map[string]string{
	"created": "created", "name": "name COLLATE NOCASE", "data": "dataset_name COLLATE NOCASE", "loss": "loss",
	"status": "status", "n": "n", "events": "events", "seconds": "seconds",
	"bands_ok": "1.0 * bands_ok / nullif(bands_judged, 0)",
}

// RunStatuses returns the statuses of runs in the order of the filter.
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
	list := []Run{}
	err = each(rows, err, "list runs", func() error {
		r, err := scanRun(rows)
		if err != nil {
			return err
		}
		list = append(list, r)
		return nil
	})
	return list, total, err
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
