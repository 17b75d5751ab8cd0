package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plain writes a number for a name or a sentence: four digits, ∞ for infinity,
// a real minus.
func plain(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
}

// percent writes a share with one decimal and a no-break space.
func percent(v float64) string {
	return strings.Replace(fmt.Sprintf("%.1f\u00a0%%", 100*v), "-", "−", 1)
}

// sentence formats one, or nothing while a number is missing.
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
