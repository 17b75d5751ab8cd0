package viz

import (
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// BandName is the label of a band, on one line, for pages.
func BandName(low, high float64) string {
	name := stat.BandLabel(low, high)
	if strings.HasSuffix(name, "%") {
		name = strings.NewReplacer(" – ", phrase.To, " ", phrase.NBSP).Replace(name)
	}
	return name
}

// BandNames are the labels of the bands between the boundaries.
func BandNames(pi []float64) []string {
	names := make([]string, len(pi)+1)
	for j := range names {
		names[j] = BandName(edges(pi, j))
	}
	return names
}

// edges returns the ends of band j.
func edges(pi []float64, j int) (low, high float64) {
	high = 1
	if j > 0 {
		low = pi[j-1]
	}
	if j < len(pi) {
		high = pi[j]
	}
	return low, high
}

// BandTint is the number of a band's tint: the tenth that contains the midpoint of its
// probabilities. Its class is "p" and its design token "@p" with this number.
func BandTint(low, high float64) int { return min(9, max(0, int((low+high)*5))) }

func tintClass(low, high float64) string { return "p" + strconv.Itoa(BandTint(low, high)) }
func tintToken(low, high float64) string { return "@p" + strconv.Itoa(BandTint(low, high)) }

// mark is the symbol of a band or class in a scatter plot.
type mark struct {
	Symbol string // circle rect diamond triangle
	Fill   string // design token
	Edge   string
	Class  string // SVG class of the same symbol
	Size   float64
}

// bandMark returns the mark of band j of n: circles lowest, triangles highest, squares below
// the middle, diamonds above it, alternately solid and hollow. Bands below a probability of ½
// are blue, others orange.
func bandMark(j, n int, low, high float64) mark {
	side, ink := "0", "@c0"
	if low+high > 1 {
		side, ink = "1", "@c1"
	}
	tinted := mark{Fill: tintToken(low, high), Edge: ink, Class: tintClass(low, high) + " c" + side + "l"}
	solid := mark{Fill: ink, Edge: "@paper", Class: "c" + side + " st-paper"}
	hollow := mark{Fill: "@paper", Edge: ink, Class: "fill-paper c" + side + "l"}
	pick := func(m mark, symbol string, size float64) mark {
		m.Symbol, m.Size = symbol, size
		return m
	}
	inner, symbol := j-1, "rect"
	if 2*j > n-1 {
		inner, symbol = n-2-j, "diamond"
	}
	switch {
	case j == 0:
		return pick(tinted, "circle", 6)
	case j == n-1:
		return pick(tinted, "triangle", 8)
	case 2*j == n-1:
		return mark{Symbol: "diamond", Fill: "@paper", Edge: "@ink", Class: "fill-paper st-ink", Size: 7}
	case inner%2 == 0:
		return pick(solid, symbol, 6)
	}
	return pick(hollow, symbol, 6)
}

// few reports a band with too few rows, whose numbers are shown in grey.
func few(s stat.Stratum) bool { return s.Verdict == stat.TooFew }
