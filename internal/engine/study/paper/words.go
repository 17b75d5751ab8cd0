package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
)

// plain formats a number for a name or a sentence: four digits, ∞ for infinity, a true minus sign.
func plain(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return phrase.Typeset(strconv.FormatFloat(v, 'g', 4, 64))
}

// percent formats a share in per cent with one decimal and a no-break space.
func percent(v float64) string {
	return strings.Replace(fmt.Sprintf("%.1f\u00a0%%", 100*v), "-", "−", 1)
}

// sentence formats a sentence with numbers; "" while any of them is missing.
func sentence(format string, write func(float64) string, values ...float64) string {
	texts := make([]any, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			return ""
		}
		texts[i] = write(v)
	}
	return fmt.Sprintf(format, texts...)
}

// findings is sentence for numbers that are formatted already.
func findings(format string, texts ...string) string {
	if slices.Contains(texts, "") {
		return ""
	}
	all := make([]any, len(texts))
	for i, t := range texts {
		all[i] = t
	}
	return fmt.Sprintf(format, all...)
}

// withInterval formats the mean of a cell with its 95 % interval: "0.425 (95 % CI 0.399 to 0.450)"; ""
// without a mean. Negative decimals mean four significant digits.
func withInterval(c *study.Cell, decimals int) string {
	if c == nil || c.Mean == nil {
		return ""
	}
	return interval(*c.Mean, c.Low, c.High, 1, decimals)
}

// difference formats the mean of a paired difference, times scale, with its interval.
func difference(cells []study.Cell, a, b study.Key, scale float64, decimals int) string {
	x, y := study.Find(cells, a), study.Find(cells, b)
	if x == nil || y == nil {
		return ""
	}
	d := study.Compare(*x, *y)
	if d.Mean == nil {
		return ""
	}
	return interval(*d.Mean, d.Low, d.High, scale, decimals)
}

// points formats a difference of two shares in percentage points.
func points(cells []study.Cell, a, b study.Key) string { return difference(cells, a, b, 100, 1) }

func interval(mean float64, low, high *float64, scale float64, decimals int) string {
	write := plain
	if decimals >= 0 {
		write = func(v float64) string {
			text := strconv.FormatFloat(v, 'f', decimals, 64)
			if strings.Trim(text, "-0.") == "" { // avoid "−0"
				text = strings.TrimPrefix(text, "-")
			}
			return strings.Replace(text, "-", "−", 1)
		}
	}
	if low == nil || high == nil {
		return write(scale * mean)
	}
	return fmt.Sprintf("%s (95\u00a0%% CI %s to %s)", write(scale*mean), write(scale**low), write(scale**high))
}
