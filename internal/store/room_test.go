package store

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"taper/internal/engine/usererr"
)

// TestRoom: the columns of a room are zero, of their own, and in a file that has no name and that a kill leaves nothing
// of; after Close there is no room.
func TestRoom(t *testing.T) {
	if !CanMap {
		t.Skip("files are not mapped on this system")
	}
	db := open(t, t.TempDir())
	room, err := db.NewRoom()
	if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(db.Dir(), uploadDir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the room has a name: %v, %v", left, err)
	}
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			for _, n := range []int{0, 1, 1000, mapSize/8 + 5} {
				x, err := room.Floats(n)
				if err != nil || len(x) != n || cap(x) < n {
					t.Errorf("%d numbers: %d, %v", n, len(x), err)
					return
				}
				c, err := room.Codes(n + 1)
				if err != nil || len(c) != n+1 {
					t.Errorf("%d codes: %d, %v", n+1, len(c), err)
					return
				}
				for i := range x {
					if x[i] != 0 || c[i] != 0 {
						t.Errorf("row %d is %v and %d", i, x[i], c[i])
						return
					}
					x[i], c[i] = float64(k), int32(k)
				}
				for i := range x {
					if x[i] != float64(k) || c[i] != int32(k) {
						t.Errorf("row %d of %d became %v and %d", i, k, x[i], c[i])
						return
					}
				}
			}
		})
	}
	group.Wait()
	if err := room.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := room.Floats(1); err == nil {
		t.Error("a closed room has room")
	}
	if err := room.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// TestMapRaw: a mapped file has the bytes of the upload; when its dataset was deleted while it was read, that is the
// error at the end.
func TestMapRaw(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a", "a,b\n1,2\n")
	data, done, err := db.MapRaw(ctx, d.ID)
	if err != nil || string(data) != "a,b\n1,2\n" {
		t.Fatalf("%q, %v", data, err)
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	if _, done, err = db.MapRaw(ctx, d.ID); err != nil {
		t.Fatal(err)
	}
	if err := db.DeleteDataset(ctx, d.ID); err != nil {
		t.Fatal(err)
	}
	if err := done(); !usererr.Is(err, usererr.NotFound) {
		t.Errorf("after a deletion: %v", err)
	}
	if _, _, err := db.MapRaw(ctx, d.ID); !usererr.Is(err, usererr.NotFound) {
		t.Errorf("of a deleted dataset: %v", err)
	}
	missing := upload(t, db, "a", "a\n1\n")
	if err := os.Remove(db.RawPath(missing.ID)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.MapRaw(ctx, missing.ID); !usererr.Is(err, usererr.Conflict) {
		t.Errorf("of a missing file: %v", err)
	}
}
