package viz

// Isolines returns the lines on which a field takes a level. The field has its
// values on side×side nodes, row by row from the lowest y, the outer ones on
// the frame x, y. A line that closes ends at its first point.
func Isolines(field []float64, side int, x, y [2]float64, level float64) [][][2]float64 {
	if len(field) != side*side {
		panic("viz: a field has side×side values")
	}
	var all [][][2]float64
	for _, l := range (raster{v: view{x, y}, n: side - 1, f: field}).lines(level) {
		points := make([][2]float64, len(l.x))
		for k := range points {
			points[k] = [2]float64{l.x[k], l.y[k]}
		}
		all = append(all, points)
	}
	return all
}
