package table

import (
	"math"
	"testing"
	"time"
)

// FuzzReadDate: a date is a day of the calendar with a time of the day, in every order.
func FuzzReadDate(f *testing.F) {
	for _, text := range []string{"2024-02-29", "29.2.23", "31/12/1999 23:59:59", "12/31/99", "20240131", "2024-01-31T07:05", "0000-00-00",
		"1.1.1 1:1", "9999-12-31", "20241301"} {
		f.Add(text, "2006-01-02")
		f.Add(text, "01/02/2006")
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, text, layout string) {
		days, ok := ReadDate(text, layout)
		if !ok {
			return
		}
		at := time.Unix(0, 0).UTC().AddDate(0, 0, int(math.Floor(days)))
		if year := at.Year(); math.IsNaN(days) || math.IsInf(days, 0) || year < 0 || year > 9999 {
			t.Errorf("%q in %q is day %v, of the year %d", text, layout, days, year)
		}
		if iso := at.Format("2006-01-02"); at.Year() >= 1000 {
			if again, ok := ReadDate(iso, layout); !ok || again != math.Floor(days) {
				t.Errorf("%q in %q is day %v, written %s, which is %v", text, layout, days, iso, again)
			}
		}
	})
}

// FuzzReadNumber: what reads as a number is finite, and has no digit that the text lacks.
func FuzzReadNumber(f *testing.F) {
	for _, text := range []string{"1,234.5", "1.234,5", "−3", "1e400", "12 mg", "<0.01", "1_000", "0x10", "+.5", "1e", "NaN", "٣"} {
		f.Add(text, ".", ",", "")
		f.Add(text, ",", ".", "value")
	}
	f.Fuzz(func(t *testing.T, text, decimal, thousands, nonNumeric string) {
		v, ok := ReadNumber(text, decimal, thousands, nonNumeric)
		if ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q is %v", text, v)
		}
		if p, fine := ParseNumber(text, decimal); fine && (math.IsNaN(p) || math.IsInf(p, 0)) {
			t.Errorf("%q is %v", text, p)
		}
	})
}
