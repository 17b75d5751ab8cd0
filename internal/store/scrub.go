package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Deleted content can survive in three places of an SQLite database. Freed
// pages and cells: secure_delete zeroes them. The log, which keeps pages of
// the time before: truncating it removes them. And the slack of pages whose
// cells were moved when the tree was balanced, which secure_delete overlooks
// (about 1 of 5,000 deleted names was still in the file): only VACUUM, which writes
// the database anew, removes these. VACUUM takes about 10 ms a megabyte, so it
// runs aside when the database is large; a row in scrub_pending, committed
// with the deletion, makes the next Open catch up after a crash.

// patience is how long a deletion waits for its VACUUM. Most are done by then.
const patience = 2 * time.Second

// readersEnd bounds how long a deletion waits for readers that use the log.
const readersEnd = 10 * time.Second

// small is the size up to which confirming columns vacuums at once; above it
// the next deletion or start does.
const small = 16 << 20

// scrubber runs one VACUUM at a time for all who ask.
type scrubber struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   chan struct{} // holds a token while next is set

	mu   sync.Mutex
	next *pass // the pass that has not begun; nil: nobody asked
}

type pass struct {
	done chan struct{}
	err  error // set before done is closed
}

func (db *DB) startScrubber() {
	ctx, cancel := context.WithCancel(context.Background()) // until Close
	db.scrubs.cancel, db.scrubs.wake = cancel, make(chan struct{}, 1)
	db.scrubs.ended.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-db.scrubs.wake:
			}
			p := db.scrubs.take()
			p.err = db.vacuum(ctx)
			close(p.done)
		}
	})
}

func (s *scrubber) stop() {
	if s.cancel != nil {
		s.cancel()
		s.ended.Wait()
	}
}

// request asks for a pass that begins after now.
func (s *scrubber) request() *pass {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &pass{done: make(chan struct{})}
		s.wake <- struct{}{}
	}
	return s.next
}

func (s *scrubber) take() *pass {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.next
	s.next = nil
	return p
}

// markScrub belongs into the transaction that deletes.
func markScrub(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO scrub_pending (id) VALUES (1)`)
	return err
}

// scrub removes what a committed deletion left in the database's files. It
// goes on when the caller's context ends: a closed browser must not stop it.
func (db *DB) scrub(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readersEnd)
	defer cancel()
	if err := db.truncateLog(ctx); err != nil {
		return err
	}
	p := db.scrubs.request()
	select {
	case <-p.done:
		return p.err
	case <-time.After(patience):
		return nil
	}
}

// scrubSmall is scrub for a small database; a large one keeps the mark.
func (db *DB) scrubSmall(ctx context.Context) error {
	var bytes int64
	err := db.r.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&bytes)
	if err != nil {
		return fmt.Errorf("size of the database: %w", err)
	}
	if bytes > small {
		return db.truncateLog(ctx)
	}
	return db.scrub(ctx)
}

// resumeScrub catches up with deletions that a crash cut short.
func (db *DB) resumeScrub(ctx context.Context) error {
	var n int
	if err := db.w.QueryRowContext(ctx, `SELECT count(*) FROM scrub_pending`).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		db.scrubs.request()
	}
	return db.truncateLog(ctx)
}

// vacuum writes the database anew. Its temporary file stays in the data
// folder, where SQLite unlinks it as soon as it is open.
func (db *DB) vacuum(ctx context.Context) error {
	temp := strings.ReplaceAll(filepath.Join(db.dir, uploadDir), "'", "''")
	for _, q := range []string{
		`PRAGMA temp_store_directory = '` + temp + `'`, `PRAGMA temp_store = FILE`,
		`VACUUM`,
		`DELETE FROM scrub_pending`,
	} {
		if _, err := db.w.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("vacuum: %w", err)
		}
	}
	return db.truncateLog(ctx)
}

// truncateLog writes the log back into the database and empties it, when the
// readers that still use it are through.
func (db *DB) truncateLog(ctx context.Context) error {
	for {
		var busy, logged, moved int
		err := db.w.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &moved)
		if err != nil {
			return fmt.Errorf("truncate the log: %w", err)
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("truncate the log: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
