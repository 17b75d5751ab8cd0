package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Mark records that a one-time event has happened.
func (db *DB) Mark(ctx context.Context, name string) error {
	_, err := db.w.ExecContext(ctx, `INSERT INTO marks (name, made) VALUES (?, ?) ON CONFLICT DO NOTHING`, name,
		millis(db.now()))
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	return nil
}

// HasMark reports whether the name was marked.
func (db *DB) HasMark(ctx context.Context, name string) (bool, error) {
	var one int
	err := db.r.QueryRowContext(ctx, `SELECT 1 FROM marks WHERE name = ?`, name).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read mark: %w", err)
	}
	return true, nil
}

// Samples returns the ids of the sample datasets by file name, the newest of each.
func (db *DB) Samples(ctx context.Context) (map[string]string, error) {
	rows, err := db.r.QueryContext(ctx, `SELECT file, max(id) FROM datasets WHERE sample = 1 GROUP BY file`)
	out := map[string]string{}
	err = each(rows, err, "list samples", func() error {
		var file, id string
		if err := rows.Scan(&file, &id); err != nil {
			return err
		}
		out[file] = id
		return nil
	})
	return out, err
}
