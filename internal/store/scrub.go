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

// Deleted content can remain in three places of an SQLite database. Freed pages and cells: secure_delete
// overwrites them with zeros. The log, which holds older versions of pages: truncating removes them. And
// unused parts of pages whose cells were moved when the tree was balanced, which secure_delete does not
// overwrite (about 1 of 5,000 deleted names was still in the file): only VACUUM, which rewrites the
// database, removes these. VACUUM takes about 10 ms per megabyte, so for a large database it runs in the
// background. A row in scrub_pending, committed with the deletion, makes the next Open finish it after a
// crash.

// patience is how long a deletion waits for its VACUUM; most end sooner. Tests that look into the files
// afterwards wait longer.
const patience = 2 * time.Second

// readersEnd is how long a deletion waits for readers that use the log.
const readersEnd = 10 * time.Second

// small is the largest size for which confirming columns runs VACUUM at once; otherwise the next deletion
// or start does.
const small = 16 << 20

// scrubber runs one VACUUM at a time for all callers.
type scrubber struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   chan struct{} // contains a token while next is set

	patience time.Duration

	mu   sync.Mutex
	next *pass // the pass that has not started; nil if nobody asked
}

type pass struct {
	done chan struct{}
	err  error // set before done is closed
}

func (db *DB) startScrubber() {
	ctx, cancel := context.WithCancel(context.Background()) // until Close
	db.scrubs.cancel, db.scrubs.wake, db.scrubs.patience = cancel, make(chan struct{}, 1), patience
	db.scrubs.ended.Go(func() {
		retry := time.NewTicker(again)
		defer retry.Stop()
		owed := false // a pass ran out of space
		for {
			select {
			case <-ctx.Done():
				return
			case <-retry.C:
				_, _ = sweepSnapshots(db.dir) // the next pass tries again
				if db.reserve(); owed && !db.unreserved {
					db.scrubs.request()
				}
				continue
			case <-db.scrubs.wake:
			}
			p := db.scrubs.take()
			p.err = db.withReserve(ctx, func() error { return db.vacuum(ctx) })
			if owed = isFull(db.dir, p.err); owed {
				p.err = db.putOff(ctx)
			}
			db.reserve()
			close(p.done)
		}
	})
}

// putOff postpones the VACUUM. The deletion is committed; its mark in scrub_pending remains.
func (db *DB) putOff(ctx context.Context) error {
	db.notice("The disk of " + db.dir +
		" is too full to write the database anew. Deleted data can no longer be read in Taper; " +
		"traces of them may stay in " + dbName + " until there is space. Free some space: Taper tries again.")
	if err := db.truncateLog(ctx); !isFull(db.dir, err) { // what the attempt wrote
		return err
	}
	return nil
}

func (s *scrubber) stop() {
	if s.cancel != nil {
		s.cancel()
		s.ended.Wait()
	}
}

// request asks for a pass that starts after this call.
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

// markScrub must be called in the transaction that deletes.
func markScrub(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO scrub_pending DEFAULT VALUES`)
	return err
}

// scrub removes what a committed deletion left in the database's files. It continues when the caller's
// context ends: a closed browser must not stop it.
func (db *DB) scrub(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readersEnd)
	defer cancel()
	err := db.withReserve(ctx, func() error { return db.truncateLog(ctx) })
	if err != nil && !isFull(db.dir, err) {
		return err
	}
	p := db.scrubs.request()
	select {
	case <-p.done:
		return p.err
	case <-time.After(db.scrubs.patience):
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

// resumeScrub finishes deletions that a crash interrupted.
func (db *DB) resumeScrub(ctx context.Context) error {
	var n int
	if err := db.w.QueryRowContext(ctx, `SELECT count(*) FROM scrub_pending`).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		db.scrubs.request()
	}
	return nil
}

// emptyLog empties the log at the start, unless the disk is full.
func (db *DB) emptyLog(ctx context.Context) error {
	err := db.withReserve(ctx, func() error { return db.truncateLog(ctx) })
	if isFull(db.dir, err) { // the log remains, and nothing is lost
		db.notice("The disk of the data folder " + db.dir +
			" is full. Free some space: runs and uploads cannot be stored.")
		return nil
	}
	return err
}

// vacuum rewrites the database. Its temporary file is in the data folder; SQLite unlinks it as soon as it
// is open.
func (db *DB) vacuum(ctx context.Context) error {
	last, err := db.lastScrub(ctx)
	if err != nil {
		return err
	}
	temp := strings.ReplaceAll(filepath.Join(db.dir, uploadDir), "'", "''")
	for _, q := range []string{
		`PRAGMA temp_store_directory = '` + temp + `'`, `PRAGMA temp_store = FILE`,
		`VACUUM`,
	} {
		if _, err := db.w.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("vacuum: %w", err)
		}
	}
	if err := db.unmarkScrubs(ctx, last); err != nil {
		return err
	}
	return db.truncateLog(ctx)
}

// lastScrub returns the last mark; 0 if there is none.
func (db *DB) lastScrub(ctx context.Context) (last int64, err error) {
	err = db.w.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM scrub_pending`).Scan(&last)
	return last, err
}

// unmarkScrubs removes the marks up to last. A deletion committed since then has a later mark, because
// its remains may be in pages that were written earlier.
func (db *DB) unmarkScrubs(ctx context.Context, last int64) error {
	if _, err := db.w.ExecContext(ctx, `DELETE FROM scrub_pending WHERE id <= ?`, last); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	return nil
}

// truncateLog writes the log back into the database and empties it once no reader uses it.
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
		db.inspector.yield()
		select {
		case <-ctx.Done():
			return fmt.Errorf("truncate the log: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
