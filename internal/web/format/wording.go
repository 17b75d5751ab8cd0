// Package format writes texts for people: names, numbers beside a control, times, statistics, and messages about
// fields. Its strings are plain text. Package form writes what addresses and forms contain, package phrase counts
// and lists.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/viz"
)

// Pc is a per cent sign after a number.
const Pc = phrase.NBSP + "%"

// LowerTitle makes a title lower case for use inside a sentence, except for symbols.
func LowerTitle(s string) string {
	if len(s) > 1 && s[0] < 0x80 && s[1] >= 'a' && s[1] <= 'z' {
		return phrase.LowerFirst(s)
	}
	return s
}

// Cut shortens a user's text to n characters, with an ellipsis if it was longer.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Hash is the first n characters of a hash.
func Hash(hash string, n int) string { return hash[:min(n, len(hash))] }

// Names lists the first names and counts the others.
func Names(all []string, most int) string {
	if len(all) <= most+1 {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:most], ", ") + " and " + phrase.Int(len(all)-most) + " more"
}

// TwoDecimals writes a value with two decimals, or more if it has more.
func TwoDecimals(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	if back, _ := strconv.ParseFloat(text, 64); back == v {
		return text
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// PercentOf writes a share in per cent, or a dash.
func PercentOf(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.Percent(*v, 1) + Pc
}

// Duration writes a duration as 42 s, 3 min 20 s, 1 h 5 min.
func Duration(d time.Duration) string {
	s := int(d.Seconds() + .5)
	switch {
	case s < 100:
		return strconv.Itoa(s) + phrase.NBSP + "s"
	case s < 3600:
		return strconv.Itoa(s/60) + phrase.NBSP + "min " + strconv.Itoa(s%60) + phrase.NBSP + "s"
	}
	return strconv.Itoa(s/3600) + phrase.NBSP + "h " + strconv.Itoa(s%3600/60) + phrase.NBSP + "min"
}

// Parameter writes a parameter of a loss given as in an address: with its digits, a minus sign, and ∞.
func Parameter(a string) string {
	v, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return a
	}
	if math.IsInf(v, 1) {
		return "∞"
	}
	return viz.Short(v, 4)
}

// Megabytes writes a number of bytes in MB (2²⁰ bytes).
func Megabytes(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) }

// ExactNumber is the shortest text that parses to the same number.
func ExactNumber(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// Limits describes the limits of an upload.
func Limits(l table.Limits) string {
	return fmt.Sprintf("%s%sMB, %s rows and %s columns", Megabytes(l.Bytes), phrase.NBSP, phrase.Int(l.Rows),
		phrase.Int(l.Columns))
}

// Ago is a time relative to now, in the time zone of the machine.
func Ago(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC) }
	switch days := int(day(now).Sub(day(t)).Hours() / 24); {
	case days == 0:
		return "today " + t.Format("15:04")
	case days == 1:
		return "yesterday " + t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}
