// Package tabletest makes tables for tests.
package tabletest

import (
	"encoding/json"
	"math"
	"slices"

	"taper/internal/engine/table"
)

// ByHand makes a table of columns of equal length.
func ByHand(cols ...*table.Column) *table.Table {
	t := &table.Table{Columns: cols}
	for _, c := range cols {
		t.Rows = max(len(c.Num), len(c.Code))
	}
	return t
}

// Numbers is a numeric column; whole values make it an integer.
func Numbers(name string, x ...float64) *table.Column {
	c := &table.Column{Name: name, Type: table.Integer, Role: table.Predictor, Num: x}
	seen := map[float64]bool{}
	for _, v := range x {
		if v != v {
			c.Missing++
			continue
		}
		if v != math.Trunc(v) {
			c.Type = table.Number
		}
		seen[v] = true
	}
	c.Distinct = len(seen)
	return c
}

// Texts is a column of levels; "" is missing.
func Texts(name string, cells ...string) *table.Column {
	c := &table.Column{Name: name, Type: table.Category, Role: table.Predictor}
	for _, cell := range cells {
		k := slices.Index(c.Levels, cell)
		switch {
		case cell == "":
			c.Missing++
			k = -1
		case k < 0:
			k = len(c.Levels)
			c.Levels, c.Count = append(c.Levels, cell), append(c.Count, 0)
		}
		if k >= 0 {
			c.Count[k]++
		}
		c.Code = append(c.Code, int32(k))
	}
	c.Distinct = len(c.Levels)
	switch {
	case c.Distinct < 2:
		c.Type, c.Role = table.Constant, table.Exclude
	case c.Distinct == 2:
		c.Type = table.Boolean
	}
	return c
}

// Cycle repeats cells up to n.
func Cycle(n int, cells ...string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = cells[i%len(cells)]
	}
	return out
}

// Choose returns the options after a choice on a warning. Like the change of a dataset it
// sets what the choice names in JSON; a choice that changes nothing settles the warning.
func Choose(o table.Options, w table.Warning, c table.Choice) table.Options {
	o.Columns, o.Settled = slices.Clone(o.Columns), slices.Clone(o.Settled)
	if c.Settles() {
		o.Settled = append(o.Settled, w.Key())
		return o
	}
	specs := c.Columns
	if c.Column != nil {
		specs = append(specs, *c.Column)
	}
	for _, s := range specs {
		i := slices.IndexFunc(o.Columns, func(have table.ColumnSpec) bool { return have.Name == s.Name })
		if i < 0 {
			i, o.Columns = len(o.Columns), append(o.Columns, table.ColumnSpec{})
		}
		overlay(&o.Columns[i], s)
	}
	if c.Dialect != nil {
		overlay(&o.Dialect, *c.Dialect)
	}
	o.Settled = slices.DeleteFunc(o.Settled, func(key string) bool { return key == w.Key() })
	return o
}

// overlay sets the fields of dst that are in the JSON of v.
func overlay[T any](dst *T, v T) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, dst)
	}
	if err != nil {
		panic(err)
	}
}
