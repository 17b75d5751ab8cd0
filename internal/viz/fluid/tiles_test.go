package fluid

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"taper/internal/viz"
)

// TestTiles adds up the area of every level and checks the position of a corner.
func TestTiles(t *testing.T) {
	level := []int{ // from the lowest y
		0, 0, 1,
		0, 1, 1,
		-1, 2, 2,
	}
	svg := Tiles{X: viz.NewScale(0, 1, 3), Y: viz.NewScale(0, 1, 3), Side: 3, Level: level, Class: []string{"p0", "p9", "c0", "unused"}}.SVG()
	area := map[string]int{}
	for _, path := range regexp.MustCompile(`class="tile (\w+)"[^>]* d="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		for _, piece := range regexp.MustCompile(`h(\d+)v(\d+)h-`).FindAllStringSubmatch(path[2], -1) {
			w, _ := strconv.Atoi(piece[1])
			h, _ := strconv.Atoi(piece[2])
			area[path[1]] += w * h
		}
	}
	// in quarter tiles: corners have one, sides two, the middle four
	if area["p0"] != 1+2+2 || area["p9"] != 1+4+2 || area["c0"] != 2+1 || len(area) != 3 {
		t.Errorf("areas %v", area)
	}
	if !strings.Contains(svg, `class="tile p9" transform="scale(0.25)" d="M3 3h1v1h-1z`) { // the lower right corner
		t.Error(svg)
	}
}
