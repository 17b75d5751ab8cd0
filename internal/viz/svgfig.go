package viz

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
)

// The size of the report's figures, half the width of an A4 page.
const (
	figW, figH = 330.0, 216.0
	figR       = 10.0 // right margin
	figBase    = figH - 36
)

// DensitySVG is Density for print. Groups with fewer than least rows are left out, because the
// curve of a handful of rows reveals each of them.
func DensitySVG(r *engine.Result, least int) string {
	shown := *r
	shown.Density = nil
	for _, g := range r.Density {
		if g.N >= least {
			shown.Density = append(shown.Density, g)
		}
	}
	p := planDensity(&shown, Axes{})
	d := &drawing{w: figW, h: figH}
	const left, top, strip = 6.0, 18.0, 12.0
	at := func(f float64) float64 { return p.x.At(f, left, figW-figR) }
	for j := 0; j <= len(p.cuts) && len(p.cuts) == len(p.pi); j++ {
		low, high := edges(p.pi, j)
		from, to := p.band(j)
		d.tint(p.pi, j, at(from), 0, at(to)-at(from), strip)
		if at(to)-at(from) > 52 {
			d.text("ax ink", "middle", (at(from)+at(to))/2, 9.8, BandName(low, high))
		}
	}
	for _, c := range p.curves {
		d.curve(p, c, at, top+headRoom)
	}
	for _, c := range p.cuts {
		if c > p.x.Min && c < p.x.Max {
			d.line("cutl", at(c), 0, at(c), figBase)
		}
	}
	d.curveNames(p, left, top+headRoom)
	d.xTicks(p.x, left, figW-figR, figBase, "score f(x)")
	return d.svg("", densityLabel(p.curves))
}

func densityLabel(curves []curve) string {
	var medians []string
	for _, c := range curves {
		if !Finite(c.Median) { // unknown next to masked bands
			return "Density of the score by group with the cut-offs, by band"
		}
		medians = append(medians, c.Level+" "+Number(c.Median, 1))
	}
	return "Density of the score by group with the cut-offs. Medians: " + strings.Join(medians, ", ")
}

// curve draws one density above the axis; only the two classes are filled.
func (d *drawing) curve(p densityPlan, c curve, at func(float64) float64, top float64) {
	var xs, ys []float64
	for i, x := range c.X {
		if x >= p.x.Min && x <= p.x.Max {
			xs, ys = append(xs, at(x)), append(ys, p.height(c.Y[i], top))
		}
	}
	class := fmt.Sprintf("dens dens%d", c.class)
	if c.class > 1 {
		class += " fill-none"
	}
	d.path(class, polyline(xs, ys))
}

func (p densityPlan) height(y, top float64) float64 {
	return figBase - math.Min(1, y/p.top)*(figBase-top)
}

// PlaneMask says what a printed scatter plot must hide.
type PlaneMask struct {
	Hidden map[int]bool // bands
	Few    []int        // positions of rows whose marks would reveal the count of a small group
	// the least number of rows that each band has in excess of its marks, so that a reader
	// cannot tell which marks are several rows, nor how many rows are left out
	Spare int
}

// PCASVG is PCAScatter for print. Positions are rounded to a lattice and each band marks a
// position once, in the order of the lattice, so that neither the values of a row nor the
// number of rows can be read from the file. The mask determines how coarse the lattice of a
// band is.
func PCASVG(r *engine.Result, keep PlaneMask) string {
	const left, top = 34.0, 6.0
	rows := map[int]int{} // rows per band, including hidden ones
	if pca := r.PCA; pca != nil {
		drawn := engine.PCA{Share: pca.Share}
		for i := range pca.X {
			rows[pca.Band[i]]++
			if !slices.Contains(keep.Few, i) {
				drawn.X, drawn.Y = append(drawn.X, pca.X[i]), append(drawn.Y, pca.Y[i])
				drawn.Band = append(drawn.Band, pca.Band[i])
			}
		}
		shown := *r
		r, shown.PCA = &shown, &drawn
	}
	p := planPCA(r, Axes{})
	d := &drawing{w: figW, h: figH}
	d.yTicks(p.y, left, figW-figR, top, figBase)
	d.xTicks(p.x, left, figW-figR, figBase, p.xName)
	d.upright("ax-t", 9, (top+figBase)/2, p.yName)
	var names []string
	for _, g := range p.clouds {
		if keep.Hidden[g.answer] || len(g.x) == 0 || rows[g.answer] <= keep.Spare {
			continue
		}
		names = append(names, g.name)
		var path strings.Builder
		for _, at := range lattice(p, g, left, top, rows[g.answer]-keep.Spare) {
			path.WriteString(outline(g.mark.Symbol, at[0], at[1], g.mark.Size))
		}
		if r.Classes == nil {
			fmt.Fprintf(d, `<path class="%s" d="%s" data-band="%d"/>`, g.mark.Class, path.String(), g.answer+1)
		} else {
			d.path(g.mark.Class, path.String())
		}
	}
	return d.svg("", "Rows in the plane of the first two components, by band: "+strings.Join(names, ", "))
}

// lattice returns the distinct rounded positions of a band's rows, from top to bottom and left
// to right, on the finest lattice with at most most of them.
func lattice(p pcaPlan, g cloud, left, top float64, most int) [][2]float64 {
	const finest, coarser = 5.0, 1.25
	for cell := finest; ; cell *= coarser {
		if at := snapped(p, g, left, top, cell); len(at) <= most {
			return at
		}
	}
}

func snapped(p pcaPlan, g cloud, left, top, cell float64) [][2]float64 {
	seen := map[[2]int]bool{}
	for i := range g.x {
		x, y := p.x.At(g.x[i], left, figW-figR), p.y.At(g.y[i], figBase, top)
		seen[[2]int{int(math.Round((y - top) / cell)), int(math.Round((x - left) / cell))}] = true
	}
	keys := make([][2]int, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i][0] != keys[j][0] {
			return keys[i][0] < keys[j][0]
		}
		return keys[i][1] < keys[j][1]
	})
	at := make([][2]float64, len(keys))
	for i, k := range keys {
		at[i] = [2]float64{left + float64(k[1])*cell, top + float64(k[0])*cell}
	}
	return at
}

// MarkSVG is the legend sample of a band's mark.
func MarkSVG(pi []float64, j int) string {
	low, high := edges(pi, j)
	return markSample(bandMark(j, len(pi)+1, low, high))
}

// TuningSVG is TuningCurve for print.
func TuningSVG(r *engine.Result) string {
	const left, top = 40.0, 22.0
	p := planTuning(r)
	d := &drawing{w: figW, h: figH}
	d.yTicks(p.y, left, figW-figR, top, figBase)
	d.xTicksAs(p.x, left, figW-figR, figBase, "penalty λ", func(t float64) string { return Short(math.Pow(10, t), 2) })
	at := func(l2 float64) float64 { return p.x.At(math.Log10(l2), left, figW-figR) }
	height := func(v float64) float64 { return p.y.At(v, figBase, top) }
	var xs, ys []float64
	for _, t := range p.points {
		x := at(t.L2)
		d.line("ln step", x, height(t.Mean-t.SE), x, height(t.Mean+t.SE))
		xs, ys = append(xs, x), append(ys, height(t.Mean))
	}
	d.path("ln s1", polyline(xs, ys))
	if v := r.L2OneSE; v != nil && *v > 0 && *v != r.L2 {
		d.line("cross", at(*v), top, at(*v), figBase)
		anchor, x := "start", at(*v)+4
		if x > figW-80 || *v < r.L2 {
			anchor, x = "end", at(*v)-4
		}
		d.text("ax halo", anchor, x, top+10, "1"+phrase.NBSP+"SE: "+Short(*v, 3))
	}
	if r.L2 > 0 {
		d.line("capline", at(r.L2), top-8, at(r.L2), figBase)
		d.text("ax halo t1", side(at(r.L2)), at(r.L2), top-11, "used: "+Short(r.L2, 3))
	}
	return d.svg("", tuningSentence(r, p))
}

// side is the anchor that keeps a label inside the figure.
func side(x float64) string {
	switch {
	case x > figW-50:
		return "end"
	case x < 70:
		return "start"
	}
	return "middle"
}
