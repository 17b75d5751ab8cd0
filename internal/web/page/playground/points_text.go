package playground

import (
	"strconv"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// parsePoints reads points placed by hand: "x,y,class;x,y,class".
func parsePoints(text string) ([]playground.Point, error) {
	own := []playground.Point{}
	for i, item := range strings.Split(strings.Trim(text, "; "), ";") {
		parts := strings.Split(item, ",")
		if item == "" {
			continue
		}
		if len(parts) != 3 {
			return nil, usererr.BadField("pts", "must be x,y,class for each point, with ; between them (point %d is %q)", i+1,
				format.Cut(item, 20))
		}
		x, okX := form.ParseNumber(parts[0])
		y, okY := form.ParseNumber(parts[1])
		c, err := strconv.Atoi(strings.TrimSpace(parts[2]))
		if !okX || !okY || max(x, -x, y, -y) > 1e6 || err != nil || c < 0 || c > 4 {
			return nil, usererr.BadField("pts", "must hold numbers up to a million and classes from 0 to 4 (point %d is %q)", i+
				1,
				format.Cut(item, 20))
		}
		if own = append(own, playground.Point{X: x, Y: y, Class: c}); len(own) > maxUserPoints {
			return nil, usererr.BadField("pts", "must hold at most %d points", maxUserPoints)
		}
	}
	return own, nil
}

func pointsText(own []playground.Point) string {
	parts := make([]string, len(own))
	for i, p := range own {
		parts[i] = form.Text(p.X) + "," + form.Text(p.Y) + "," + strconv.Itoa(p.Class)
	}
	return strings.Join(parts, ";")
}
