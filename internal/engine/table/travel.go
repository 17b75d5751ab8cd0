package table

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// travelling is a table as it goes to another machine: what is short as JSON, then the cells.
type travelling struct {
	Table
	Columns []travellingColumn
}

// travellingColumn is a column with the lengths of its cells.
type travellingColumn struct {
	Column
	Num, Code int // −1: none
}

// Encode writes a table down, to the bit.
func (t *Table) Encode() ([]byte, error) {
	head, size := travelling{Table: *t}, 0
	head.Table.Columns = nil
	for _, c := range t.Columns {
		v := travellingColumn{*c, -1, -1}
		v.Column.Num, v.Column.Code = nil, nil
		if c.Num != nil {
			v.Num = len(c.Num)
		}
		if c.Code != nil {
			v.Code = len(c.Code)
		}
		head.Columns = append(head.Columns, v)
		size += 8*len(c.Num) + 4*len(c.Code)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("write a table down: %w", err)
	}
	b := make([]byte, 0, len(text)+1+size)
	b = append(append(b, text...), '\n')
	for _, c := range t.Columns {
		for _, v := range c.Num {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		for _, v := range c.Code {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	return b, nil
}

// errTravel is a text that no table was written as.
var errTravel = errors.New("these bytes are no table")

// Decode reads a table that Encode wrote. It holds on to none of the bytes.
func Decode(b []byte) (*Table, error) {
	text, cells, ok := bytes.Cut(b, []byte{'\n'})
	var head travelling
	if !ok {
		return nil, errTravel
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", errTravel, err)
	}
	t := head.Table
	for _, v := range head.Columns {
		c := v.Column
		if v.Num > len(cells)/8 {
			return nil, errTravel
		}
		if v.Num >= 0 {
			c.Num = make([]float64, v.Num)
			for i := range c.Num {
				c.Num[i] = math.Float64frombits(binary.LittleEndian.Uint64(cells[8*i:]))
			}
			cells = cells[8*v.Num:]
		}
		if v.Code > len(cells)/4 {
			return nil, errTravel
		}
		if v.Code >= 0 {
			c.Code = make([]int32, v.Code)
			for i := range c.Code {
				c.Code[i] = int32(binary.LittleEndian.Uint32(cells[4*i:]))
			}
			cells = cells[4*v.Code:]
		}
		t.Columns = append(t.Columns, &c)
	}
	if len(cells) > 0 {
		return nil, errTravel
	}
	return &t, nil
}

// Wipe overwrites the cells of a table that nobody reads any more.
func (t *Table) Wipe() {
	for _, c := range t.Columns {
		clear(c.Num)
		clear(c.Code)
		clear(c.Levels) // the texts themselves cannot be overwritten
	}
}
