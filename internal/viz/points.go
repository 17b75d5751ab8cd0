package viz

import (
	"cmp"
	"slices"

	"taper/internal/engine/phrase"
)

// PointScale is one predictor of a nomogram with the contribution of each of its values. Mark
// is the contribution of the current value, nil if there is none.
type PointScale struct {
	Name   string
	Labels []string
	Points []float64
	// Missing is the contribution of a missing number, where the model has a term for it; it stands apart from the axis.
	Missing *float64
	Mark    *float64
}

// PointsChart is a linear model as a nomogram: its predictors, the cut-offs as total points with
// the boundaries of their bands, and the largest total. Its mark is the current total.
type PointsChart struct {
	Scales     []PointScale
	Sums       PointScale
	Boundaries []float64
	Most       float64
	Tall       float64 // height of the drawing on a screen that it fills; 0 in print
}

// PointsWidth is the width in print.
const PointsWidth = 680.0

// PointsSVG draws a nomogram: each predictor is a scale on which values are placed at their
// points, from 0 to 100; the last scale converts total points to bands, with flags at the
// cut-offs.
func PointsSVG(c PointsChart, w float64) string {
	const printed, closest, widest, right = 34.0, 24.0, 52.0, 48.0
	left := min(150, .3*w)
	sumAt := func(v float64) float64 { return left + v/c.Most*(w-right-left) }
	flags := placeFlags(c.Sums, c.Most, sumAt)
	tiers := 0
	for _, f := range flags {
		tiers = max(tiers, f.tier+1)
	}
	rows, rest := float64(len(c.Scales)+1), flagHeight*float64(tiers)+36
	row := printed
	if c.Tall > 0 {
		row = max(closest, min(widest, (c.Tall-rest)/rows))
	}
	d := &drawing{w: w, h: row*rows + rest}
	points := scale(0, 100, 20)
	at := func(v float64) float64 { return points.At(v, left, w-right) }
	d.text("note-b", "end", left-14, 18, "Points")
	d.axis(points.Ticks, labels(points), at, 14)
	for i, s := range c.Scales {
		y := row*float64(i+1) + 14
		d.text("ax ink", "end", left-14, y+4, phrase.Shorten(s.Name, int(left/6.8)))
		d.axisWith(s.Points, s.Labels, s.Missing, at, y)
		if s.Mark != nil {
			d.path("points-mark", outline("circle", at(min(100, max(0, *s.Mark))), y, 11))
		}
	}
	y := row*float64(len(c.Scales)+1) + flagHeight*float64(tiers) + 14
	d.text("note-b", "end", left-14, y+4, phrase.Shorten("Sum of points", int(left/6.8)))
	sum := NewScale(0, c.Most, 8)
	sum.Max = c.Most
	sum.Ticks = slices.DeleteFunc(sum.Ticks, func(t float64) bool { return t > c.Most })
	d.sumBands(c, sumAt, y)
	d.axis(sum.Ticks, labels(sum), sumAt, y)
	for _, f := range flags {
		foot := y - 6 - flagHeight*float64(f.tier)
		d.line("cutl", f.x, foot-10, f.x, y)
		d.text("ax ink t1", "start", f.x+flagGap, foot, f.text)
	}
	if m := c.Sums.Mark; m != nil {
		d.path("points-mark", outline("triangle", sumAt(min(c.Most, max(0, *m))), y, 15))
	}
	return d.svg("forest-odds", "Points chart: what each value of each predictor adds, and the sums at which the bands "+
		"begin")
}

// sumBands tints the scale of total points by band.
func (d *drawing) sumBands(c PointsChart, at func(float64) float64, y float64) {
	if len(c.Boundaries) != len(c.Sums.Points) {
		return
	}
	within := func(points float64) float64 { return at(max(0, min(c.Most, points))) }
	from := at(0)
	for j := range len(c.Boundaries) + 1 {
		to := at(c.Most)
		if j < len(c.Boundaries) {
			to = within(c.Sums.Points[j])
		}
		if to > from {
			d.tint(c.Boundaries, j, from, y-6, to-from, 6)
			from = to
		}
	}
}

// flagHeight is the height of a row of flags, flagGap the gap between pole and text.
const flagHeight, flagGap = 15.0, 3.0

// pointFlag is a cut-off above the scale of total points. Of flags close together the left ones
// are higher, so that no text touches another or a pole.
type pointFlag struct {
	x, width float64
	tier     int
	text     string
}

func placeFlags(total PointScale, most float64, to func(float64) float64) []pointFlag {
	var all []pointFlag
	for i, v := range total.Points {
		if v >= 0 && v <= most {
			all = append(all, pointFlag{x: to(v), width: 6.6 * float64(len([]rune(total.Labels[i]))), text: total.Labels[i]})
		}
	}
	slices.SortFunc(all, func(a, b pointFlag) int { return cmp.Compare(b.x, a.x) })
	for i := range all {
		for _, right := range all[:i] {
			if right.x < all[i].x+flagGap+all[i].width+flagGap {
				all[i].tier = max(all[i].tier, right.tier+1)
			}
		}
	}
	return all
}

func labels(s Scale) []string {
	all := make([]string, len(s.Ticks))
	for i, t := range s.Ticks {
		all[i] = s.Label(t)
	}
	return all
}

// axis draws ticks with labels below, omitting labels that would overlap.
// axisText is the distance of an axis to the feet of its numbers: the marks, of radius 5.5 with
// an edge, do not touch them.
const axisText = 16.0

func (d *drawing) axis(values []float64, names []string, at func(float64) float64, y float64) {
	d.axisWith(values, names, nil, at, y)
}

// axisWith is axis with the place of missing values, which is no part of the line.
func (d *drawing) axisWith(values []float64, names []string, missing *float64, at func(float64) float64, y float64) {
	if len(values) == 0 {
		return
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	d.line("ax-l", at(lo), y, at(hi), y)
	var taken [][2]float64
	label := func(v float64, name string) {
		d.line("ax-l", at(v), y-4, at(v), y)
		name = phrase.Shorten(name, 18)
		half := 3.2*float64(len([]rune(name))) + 2
		free := true
		for _, t := range taken {
			free = free && (at(v)-half > t[1] || at(v)+half < t[0])
		}
		if free {
			taken = append(taken, [2]float64{at(v) - half, at(v) + half})
			d.text("ax", "middle", at(v), y+axisText, name)
		}
	}
	for i, v := range values {
		label(v, names[i])
	}
	if missing != nil {
		label(*missing, "missing")
	}
}
