package store

import (
	"io"
	"os"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// TestOpenWhole: what is read to its end is what was uploaded, also if the file is wiped or changed meanwhile.
func TestOpenWhole(t *testing.T) {
	db := open(t, t.TempDir())
	text := "a,b\n" + strings.Repeat("1,2\n", 100_000)
	d := upload(t, db, "a.csv", text)
	whole := func() io.ReadCloser {
		f, err := db.OpenWhole(ctx, d.ID)
		noError(t, err)
		return f
	}
	f := whole()
	got, err := io.ReadAll(f)
	if err != nil || string(got) != text || f.Close() != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	f = whole()
	if _, err := io.ReadFull(f, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	noError(t, os.WriteFile(db.RawPath(d.ID), make([]byte, len(text)), 0o600)) // zeros, as wiping writes them
	if _, err := io.ReadAll(f); !usererr.Is(err, usererr.Conflict) {
		t.Errorf("wiped while it was read: %v", err)
	}
	noError(t, f.Close())

	for _, wrong := range []string{strings.Replace(text, "1", "7", 1), text[:len(text)-4], ""} {
		noError(t, os.WriteFile(db.RawPath(d.ID), []byte(wrong), 0o600))
		if _, err := db.OpenWhole(ctx, d.ID); !usererr.Is(err, usererr.Conflict) ||
			!strings.Contains(err.Error(), "is not what was uploaded") {
			t.Errorf("a changed file: %v", err)
		}
	}
	noError(t, os.Remove(db.RawPath(d.ID)))
	if _, err := db.OpenWhole(ctx, d.ID); err == nil || !strings.Contains(err.Error(), "is not in the data folder") {
		t.Errorf("a lost file: %v", err)
	}
}
