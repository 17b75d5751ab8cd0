package store

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"taper/internal/engine/usererr"
	"taper/migrations"
)

// A backup is one tar file: manifest.json first, then taper.db (a snapshot
// without log and without deleted content), then raw/<id>.raw for every
// dataset that still has its upload.
const (
	backupFormat = "taper-backup/1"
	manifestName = "manifest.json"
)

// manifest says what the tar contains. Restore relies on nothing else.
type manifest struct {
	Format string         `json:"format"`
	Schema int            `json:"schema"`
	Files  []manifestFile `json:"files"` // in the order of the tar

	// Missing names the uploads that the database lists and that are not in the folder.
	Missing []string `json:"missing,omitempty"`
}

// errDataChanged says that an upload was wiped between the snapshot and its copy.
var errDataChanged = errors.New("the data changed while they were copied")

// Backup writes everything in the data folder to a new file, mode 0600. It may
// run while a server has the folder open: the snapshot is one read
// transaction, and when an upload it names is wiped before it is copied, the
// backup starts over.
func Backup(ctx context.Context, dir, file string) error {
	dir, err := filepath.Abs(dir) // SQLite's URLs need an absolute path
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, dbName)); err != nil {
		return refused(err, "There is no %s in %s. Name the data folder to back up.", dbName, dir)
	}
	if _, err := os.Lstat(file); err == nil {
		return usererr.New(usererr.Conflict, "%s exists already. Choose another name for the backup.", file)
	}
	for {
		err := backupOnce(ctx, dir, file)
		if !errors.Is(err, errDataChanged) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func backupOnce(ctx context.Context, dir, file string) error {
	held, err := snapshot(ctx, dir)
	if err != nil {
		return explainOpen(dir, err)
	}
	snap := held.Name()
	defer wipeOpen(held, wipeSnapshot)
	m, err := makeManifest(ctx, dir, snap)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	out, err := nameless(filepath.Dir(file))
	if err := noSpaceFor(file, err); usererr.Is(err, usererr.Full) {
		return err
	}
	if err != nil {
		return refused(err, "The backup %s cannot be written. Choose another place.", file)
	}
	defer dropNameless(out)
	err = errors.Join(writeTar(ctx, out, m, dir, snap), out.Sync())
	if err == nil {
		err = giveName(out, file)
	}
	if err != nil {
		return fmt.Errorf("back up: %w", noSpaceFor(file, err))
	}
	if err := syncDir(filepath.Dir(file)); err != nil {
		// The name might not survive a power cut, and would be in the way of the next attempt.
		return errors.Join(fmt.Errorf("back up: %w", noSpaceFor(file, err)), os.Remove(file))
	}
	return nil
}

// snapshot copies the database into a private temporary file of the folder, which the
// caller wipes and closes.
func snapshot(ctx context.Context, dir string) (*os.File, error) {
	src, err := sql.Open("sqlite", dsn(filepath.Join(dir, dbName)))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	steps, err := migrations.List()
	if err != nil {
		return nil, err
	}
	if _, err := schemaVersion(ctx, src, len(steps)); err != nil {
		return nil, err
	}
	if err := privateDir(filepath.Join(dir, uploadDir)); err != nil {
		return nil, err
	}
	if _, err := sweepSnapshots(dir); err != nil {
		return nil, err
	}
	f, err := snapshotFile(dir)
	if err != nil {
		return nil, err
	}
	if _, err := src.ExecContext(ctx, `VACUUM INTO ?`, f.Name()); err != nil {
		return nil, errors.Join(err, wipeOpen(f, wipeSnapshot))
	}
	return f, nil
}

// makeManifest lists the snapshot and the uploads that it names.
func makeManifest(ctx context.Context, dir, snap string) (m manifest, err error) {
	m.Format = backupFormat
	bytes, sum, err := hashFile(snap)
	if err != nil {
		return m, err
	}
	m.Files = []manifestFile{{dbName, bytes, sum}}
	db, err := openSnapshot(snap)
	if err != nil {
		return m, err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&m.Schema); err != nil {
		return m, err
	}
	uploads, err := uploadsIn(ctx, db)
	if err != nil {
		return m, err
	}
	for _, f := range uploads {
		if exists(filepath.Join(dir, filepath.FromSlash(f.Name))) {
			m.Files = append(m.Files, f)
		} else if named, err := stillNamed(ctx, dir, f); err != nil {
			return m, err
		} else if !named {
			return m, errDataChanged
		} else {
			m.Missing = append(m.Missing, f.Name)
		}
	}
	return m, nil
}

// uploadsIn lists the uploads that a database names.
func uploadsIn(ctx context.Context, db *sql.DB) (all []manifestFile, err error) {
	rows, err := db.QueryContext(ctx, `SELECT id, bytes, sha256 FROM datasets WHERE state <> 'kept' ORDER BY id`)
	err = each(rows, err, "list uploads", func() error {
		var id string
		var f manifestFile
		if err := rows.Scan(&id, &f.Bytes, &f.SHA256); err != nil {
			return err
		}
		f.Name = rawDir + "/" + id + rawExt
		all = append(all, f)
		return nil
	})
	return all, err
}

// stillNamed reports whether the folder's database still names the upload. A row is deleted before its
// file, so a file that is still named has not been wiped.
func stillNamed(ctx context.Context, dir string, f manifestFile) (bool, error) {
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, dbName), "query_only(ON)"))
	if err != nil {
		return false, err
	}
	defer db.Close()
	uploads, err := uploadsIn(ctx, db)
	return slices.Contains(uploads, f), err
}

// openSnapshot opens a database file that nobody writes to, without creating files next to it.
func openSnapshot(file string) (*sql.DB, error) {
	return sql.Open("sqlite", dsn(file, "query_only(ON)")+"&immutable=1&mode=ro")
}

func writeTar(ctx context.Context, out io.Writer, m manifest, dir, snap string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	tw := tar.NewWriter(out)
	if err := tw.WriteHeader(tarHeader(manifestName, int64(len(text)))); err != nil {
		return err
	}
	if _, err := tw.Write(text); err != nil {
		return err
	}
	for _, f := range m.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if f.Name == dbName {
			path = snap
		}
		err := addFile(ctx, tw, f, path)
		if err == errDataChanged {
			err = changed(ctx, dir, f)
		}
		if err != nil {
			return err
		}
	}
	return tw.Close()
}

// changed returns errDataChanged if the upload was wiped meanwhile, or an error if its content is not
// what was uploaded.
func changed(ctx context.Context, dir string, f manifestFile) error {
	if named, err := stillNamed(ctx, dir, f); err != nil || !named {
		return errors.Join(err, errDataChanged)
	}
	return usererr.New(usererr.Conflict, "The file %s in %s is not what was uploaded: its size or its checksum differs. "+
		"Put the right file back or delete that dataset, then back up again.", f.Name, dir)
}

func tarHeader(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, Format: tar.FormatPAX}
}

// addFile copies one file and checks that it is the one the manifest names.
func addFile(ctx context.Context, tw *tar.Writer, f manifestFile, path string) error {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errDataChanged
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if err := tw.WriteHeader(tarHeader(f.Name, f.Bytes)); err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(tw, h), io.LimitReader(ctxReader{ctx, in}, f.Bytes))
	if err != nil {
		return err
	}
	if n != f.Bytes || hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return errDataChanged
	}
	return nil
}

// ctxReader stops a long copy when its context ends.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
