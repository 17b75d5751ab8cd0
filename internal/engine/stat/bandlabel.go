package stat

import "strconv"

// BandLabel names the band from low to high in per cent: "≤ 25 %", "25 – 50 %", "> 75 %". Its spaces are
// ordinary ones, so that a label in a file can be typed; pages replace them by no-break spaces.
func BandLabel(low, high float64) string {
	switch {
	case low <= 0 && high >= 1:
		return "all rows"
	case low <= 0:
		return "≤ " + inPercent(high) + " %"
	case high >= 1:
		return "> " + inPercent(low) + " %"
	}
	return inPercent(low) + " – " + inPercent(high) + " %"
}

// BandLabels names the bands between the boundaries pi.
func BandLabels(pi []float64) []string {
	names := make([]string, len(pi)+1)
	low := 0.0
	for j := range names {
		high := 1.0
		if j < len(pi) {
			high = pi[j]
		}
		names[j], low = BandLabel(low, high), high
	}
	return names
}

// inPercent writes a boundary in per cent with four significant digits.
func inPercent(p float64) string {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(100*p, 'g', 4, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}
