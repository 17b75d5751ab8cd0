package viz

import "math"

// raster traces contour lines of f by marching squares on a regular grid of n by n cells. For
// linear f they are exact. A closed line ends at its first point.
type raster struct {
	v view
	n int
	f []float64 // (n+1)² values, row by row from the lowest y
}

func newRaster(f func(x, y float64) float64, v view, n int) raster {
	l := raster{v: v, n: n, f: make([]float64, (n+1)*(n+1))}
	for j := range n + 1 {
		for i := range n + 1 {
			l.f[j*(n+1)+i] = f(l.x(float64(i)), l.y(float64(j)))
		}
	}
	return l
}

func (l raster) x(i float64) float64 { return l.v.x[0] + (l.v.x[1]-l.v.x[0])*i/float64(l.n) }
func (l raster) y(j float64) float64 { return l.v.y[0] + (l.v.y[1]-l.v.y[0])*j/float64(l.n) }

func (l raster) at(i, j int) float64 { return l.f[j*(l.n+1)+i] }

// edge is the index of a grid edge from node (i, j), to the right (even) or upwards (odd).
func (l raster) edge(i, j, up int) int { return 2*(j*(l.n+1)+i) + up }

// point is where a contour crosses an edge.
func (l raster) point(edge int, level float64) (x, y float64) {
	node := edge / 2
	i, j := node%(l.n+1), node/(l.n+1)
	a := l.at(i, j)
	if edge%2 == 0 {
		return l.x(float64(i) + share(a, l.at(i+1, j), level)), l.y(float64(j))
	}
	return l.x(float64(i)), l.y(float64(j) + share(a, l.at(i, j+1), level))
}

func share(a, b, level float64) float64 {
	if t := (level - a) / (b - a); t >= 0 && t <= 1 {
		return t
	}
	return .5
}

// lines returns the contour lines of a level.
func (l raster) lines(level float64) []polyLine {
	next := map[int][]int{} // edge → edges connected to it
	var order []int
	join := func(a, b int) {
		for _, e := range [2]int{a, b} {
			if next[e] == nil {
				order = append(order, e)
			}
		}
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	side := make([]byte, len(l.f)) // of the level, on which each node is
	for k, v := range l.f {
		switch {
		case !Finite(v):
			side[k] = 2
		case v >= level:
			side[k] = 1
		}
	}
	for j := range l.n {
		low, high := side[j*(l.n+1):][:l.n+1], side[(j+1)*(l.n+1):][:l.n+1]
		for i := range l.n {
			if s := low[i]; s != low[i+1] || s != high[i] || s != high[i+1] { // most cells are not crossed
				l.cell(i, j, level, join)
			}
		}
	}
	var out []polyLine
	for _, open := range []bool{true, false} { // first the lines that end at the frame
		for _, e := range order {
			if len(next[e]) == 0 || open && len(next[e]) != 1 {
				continue
			}
			out = append(out, l.follow(e, next, level))
		}
	}
	return out
}

// cell connects the crossed edges of one cell. A node at the level counts as above it.
func (l raster) cell(i, j int, level float64, join func(a, b int)) {
	corner := [4]float64{l.at(i, j), l.at(i+1, j), l.at(i+1, j+1), l.at(i, j+1)}
	edges := [4]int{l.edge(i, j, 0), l.edge(i+1, j, 1), l.edge(i, j+1, 0), l.edge(i, j, 1)}
	var crossed []int
	for k := range 4 {
		a, b := corner[k], corner[(k+1)%4]
		if !Finite(a) || !Finite(b) {
			return
		}
		if (a >= level) != (b >= level) {
			crossed = append(crossed, edges[k])
		}
	}
	switch len(crossed) {
	case 2:
		join(crossed[0], crossed[1])
	case 4: // a saddle: the value at the centre decides
		middle := (corner[0] + corner[1] + corner[2] + corner[3]) / 4
		if (middle >= level) == (corner[0] >= level) {
			join(crossed[0], crossed[1])
			join(crossed[2], crossed[3])
		} else {
			join(crossed[3], crossed[0])
			join(crossed[1], crossed[2])
		}
	}
}

// follow removes a line from next, starting at edge e, and returns it.
func (l raster) follow(e int, next map[int][]int, level float64) polyLine {
	var out polyLine
	for {
		x, y := l.point(e, level)
		out.x, out.y = append(out.x, x), append(out.y, y)
		if len(next[e]) == 0 {
			return out.straightened(l.v)
		}
		to := next[e][0]
		next[e] = next[e][1:]
		for k, back := range next[to] {
			if back == e {
				next[to] = append(append([]int(nil), next[to][:k]...), next[to][k+1:]...)
				break
			}
		}
		e = to
	}
}

// straightened removes points within a fifth of a pixel of the chord, in a plot of 300 px
// (Douglas and Peucker).
func (p polyLine) straightened(v view) polyLine {
	const px, tol = 300, .2
	sx, sy := px/(v.x[1]-v.x[0]), px/(v.y[1]-v.y[0])
	keep := make([]bool, len(p.x))
	var split func(a, b int)
	split = func(a, b int) {
		far, at := tol, -1
		dx, dy := (p.x[b]-p.x[a])*sx, (p.y[b]-p.y[a])*sy
		length := math.Hypot(dx, dy)
		for k := a + 1; k < b; k++ {
			ex, ey := (p.x[k]-p.x[a])*sx, (p.y[k]-p.y[a])*sy
			d := math.Hypot(ex, ey)
			if length > 1e-9 {
				d = math.Abs(ex*dy-ey*dx) / length
			}
			if d > far {
				far, at = d, k
			}
		}
		if at > 0 {
			keep[at] = true
			split(a, at)
			split(at, b)
		}
	}
	last := len(p.x) - 1
	keep[0], keep[last] = true, true
	split(0, last)
	var out polyLine
	for k := range p.x {
		if keep[k] {
			out.x, out.y = append(out.x, p.x[k]), append(out.y, p.y[k])
		}
	}
	return out
}

// Isolines returns the contour lines of a field given on side×side nodes, row by row from the
// lowest y, with the outer nodes on the frame x, y. A closed line ends at its first point.
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
