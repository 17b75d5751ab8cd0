package store

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"taper/internal/engine/usererr"
	"taper/migrations"
)

// doctored rewrites a backup whose database was changed by SQL, with a matching manifest.
func doctored(t *testing.T, file, query string) string {
	t.Helper()
	in, err := os.Open(file)
	noError(t, err)
	defer in.Close()
	tr := tar.NewReader(in)
	m, err := readManifest(tr)
	noError(t, err)
	files := map[string][]byte{}
	for _, f := range m.Files {
		_, err := tr.Next()
		noError(t, err)
		files[f.Name], err = io.ReadAll(tr)
		noError(t, err)
	}
	base := filepath.Join(t.TempDir(), "x.db")
	noError(t, os.WriteFile(base, files[dbName], 0o600))
	db, err := sql.Open("sqlite", base)
	noError(t, err)
	_, err = db.Exec(query)
	noError(t, err)
	noError(t, db.QueryRow(`PRAGMA user_version`).Scan(&m.Schema))
	noError(t, db.Close())
	files[dbName], err = os.ReadFile(base)
	noError(t, err)
	sum := sha256.Sum256(files[dbName])
	m.Files[0].Bytes, m.Files[0].SHA256 = int64(len(files[dbName])), hex.EncodeToString(sum[:])
	files[manifestName], err = json.Marshal(m)
	noError(t, err)

	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	for _, f := range append([]manifestFile{{Name: manifestName}}, m.Files...) {
		noError(t, tw.WriteHeader(tarHeader(f.Name, int64(len(files[f.Name])))))
		_, err = tw.Write(files[f.Name])
		noError(t, err)
	}
	noError(t, tw.Close())
	to := filepath.Join(t.TempDir(), "doctored.tar")
	noError(t, os.WriteFile(to, b.Bytes(), 0o600))
	return to
}

// TestRestoreRefusesWhatTaperDoesNotWrite restores databases that are valid for SQLite and that
// Taper never writes.
func TestRestoreRefusesWhatTaperDoesNotWrite(t *testing.T) {
	_, file := backedUp(t)
	noError(t, Restore(ctx, t.TempDir(), doctored(t, file, `SELECT 1`)))
	for _, c := range []struct{ name, query, words string }{
		{"a trigger", `CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM datasets; END`, "contains the trigger evil"},
		{"a changed trigger", `DROP TRIGGER runs_last; CREATE TRIGGER runs_last AFTER DELETE ON runs BEGIN DELETE FROM runs; END`,
			"trigger runs_last in the database of the backup differs from"},
		{"a view", `CREATE VIEW v AS SELECT 1`, "contains the view v"},
		{"a table more", `CREATE TABLE more (a)`, "contains the table more"},
		{"a table less", `DROP TABLE evaluations`, "lacks the "},
		{"an index less", `DROP INDEX runs_created`, "lacks the index runs_created"},
		{"another column", `ALTER TABLE marks ADD COLUMN evil TEXT`, "table marks in the database"},
		{"no schema", `PRAGMA user_version = 0`, "not a complete backup"},
		{"another version", `PRAGMA user_version = 3`, "which Taper never creates"},
		{"an orphan", `PRAGMA foreign_keys = OFF; INSERT INTO run_parents (run, parent, how) VALUES ('r0', 'r1', '{}')`, "table run_parents belong"},
		{"a spec", `UPDATE run_specs SET spec = '{'`, "table runs cannot be read"},
		{"a result", `UPDATE run_results SET result = '{"outcome":1}'`, "table runs cannot be read"},
		{"a model", `UPDATE run_results SET model = '[]'`, "table run_results cannot be read"},
		{"scored rows", `UPDATE run_results SET row_data = x'0102'`, "table run_results cannot be read"},
		{"options of a file", `UPDATE datasets SET options = 'x'`, "table datasets cannot be read"},
		{"columns", `UPDATE dataset_columns SET meta = '' WHERE position = 1`, "table dataset_columns cannot be read"},
		{"short columns", `UPDATE dataset_columns SET num = x'00' WHERE position = 0`, "table dataset_columns cannot be read"},
		{"bounds", `UPDATE runs SET boundaries = 'x'`, "table runs cannot be read"},
		{"another file", `UPDATE datasets SET sha256 = 'x' WHERE state <> 'kept'`, "not a complete backup"},
		{"an audit", `INSERT INTO audits SELECT id, 1, '', '', x'' FROM runs`, "table audits cannot be read"},
		{"a trial", `INSERT INTO audit_trials SELECT id, '{}', 1, '' FROM runs`, "table audit_trials cannot be read"},
		{"a check", `INSERT INTO run_bootstraps SELECT id, 'done', '', 1, 1, 1, '' FROM runs`, "table run_bootstraps cannot be read"},
		{"an origin", `INSERT INTO run_parents SELECT id, id, '' FROM runs`, "table run_parents cannot be read"},
		{"a kept report", `INSERT INTO run_kept SELECT id, 'x' FROM runs`, "table run_kept cannot be read"},
		{"a validation", `INSERT INTO evaluations (id, run, name, file, sha256, version, created, n, events, result)
			SELECT 'e', id, '', '', '', '', 1, 1, 1, '' FROM runs`, "record e of the table evaluations cannot be read"},
		{"a study", `INSERT INTO studies (id, name, preset, size, status, error, version, created, elapsed, units, done, spec)
			VALUES ('s', '', '', '', 'done', '', '', 1, 1, 1, 1, '')`, "record s of the table studies cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			into := filepath.Join(t.TempDir(), "data")
			wantCode(t, Restore(ctx, into, doctored(t, file, c.query)), usererr.Conflict, c.words)
			if exists(filepath.Join(into, dbName)) || exists(filepath.Join(into, stageDir)) {
				t.Error("something was restored")
			}
			noError(t, Restore(ctx, into, file))
		})
	}
}

// TestRestoreTakesEveryOlderSchema restores an empty database of each version.
func TestRestoreTakesEveryOlderSchema(t *testing.T) {
	steps, err := migrations.List()
	noError(t, err)
	for v := range steps {
		file := filepath.Join(t.TempDir(), "x.db")
		db, err := sql.Open("sqlite", file)
		noError(t, err)
		db.SetMaxOpenConns(1)
		for _, m := range steps[:v+1] {
			noError(t, apply(ctx, db, m))
		}
		noError(t, checkSchema(ctx, db, v+1))
		noError(t, db.Close())
		noError(t, checkRecords(ctx, file))
	}
}

// TestBringUp: a database of a newer version is not migrated and gives an error.
func TestBringUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	noError(t, bringUp(ctx, file))
	db, err := sql.Open("sqlite", file)
	noError(t, err)
	_, err = db.Exec(`PRAGMA user_version = 999`)
	noError(t, err)
	noError(t, db.Close())
	if bringUp(ctx, file) == nil {
		t.Error("a database of a later version was taken")
	}
}

// TestPlainSQL: comments may change, statements may not.
func TestPlainSQL(t *testing.T) {
	a, b := plainSQL("CREATE TABLE a (\n\tb TEXT NOT NULL,  -- one\n\tc TEXT -- two\n)"), plainSQL("CREATE TABLE a ( b TEXT NOT NULL,\nc TEXT )")
	if a != b {
		t.Errorf("%q differs from %q", a, b)
	}
	if a == plainSQL("CREATE TABLE a ( b TEXT, c TEXT )") {
		t.Error("a column lost its rule")
	}
}
