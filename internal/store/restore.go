package store

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"taper/internal/engine/usererr"
	"taper/migrations"
)

// stageDir holds an incomplete restore. Its name starts with a dot, so a folder that contains nothing
// else still counts as empty.
const stageDir = ".restore"

// Restore unpacks a backup into an empty data folder. Everything is written and checked in a separate
// folder first, and the last step moves the database into place; so after an interrupted restore the
// folder still counts as empty.
func Restore(ctx context.Context, dir, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return refused(err, "The backup %s cannot be read. Check its name and permissions.", file)
	}
	defer in.Close()
	if dir, err = filepath.Abs(dir); err != nil { // SQLite's URLs need an absolute path
		return fmt.Errorf("restore: %w", err)
	}
	if err := checkEmpty(dir); err != nil {
		return err
	}
	if err := makeDirs(dir); err != nil {
		return err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	stage := filepath.Join(dir, stageDir)
	defer os.RemoveAll(stage)
	if err := unpack(ctx, in, stage); err != nil {
		err = noSpace(dir, err)
		if _, ok := usererr.As(err); ok || ctx.Err() != nil {
			return err
		}
		return refused(err, "%s is not a complete backup made by Taper. Nothing was restored.", file)
	}
	if err := moveIn(dir, stage); err != nil {
		return fmt.Errorf("restore: %w", noSpace(dir, err))
	}
	return nil
}

// checkEmpty refuses a folder with data in it. The remains of an empty store or an interrupted restore do
// not count.
func checkEmpty(dir string) error {
	name, err := foreign(dir)
	if err != nil {
		return refused(err, "The folder %s cannot be read. Name an empty folder.", dir)
	}
	if name != "" {
		return usererr.New(usererr.Conflict, "The folder %s is not empty (%s). Restore into an empty folder.", dir, name)
	}
	return nil
}

// unpack writes the tar's files to stage. It checks every file against the manifest, and the database for
// integrity and compatibility.
func unpack(ctx context.Context, in io.Reader, stage string) error {
	if err := os.RemoveAll(stage); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(stage, rawDir), 0o700); err != nil {
		return err
	}
	tr := tar.NewReader(ctxReader{ctx, in})
	m, err := readManifest(tr)
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := unpackFile(tr, f, stage); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if _, err := tr.Next(); err != io.EOF {
		return fmt.Errorf("after the last file: %v", err)
	}
	return checkSnapshot(ctx, filepath.Join(stage, dbName), m)
}

// maxManifest is the largest manifest read; one dataset takes about 130 bytes.
const maxManifest = 64 << 20

func readManifest(tr *tar.Reader) (m manifest, err error) {
	h, err := tr.Next()
	if err != nil {
		return m, err
	}
	if h.Name != manifestName {
		return m, fmt.Errorf("first file is not %s", manifestName)
	}
	if err := json.NewDecoder(io.LimitReader(tr, maxManifest)).Decode(&m); err != nil {
		return m, err
	}
	if m.Format != backupFormat {
		return m, usererr.New(usererr.Conflict, "The backup has the format %q; this Taper reads %q.", m.Format, backupFormat)
	}
	return m, checkManifest(m)
}

// checkManifest accepts only names that Backup writes.
func checkManifest(m manifest) error {
	steps, err := migrations.List()
	if err != nil {
		return err
	}
	if m.Schema > len(steps) {
		return usererr.New(usererr.Conflict, "The backup was made by a newer Taper (schema %d; this one knows up to %d). "+
			"Restore it with the newer program.", m.Schema, len(steps))
	}
	if m.Schema < 1 {
		return fmt.Errorf("schema %d", m.Schema)
	}
	if len(m.Files) == 0 || m.Files[0].Name != dbName {
		return fmt.Errorf("no %s", dbName)
	}
	for _, f := range m.Files[1:] {
		id, ok := strings.CutPrefix(f.Name, rawDir+"/")
		id, ext := strings.CutSuffix(id, rawExt)
		if !ok || !ext || !validID(id) {
			return fmt.Errorf("unexpected file name %q", f.Name)
		}
	}
	return nil
}

func unpackFile(tr *tar.Reader, f manifestFile, stage string) error {
	h, err := tr.Next()
	if err != nil {
		return err
	}
	if h.Name != f.Name || h.Size != f.Bytes || h.Typeflag != tar.TypeReg {
		return errors.New("differs from the manifest")
	}
	out, err := os.OpenFile(filepath.Join(stage, filepath.FromSlash(f.Name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), tr)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return errors.New("checksum differs")
	}
	return nil
}

// checkSnapshot checks the integrity of the database with SQLite, compares it with the files and the
// schema, and reads every record.
func checkSnapshot(ctx context.Context, file string, m manifest) error {
	db, err := openSnapshot(file)
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("integrity check: %s", verdict)
	}
	var schema int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&schema); err != nil {
		return err
	}
	if schema != m.Schema {
		return errors.New("database and manifest differ")
	}
	if err := checkSchema(ctx, db, schema); err != nil {
		return err
	}
	uploads, err := uploadsIn(ctx, db)
	if err != nil {
		return err
	}
	uploads = slices.DeleteFunc(uploads, func(f manifestFile) bool { return slices.Contains(m.Missing, f.Name) })
	if !slices.Equal(uploads, m.Files[1:]) {
		return errors.New("database and manifest differ")
	}
	return checkRecords(ctx, file)
}

// moveIn moves the checked files into place, the database last.
func moveIn(dir, stage string) error {
	raw := filepath.Join(dir, rawDir)
	entries, err := os.ReadDir(filepath.Join(stage, rawDir))
	if err != nil {
		return err
	}
	// Files in raw come from an earlier, interrupted restore, or are uploads whose database was lost.
	// Only those that are bit-identical to the backup's are replaced.
	_, err = moveOrphans(dir, func(id string) bool {
		_, have, err := hashFile(filepath.Join(raw, id+rawExt))
		_, comes, missing := hashFile(filepath.Join(stage, rawDir, id+rawExt))
		return err == nil && missing == nil && have == comes
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(stage, rawDir, e.Name()), filepath.Join(raw, e.Name())); err != nil {
			return err
		}
	}
	if err := syncDir(raw); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(stage, dbName), filepath.Join(dir, dbName)); err != nil {
		return err
	}
	return syncDir(dir)
}
