package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// KeyBytes is the length of a Key.
const KeyBytes = 16

// Key identifies a row by its content, independent of its position: the first bytes of the
// SHA-256 of its cells and of the number of equal rows before it.
type Key [KeyBytes]byte

// String is the key as stored and exported.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reverses String.
func ParseKey(text string) (k Key, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != KeyBytes {
		return k, false
	}
	return Key(b), true
}

// Keys returns the key of every row. It uses the names and typed values of the columns in order
// of name (1.0 is 1), so that the same file, read again, gives the same keys.
func Keys(t *table.Table) []Key {
	columns := slices.Clone(t.Columns)
	slices.SortFunc(columns, func(a, b *table.Column) int { return strings.Compare(a.Name, b.Name) })
	var head []byte
	for _, c := range columns {
		head = text(head, c.Name)
	}
	keys := make([]Key, t.Rows)
	seen := make(map[Key]uint32, t.Rows)
	buf := make([]byte, 0, len(head)+16*len(columns))
	for i := range keys {
		buf = append(buf[:0], head...)
		for _, c := range columns {
			buf = cell(buf, c, i)
		}
		sum := sha256.Sum256(buf)
		k := Key(sum[:KeyBytes])
		before := seen[k]
		if seen[k]++; before > 0 {
			buf = binary.LittleEndian.AppendUint32(buf, before)
			sum = sha256.Sum256(buf)
			k = Key(sum[:KeyBytes])
		}
		keys[i] = k
	}
	return keys
}

// cell appends a tag for the type of a value, then its bytes.
func cell(b []byte, c *table.Column, row int) []byte {
	switch {
	case c.Numeric() && c.Num != nil:
		v := c.Num[row]
		if math.IsNaN(v) {
			return append(b, 'm')
		}
		return binary.LittleEndian.AppendUint64(append(b, 'n'), math.Float64bits(v+0)) // −0 + 0 = 0
	case c.Code != nil && c.Code[row] >= 0:
		return text(append(b, 't'), c.Levels[c.Code[row]])
	}
	return append(b, 'm')
}

func text(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
