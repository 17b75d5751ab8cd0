package boundary

import (
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Percents lists boundaries: 25, 50 and 75 %.
func Percents(pi []float64) string {
	each := make([]string, len(pi))
	for i, p := range pi {
		each[i] = viz.Short(100*p, 4)
	}
	return phrase.Join(each) + format.Pc
}

// Param writes boundaries for a URL: .25,.5,.75.
func Param(pi []float64) string { return strings.Join(short(pi), ",") }

// Text writes boundaries for a line of a list: 25, 50, 75 %; "" without any.
func Text(pi []float64) string {
	if len(pi) == 0 {
		return ""
	}
	each := make([]string, len(pi))
	for i, p := range pi {
		each[i] = viz.Short(100*p, 4)
	}
	return strings.Join(each, ", ") + format.Pc
}

// short writes each boundary with as few digits as keep them different.
func short(pi []float64) []string {
	out := make([]string, len(pi))
	for i, p := range pi {
		out[i] = strings.TrimPrefix(strconv.FormatFloat(p, 'g', -1, 64), "0")
	}
	return out
}

// Number is the number of boundaries in words.
func Number(n int) string {
	if n == 1 {
		return "one boundary"
	}
	return phrase.Numeral(n) + " boundaries"
}
