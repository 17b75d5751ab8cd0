// Package cost estimates what a request needs before anything is allocated, and keeps the
// memory in use within a budget.
//
// An estimate is a pure function of a spec and of the shape of its data; it is defined beside
// the code that allocates. This package has the building blocks of estimates, the limits, and
// the texts of refusals. Estimates are upper bounds of the peak and need not be tight.
package cost

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"taper/internal/engine/usererr"
)

// Of multiplies sizes. A product beyond int64 becomes a number larger than any budget.
func Of(sizes ...int) int64 {
	product := 1.0
	for _, n := range sizes {
		product *= float64(n)
	}
	if product >= math.MaxInt64 {
		return math.MaxInt64 / 64 // so that sums of up to 64 stay positive
	}
	return int64(product)
}

// Bytes formats an amount of memory in units of 1,024: "640 MB", "3.8 GB".
func Bytes(n int64) string {
	if n < 1000<<20 {
		return fmt.Sprintf("%.3g\u00a0MB", max(math.Ceil(float64(n)/(1<<20)), 1))
	}
	return fmt.Sprintf("%.3g\u00a0GB", float64(n)/(1<<30))
}

// The default memory: a share of the machine's, up to a maximum.
const (
	machineShare  = 0.75
	mostOfMachine = 4 << 30
	leastMemory   = 256 << 20 // with less, not even the samples can be fitted
)

// ParseMemory parses an amount of memory; "2048" and "2 GB" are the same. "" is the default:
// three quarters of what the control group or the machine has, at most 4 GB.
func ParseMemory(text string) (bytes int64, err error) {
	if text == "" {
		limit, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
		if err != nil {
			return mostOfMachine, nil // the machine does not report its memory
		}
		return max(int64(min(machineShare*float64(limit), mostOfMachine)), leastMemory), nil
	}
	number, unit := strings.ToUpper(strings.TrimSpace(text)), float64(1<<20)
	if n, ok := strings.CutSuffix(strings.TrimSuffix(number, "B"), "G"); ok {
		number, unit = n, 1<<30
	} else {
		number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "M")
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if n *= unit; err != nil || !(n >= leastMemory && n <= 1<<50) {
		return 0, usererr.New(usererr.Invalid, "-memory must be an amount like 2GB or 2048 (MB), of %s or more (got %.40q).",
			Bytes(leastMemory), text)
	}
	return int64(n), nil
}
