package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
)

// KeptRun is what remains of a finished run when its data are wiped. The caller must make sure that it
// contains no row.
type KeptRun struct {
	Run    string
	Spec   runspec.Spec
	Result *engine.Result // without Rows
	Model  *model.Model
	Report string // the masked document, as JSON
}

// Keepable counts the finished runs of a dataset by whether their model can be kept without the rows. A
// kernel model cannot: it contains rows.
type Keepable struct{ Models, Kernels int }

// Keepable counts for each dataset; datasets without finished runs are absent.
func (db *DB) Keepable(ctx context.Context, datasets ...string) (map[string]Keepable, error) {
	out := map[string]Keepable{}
	if len(datasets) == 0 {
		return out, nil
	}
	var ids []any
	for _, id := range datasets {
		ids = append(ids, id)
	}
	rows, err := db.r.QueryContext(ctx, `
		SELECT dataset, sum(kernel), count(*) FROM (
			SELECT dataset, json_extract(spec, '$.model.kind') = 'kernel' AS kernel
			FROM runs JOIN run_specs ON run = id
			WHERE status = 'done' AND dataset IN (`+placeholders(ids)+`))
		GROUP BY dataset`, ids...)
	err = each(rows, err, "count models", func() error {
		var id string
		var k Keepable
		var all int
		if err := rows.Scan(&id, &k.Kernels, &all); err != nil {
			return err
		}
		k.Models = all - k.Kernels
		out[id] = k
		return nil
	})
	return out, err
}

// KeepModels wipes a dataset and everything made from its rows, except what kept contains of the given
// runs. Other runs and the studies on the dataset are deleted. This is one transaction; the file and the
// traces in the database are removed after it, as in DeleteDataset. Cancel its running jobs first.
func (db *DB) KeepModels(ctx context.Context, dataset string, kept []KeptRun) error {
	if len(kept) == 0 {
		return usererr.New(usererr.Conflict, "No run of this dataset has a model to keep.")
	}
	err := db.deleting(ctx, func(tx *sql.Tx) error {
		if err := db.bare(ctx, tx, dataset); err != nil {
			return err
		}
		for _, k := range kept {
			if err := reduce(ctx, tx, dataset, k); err != nil {
				return err
			}
		}
		for _, q := range []string{
			`DELETE FROM runs WHERE dataset = ? AND id NOT IN (SELECT run FROM run_kept)`,
			`DELETE FROM studies WHERE dataset = ?`,
			`DELETE FROM dataset_columns WHERE dataset = ?`,
			`DELETE FROM audit_decisions WHERE dataset = ?`,
		} {
			if _, err := tx.ExecContext(ctx, q, dataset); err != nil {
				return fmt.Errorf("keep models: %w", err)
			}
		}
		if err := markWipe(ctx, tx, dataset); err != nil {
			return fmt.Errorf("keep models: %w", err)
		}
		return markScrub(ctx, tx)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(db.wipeRaw(ctx, dataset), db.scrub(ctx)); err != nil {
		return fmt.Errorf("wipe dataset: %w", err)
	}
	return nil
}

// bare empties the row of a dataset. Its runs keep the name and the hash of the data.
func (db *DB) bare(ctx context.Context, tx *sql.Tx, id string) error {
	res, err := tx.ExecContext(ctx, `
		UPDATE datasets SET wiped = ?, state = 'kept', name = '', file = '', sha256 = '', bytes = 0, row_count = 0,
			sample = 0, source = '', problem = NULL, options = '{}', dialect = '{}',
			profiles = '[]', warnings = '[]', dropped = '[]', choice = '{}', left_out = NULL
		WHERE id = ? AND wiped IS NULL`, millis(db.now()), id)
	if err != nil {
		return fmt.Errorf("keep models: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return noDataset(id)
	}
	return nil
}

// reduce replaces the contents of a run by k.
func reduce(ctx context.Context, tx *sql.Tx, dataset string, k KeptRun) error {
	j, err := encodeKept(k)
	if err != nil {
		return err
	}
	sum := summarize(k.Result)
	res, err := tx.ExecContext(ctx, `
		UPDATE runs SET `+statisticsChanged+`, n = ?, events = ?, bands_ok = ?, bands_judged = ?,
			row_count = CASE WHEN row_count < 10 THEN 0 ELSE row_count END
		WHERE id = ? AND dataset = ? AND status = 'done'`,
		append(sum.values(), sum.N, sum.Events, sum.BandsOK, sum.BandsEvaluated, k.Run, dataset)...)
	if err != nil {
		return fmt.Errorf("keep model: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return usererr.New(usererr.Conflict, "The runs of this dataset changed in the meantime. Nothing was deleted: ask "+
			"again.")
	}
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`UPDATE run_specs SET spec = ?, reading = NULL WHERE run = ?`, []any{j.spec, k.Run}},
		{`UPDATE run_results SET result = ?, model = ?, row_data = NULL WHERE run = ?`, []any{j.result, j.model, k.Run}},
		{`INSERT INTO run_kept (run, report) VALUES (?, ?)`, []any{k.Run, k.Report}},
		{`DELETE FROM run_bootstraps WHERE run = ?`, []any{k.Run}},
		{`DELETE FROM audits WHERE run = ?`, []any{k.Run}},
		{`DELETE FROM audit_trials WHERE run = ?`, []any{k.Run}},
		{`DELETE FROM jobs WHERE run = ?`, []any{k.Run}},
	} {
		if _, err := tx.ExecContext(ctx, q.query, q.args...); err != nil {
			return fmt.Errorf("keep model: %w", err)
		}
	}
	return nil
}

type keptJSON struct{ spec, result, model string }

func encodeKept(k KeptRun) (j keptJSON, err error) {
	if k.Result == nil || k.Model == nil || k.Result.Rows != nil {
		return j, fmt.Errorf("keep model of %s: a result without rows and a model are needed", k.Run)
	}
	for _, f := range []struct {
		dst *string
		v   any
	}{{&j.spec, k.Spec}, {&j.result, k.Result}, {&j.model, k.Model}} {
		if *f.dst, err = toJSON(f.v); err != nil {
			return j, fmt.Errorf("keep model of %s: %w", k.Run, err)
		}
	}
	return j, nil
}

// AddKept stores a finished run derived from the model of a kept run. Its data are those of the parent,
// which are wiped.
func (db *DB) AddKept(ctx context.Context, r Run, k KeptRun, o Origin) error {
	parent, err := db.RunLine(ctx, o.Parent)
	if err != nil {
		return err
	}
	how, err := toJSON(o)
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	j, err := encodeKept(k)
	if err != nil {
		return err
	}
	r.ID, r.Dataset, r.DatasetName, r.DatasetSHA, r.Rows = k.Run, parent.Dataset, parent.DatasetName, parent.DatasetSHA,
		parent.Rows
	r.Spec, r.Created = k.Spec, db.now()
	return db.tx(ctx, func(tx *sql.Tx) error {
		if err := hasParent(ctx, tx, o); err != nil {
			return err
		}
		if err := insertRun(ctx, tx, r); err != nil {
			return fmt.Errorf("add run: %w", err)
		}
		now := millis(r.Created)
		for _, q := range []struct {
			query string
			args  []any
		}{
			{`UPDATE runs SET status = 'done', started = ?, finished = ? WHERE id = ?`, []any{now, now, r.ID}},
			{`INSERT INTO run_specs (run, spec) VALUES (?, ?)`, []any{r.ID, j.spec}},
			{`INSERT INTO run_results (run, result, model) VALUES (?, ?, ?)`, []any{r.ID, j.result, j.model}},
			{`INSERT INTO run_kept (run, report) VALUES (?, ?)`, []any{r.ID, k.Report}},
			{`INSERT INTO run_parents (run, parent, how) VALUES (?, ?, ?)`, []any{r.ID, o.Parent, how}},
		} {
			if _, err := tx.ExecContext(ctx, q.query, q.args...); err != nil {
				return fmt.Errorf("add run: %w", err)
			}
		}
		return nil
	})
}

// KeptReport returns the report of a run whose data are wiped, as it was given
// to KeepModels.
func (db *DB) KeptReport(ctx context.Context, run string) (string, error) {
	var report string
	err := db.r.QueryRowContext(ctx, `SELECT report FROM run_kept WHERE run = ?`, run).Scan(&report)
	if errors.Is(err, sql.ErrNoRows) {
		return "", noRun(run)
	}
	if err != nil {
		return "", fmt.Errorf("read report: %w", err)
	}
	return report, nil
}

// FinishedRuns lists the finished runs of a dataset, the oldest first.
func (db *DB) FinishedRuns(ctx context.Context, dataset string) ([]string, error) {
	runs, _, err := db.Runs(ctx, RunFilter{Dataset: dataset, Status: Done, Limit: 1 << 30})
	var ids []string
	for _, r := range slices.Backward(runs) {
		ids = append(ids, r.ID)
	}
	return ids, err
}
