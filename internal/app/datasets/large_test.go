package datasets

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// visits is a file of numbers, levels, texts, dates and gaps.
func visits() string {
	var b strings.Builder
	b.WriteString("id,age,dose,sex,seen,note,died\n")
	for i := range 400 {
		fmt.Fprintf(&b, "p%03d,%d.%d,%d,%c,2024-01-%02d,note %d of many,%d\n", i, 30+i*7%50, i%10, i%4, "fm"[i%2], 1+i%28, i,
			i%3/2)
		if i%50 == 0 {
			fmt.Fprintf(&b, "q%03d,NA,2,,2024-02-01,,1\n", i)
		}
	}
	return b.String()
}

// service is a Service that maps from so many bytes on, in a folder of its own.
func service(t *testing.T, mapFrom int64) (*Service, cost.Memory) {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	memory := cost.NewMemory(1 << 30)
	s := New(db, table.Limits{}, memory, time.Now)
	s.mapFrom = mapFrom
	return s, memory
}

// uploaded is a dataset of visits.
func uploaded(t *testing.T, s *Service) store.Dataset {
	t.Helper()
	up, err := s.Upload(strings.NewReader(visits()))
	if err != nil {
		t.Fatal(err)
	}
	defer up.Abort()
	d, err := s.Create(t.Context(), up, File{Name: "visits", File: "visits.csv", Choice: store.Choice{Outcome: "died",
		Positive: table.OneLevel("1")}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLargeFilesReadAlike: a file that is mapped, with its columns, gives the record, the table and the kept columns
// that it gives on the heap, and is cached at the size of its texts.
func TestLargeFilesReadAlike(t *testing.T) {
	if !store.CanMap {
		t.Skip("files are not mapped on this system")
	}
	small, _ := service(t, mappedFrom)
	large, _ := service(t, 1)
	ctx := t.Context()
	alike := func(what string, a, b any) {
		t.Helper()
		if d := cmp.Diff(a, b, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(store.Dataset{}, "ID", "Created", "ReadMS"),
			cmpopts.IgnoreFields(table.Table{}, "Home"), cmpopts.IgnoreFields(table.Column{}, "Home")); d != "" {
			t.Errorf("%s differ: %s", what, d)
		}
	}
	a, b := uploaded(t, small), uploaded(t, large)
	alike("records", a, b)
	for _, state := range []string{"raw", "kept"} {
		x, err := small.Table(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := large.Table(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		alike("tables of a "+state+" dataset", x, y)
		if x.Home != nil || y.Home == nil || y.Columns[0].Home != y.Home {
			t.Errorf("%s: homes %v and %v", state, x.Home, y.Home)
		}
		if got, most := large.tables.tables.Bytes(), int(y.Shape().Memory()); got >= most && state == "raw" {
			t.Errorf("cached at %d bytes, which is not less than %d", got, most)
		}
		if a, err = small.Confirm(ctx, a); err != nil {
			t.Fatal(err)
		}
		if b, err = large.Confirm(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoomIsClosed: the room of a table that nothing refers to is closed once the request that used it has ended, and
// not before.
func TestRoomIsClosed(t *testing.T) {
	if !store.CanMap {
		t.Skip("files are not mapped on this system")
	}
	s, memory := service(t, 1)
	ctx, end := cost.WithScope(context.Background(), memory.Requests)
	d := uploaded(t, s)
	room, column := func() (*store.Room, []float64) {
		tab, err := s.Table(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		return tab.Home.(*lodging).room, tab.Column("age").Num
	}()
	s.tables.drop(d.ID)
	sum := 0.0
	for range 20 {
		runtime.GC()
		for _, v := range column {
			sum += v
		}
	}
	if _, err := room.Floats(1); err != nil {
		t.Fatalf("during the request: %v (sum %v)", err, sum)
	}
	end()
	for range 10000 {
		if _, err := room.Floats(1); err != nil {
			return
		}
		runtime.GC()
		time.Sleep(time.Millisecond) // the cleanup has a goroutine of its own
	}
	t.Error("the room is open after the request")
}

// TestLongTablesAreSampled: of a table of more rows than the data checks look at, they look at some, and say of each
// finding how many; what reading found is about all rows.
func TestLongTablesAreSampled(t *testing.T) {
	s, _ := service(t, mappedFrom)
	whole := uploaded(t, s)
	s.checkAll = 200
	d := uploaded(t, s)
	if d.Rows != whole.Rows || len(d.Warnings) == 0 {
		t.Fatalf("%d rows of %d, %d warnings", d.Rows, whole.Rows, len(d.Warnings))
	}
	said := 0
	for _, w := range d.Warnings {
		sampled := strings.HasPrefix(w.Message, "Checked on one row in 3: ")
		if sampled == w.FromReading() {
			t.Errorf("%s: %s", w.Code, w.Message)
		}
		if sampled {
			said++
		}
		if w.Row > d.Rows {
			t.Errorf("%s is about row %d of %d", w.Code, w.Row, d.Rows)
		}
	}
	if said == 0 {
		t.Error("no finding of the checks")
	}
	if diff := cmp.Diff(whole.Profiles, d.Profiles); diff != "" {
		t.Errorf("profiles are of a sample: %s", diff)
	}
	for _, w := range whole.Warnings {
		if strings.Contains(w.Message, "Checked on") {
			t.Errorf("of all rows: %s", w.Message)
		}
	}
}

// TestConfirmRefusesWhatCannotBeLoaded: the file is not wiped for columns that the memory has no room for.
func TestConfirmRefusesWhatCannotBeLoaded(t *testing.T) {
	s, _ := service(t, mappedFrom)
	d := uploaded(t, s)
	tab, err := s.Table(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s.memory = cost.NewMemory(2 * tab.Shape().Memory() / 4)
	_, err = s.Confirm(t.Context(), d)
	if problem, ok := usererr.As(err); !ok || !problem.Costly {
		t.Errorf("confirmed: %v", err)
	}
	if now, err := s.db.Dataset(t.Context(), d.ID); err != nil || now.State != store.Raw {
		t.Errorf("state %q, %v", now.State, err)
	}
}
