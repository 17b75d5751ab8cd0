package web

import (
	"testing"
	"time"

	"taper/internal/engine/table"
	"taper/internal/store"
)

// TestAuditRoomsKeepTwo: the rooms used last stay, a new audit takes the place
// of the run's old one, and what goes with a run or a dataset is forgotten.
func TestAuditRoomsKeepTwo(t *testing.T) {
	made := time.UnixMilli(1_700_000_000_123)
	room := func(run, dataset string, at time.Time) *auditRoom {
		a := &store.Audit{Run: run, Created: at}
		return newAuditRoom(store.Run{ID: run, Dataset: dataset}, a, &table.Table{})
	}
	c := newAuditRooms()
	c.keep(room("r1", "d1", made))
	c.keep(room("r2", "d2", made))
	if c.find("r1", made.UTC()) == nil {
		t.Error("the time zone matters")
	}
	c.keep(room("r3", "d1", made)) // r1 was used after r2
	for run, there := range map[string]bool{"r1": true, "r2": false, "r3": true} {
		if (c.find(run, made) != nil) != there {
			t.Errorf("%s: %v", run, !there)
		}
	}
	later := made.Add(time.Millisecond)
	c.keep(room("r1", "d1", later))
	if c.find("r1", made) != nil || c.find("r1", later) == nil || c.find("r3", made) == nil {
		t.Error("the old audit of r1 must go, and nothing else")
	}
	c.drop("d2")
	c.drop("r1")
	if c.find("r1", later) != nil || c.rooms.Len() != 1 {
		t.Errorf("%d rooms", c.rooms.Len())
	}
	c.drop("d1")
	if c.rooms.Len() != 0 {
		t.Errorf("%d rooms of a deleted dataset", c.rooms.Len())
	}
}
