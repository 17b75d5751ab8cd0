package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// columnMeta is a table.Column without its name and cells.
type columnMeta struct {
	Type         table.Type       `json:"type"`
	Role         table.Role       `json:"role"`
	Levels       []string         `json:"levels,omitempty"`
	Count        []int            `json:"count,omitempty"`
	Missing      int              `json:"missing"`
	Distinct     int              `json:"distinct"`
	MissingCodes []string         `json:"missing_codes,omitempty"`
	Odd          []table.OddText  `json:"odd,omitempty"`
	Spec         table.ColumnSpec `json:"spec"`

	Aliases map[string]string `json:"aliases,omitempty"`
	Layout  string            `json:"layout,omitempty"`
	Decimal string            `json:"decimal,omitempty"`
}

// KeepColumns stores d as UpdateDataset does and replaces its uploaded file by the columns of t: it stores
// them, deletes everything about other columns except name and reason, and wipes the file. leaks names the
// columns left out because they reveal the outcome. All but the file is committed in one transaction, so
// that what is refused changes nothing; the file is wiped afterwards, after a crash in between by Open.
func (db *DB) KeepColumns(ctx context.Context, d Dataset, t *table.Table, leaks ...string) error {
	left := leftOut(d, t, leaks) // before onlyColumns drops them
	err := db.tx(ctx, func(tx *sql.Tx) error {
		if err := markKept(ctx, tx, onlyColumns(d, t), left); err != nil {
			return err
		}
		for i, c := range t.Columns {
			if err := insertColumn(ctx, tx, d.ID, i, c, t.Rows); err != nil {
				return err
			}
		}
		if err := markWipe(ctx, tx, d.ID); err != nil {
			return err
		}
		return markScrub(ctx, tx)
	})
	if _, ok := usererr.As(err); ok {
		return err
	}
	if err != nil {
		return fmt.Errorf("keep columns: %w", err)
	}
	if err := errors.Join(db.wipeRaw(ctx, d.ID), db.scrubSmall(context.WithoutCancel(ctx))); err != nil {
		return fmt.Errorf("wipe upload: %w", err)
	}
	return nil
}

// onlyColumns returns d reduced to the columns of t: levels and codes of other columns are dropped. That the user left
// a column out stays known, since it limits what a model means.
func onlyColumns(d Dataset, t *table.Table) Dataset {
	gone := func(name string) bool { return name != "" && t.Column(name) == nil }
	d.Rows = t.Rows
	d.Profiles = slices.DeleteFunc(slices.Clone(d.Profiles), func(p table.Profile) bool { return gone(p.Name) })
	d.Warnings = remaining(d.Warnings, t)
	var specs []table.ColumnSpec
	for _, s := range d.Options.Columns {
		switch {
		case !gone(s.Name):
			specs = append(specs, s)
		case s.Role == table.Exclude:
			specs = append(specs, table.ColumnSpec{Name: s.Name, Role: s.Role})
		}
	}
	d.Options.Columns = specs
	d.Choice.Predictors = slices.DeleteFunc(slices.Clone(d.Choice.Predictors), gone)
	return d
}

// remaining returns the warnings that still apply. That patients repeat stays true if the identifying
// column is dropped, but that column can no longer be chosen.
func remaining(all []table.Warning, t *table.Table) []table.Warning {
	var left []table.Warning
	for _, w := range all {
		about := func(c *table.Column) bool { return w.Concerns(c.Name) }
		if w.Column != "" && !slices.ContainsFunc(t.Columns, about) {
			if w.Code != check.RepeatedPatients || w.Level != "ask" {
				continue
			}
			w.Column, w.Choices = "", nil
		}
		left = append(left, w)
	}
	return left
}

func markKept(ctx context.Context, tx *sql.Tx, d Dataset, left []LeftOut) error {
	j, err := encodeDataset(d)
	if err != nil {
		return err
	}
	names, err := toJSON(left)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE datasets SET state = 'kept', problem = NULL, name = ?, row_count = ?, read_ms = ?, options = ?,
			dialect = ?, profiles = ?, warnings = ?, dropped = ?, choice = ?, left_out = ?
		WHERE id = ? AND state <> 'kept' AND ? = 'raw'`, d.Name, d.Rows, d.ReadMS, j.options, j.dialect, j.profiles,
		j.warnings, j.dropped, j.choice, names, d.ID, d.State)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		var there bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM datasets WHERE id = ? AND wiped IS NULL)`,
			d.ID).Scan(&there); err != nil {
			return err
		}
		if !there {
			return noDataset(d.ID)
		}
		return usererr.New(usererr.Conflict, "Only a dataset that was read and not yet confirmed can have its columns "+
			"confirmed.")
	}
	return nil
}

func insertColumn(ctx context.Context, tx *sql.Tx, id string, i int, c *table.Column, rows int) error {
	if c.Num != nil && len(c.Num) != rows || c.Code != nil && len(c.Code) != rows {
		panic("store: a column's length differs from the table's")
	}
	meta, err := toJSON(columnMeta{c.Type, c.Role, c.Levels, c.Count, c.Missing, c.Distinct, c.MissingCodes,
		c.OddTexts, c.Spec, c.Aliases, c.Layout, c.Decimal})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO dataset_columns (dataset, position, name, meta, num, code) VALUES (?, ?, ?, ?, ?, ?)`,
		id, i, c.Name, meta, floatBlob(c.Num), intBlob(c.Code))
	return err
}

// Columns returns the kept columns of a dataset, bit for bit as given to KeepColumns.
func (db *DB) Columns(ctx context.Context, id string) (*table.Table, error) {
	return db.ColumnsInto(ctx, id, nil)
}

// ColumnsInto is Columns with the cells in a room; nil is the heap.
func (db *DB) ColumnsInto(ctx context.Context, id string, room *Room) (*table.Table, error) {
	d, err := db.Dataset(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.State != Kept {
		return nil, usererr.New(usererr.Conflict, "The columns of this dataset are not confirmed yet.")
	}
	rows, err := db.r.QueryContext(ctx, `
		SELECT name, meta, num, code FROM dataset_columns WHERE dataset = ? ORDER BY position`, id)
	if err != nil {
		return nil, fmt.Errorf("read columns: %w", err)
	}
	defer rows.Close()
	t := &table.Table{Rows: d.Rows, Dialect: d.Dialect, Warnings: d.Warnings, Dropped: d.Dropped}
	for rows.Next() {
		c, err := scanColumn(rows, d.Rows, room)
		if err != nil {
			return nil, fmt.Errorf("read columns: %w", err)
		}
		t.Columns = append(t.Columns, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read columns: %w", err)
	}
	if len(t.Columns) == 0 && d.Rows > 0 { // deleted between the two reads
		return nil, noDataset(id)
	}
	return t, nil
}

func scanColumn(s *sql.Rows, n int, room *Room) (*table.Column, error) {
	var name string
	var meta, num, code sql.RawBytes // decoded before the next row, so no copy is needed
	if err := s.Scan(&name, &meta, &num, &code); err != nil {
		return nil, err
	}
	var m columnMeta
	if err := json.Unmarshal(meta, &m); err != nil {
		return nil, err
	}
	if num != nil && len(num) != 8*n || code != nil && len(code) != 4*n {
		return nil, fmt.Errorf("column %d bytes and %d bytes, expected %d rows", len(num), len(code), n)
	}
	var num64 []float64
	var code32 []int32
	var err error
	if num != nil {
		if num64, err = room.floats(n); err != nil {
			return nil, err
		}
		decodeFloats(num64, num)
	}
	if code != nil {
		if code32, err = room.codes(n); err != nil {
			return nil, err
		}
		decodeInts(code32, code)
	}
	return &table.Column{
		Name: name, Type: m.Type, Role: m.Role, Num: num64, Code: code32, Levels: m.Levels, Count: m.Count,
		Missing: m.Missing, Distinct: m.Distinct, MissingCodes: m.MissingCodes, OddTexts: m.Odd, Spec: m.Spec,
		Aliases: m.Aliases, Layout: m.Layout, Decimal: m.Decimal,
	}, nil
}

// floatBlob keeps every bit, including NaN payloads; nil stays nil (NULL).
func floatBlob(x []float64) []byte {
	if x == nil {
		return nil
	}
	b := make([]byte, 8*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return b
}

func decodeFloats(x []float64, b []byte) {
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

func intBlob(x []int32) []byte {
	if x == nil {
		return nil
	}
	b := make([]byte, 4*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
	}
	return b
}

func decodeInts(x []int32, b []byte) {
	for i := range x {
		x[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

// leftOut lists the columns of d that t lacks, in the order of the file. leaks names those found to
// reveal the outcome. Of several reasons the first applies: type of the column, leak, the user's
// decision.
func leftOut(d Dataset, t *table.Table, leaks []string) []LeftOut {
	out := []LeftOut{}
	for _, p := range d.Profiles {
		if t.Column(p.Name) != nil {
			continue
		}
		l := LeftOut{p.Name, LeftUnchosen}
		switch {
		case p.Type == table.Identifier || p.Type == table.Text || p.Type == table.Constant:
			l.Reason = string(p.Type)
		case slices.Contains(leaks, p.Name):
			l.Reason = LeftLeak
		case p.Type == table.Date:
			l.Reason = LeftDate
		case slices.ContainsFunc(d.Options.Columns, func(s table.ColumnSpec) bool {
			return s.Name == p.Name && s.Role == table.Exclude
		}):
			l.Reason = LeftExcluded
		}
		out = append(out, l)
	}
	return out
}
