package cost

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
)

// Work is the amount of computation of a job. Fits is 0 where a model is only applied; Total is
// the approximate number of multiply-adds.
type Work struct {
	Fits, Total float64
	Rows, Terms int // of the largest fit
}

// DefaultWork is the default limit on the multiply-adds of one job: about a day on two cores.
const DefaultWork = 1e14

// Times is the work done n times.
func (w Work) Times(n int) Work {
	w.Fits *= float64(n)
	w.Total *= float64(n)
	return w
}

// Check returns an error for more work than the limit; 0 is no limit. what begins its sentence:
// "This run".
func (w Work) Check(what string, limit float64) error {
	if limit <= 0 || w.Total <= limit {
		return nil
	}
	if w.Fits == 0 {
		return usererr.New(usererr.Invalid, "%s would take about %s multiply-adds for %d rows × %d terms; the limit is %s. "+
			"Use fewer rows, or start Taper with a higher limit (-max-work).", what, power(w.Total), w.Rows, w.Terms,
			power(limit)).TooCostly()
	}
	return usererr.New(usererr.Invalid, "%s would fit %s models of up to %d rows × %d terms, about %s multiply-adds; "+
		"the limit is %s. Use fewer rows, columns, folds, repeats or samples, a fixed λ, or start Taper with a higher "+
		"limit (-max-work).", what, power(w.Fits), w.Rows, w.Terms, power(w.Total), power(limit)).TooCostly()
}

// power formats a number for reading: "3", "450", "2 × 10¹²".
func power(x float64) string {
	if x < 1e4 {
		return strconv.Itoa(int(x))
	}
	e := int(math.Floor(math.Log10(x)))
	m := fmt.Sprintf("%.2g", x/math.Pow10(e))
	if m == "10" {
		m, e = "1", e+1
	}
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	raised := strings.Map(func(r rune) rune { return digits[r-'0'] }, strconv.Itoa(e))
	if m == "1" {
		return "10" + raised
	}
	return m + " × 10" + raised
}
