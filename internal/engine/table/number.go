package table

import (
	"bytes"
	"math"
	"strconv"
)

// format says how a column writes its numbers.
type format struct {
	mark  byte // decimal mark: '.' or ','
	group byte // thousands separator: 0 none, ',', '.', ' ' (U+00A0, U+202F too), '\'' (U+2019 too)
}

// kind classifies a text found in a numeric column.
type kind uint8

const (
	kindText      kind = iota // none of the kinds below
	kindNumber                // 12.5
	kindMinus                 // −5 with U+2212: read as a number
	kindGrouped               // 1,234 where the format groups by commas: read as a number
	kindThousands             // 1,234 where it does not
	kindMark                  // 12,5 among points, 12.5 among commas
	kindLimit                 // <0.01
	kindUnit                  // 12 mg
	kindNotPlain              // NaN, Inf, 0x1p-2, 1_000, 1e400
	kinds
)

// names are the kinds as in OddText.Kind.
var names = [kinds]string{"text", "number", "minus", "grouped", "thousands", "mark", "limit", "unit", "not-plain"}

// reads reports whether a text of this kind is read as a number without asking.
func (k kind) reads() bool { return k == kindNumber || k == kindMinus || k == kindGrouped }

// numberLike reports whether a text of this kind counts as evidence for a numeric column.
func (k kind) numberLike() bool { return k >= kindNumber && k <= kindLimit }

// ParseNumber reads a plain decimal number: an optional sign, digits with at most one decimal mark ("." or ",";
// "" means "."), an optional exponent. ok is false for other texts that strconv accepts (NaN, Inf, 0x1p-2,
// 1_000) and for overflow (1e400), because in a clinical file these are not measured numbers. The caller must
// trim blanks.
func ParseNumber(text, decimal string) (float64, bool) {
	f := format{mark: '.'}
	if decimal == "," {
		f.mark = ','
	}
	v, k := number([]byte(text), f)
	return v, k == kindNumber
}

// number classifies a trimmed text. The value is that of its numeric part: 0.01 for <0.01, 12 for 12 mg.
func number(s []byte, f format) (float64, kind) {
	if v, next, _ := fastNumber(s, 0, f.mark); next == len(s) && next > 0 {
		return v, kindNumber
	}
	if rest, ok := bytes.CutPrefix(s, []byte("\u2212")); ok && len(rest) > 0 && rest[0] != '-' && rest[0] != '+' {
		v, k := number(rest, f)
		if k == kindNumber {
			k = kindMinus
		}
		return -v, k
	}
	if v, grouped, n, ok := prefix(s, f); n > 0 && n == len(s) {
		switch {
		case !ok:
			return 0, kindNotPlain
		case grouped:
			return v, kindGrouped
		}
		return v, kindNumber
	}
	return oddNumber(s, f)
}

// oddNumber classifies a text that is not a number in the column's own format.
func oddNumber(s []byte, f format) (float64, kind) {
	other := byte(',')
	if f.mark == ',' {
		other = '.'
	}
	if f.group == 0 {
		for _, g := range []byte{other, ' ', '\''} {
			if v, grouped, n, ok := prefix(s, format{f.mark, g}); ok && grouped && n == len(s) {
				return v, kindThousands
			}
		}
	}
	if v, _, n, ok := prefix(s, format{mark: other}); ok && n == len(s) {
		return v, kindMark
	}
	if rest := bytes.TrimLeft(s, "<>=≤≥ "); len(rest) < len(s) {
		if v, _, n, ok := prefix(rest, f); ok && (n == len(rest) || unit(rest[n:])) {
			return v, kindLimit
		}
		return 0, kindText
	}
	if notPlain(s) {
		return 0, kindNotPlain
	}
	if v, _, n, ok := prefix(s, f); ok && unit(s[n:]) {
		return v, kindUnit
	}
	return 0, kindText
}

// MaxNumber is the largest absolute value read as a number: squares of larger ones overflow.
const MaxNumber = 1e150

// prefix reads the longest number at the start of s. It returns its value, whether it was grouped by thousands,
// its length in bytes (0 when there is none), and whether it is finite.
func prefix(s []byte, f format) (v float64, grouped bool, n int, ok bool) {
	var room [64]byte
	out, i, digits := room[:0], 0, 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		out, i = append(out, s[i]), i+1
	}
	first := i
	for i < len(s) {
		if isDigit(s[i]) {
			out, i, digits = append(out, s[i]), i+1, digits+1
			continue
		}
		w := f.groupAt(s, i)
		if w == 0 || !(grouped || digits >= 1 && digits <= 3 && s[first] != '0') || !threeDigits(s[i+w:]) {
			break
		}
		out, i, grouped = append(out, s[i+w:i+w+3]...), i+w+3, true
	}
	if i < len(s) && s[i] == f.mark {
		out, i = append(out, '.'), i+1
		for ; i < len(s) && isDigit(s[i]); i, digits = i+1, digits+1 {
			out = append(out, s[i])
		}
	}
	if digits == 0 {
		return 0, false, 0, false
	}
	if e := exponent(s[i:]); e > 0 {
		out, i = append(out, s[i:i+e]...), i+e
	}
	v, err := strconv.ParseFloat(string(out), 64)
	return v, grouped, i, err == nil && math.Abs(v) <= MaxNumber
}

// exponent returns the length of an exponent (e5, E-07) at the start of s.
func exponent(s []byte) int {
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return 0
	}
	i := 1
	if s[i] == '+' || s[i] == '-' {
		i++
	}
	from := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == from {
		return 0
	}
	return i
}

// groupAt returns the length of the thousands separator at s[i:], 0 for none.
func (f format) groupAt(s []byte, i int) int {
	switch {
	case f.group == 0:
		return 0
	case s[i] == f.group:
		return 1
	case f.group == ' ' && bytes.HasPrefix(s[i:], []byte("\u00a0")):
		return 2
	case f.group == ' ' && bytes.HasPrefix(s[i:], []byte("\u202f")), f.group == '\'' &&
		bytes.HasPrefix(s[i:], []byte("\u2019")):
		return 3
	}
	return 0
}

// threeDigits reports whether s starts with exactly three digits.
func threeDigits(s []byte) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// unit reports whether s, the text after a number, looks like a unit: blanks, then a short word that starts
// with a letter, % or °.
func unit(s []byte) bool {
	s = bytes.TrimLeft(s, " \u00a0")
	if len(s) == 0 || len(s) > 16 {
		return false
	}
	c := s[0] | 0x20
	return c >= 'a' && c <= 'z' || s[0] == '%' || bytes.HasPrefix(s, []byte("µ")) || bytes.HasPrefix(s, []byte("μ")) ||
		bytes.HasPrefix(s, []byte("°"))
}

// notPlain reports whether s is a notation for numbers that only programs use.
func notPlain(s []byte) bool {
	word := bytes.ToLower(bytes.TrimLeft(s, "+-"))
	switch string(word) {
	case "nan", "inf", "infinity":
		return true
	}
	if hex, ok := bytes.CutPrefix(word, []byte("0x")); ok {
		return len(hex) > 0 && len(bytes.Trim(hex, "0123456789abcdefp.+-_")) == 0
	}
	if len(word) == 0 || !isDigit(word[0]) || bytes.IndexByte(word, '_') < 0 {
		return false
	}
	return len(bytes.Trim(word, "0123456789_.")) == 0
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// whole reports whether v is an integer that float64 holds exactly.
func whole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<53 }
