package external

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"iter"
	"math"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// Known is the set of training rows of a model, used to detect test rows that were trained on.
type Known struct{ rows map[rowKey]int }

// rowKey is a hash of all predictors, as the model reads them, and the class.
type rowKey [16]byte

// keyed computes a rowKey value by value.
type keyed struct{ h hash.Hash }

// value adds a cell, as the model reads it.
func (k *keyed) value(c *prep.Column, v prep.Cell) {
	if k.h == nil {
		k.h = sha256.New()
	}
	var b [9]byte
	switch {
	case v.Missing:
		k.h.Write(b[:])
	case c.Kind == prep.Number:
		b[0] = 1
		binary.LittleEndian.PutUint64(b[1:], math.Float64bits(v.Number))
		k.h.Write(b[:])
	default:
		b[0] = 2
		binary.LittleEndian.PutUint64(b[1:], uint64(len(v.Level)))
		k.h.Write(b[:])
		k.h.Write([]byte(v.Level))
	}
}

// sum adds the class and returns the key.
func (k *keyed) sum(class int) (key rowKey) {
	if k.h == nil {
		k.h = sha256.New()
	}
	k.h.Write([]byte{3, byte(class), byte(class >> 8)})
	copy(key[:], k.h.Sum(nil))
	return key
}

// KnownRows collects the given rows of the run's table t, each with its recorded outcome. It
// returns nil if a column of the model no longer exists.
func KnownRows(m *model.Model, t *table.Table, rows iter.Seq2[int, string]) *Known {
	var columns []*table.Column
	for _, c := range m.Columns {
		from := t.Column(c.Name)
		if from == nil || c.Kind == prep.Number && from.Num == nil || c.Kind == prep.Category && from.Code == nil {
			return nil
		}
		columns = append(columns, from)
	}
	k := &Known{rows: map[rowKey]int{}}
	for row, outcome := range rows {
		class, ok := m.Class(outcome)
		if !ok || row >= t.Rows {
			continue
		}
		var key keyed
		for i := range m.Columns {
			key.value(&m.Columns[i], valueOf(&m.Columns[i], columns[i], row))
		}
		k.rows[key.sum(class)]++
	}
	return k
}

// valueOf reads a cell of a table like prep.Column.Cell reads a text.
func valueOf(c *prep.Column, from *table.Column, row int) prep.Cell {
	if c.Kind == prep.Number {
		v := from.Num[row]
		return prep.Cell{Number: v, Missing: math.IsNaN(v)}
	}
	if from.Code[row] < 0 {
		return prep.Cell{Missing: true}
	}
	return c.Cell(from.Levels[from.Code[row]], ".")
}

// unique reports whether exactly one training row has the key.
func (k *Known) unique(key rowKey) bool { return k != nil && k.rows[key] == 1 }

// once counts the keys with exactly one test row. Duplicates among the test or the training
// rows do not count as known: with few predictors, different patients can be equal.
func once(seen map[rowKey]int) (n int) {
	for _, times := range seen {
		if times == 1 {
			n++
		}
	}
	return n
}
