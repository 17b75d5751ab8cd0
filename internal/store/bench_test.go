package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

func BenchmarkRunList(b *testing.B) {
	db := open(b, b.TempDir())
	d := upload(b, db, "data", "x")
	rng := rand.New(rand.NewPCG(1, 1))
	noError(b, db.tx(ctx, func(tx *sql.Tx) error {
		for i := range 10_000 {
			r := Run{ID: db.NewID("r"), Dataset: d.ID, DatasetName: "data", Name: fmt.Sprint("run ", i), Created: db.now(),
				Spec: runspec.Spec{Outcome: "dx", Task: "interval", Boundaries: []float64{0.25, 0.5, 0.75}, Model: fit.Spec{Loss: "interval"}}}
			if err := insertRun(ctx, tx, r); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE runs SET status = 'done', auc = ?, n = 500, events = 100 WHERE id = ?`, rng.Float64(), r.ID); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, f := range []RunFilter{
		{}, {Offset: 9000}, {Sort: "auc", Desc: true}, {Query: "run 77"}, {Sort: "name", Query: "interval data"}, {Limit: 10_000},
	} {
		b.Run(fmt.Sprintf("sort=%s,q=%q,offset=%d,limit=%d", f.Sort, f.Query, f.Offset, pageSize(f.Limit)), func(b *testing.B) {
			for b.Loop() {
				_, _, err := db.Runs(ctx, f)
				noError(b, err)
			}
		})
	}
}

// cells returns a table of 5,000,000 numbers.
func cells() *table.Table {
	rng := rand.New(rand.NewPCG(1, 1))
	t := &table.Table{Rows: 100_000}
	for i := range 50 {
		c := &table.Column{Name: fmt.Sprint("x", i), Type: table.Number, Num: make([]float64, t.Rows)}
		for j := range c.Num {
			c.Num[j] = rng.NormFloat64()
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

func BenchmarkColumns(b *testing.B) {
	db := open(b, b.TempDir())
	t := cells()
	b.Run("write", func(b *testing.B) {
		b.SetBytes(40_000_000)
		for b.Loop() {
			b.StopTimer()
			d := upload(b, db, "d", "x")
			b.StartTimer()
			noError(b, db.KeepColumns(ctx, d, t))
			b.StopTimer()
			noError(b, db.erase(ctx, `DELETE FROM datasets WHERE id = ?`, d.ID, noDataset(d.ID)))
			noError(b, db.vacuum(ctx))
			b.StartTimer()
		}
	})
	d := upload(b, db, "d", "x")
	noError(b, db.KeepColumns(ctx, d, t))
	b.Run("read", func(b *testing.B) {
		b.SetBytes(40_000_000)
		for b.Loop() {
			_, err := db.Columns(ctx, d.ID)
			noError(b, err)
		}
	})
}

func BenchmarkFinishRun(b *testing.B) {
	db := open(b, b.TempDir())
	d := upload(b, db, "d", "x")
	for _, rows := range []int{1000, 100_000} {
		res := result("", rows)
		var last Run
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				last = newRun(b, db, d.ID, "r")
				b.StartTimer()
				noError(b, db.FinishRun(ctx, last.ID, res))
			}
		})
		b.Run(fmt.Sprint("read,rows=", rows), func(b *testing.B) {
			for b.Loop() {
				_, err := db.RunRows(ctx, last.ID)
				noError(b, err)
			}
		})
	}
}
