package phrase

import "testing"

func TestDate(t *testing.T) {
	for want, all := range map[string][]float64{
		"2020-01-01": {18262, 18262.25, 18262.75, 18262.999, 18262 - 1e-11, 18262 + 1e-11},
		"1969-12-31": {-1, -.75, -.1}, "1970-01-01": {0, .5},
	} {
		for _, days := range all {
			if got := Date(days); got != want {
				t.Errorf("%v days: %s, want %s", days, got, want)
			}
		}
	}
}
