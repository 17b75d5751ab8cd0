package fluid

import (
	"fmt"
	"strings"

	"taper/internal/viz"
)

// Tiles is a plane coloured by level: each node of the field colours the tile around it; the
// outer nodes, on the frame, have half tiles.
type Tiles struct {
	X, Y  viz.Scale
	Side  int      // nodes per axis
	Level []int    // of the nodes, row by row from the lowest y; negative = empty
	Class []string // CSS class of each level
	Lines []Contour
}

// SVG draws the plane in the width of its container, one path per level; adjacent tiles of a
// row with one level are merged.
func (t Tiles) SVG() string {
	if len(t.Level) != t.Side*t.Side {
		panic("viz: a plane has side×side levels")
	}
	f := &fluid{}
	paths := make([]strings.Builder, len(t.Class))
	for j := range t.Side {
		for i := 0; i < t.Side; {
			level, from := t.Level[j*t.Side+i], i
			for i++; i < t.Side && t.Level[j*t.Side+i] == level; i++ {
			}
			if level >= 0 {
				t.piece(&paths[level], j, from, i-1)
			}
		}
	}
	for k := range paths {
		if paths[k].Len() > 0 {
			fmt.Fprintf(&f.curves, `<path class="tile %s" transform="scale(%.8g)" d="%s"/>`, t.Class[k], 1/float64(2*t.Side-2),
				paths[k].String())
		}
	}
	f.surface(t.X, t.Y, t.Lines, f)
	return f.svg("")
}

// piece adds the nodes from … to of row j, in units of half a tile, y downwards.
func (t Tiles) piece(d *strings.Builder, j, from, to int) {
	end := 2*t.Side - 2
	left, right := max(0, 2*from-1), min(end, 2*to+1)
	top, bottom := max(0, end-2*j-1), min(end, end-2*j+1)
	fmt.Fprintf(d, "M%d %dh%dv%dh-%dz", left, top, right-left, bottom-top, right-left)
}
