package migrations

import (
	"testing"
	"testing/fstest"
)

func TestListIsGapless(t *testing.T) {
	ms, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if len(ms) == 0 || ms[0].Name != "0001_init.sql" {
		t.Fatalf("first migration: %+v", ms)
	}
}

func TestListRefusesAGap(t *testing.T) {
	for _, names := range [][]string{{"0002_b.sql"}, {"0001_a.sql", "0003_c.sql"}, {"0001_a.sql", "x_b.sql"}, {"0001_a.sql", "0001_b.sql"}} {
		fsys := fstest.MapFS{}
		for _, n := range names {
			fsys[n] = &fstest.MapFile{Data: []byte("SELECT 1;")}
		}
		if _, err := list(fsys); err == nil {
			t.Errorf("%v: no error", names)
		}
	}
}
