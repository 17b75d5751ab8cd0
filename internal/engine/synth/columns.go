package synth

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/table"
)

// features returns n empty columns x1 … xn.
func features(n, rows int) []*table.Column {
	cols := make([]*table.Column, n)
	for j := range cols {
		cols[j] = &table.Column{Name: fmt.Sprintf("x%d", j+1), Num: make([]float64, rows)}
	}
	return cols
}

// labelled makes a table of features and an outcome y with codes into levels.
func labelled(cols []*table.Column, code []int32, levels ...string) *table.Table {
	y := &table.Column{Name: "y", Type: table.Category, Code: code, Levels: levels}
	return finish(append(cols, y))
}

// binary is labelled with two levels; the event is 1.
func binary(cols []*table.Column, event []bool) (*table.Table, Meta) {
	code := make([]int32, len(event))
	for i, e := range event {
		if e {
			code[i] = 1
		}
	}
	return labelled(cols, code, "0", "1"), Meta{Outcome: "y", Positive: "1", Negative: "0"}
}

// finish sets the column properties that reading a file would detect.
func finish(cols []*table.Column) *table.Table {
	t := &table.Table{Columns: cols, Rows: rowsOf(cols[0]), Dialect: plain()}
	for _, c := range cols {
		c.Role = table.Predictor
		if c.Code != nil {
			finishLevels(c)
			continue
		}
		finishNumber(c)
	}
	return t
}

func rowsOf(c *table.Column) int { return max(len(c.Num), len(c.Code)) }

func plain() table.Dialect {
	header := 1
	return table.Dialect{Format: "csv", Delimiter: ",", Decimal: ".", Thousands: "none", Encoding: "utf-8",
		HeaderRow: &header, Missing: table.DefaultMissing}
}

// finishLevels sorts the levels by first appearance and counts them. If all levels are whole
// numbers, the column becomes numeric and keeps its texts.
func finishLevels(c *table.Column) {
	index := make([]int32, len(c.Levels))
	var levels []string
	for i, k := range c.Code {
		if index[k] == 0 {
			levels = append(levels, c.Levels[k])
			c.Count = append(c.Count, 0)
			index[k] = int32(len(levels))
		}
		c.Code[i] = index[k] - 1
		c.Count[index[k]-1]++
	}
	c.Levels, c.Distinct = levels, len(levels)
	c.Type = table.Category
	switch {
	case len(levels) == 1:
		c.Type, c.Role = table.Constant, table.Exclude
	case len(levels) == 2 && (!allWhole(levels) || zeroOne(levels)):
		c.Type = table.Boolean
	case allWhole(levels):
		c.Type = table.Integer
		c.Num = make([]float64, len(c.Code))
		for i, k := range c.Code {
			c.Num[i], _ = strconv.ParseFloat(levels[k], 64)
		}
	}
}

func allWhole(levels []string) bool {
	for _, l := range levels {
		if _, err := strconv.Atoi(l); err != nil {
			return false
		}
	}
	return true
}

func zeroOne(levels []string) bool {
	return len(levels) == 2 && slices.Contains(levels, "0") && slices.Contains(levels, "1")
}

// finishNumber sets the type of a numeric column and counts its values.
func finishNumber(c *table.Column) {
	c.Type = table.Integer
	seen := make(map[float64]int32)
	for _, v := range c.Num {
		if v != math.Trunc(v) {
			c.Type = table.Number
		}
		if _, ok := seen[v]; !ok {
			seen[v] = int32(len(seen))
		}
	}
	c.Distinct = len(seen)
	if len(seen) > table.MaxLevels {
		return
	}
	c.Levels, c.Count = make([]string, len(seen)), make([]int, len(seen))
	c.Code = make([]int32, len(c.Num))
	for v, k := range seen {
		c.Levels[k] = number(v)
	}
	for i, v := range c.Num {
		c.Code[i] = seen[v]
		c.Count[seen[v]]++
	}
	switch {
	case len(seen) == 1:
		c.Type, c.Role, c.Num = table.Constant, table.Exclude, nil
	case zeroOne(c.Levels):
		c.Type, c.Num = table.Boolean, nil
	}
}

// number formats v with the fewest digits that read back exactly.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// WriteCSV writes the table as comma-separated UTF-8 with a header; numbers read back to the
// same bits.
func WriteCSV(w io.Writer, t *table.Table) error {
	out := table.NewCSV(w)
	record := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		record[j] = c.Name
	}
	out.Write(record...)
	for i := range t.Rows {
		for j, c := range t.Columns {
			record[j] = cell(c, i)
		}
		out.Write(record...)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

func cell(c *table.Column, i int) string {
	if c.Code != nil {
		if c.Code[i] < 0 {
			return ""
		}
		return c.Levels[c.Code[i]]
	}
	if math.IsNaN(c.Num[i]) {
		return ""
	}
	return number(c.Num[i])
}
