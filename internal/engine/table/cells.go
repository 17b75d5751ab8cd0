package table

import (
	"bytes"
	"math"
)

// plan says how to parse one column. Several goroutines read it.
type plan struct {
	name    string
	spec    ColumnSpec
	f       format
	bare    byte // decimal mark in unquoted cells; 0 when it is also the delimiter
	miss    *missing
	numbers bool // parse to float64 at once; otherwise number the distinct texts
	skip    bool // the column is not parsed in this pass
	memory  *memory
}

// cells collects the cells of one column in one chunk.
type cells struct {
	*plan
	num   []float64 // one per row, for plan.numbers
	code  []int32   // one per row: index into dict, −1 missing
	dict  *dict     // distinct texts; for plan.numbers nil once there are more than MaxLevels
	seen  [kinds]int
	plain bool // a number has only its value: its text is not kept, and it cannot mean a missing value
	marks int  // number of texts with a decimal mark
	zeros int  // number of texts with a leading zero
	gone  int  // number of missing cells
	rows  int
	odd   tally
	lost  tally       // texts that were read as missing
	pads  map[int]int // cells with surrounding blanks, by code
}

// number stores a plain number and its text.
func (c *cells) number(row int, v float64, text []byte, saw uint8) {
	if !c.plain && !c.told(row, v, text) {
		return
	}
	c.num[row] = v
	c.seen[kindNumber]++
	c.marks += int(saw & sawMark)
	c.zeros += int(saw / sawZero)
}

// told does for a number what most columns are soon past: it tells those that mean a missing value, for which it
// reports false, and numbers the texts.
func (c *cells) told(row int, v float64, text []byte) bool {
	if c.miss.is(v) {
		c.missing(row, text)
		return false
	}
	if c.dict != nil {
		c.keep(text)
	}
	c.plain = c.dict == nil && len(c.miss.nums) == 0
	return true
}

// text stores any cell from its raw text.
func (c *cells) text(row int, raw []byte) {
	t := c.bareText(raw)
	if c.miss.has(t) {
		c.missing(row, t)
		return
	}
	if !c.numbers {
		code := c.dict.add(t)
		c.code[row] = code
		if len(t) != len(raw) {
			if c.pads == nil {
				c.pads = map[int]int{}
			}
			c.pads[int(code)]++
		}
		return
	}
	v, k := number(t, c.f)
	if k.reads() && c.miss.is(v) {
		c.missing(row, t)
		return
	}
	if c.dict != nil {
		c.keep(t)
	}
	c.seen[k]++
	c.marks += btoi(k.reads() && hasMark(t, c.f.mark))
	c.zeros += btoi(k.reads() && leadingZero(t))
	if k != kindNumber && k != kindGrouped {
		c.odd.add(oddText(t, k), k, 1, row)
	}
	c.num[row] = c.value(v, k)
}

// bareText removes from a cell blanks, the guard against formulas and, where the spec says so, quotes.
func (c *plan) bareText(raw []byte) []byte {
	t := unguard(trim(raw))
	if c.spec.StripQuotes {
		if inner, ok := Unquoted(string(t)); ok {
			return []byte(inner)
		}
	}
	return t
}

// oddText returns the text to list for an odd cell. All cells with a minus sign U+2212 are listed as one.
func oddText(t []byte, k kind) []byte {
	if k == kindMinus {
		return []byte("\u2212")
	}
	return t
}

// value is the number that a text of kind k is read as in a numeric column.
func (c *plan) value(v float64, k kind) float64 {
	switch {
	case k.reads():
		return v
	case c.spec.NonNumeric == "limit" && k == kindLimit,
		c.spec.NonNumeric == "strip" && (k == kindLimit || k == kindUnit || k == kindMark):
		return v
	}
	return math.NaN()
}

// keep numbers the text of the next row of a numeric column while there are few distinct ones.
func (c *cells) keep(text []byte) {
	code := c.dict.add(text)
	if int(code) >= MaxLevels {
		c.dict, c.code = nil, nil
		return
	}
	if len(c.code) == fewRows { // so few texts in so many rows: probably there are no more
		c.code = append(make([]int32, 0, len(c.num)), c.code...)
	}
	c.code = append(c.code, code)
}

// fewRows is the number of rows from which the codes of a numeric column get room for all rows of the chunk.
const fewRows = 1024

// missing stores a missing cell.
func (c *cells) missing(row int, text []byte) {
	c.gone++
	c.lost.add(text, kindText, 1, row)
	switch {
	case !c.numbers:
		c.code[row] = -1
	case c.dict != nil:
		c.code = append(c.code, -1)
	}
	if c.numbers {
		c.num[row] = math.NaN()
	}
}

// hasMark reports whether a number's text has a decimal mark.
func hasMark(t []byte, mark byte) bool { return bytes.IndexByte(t, mark) >= 0 }

// leadingZero reports whether a text starts with a zero before another digit: 007.
func leadingZero(t []byte) bool { return len(t) > 1 && t[0] == '0' && isDigit(t[1]) }
