package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// An uploaded file is somebody's data, and often the only copy. So the start wipes a file only if its
// name shows that the upload was never completed, or that its deletion was committed:
//
//   - uploads/*.part is an upload in progress. While a dataset is being created, an empty
//     uploads/<id>.part says that raw/<id>.raw is one too.
//   - raw/<id>.raw is wiped if the table wipes names it. That row is committed with the deletion, or
//     with the confirmation of the columns.
//
// Any other file in raw that the database does not list is moved to set-aside: the database may be an
// older copy. When the newer database comes back, its files are moved back.

// markUpload marks the file of a dataset, before it is moved into raw, as not yet belonging to a dataset.
func (db *DB) markUpload(id string) error {
	mark := db.uploadMark(id)
	f, err := os.OpenFile(mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), syncDir(filepath.Dir(mark)))
}

func (db *DB) unmarkUpload(id string) error {
	err := os.Remove(db.uploadMark(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (db *DB) uploadMark(id string) string { return filepath.Join(db.dir, uploadDir, id+partExt) }

// dropUpload wipes a marked file that belongs to no dataset. The mark is removed last: while it exists,
// the next start wipes what could not be wiped here.
func (db *DB) dropUpload(id string) error {
	if err := wipeFile(db.RawPath(id)); err != nil {
		return err
	}
	return db.unmarkUpload(id)
}

// markWipe must be called in the transaction after which the file of a dataset is no longer needed.
func markWipe(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO wipes (dataset) VALUES (?)`, id)
	return err
}

// wipeRaw wipes the file that markWipe named, and copies of it that were set aside. It continues when the
// caller's context ends.
func (db *DB) wipeRaw(ctx context.Context, id string) error {
	db.files.Lock()
	defer db.files.Unlock()
	if err := errors.Join(wipeFile(db.RawPath(id)), wipeFile(db.orphanPath(id))); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return db.withReserve(ctx, func() error {
		_, err := db.w.ExecContext(ctx, `DELETE FROM wipes WHERE dataset = ?`, id)
		return err
	})
}

// settleUploads makes files and rows consistent after a crash, or after the database was replaced by
// another.
func (db *DB) settleUploads(ctx context.Context) error {
	known, err := db.uploadsKnown(ctx)
	if err != nil {
		return err
	}
	swept, err := db.sweepParts(known)
	if err != nil {
		return err
	}
	snapshots, err := sweepSnapshots(db.dir)
	if err != nil {
		return err
	}
	if swept += snapshots; swept > 0 {
		db.notice(phrase.Plural(swept, "unfinished file", "unfinished files") + " of a killed upload or backup lay in " +
			filepath.Join(db.dir, uploadDir) + ", now wiped.")
	}
	pending, err := queryTexts(ctx, db.w.DB, `SELECT dataset FROM wipes`)
	if err != nil {
		return err
	}
	for _, id := range pending {
		if err := db.wipeRaw(ctx, id); err != nil {
			return err
		}
	}
	if len(pending) > 0 {
		db.notice(countFiles(len(pending)) + " of a committed deletion or confirmation of columns lay in " +
			filepath.Join(db.dir, rawDir) + ", now wiped.")
	}
	moved, err := moveOrphans(db.dir, func(id string) bool { return known[id] != nil && known[id].Name != "" })
	if err != nil {
		return err
	}
	if moved > 0 {
		were := "were"
		if moved == 1 {
			were = "was"
		}
		db.notice(fmt.Sprintf("%s lay in %s without an entry in the database, which may be an older copy, and %s moved to "+
			"%s. Check that folder, and delete what is not needed.", countFiles(moved), filepath.Join(db.dir, rawDir), were,
			filepath.Join(db.dir, orphanDir)))
	}
	for id, f := range known {
		if f.Name != "" {
			if err := db.fetchUpload(id, *f); err != nil {
				return err
			}
		}
	}
	return nil
}

// uploadsKnown returns what the database says about each dataset's file; Name is empty where no file may
// exist.
func (db *DB) uploadsKnown(ctx context.Context) (map[string]*manifestFile, error) {
	rows, err := db.w.QueryContext(ctx, `SELECT id, state, bytes, sha256 FROM datasets`)
	known := map[string]*manifestFile{}
	err = each(rows, err, "list uploads", func() error {
		var id, state string
		f := new(manifestFile)
		if err := rows.Scan(&id, &state, &f.Bytes, &f.SHA256); err != nil {
			return err
		}
		if state != Kept {
			f.Name = rawDir + "/" + id + rawExt
		}
		known[id] = f
		return nil
	})
	return known, err
}

// sweepParts wipes uploads in progress and counts those that were not empty.
func (db *DB) sweepParts(known map[string]*manifestFile) (swept int, err error) {
	dir := filepath.Join(db.dir, uploadDir)
	parts, err := filesWith(dir, partExt)
	if err != nil {
		return 0, err
	}
	for _, stem := range parts {
		if strings.HasPrefix(stem, snapshotPrefix) {
			continue // see sweepSnapshots
		}
		files := []string{filepath.Join(dir, stem+partExt)}
		if validID(stem) && known[stem] == nil {
			files = append(files, db.RawPath(stem))
		}
		for _, file := range slices.Backward(files) { // the mark is removed last
			n, err := sweep(file)
			if swept += n; err != nil {
				return swept, err
			}
		}
	}
	return swept, nil
}

// moveOrphans moves the uploads for which keep is false out of raw, and counts them. It never overwrites
// a file.
func moveOrphans(dir string, keep func(id string) bool) (moved int, err error) {
	raw, aside := filepath.Join(dir, rawDir), filepath.Join(dir, orphanDir)
	ids, err := filesWith(raw, rawExt)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if keep(id) {
			continue
		}
		if err := privateDir(aside); err != nil {
			return moved, err
		}
		to := filepath.Join(aside, id+rawExt)
		for n := 2; exists(to); n++ {
			to = filepath.Join(aside, fmt.Sprintf("%s.%d%s", id, n, rawExt))
		}
		if err := os.Rename(filepath.Join(raw, id+rawExt), to); err != nil {
			return moved, err
		}
		moved++
	}
	if moved == 0 {
		return 0, nil
	}
	return moved, errors.Join(syncDir(aside), syncDir(raw))
}

// fetchUpload moves the file of a dataset back that was set aside under an older database, or reports
// that it is missing.
func (db *DB) fetchUpload(id string, f manifestFile) error {
	file, aside := db.RawPath(id), db.orphanPath(id)
	if exists(file) {
		return nil
	}
	if n, sum, err := hashFile(aside); err == nil && n == f.Bytes && sum == f.SHA256 {
		return errors.Join(os.Rename(aside, file), syncDir(filepath.Dir(file)))
	}
	db.notice(fmt.Sprintf("The uploaded file of the dataset %s is not in the folder. "+
		"It was wiped after this database was "+
		"saved, or removed. Upload it again, or delete the dataset.", id))
	return nil
}

func (db *DB) orphanPath(id string) string {
	if !validID(id) {
		id = "no-such-id"
	}
	return filepath.Join(db.dir, orphanDir, id+rawExt)
}

// noUpload returns the error of RawFile and previews when the file is missing.
func noUpload(id string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read upload: %w", err)
	}
	return refused(err, "The uploaded file of the dataset %s is not in the data folder: it was wiped after this "+
		"database was saved, or removed. Upload the file again, or delete this dataset.", id)
}

// refuseWithoutDatabase refuses to create a database in a folder with uploads, because it would list none
// of them.
func refuseWithoutDatabase(dir string) error {
	what := "is missing"
	if info, err := os.Lstat(filepath.Join(dir, dbName)); err == nil {
		if info.Size() > 0 || exists(filepath.Join(dir, dbName+"-wal")) {
			return nil
		}
		what = "is empty"
	}
	ids, err := filesWith(filepath.Join(dir, rawDir), rawExt)
	if err != nil || len(ids) == 0 {
		return nil // a folder that cannot be read is reported when it is created
	}
	return usererr.New(usererr.Conflict, "The data folder %s holds %s, but its database %s %s. Put the database back, "+
		"restore a backup with taper -data %[1]s restore FILE, or move the folder %[5]s away to start empty.",
		dir, countFiles(len(ids)), dbName, what, filepath.Join(dir, rawDir))
}

// refuseBlank is refuseWithoutDatabase for a database without a schema.
func (db *DB) refuseBlank(ctx context.Context) error {
	var version int
	err := db.w.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
	if err != nil || version != 0 {
		return err
	}
	ids, err := filesWith(filepath.Join(db.dir, rawDir), rawExt)
	if err != nil || len(ids) == 0 {
		return err
	}
	return usererr.New(usererr.Conflict, "The data folder %s holds %s, but its database %s is blank. Move it out of "+
		"the folder "+
		"and put the right one back, restore a backup with taper -data %[1]s restore FILE, "+
		"or move the folder %[4]s away to start empty.",
		db.dir, countFiles(len(ids)), dbName, filepath.Join(db.dir, rawDir))
}

func countFiles(n int) string {
	if n == 1 {
		return "1 uploaded file"
	}
	return fmt.Sprintf("%d uploaded files", n)
}

type manifestFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func hashFile(file string) (int64, string, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return n, hex.EncodeToString(h.Sum(nil)), err
}
