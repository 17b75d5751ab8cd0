package table

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
)

// RowNumber reports whether the header names a row number.
func RowNumber(name string) bool { return rowNumberNames[JoinedHeader(name)] }

var rowNumberNames = WordSet("index rowname rownames rowid rownumber row nr no number lfdnr unnamed0")

// Comparable returns the columns that decide whether two rows are copies. Columns that are constant, number the
// rows, or have a different value in every row are left out.
func (t *Table) Comparable() []*Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c *Column) bool {
		return c.Type == Constant || RowNumber(c.Name) || c.Type == Identifier && c.Distinct == t.Rows-c.Missing
	})
}

// Digests returns a 64-bit digest of each row over some columns. Equal rows have equal digests; different rows
// almost never do.
func Digests(cols []*Column, rows int) []uint64 {
	digest := make([]uint64, rows)
	const block = 1 << 12 // rows per block, so that their digests stay in the cache
	parallel.Each((rows+block-1)/block, 0, func(_, b int) {
		for j, c := range cols {
			for i := b * block; i < min((b+1)*block, rows); i++ {
				digest[i] = mix(digest[i] + cellBits(c, i) + uint64(j))
			}
		}
	})
	return digest
}

func cellBits(c *Column, i int) uint64 {
	if c.Code != nil {
		return uint64(c.Code[i]) + 1
	}
	if c.Num[i] != c.Num[i] {
		return 0 // all missing values are equal, whatever their text
	}
	return math.Float64bits(c.Num[i] + 0) // −0 equals 0
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// dropCopies keeps the first of several rows that agree in all comparable columns. Every value still occurs, so
// levels and the number of distinct values do not change.
func (t *Table) dropCopies(mem *memory) {
	cols := t.Comparable()
	if len(cols) == 0 {
		return
	}
	seen := make(map[uint64]bool, t.Rows)
	var kept []int
	for i, d := range Digests(cols, t.Rows) {
		if !seen[d] {
			seen[d] = true
			kept = append(kept, i)
		}
	}
	if len(kept) == t.Rows {
		return
	}
	for _, c := range t.Columns {
		c.keepRows(kept, mem)
	}
	t.Dropped = append(t.Dropped, Drop{Kind: DropCopy, Reason: "Copies of an earlier row.", Rows: t.Rows - len(kept)})
	t.Rows = len(kept)
}

// keepRows keeps some rows of the column. They contain every value of the column, unless it numbers the rows.
func (c *Column) keepRows(rows []int, mem *memory) {
	missing := 0
	if c.Num != nil {
		num := mem.floats(len(rows))
		for k, i := range rows {
			num[k] = c.Num[i]
			missing += btoi(num[k] != num[k])
		}
		c.Num = num
		c.Distinct, _ = distinct(num)
	}
	if c.Code != nil {
		code, count, gone := mem.codes(len(rows)), make([]int, len(c.Levels)), 0
		for k, i := range rows {
			if code[k] = c.Code[i]; code[k] < 0 {
				gone++
			} else {
				count[code[k]]++
			}
		}
		c.Code, c.Count = code, count
		if c.Num == nil {
			missing, c.Distinct = gone, len(c.Levels)-countZero(count)
		}
	}
	c.Missing = missing
}

// Every returns each k-th row of the table, from the first on.
func (t *Table) Every(k int) *Table {
	var rows []int
	for i := 0; i < t.Rows; i += k {
		rows = append(rows, i)
	}
	return t.Only(rows)
}

// Only returns the given rows as a table of their own, on the heap, with the counts of these rows.
func (t *Table) Only(rows []int) *Table {
	out := *t
	out.Rows, out.Columns, out.Home = len(rows), make([]*Column, len(t.Columns)), nil
	parallel.Each(len(t.Columns), 0, func(_, j int) {
		c := *t.Columns[j]
		c.Home = nil
		c.keepRows(rows, nil)
		out.Columns[j] = &c
	})
	return &out
}

func countZero(count []int) (n int) {
	for _, k := range count {
		n += btoi(k == 0)
	}
	return n
}
