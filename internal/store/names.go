package store

import (
	"context"
	"strconv"
	"strings"
)

// LastRunNumbered returns the largest number among the runs called name (counted as 1), name
// #2, name #3, …; 0 if there are none.
func (db *DB) LastRunNumbered(ctx context.Context, name string) (int, error) {
	return db.lastNumbered(ctx, "runs", name)
}

// LastDatasetNumbered is LastRunNumbered for datasets, including those of which only models were kept.
func (db *DB) LastDatasetNumbered(ctx context.Context, name string) (int, error) {
	return db.lastNumbered(ctx, "datasets", name)
}

func (db *DB) lastNumbered(ctx context.Context, table, name string) (last int, err error) {
	rows, err := db.r.QueryContext(ctx, `
		SELECT substr(name, length(?1) + 1) FROM `+table+` WHERE substr(name, 1, length(?1)) = ?1`, name)
	return last, each(rows, err, "find "+table+" by name", func() error {
		var after string
		if err := rows.Scan(&after); err != nil {
			return err
		}
		if digits, ok := strings.CutPrefix(after, " #"); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				last = max(last, n)
			}
		} else if after == "" {
			last = max(last, 1)
		}
		return nil
	})
}
