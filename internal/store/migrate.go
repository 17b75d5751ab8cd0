package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"taper/internal/engine/usererr"
	"taper/migrations"
)

// migrate updates the schema to the newest version that this program knows. Each step is a transaction
// that includes its version number.
func migrate(ctx context.Context, w *sql.DB) error {
	steps, err := migrations.List()
	if err != nil {
		return err
	}
	have, err := schemaVersion(ctx, w, len(steps))
	if err != nil {
		return err
	}
	for _, m := range steps[have:] {
		if err := apply(ctx, w, m); err != nil {
			return fmt.Errorf("migrate to %s: %w", m.Name, err)
		}
	}
	return nil
}

func apply(ctx context.Context, w *sql.DB, m migrations.Migration) error {
	tx, err := w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", m.Version)); err != nil {
		return err
	}
	return tx.Commit()
}

// schemaVersion returns the database's version, or an error if it is above newest.
func schemaVersion(ctx context.Context, c *sql.DB, newest int) (int, error) {
	var v int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return 0, err
	}
	if v < 0 || v > newest {
		return 0, usererr.New(usererr.Conflict, "The database was written by a newer Taper "+
			"(schema %d; this one knows up to %d). Start the newer program, or name another data folder.", v, newest)
	}
	return v, nil
}

// explainOpen words the errors that a user can correct.
func explainOpen(dir string, err error) error {
	if _, ok := usererr.As(err); ok {
		return err
	}
	if isFull(dir, err) {
		return noSpace(dir, err)
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			return refused(err, "%s in %s is not a database that Taper can read. "+
				"Restore a backup into an empty folder.", dbName, dir)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			return refused(err, "The data folder %s cannot be written. Change its permissions, or name another folder.", dir)
		}
	}
	return fmt.Errorf("open store: %w", err)
}
