package phrase

import (
	"math"
	"time"
)

// Date writes days since 1970-01-01 as the date of that day, whatever its time. Rounding to seconds first keeps the
// day of a sum that falls short of midnight by its last digits.
func Date(days float64) string {
	return time.Unix(int64(math.Round(days*24*3600)), 0).UTC().Format(time.DateOnly)
}
