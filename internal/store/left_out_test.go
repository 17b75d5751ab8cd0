package store

import (
	"reflect"
	"testing"

	"taper/internal/engine/job"
)

// TestLeftOut: units that a job ended without are there when the store is opened again, until the job starts again
// or what it was of is deleted.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	first, second := newStudy(t, db, ""), newStudy(t, db, "")
	left := func(id, cause string) job.Sharing {
		return job.Sharing{Job: id, Units: 3, Done: 2, Ended: true, Failed: []job.FailedUnit{{Unit: "u1", Cause: cause,
			On: job.Maker{Machine: "m", Class: "c", Engine: "v1"}, Times: 3, LeftOut: true}}}
	}
	noError(t, db.KeepLeftOut(ctx, first.ID, "", left(first.ID, "no convergence")))
	noError(t, db.KeepLeftOut(ctx, second.ID, "", left(second.ID, "too slow")))
	noError(t, db.KeepLeftOut(ctx, second.ID, "", left(second.ID, "out of memory")))
	noError(t, db.Close())
	db = open(t, dir)
	want := map[string]job.Sharing{first.ID: left(first.ID, "no convergence"), second.ID: left(second.ID, "out of memory")}
	all, err := db.LeftOut(ctx)
	noError(t, err)
	if len(all) != 2 || !reflect.DeepEqual(all[0], want[all[0].Job]) || !reflect.DeepEqual(all[1], want[all[1].Job]) {
		t.Errorf("%+v", all)
	}
	noError(t, db.ForgetLeftOut(ctx, "nothing"))
	noError(t, db.ForgetLeftOut(ctx, first.ID))
	noError(t, db.DeleteStudy(ctx, second.ID))
	if all, err := db.LeftOut(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}
