package store

import "testing"

// TestLastNumbered: the next run gets a number above all existing ones, also after a deletion;
// names that only begin or continue in the same way do not count.
func TestLastNumbered(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	for _, name := range []string{"sick: Logistic, #1", "sick: 100%", "sick: 100% #2", "sick: 100% #10", "sick: 100% #x", "sick: 100%, reviewed #40"} {
		newRun(t, db, d.ID, name)
	}
	for name, want := range map[string]int{"sick: 100%": 10, "sick: Logistic, #1": 1, "sick": 0, "": 0} {
		if got, err := db.LastRunNumbered(ctx, name); got != want || err != nil {
			t.Errorf("%q: %d %v, want %d", name, got, err, want)
		}
	}
	upload(t, db, "data", "y\n2\n")
	for name, want := range map[string]int{"data": 1, "dat": 0} {
		if got, err := db.LastDatasetNumbered(ctx, name); got != want || err != nil {
			t.Errorf("%q: %d %v, want %d", name, got, err, want)
		}
	}
}
