package viz

import (
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// BandName is metric.BandLabel on a page, where no line breaks inside it.
func BandName(low, high float64) string {
	name := stat.BandLabel(low, high)
	if strings.HasSuffix(name, "%") {
		name = strings.ReplaceAll(name, " ", phrase.NBSP)
	}
	return name
}

// BandNames names the bands that the boundaries cut.
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

// BandTint is the number of the probability tint of a band: the tenth that its
// midpoint lies in. The class is "p" and the token "@p" with it.
func BandTint(low, high float64) int { return min(9, max(0, int((low+high)*5))) }

func tintClass(low, high float64) string { return "p" + strconv.Itoa(BandTint(low, high)) }
func tintToken(low, high float64) string { return "@p" + strconv.Itoa(BandTint(low, high)) }

// mark is how the rows of one band are drawn in a scatter.
type mark struct {
	Symbol string // circle rect diamond triangle
	Fill   string // design token
	Edge   string
	Class  string // of the same in SVG
	Size   float64
}

// bandMark gives band j of n its mark: circles lowest, triangles highest,
// squares below the middle, diamonds above it, solid and hollow in turn. Blue
// bands promise less than an even chance, orange ones more.
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

// few reports a band whose numbers are shown in grey.
func few(s stat.Stratum) bool { return s.Verdict == stat.TooFew }
