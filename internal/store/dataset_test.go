package store

import (
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

func TestDatasetComesBackAsStored(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	u, err := db.NewUpload(0)
	noError(t, err)
	text := "age;sex\n1,5;F\n"
	for _, b := range []byte(text) { // as on a slow connection
		_, err := u.Write([]byte{b})
		noError(t, err)
	}
	header := 1
	d := Dataset{
		ID: db.NewID("d"), Name: "Prüfung </script>", File: "a.csv", Rows: 1, ReadMS: 12, State: Draft,
		Problem: usererr.New(usererr.Invalid, "Row 2 has 9 cells, expected 8.").At(2, "age"),
		Options: table.Options{Dialect: table.Dialect{Delimiter: ";"}, Settled: []string{"date:x"},
			Columns: []table.ColumnSpec{{Name: "age", Role: table.Predictor, MissingCodes: []string{"-9"}}}},
		Dialect:  table.Dialect{Delimiter: ";", Decimal: ",", HeaderRow: &header},
		Profiles: []table.Profile{{Name: "age", Type: table.Number, Min: ptr(1.5), Max: ptr(1.5), Histogram: []int{1}}},
		Warnings: []table.Warning{{Code: "missing-code", Column: "age", Row: 1, Message: "−9 in 1 row. A code?",
			Choices: []table.Choice{{Label: "Yes", Column: &table.ColumnSpec{Name: "age"}}}}},
		Dropped: []table.Drop{{Reason: "Row 2 has 9 cells, expected 8.", Rows: 1}},
		Choice:  Choice{Outcome: "sex", Positive: table.Levels{"F"}, ScoreOnly: []string{"X"}}, Sample: true, Source: "here",
	}
	noError(t, db.CreateDataset(ctx, d, u))
	noError(t, u.Abort()) // ownership was taken: must not wipe
	noError(t, db.Close())

	db = open(t, dir)
	got, err := db.Dataset(ctx, d.ID)
	noError(t, err)
	d.Bytes, d.SHA256 = 14, "75338f6d4df34bcddf0e4b526084c060c370aed6c9259efacc5fb8ca953a9ba6"
	d.Created, d.Runs = got.Created, 0
	if diff := cmp.Diff(d, got); diff != "" {
		t.Fatal(diff)
	}
	raw, err := db.RawFile(ctx, d.ID)
	if err != nil || string(raw) != text {
		t.Fatalf("raw %q, %v", raw, err)
	}
}

func TestUpdateDatasetKeepsTheUploadsIdentity(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a", "x\n1\n")
	changed := d
	changed.Name, changed.SHA256, changed.Bytes, changed.Choice.Outcome = "b", "no", 99, "dx"
	noError(t, db.UpdateDataset(ctx, changed))
	got, err := db.Dataset(ctx, d.ID)
	noError(t, err)
	want := d
	want.Name, want.Choice.Outcome = "b", "dx"
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
	d.ID = "nobody"
	wantCode(t, db.UpdateDataset(ctx, d), usererr.NotFound, "‘nobody’")
}

func TestKeepColumns(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a", "age,sex,name\n1.5,F,Canary\n")
	d.Profiles = []table.Profile{{Name: "age"}, {Name: "name", Levels: []table.LevelCount{{Level: "Canary", Rows: 1}}},
		{Name: "id", Type: table.Identifier}, {Name: "time", Type: table.Number}, {Name: "ward", Type: table.Category}, {Name: "seen", Type: table.Date}}
	d.Warnings = []table.Warning{{Code: "ragged"}, {Code: "identifier", Column: "name"}, {Code: "date", Column: "age"}}
	d.Options.Columns = []table.ColumnSpec{{Name: "name", MissingCodes: []string{"Canary"}}, {Name: "sex"}, {Name: "ward", Role: table.Exclude}, {Name: "time", Role: table.Exclude}}
	d.Choice = Choice{Outcome: "sex", Predictors: []string{"age", "name"}}
	noError(t, db.UpdateDataset(ctx, d))
	_, err := db.Columns(ctx, d.ID)
	wantCode(t, err, usererr.Conflict, "not confirmed")

	want := smallTable("")
	want.Columns[0].Num[2] = math.Float64frombits(0x7ff8dead0000beef) // NaN with a payload
	if d.LeftOut != nil {
		t.Fatalf("left out before it is confirmed: %v", d.LeftOut)
	}
	noError(t, db.KeepColumns(ctx, d, want, "time"))
	got, err := db.Columns(ctx, d.ID)
	noError(t, err)
	if diff := cmp.Diff(want.Columns, got.Columns, cmp.Transformer("bits", math.Float64bits)); diff != "" {
		t.Fatal(diff)
	}
	after, err := db.Dataset(ctx, d.ID)
	noError(t, err)
	if after.State != Kept || after.Rows != 3 || len(after.Profiles) != 1 || len(after.Warnings) != 2 ||
		len(after.Options.Columns) != 3 || len(after.Choice.Predictors) != 1 {
		t.Fatalf("%+v", after)
	}
	left := []LeftOut{{"name", LeftUnchosen}, {"id", LeftIdentifier}, {"time", LeftLeak}, {"ward", LeftExcluded}, {"seen", LeftDate}}
	if diff := cmp.Diff(left, after.LeftOut); diff != "" {
		t.Fatal(diff)
	}
	if found := holds(t, db.Dir(), "Canary"); found != nil {
		t.Fatalf("a dropped column is still in %v", found)
	}
	if _, err := os.Stat(db.RawPath(d.ID)); !os.IsNotExist(err) {
		t.Fatalf("upload still there: %v", err)
	}
	_, err = db.RawFile(ctx, d.ID)
	wantCode(t, err, usererr.Conflict, "wiped")
	wantCode(t, db.KeepColumns(ctx, d, want), usererr.Conflict, "not yet confirmed")
	wantCode(t, db.UpdateDataset(ctx, d), usererr.Conflict, "confirmed in the meantime") // d still has the state raw
	after.Name, after.LeftOut = "b", nil
	noError(t, db.UpdateDataset(ctx, after))
	if after, err = db.Dataset(ctx, d.ID); err != nil || len(after.LeftOut) != len(left) {
		t.Fatalf("%v, %v: what was left out does not change", after.LeftOut, err)
	}
}

func TestUploadLimit(t *testing.T) {
	db := open(t, t.TempDir())
	u, err := db.NewUpload(5 << 20)
	noError(t, err)
	_, err = u.Write(make([]byte, 5<<20))
	noError(t, err)
	_, err = u.Write([]byte("x"))
	wantCode(t, err, usererr.TooLarge, "larger than 5\u00a0MB")
	noError(t, u.Abort())
	noError(t, u.Abort())
	if left, _ := os.ReadDir(db.Dir() + "/uploads"); len(left) != 0 {
		t.Fatalf("left over: %v", left)
	}
}

func TestDatasetsPages(t *testing.T) {
	db := open(t, t.TempDir())
	db.now = clock()
	for _, n := range []string{"a", "b", "c"} {
		upload(t, db, n, n)
	}
	list, total, err := db.Datasets(ctx, 2, 1)
	noError(t, err)
	if total != 3 || len(list) != 2 || list[0].Name != "b" || list[1].Name != "a" {
		t.Fatalf("%d %+v", total, list)
	}
	newRun(t, db, list[0].ID, "r")
	if d, _ := db.Dataset(ctx, list[0].ID); d.Runs != 1 {
		t.Fatalf("runs %d, want 1", d.Runs)
	}
}
