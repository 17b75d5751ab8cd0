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
	// Levels says that every value has to be named. Between two numbers a reader finds a third without its name.
	Levels bool
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
	points := scale(0, 100, 20)
	at := func(v float64) float64 { return points.At(v, left, w-right) }
	rows, rest := float64(len(c.Scales)+1), flagHeight*float64(tiers)+36+flagRise
	lines := make([][]axisLabel, len(c.Scales))
	for i, s := range c.Scales {
		lines[i] = s.place(at, w)
		rest += axisLine * lowest(lines[i])
	}
	row := printed
	if c.Tall > 0 {
		row = max(closest, min(widest, (c.Tall-rest)/rows))
	}
	d := &drawing{w: w, h: row*rows + rest}
	d.text("note-b", "end", left-14, 18, "Points")
	d.axis(points.Ticks, labels(points), at, w, 14)
	y := 14.0
	for i, s := range c.Scales {
		y += row
		d.text("ax ink", "end", left-14, y+4, phrase.Shorten(s.Name, int(left/6.8)))
		d.axisOf(s, lines[i], at, y)
		if s.Mark != nil {
			d.path("points-mark", outline("circle", at(min(100, max(0, *s.Mark))), y, 11))
		}
		y += axisLine * lowest(lines[i])
	}
	y += row + flagHeight*float64(tiers) + flagRise
	d.text("note-b", "end", left-14, y+4, phrase.Shorten("Sum of points", int(left/6.8)))
	sum := NewScale(0, c.Most, 8)
	sum.Max = c.Most
	sum.Ticks = slices.DeleteFunc(sum.Ticks, func(t float64) bool { return t > c.Most })
	d.sumBands(c, sumAt, y)
	d.axis(sum.Ticks, labels(sum), sumAt, w, y)
	for _, f := range flags {
		foot := y - 6 - flagRise - flagHeight*float64(f.tier)
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

// flagHeight is the height of a row of flags, flagGap the gap between pole and text, and flagRise that between the
// bands and the lowest text.
const flagHeight, flagGap, flagRise = 15.0, 3.0, 5.0

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

// axisText is the distance of an axis to the feet of its numbers: the marks, of radius 5.5 with an edge, do not touch
// them. axisLine is the distance of a second line of names to the first.
const axisText, axisLine = 16.0, 13.0

// axisLabel is a value of an axis and the middle of its name, which is in one of the lines below the axis; no text
// where the name had no room.
type axisLabel struct {
	tick, x, half float64
	line          int
	text          string
}

// place puts the names of a scale below its axis. Names that would overlap go to a line of their own where they have
// to be read; others are left out.
func (s PointScale) place(at func(float64) float64, w float64) (all []axisLabel) {
	add := func(v float64, name string, needed bool) {
		name = phrase.Shorten(name, 18)
		l := axisLabel{tick: at(v), half: 3.2*float64(len([]rune(name))) + 2, text: name}
		l.x = max(l.half, min(w-l.half, l.tick))
		for k := 0; slices.ContainsFunc(all, l.meets); k++ {
			if !needed {
				l.text = ""
				break
			}
			// A little to the right, else one line down.
			if l.x += 3; k%3 == 2 || l.x > w-l.half {
				l.x, l.line = max(l.half, min(w-l.half, l.tick)), l.line+1
			}
		}
		all = append(all, l)
	}
	for i, v := range s.Points {
		add(v, s.Labels[i], s.Levels)
	}
	if s.Missing != nil {
		add(*s.Missing, "missing", true)
	}
	return all
}

func (l axisLabel) meets(o axisLabel) bool {
	return o.text != "" && l.line == o.line && l.x-l.half <= o.x+o.half && l.x+l.half >= o.x-o.half
}

// lowest is the number of lines of names below the first.
func lowest(all []axisLabel) float64 {
	n := 0
	for _, l := range all {
		if l.text != "" {
			n = max(n, l.line)
		}
	}
	return float64(n)
}

// axis draws ticks with labels below, omitting labels that would overlap.
func (d *drawing) axis(values []float64, names []string, at func(float64) float64, w, y float64) {
	s := PointScale{Labels: names, Points: values}
	d.axisOf(s, s.place(at, w), at, y)
}

// axisOf draws a scale with its labels. The place of missing values is no part of the line.
func (d *drawing) axisOf(s PointScale, labels []axisLabel, at func(float64) float64, y float64) {
	if len(s.Points) == 0 {
		return
	}
	d.line("ax-l", at(slices.Min(s.Points)), y, at(slices.Max(s.Points)), y)
	for _, l := range labels {
		d.line("ax-l", l.tick, y-4, l.tick, y)
		if l.text != "" {
			d.text("ax", "middle", l.x, y+axisText+axisLine*float64(l.line), l.text)
		}
	}
}
