package table

import (
	"bytes"
	"slices"
	"strings"
)

// missing recognises the texts that mean missing in one column.
type missing struct {
	texts map[string]bool // lower case
	long  int             // length in bytes of the longest text
	nums  []float64       // values of the texts that are numbers: −9 also matches −9.0

	dialect []string // the codes that apply to every column
}

// newMissing combines the dialect's codes (nil means DefaultMissing) with the column's own.
func newMissing(dialect, column []string, f format) *missing {
	if dialect == nil {
		dialect = DefaultMissing
	}
	m := &missing{texts: map[string]bool{}, dialect: dialect}
	for _, c := range slices.Concat(dialect, column) {
		c = strings.ToLower(string(trim([]byte(c))))
		m.texts[c] = true
		m.long = max(m.long, len(c))
		if v, k := number([]byte(c), f); k.reads() {
			m.nums = append(m.nums, v)
		}
	}
	return m
}

// has reports whether a trimmed text means missing.
func (m *missing) has(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if len(text) > m.long+8 { // the lower-case form can be shorter in UTF-8
		return false
	}
	var room [32]byte
	low := room[:0]
	for _, c := range text {
		if c >= 0x80 {
			return m.texts[string(bytes.ToLower(text))]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low = append(low, c)
	}
	return m.texts[string(low)]
}

// is reports whether a number means missing.
func (m *missing) is(v float64) bool {
	return len(m.nums) > 0 && slices.Contains(m.nums, v)
}

// defaultMissing is used in detection, before the format of a column is known.
var defaultMissing = newMissing(nil, nil, format{mark: '.'})

// CodeOfMissing reports whether a trimmed text usually means missing.
func CodeOfMissing(t string) bool { return defaultMissing.has([]byte(t)) }

// JoinedMissing reports whether a text consists of two or more codes for missing, joined by blanks or
// punctuation (NA/NA, -9 -9, n/a;n/a), or of one code written twice (NANA, ????).
func JoinedMissing(text string) bool {
	low := strings.ToLower(strings.TrimSpace(text))
	if low == "" || CodeOfMissing(low) {
		return false
	}
	parts := strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune(" ,;|_+&", r) })
	if len(parts) < 2 {
		parts = strings.Split(low, "/")
	}
	if len(parts) > 1 {
		return !slices.ContainsFunc(parts, func(p string) bool { return !CodeOfMissing(p) && !negativeCode(p) })
	}
	for n := 1; n <= len(low)/2; n++ {
		if unit := low[:n]; len(low)%n == 0 && strings.Repeat(unit, len(low)/n) == low && (CodeOfMissing(unit) ||
			negativeCode(unit)) {
			return true
		}
	}
	return false
}

// negativeCode reports whether a text is one of the negative numbers that commonly mean missing.
func negativeCode(s string) bool {
	return slices.Contains([]string{"-9", "-99", "-999", "-9999", "-88", "-77"}, s)
}
