package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// inspectAtOnce is the size up to which Open checks the whole database first; a larger one is checked in
// the background. Tests lower it.
var inspectAtOnce int64 = 100 << 20

// inspector checks a large database in the background.
type inspector struct {
	cancel  context.CancelFunc
	ended   sync.WaitGroup
	damaged chan error

	mu   sync.Mutex
	pass context.CancelFunc // ends the current pass
}

// Damaged delivers, at most once, the error for a database found damaged after it was opened. The server
// must then stop: results computed from damaged data are wrong, and writing can make the damage worse.
func (db *DB) Damaged() <-chan error { return db.inspector.damaged }

// inspect returns an error for a damaged database, immediately or, for a large one, later through
// Damaged.
func (db *DB) inspect(ctx context.Context) (later bool, err error) {
	info, err := os.Stat(filepath.Join(db.dir, dbName))
	if err != nil {
		return false, err
	}
	if info.Size() > inspectAtOnce {
		return true, nil
	}
	return false, quickCheck(ctx, db.w.DB, db.dir)
}

// quickCheck makes SQLite check every page.
func quickCheck(ctx context.Context, q *sql.DB, dir string) error {
	var verdict string
	err := q.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = errors.New(verdict)
	} else if err == nil || !corrupt(err) {
		return err
	}
	return refused(fmt.Errorf("quick check: %w", err), "The database %s in %s is damaged. Keep the folder as it is, "+
		"and restore your last backup into an empty one: taper -data NEW restore FILE.", dbName, dir)
}

func corrupt(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_CORRUPT
}

// startInspector checks in the background. A pass is one read transaction, which prevents truncating the
// log; so a deletion ends the pass, and it starts again.
func (db *DB) startInspector() {
	ctx, cancel := context.WithCancel(context.Background()) // until Close
	in := &db.inspector
	in.cancel = cancel
	in.ended.Go(func() {
		for ctx.Err() == nil {
			pass, end := context.WithCancel(ctx)
			in.mu.Lock()
			in.pass = end
			in.mu.Unlock()
			err := quickCheck(pass, db.r, db.dir)
			yielded := pass.Err() != nil
			end()
			switch {
			case ctx.Err() != nil || err == nil:
				return
			case yielded:
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Second):
				}
			default:
				db.notice(fmt.Sprintf("The check of the database failed: %v", err))
				in.damaged <- err
				return
			}
		}
	})
}

// yield ends the current pass, if there is one.
func (in *inspector) yield() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.pass != nil {
		in.pass()
	}
}

func (in *inspector) stop() {
	if in.cancel != nil {
		in.cancel()
		in.ended.Wait()
	}
}
