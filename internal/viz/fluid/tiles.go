package fluid

import (
	"fmt"
	"strings"

	"taper/internal/viz"
)

// Tiles is a plane filled by level: a node of the field takes the tile around
// it, so that the outer ones, on the frame, take half of theirs.
type Tiles struct {
	X, Y  viz.Scale
	Side  int      // nodes along each axis
	Level []int    // of the nodes, row by row from the lowest y; under 0 stays empty
	Class []string // how the style sheet fills each level
	Lines []Contour
}

// SVG draws the plane in the width of its box, one path a level: tiles of a row
// that share a level are one piece.
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
	f.surface(t.X, t.Y, t.Lines)
	return f.svg("")
}

// piece adds the nodes from … to of row j, in units of half a tile, y downwards.
func (t Tiles) piece(d *strings.Builder, j, from, to int) {
	end := 2*t.Side - 2
	left, right := max(0, 2*from-1), min(end, 2*to+1)
	top, bottom := max(0, end-2*j-1), min(end, end-2*j+1)
	fmt.Fprintf(d, "M%d %dh%dv%dh-%dz", left, top, right-left, bottom-top, right-left)
}
