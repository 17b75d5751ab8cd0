package table

import (
	"math"
	"strings"
	"time"
)

// dateOrder is the order of day, month and year in a column.
type dateOrder uint8

const (
	ymd dateOrder = iota // 2024-01-31
	dmy                  // 31.01.2024
	mdy                  // 01/31/2024
)

// compactLayout is the layout of 20240131.
const compactLayout = "20060102"

// ReadDate reads a trimmed text as Read reads the cells of a date column with this Layout: days since
// 1970-01-01, with the time of day as a fraction. ISO dates and 20240131 are read with any layout.
func ReadDate(text, layout string) (days float64, ok bool) {
	order := dmy
	switch {
	case strings.HasPrefix(layout, "2006"):
		order = ymd
	case strings.HasPrefix(layout, "01"):
		order = mdy
	}
	return readDate(text, order)
}

func readDate(text string, order dateOrder) (float64, bool) {
	for _, o := range []dateOrder{order, ymd} {
		if days, ok := parseDate(text, o); ok {
			return days, true
		}
	}
	if n, ok := digits(text); ok && len(text) == 8 && n >= 19000101 && n <= 21001231 {
		return compactDay(float64(n))
	}
	return math.NaN(), false
}

// layout returns how the column's first date is written, in the notation of package time.
func (m *merged) layout() string {
	for _, text := range m.dict.text {
		if _, ok := parseDate(text, m.order); !ok {
			continue
		}
		clock := ""
		if strings.Contains(text, ":") {
			clock = " 15:04"
		}
		sep, year := "-", "2006"
		if i := strings.IndexAny(text, "-/."); i >= 0 {
			sep = text[i : i+1]
		}
		if parts := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }); len(parts) >= 3 &&
			m.order != ymd && len(parts[2]) == 2 {
			year = "06"
		}
		return map[dateOrder]string{
			ymd: "2006" + sep + "01" + sep + "02", dmy: "02" + sep + "01" + sep + year, mdy: "01" + sep + "02" + sep + year,
		}[m.order] + clock
	}
	return compactLayout
}

// parseDate reads a date, with or without a time of day, as days since 1970-01-01. Month names are English.
// Two-digit years from 69 to 99 belong to the 1900s (POSIX strptime).
func parseDate(s string, order dateOrder) (days float64, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 6 || len(s) > 40 {
		return 0, false
	}
	date, clock := s, ""
	if i := strings.IndexAny(s, "T "); i > 0 && strings.IndexByte(s, ':') > i && isDigit(s[i-1]) {
		date, clock = s[:i], s[i+1:]
	}
	y, m, d, ok := splitDate(date, order)
	if !ok || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d {
		return 0, false
	}
	part, ok := parseClock(clock)
	return float64(t.Unix()/86400) + part, ok
}

// splitDate returns the numbers of a date.
func splitDate(s string, order dateOrder) (y, m, d int, ok bool) {
	if order == dmy {
		if y, m, d, ok = namedMonth(s); ok {
			return y, m, d, true
		}
	}
	sep := strings.IndexAny(s, "-/.")
	if sep < 0 {
		return 0, 0, 0, false
	}
	parts := strings.Split(s, s[sep:sep+1])
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	var n [3]int
	for i, p := range parts {
		if n[i], ok = digits(p); !ok || len(p) > 4 {
			return 0, 0, 0, false
		}
	}
	switch {
	case order == ymd:
		return n[0], n[1], n[2], len(parts[0]) == 4 && len(parts[1]) <= 2 && len(parts[2]) <= 2
	case len(parts[0]) > 2 || len(parts[1]) > 2 || len(parts[2])%2 == 1:
		return 0, 0, 0, false
	case order == dmy:
		return century(n[2], parts[2]), n[1], n[0], true
	}
	return century(n[2], parts[2]), n[0], n[1], s[sep] != '.'
}

// namedMonth reads 31JAN2024 (SAS) and 31-Jan-2024.
func namedMonth(s string) (y, m, d int, ok bool) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	rest := strings.TrimLeft(s[i:], "- ./")
	if i == 0 || i > 2 || len(rest) < 5 {
		return 0, 0, 0, false
	}
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	at := strings.Index(months, strings.ToLower(rest[:3]))
	year := strings.TrimLeft(rest[3:], "- ./")
	d, _ = digits(s[:i])
	y, ok = digits(year)
	return century(y, year), at/3 + 1, d, ok && at >= 0 && at%3 == 0 && (len(year) == 4 || len(year) == 2)
}

// century completes a two-digit year.
func century(y int, text string) int {
	switch {
	case len(text) == 4:
		return y
	case y >= 69:
		return 1900 + y
	}
	return 2000 + y
}

// parseClock reads 13:45 or 13:45:30.5, with Z or an offset, as a fraction of a day; an empty text is midnight.
func parseClock(s string) (float64, bool) {
	if s == "" {
		return 0, true
	}
	for _, layout := range []string{"15:04", "15:04:05", "15:04Z07:00", "15:04:05Z07:00", "3:04 PM", "3:04:05 PM"} {
		if t, err := time.Parse(layout, strings.ToUpper(s)); err == nil {
			midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
			return t.Sub(midnight).Seconds() / 86400, true
		}
	}
	return 0, false
}

// digits reads one to nine digits, which cannot overflow.
func digits(s string) (n int, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

func digitsOnly(s string) bool { _, ok := digits(s); return ok }

// compactDay reads 20240131.
func compactDay(v float64) (days float64, ok bool) {
	n := int(v)
	t := time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
	return float64(t.Unix() / 86400), t.Day() == n%100 && int(t.Month()) == n/100%100
}

// dates reports whether the texts are dates, and the order in which most rows can be read; day first when both
// orders read equally many.
func (m *merged) dates() (order dateOrder, ok bool) {
	best := 0
	for o := ymd; o <= mdy; o++ {
		if n := m.readable(o); n > best {
			best, order = n, o
		}
	}
	return order, best > 0 && 20*best >= 19*(m.rows-m.gone)
}

// readable counts the rows that are dates in that order.
func (m *merged) readable(o dateOrder) int {
	n, failed := 0, 0
	for k, t := range m.dict.text {
		if _, ok := parseDate(t, o); ok {
			n += m.dict.count[k]
		} else if failed++; failed > 1000 && n == 0 {
			break
		}
	}
	return n
}

// formatDate writes days since 1970-01-01 in ISO 8601, with the time when
// there is one.
func formatDate(days float64) string {
	t := time.Unix(int64(math.Round(days*86400)), 0).UTC()
	if days == math.Trunc(days) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05")
}
