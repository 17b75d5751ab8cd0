package table

import "strconv"

// ParseNumber reads a plain decimal number: an optional sign, digits with at
// most one decimal mark ("." or ","; "" means "."), an optional exponent. It
// says false to everything else that strconv would take (NaN, Inf, 0x1p-2,
// 1_000) and to what overflows (1e400): a clinical file means something else
// by these. Blanks around the number are the caller's to trim.
func ParseNumber(text, decimal string) (float64, bool) {
	mark := byte('.')
	if decimal == "," {
		mark = ','
	}
	at, ok := plain(text, mark)
	if !ok {
		return 0, false
	}
	if mark != '.' && at >= 0 {
		text = text[:at] + "." + text[at+1:]
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// plain reports whether text has the form of a plain number and where its
// decimal mark stands (−1 without one).
func plain(text string, mark byte) (at int, ok bool) {
	i, digits := sign(text, 0), 0
	for at = -1; i < len(text); i++ {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == mark && at < 0:
			at = i
		case (c == 'e' || c == 'E') && digits > 0:
			return at, exponent(text[i+1:])
		default:
			return at, false
		}
	}
	return at, digits > 0
}

// exponent reports whether text is an optional sign and one digit or more.
func exponent(text string) bool {
	i := sign(text, 0)
	if i == len(text) {
		return false
	}
	for ; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// sign returns the position after a sign at i, if there is one.
func sign(text string, i int) int {
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		return i + 1
	}
	return i
}
