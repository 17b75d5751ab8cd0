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
	"time"

	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/migrations"
)

// A backup has been on other disks and in other hands, and the program will use its database for years.
// So Restore accepts only a database that Taper could have written: exactly the schema of its version (a
// trigger is code that would run here), every reference valid, and every record readable.

// checkSchema compares tables, indices and triggers with those of the migrations.
func checkSchema(ctx context.Context, db *sql.DB, version int) error {
	want, err := schemaOf(ctx, version)
	if err != nil {
		return err
	}
	have, err := readSchema(ctx, db)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[name]; !ok {
			return usererr.New(usererr.Conflict, "The database of the backup contains the %s, which Taper never creates. "+
				"Nothing was restored. Use another backup.", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		sql, ok := have[name]
		if !ok {
			return usererr.New(usererr.Conflict, "The database of the backup lacks the %s. Nothing was restored. "+
				"Use another backup.", name)
		}
		if sql != want[name] {
			return usererr.New(usererr.Conflict, "The %s in the database of the backup differs from the one that Taper "+
				"creates. Nothing was restored. Use another backup.", name)
		}
	}
	return nil
}

// schemaOf creates an empty database of a version and reads its schema.
func schemaOf(ctx context.Context, version int) (map[string]string, error) {
	steps, err := migrations.List()
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have a memory database of its own
	for _, m := range steps[:version] {
		if err := apply(ctx, db, m); err != nil {
			return nil, fmt.Errorf("migrate to %s: %w", m.Name, err)
		}
	}
	return readSchema(ctx, db)
}

// readSchema returns the SQL of everything in a schema, keyed as "table runs".
func readSchema(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT type, name, coalesce(sql, '') FROM sqlite_schema`)
	all := map[string]string{}
	err = each(rows, err, "read schema", func() error {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return err
		}
		all[kind+" "+name] = plainSQL(text)
		return nil
	})
	return all, err
}

// plainSQL removes comments and spacing from a statement. SQLite stores them as written in the migration,
// and a comment may be reworded.
func plainSQL(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		b.WriteString(code + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// checkRecords updates the unpacked database to the current schema and reads every record as the program
// does.
func checkRecords(ctx context.Context, file string) error {
	if err := bringUp(ctx, file); err != nil {
		return err
	}
	r, err := openSnapshot(file)
	if err != nil {
		return err
	}
	defer r.Close()
	var table string
	var orphans int
	err = r.QueryRowContext(ctx, `SELECT coalesce(min("table"), ''), count(*) FROM pragma_foreign_key_check`).
		Scan(&table, &orphans)
	if err != nil {
		return err
	}
	if orphans > 0 {
		return usererr.New(usererr.Conflict, "In the database of the backup %d records of the table %s belong to a record "+
			"that does not exist. Nothing was restored. Use another backup.", orphans, table)
	}
	db := &DB{r: r, w: &writer{}, now: time.Now} // nothing is written
	for _, part := range db.parts() {
		ids, err := queryTexts(ctx, r, part.ids)
		if err != nil {
			return fmt.Errorf("%s: %w", part.table, err)
		}
		for _, id := range ids {
			if err := part.read(ctx, id); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return refused(fmt.Errorf("%s %s: %w", part.table, id, err), "In the database of the backup the record %s of the "+
					"table %s cannot be read. Nothing was restored. Use another backup.", id, part.table)
			}
		}
	}
	return nil
}

// bringUp migrates a database that no program has open.
func bringUp(ctx context.Context, file string) error {
	w, err := sql.Open("sqlite", writerDSN(file))
	if err != nil {
		return err
	}
	w.SetMaxOpenConns(1)
	err = migrate(ctx, w)
	if err == nil { // only the database itself is moved into place
		var busy, logged, moved int
		err = w.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &moved)
	}
	return errors.Join(err, w.Close())
}

// part is a table whose records are read one by one.
type part struct {
	table, ids string
	read       func(ctx context.Context, id string) error
}

// parts lists every table with JSON or blobs, with the method that reads it.
func (db *DB) parts() []part {
	return []part{
		{"datasets", `SELECT id FROM datasets WHERE wiped IS NULL`, reads(db.Dataset)},
		{"dataset_columns", `SELECT id FROM datasets WHERE wiped IS NULL AND state = 'kept'`, reads(db.Columns)},
		{"runs", `SELECT id FROM runs`, reads(db.Run)},
		{"run_results", `SELECT run FROM run_results WHERE model IS NOT NULL`, reads(db.RunModel)},
		{"run_results", `SELECT run FROM run_results WHERE row_data IS NOT NULL`, reads(db.RunRows)},
		{"run_bootstraps", `SELECT run FROM run_bootstraps`, reads(db.RunBootstrap)},
		{"run_parents", `SELECT run FROM run_parents`, reads(db.RunOrigin)},
		{"run_kept", `SELECT run FROM run_kept`, func(ctx context.Context, id string) error {
			report, err := db.KeptReport(ctx, id)
			if err == nil && !json.Valid([]byte(report)) {
				err = fmt.Errorf("the report is not JSON")
			}
			return err
		}},
		{"evaluations", `SELECT id FROM evaluations`, reads(db.Evaluation)},
		{"audits", `SELECT run FROM audits`, reads(db.Audit)},
		{"audit_trials", `SELECT DISTINCT run FROM audit_trials`, func(ctx context.Context, id string) error {
			texts, err := queryTexts(ctx, db.r, `SELECT result FROM audit_trials WHERE run = ?`, id) // Trials lists 50
			for _, text := range texts {
				err = errors.Join(err, json.Unmarshal([]byte(text), new(audit.Trial)))
			}
			return err
		}},
		{"studies", `SELECT id FROM studies`, reads(db.Study)},
		{"jobs", `SELECT id FROM jobs WHERE run IS NOT NULL`, reads(db.Job)},
		{"units", `SELECT DISTINCT job FROM units JOIN jobs ON id = job WHERE study IS NOT NULL`, reads(db.StudyUnits)},
		{"study_cells", `SELECT study FROM study_cells`, reads(db.StudyCells)},
	}
}

func reads[T any](read func(context.Context, string) (T, error)) func(context.Context, string) error {
	return func(ctx context.Context, id string) error {
		_, err := read(ctx, id)
		return err
	}
}
