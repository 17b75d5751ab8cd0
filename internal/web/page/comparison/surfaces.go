package comparison

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// surfaces are the planes of the runs as small multiples with common axes and colours.
func (v Page) surfaces() []doc.Section {
	p := v.plane
	if p == nil {
		return nil
	}
	s := templates.CompareSurfaces{}
	s.Across, s.Up = p.choice("x", "Across", p.across.Name), p.choice("y", "Upwards", p.up.Name)
	s.Hidden = v.hidden("base", "all")
	used := map[string]templates.LegendEntry{}
	var order []string
	v.each(func(i int) {
		f, m := p.fields[i], v.runs[i].Model
		if len(f.nodes) == 0 || m.Multiclass() && !ordered(m) && len(m.Levels) > mostTints {
			return
		}
		levels := levelsOf(m, f.nodes[0].Probability != nil, v.runs[i].Result.Boundaries)
		t := fluid.Tiles{X: viz.FrozenScale(p.across.Min, p.across.Max, 4), Y: viz.FrozenScale(p.up.Min, p.up.Max, 4),
			Side: f.side, Lines: f.borders}
		shares := make([]float64, len(levels.names))
		for _, node := range f.nodes {
			k := levels.at(node)
			t.Level = append(t.Level, k)
			shares[k] += 1 / float64(len(f.nodes))
		}
		for k, name := range levels.names {
			t.Class = append(t.Class, levels.tints[k].class())
			key := levels.kind + name
			if _, known := used[key]; !known && shares[k] > 0 && levels.kind != byProbability {
				used[key] = templates.LegendEntry{Label: name, Sample: levels.tints[k].swatch()}
				order = append(order, key)
			}
		}
		s.Ramp = s.Ramp || levels.kind == byProbability
		s.Runs = append(s.Runs, templates.CompareSurface{Head: v.heads([]int{i})[0], Drawing: templates.SVG(t.SVG()),
			Across: p.across.Name, Up: p.up.Name,
			Label: "Plane of " + v.Names[i] + ": " + levels.mostly(shares) + ".", Table: p.read(i, levels)})
	})
	if s.Ramp {
		s.Scale = templates.SVG(viz.ColourBarSVG([3]string{"0", "P(event)", "100" + format.Pc}))
	}
	for _, key := range order {
		s.Legend = append(s.Legend, used[key])
	}
	if len(s.Runs) == 0 {
		return nil
	}
	return []doc.Section{{ID: "surfaces", Title: "Predictions of each run over " + p.across.Name + " and " + p.up.Name,
		Say: "The final fit of each run, within the range of the training rows. Axes and colours are the same in all." +
			p.heldWords(), Body: []doc.Node{doc.Guarded{Node: doc.Part{View: templates.PlanesView(s)}, Reveals: mask.NoCount}}}}
}

// choice selects a column of the plane, where there is more than one possibility.
func (p plane) choice(name, label, on string) *templates.Choice {
	if len(p.columns) < 3 {
		return nil
	}
	c := &templates.Choice{ID: "plane-" + name, Name: name, Label: label}
	for _, column := range p.columns {
		c.Options = append(c.Options, templates.Option{Value: column, Label: phrase.Shorten(column, 40), On: column == on})
	}
	return c
}

// mostTints is the number of classes with distinguishable colours.
const mostTints = 8

// What the colours of a plane mean.
const (
	byProbability = "probability"
	byBand        = "band"
	bySign        = "sign"
	byClass       = "class"
)

// planeLevels are the colour levels of a run's plane.
type planeLevels struct {
	kind  string
	names []string
	tints []tint
	at    func(model.Prediction) int
	text  func(model.Prediction) string // of a point, for the table
}

// tint is a colour of the style sheet, possibly paler or hatched.
type tint struct {
	name       string
	pale, none bool
}

func (t tint) class() string {
	switch {
	case t.none:
		return "void"
	case t.pale:
		return t.name + " pale"
	}
	return t.name
}

func (t tint) swatch() templates.SVG {
	if t.none {
		return templates.SVG(viz.TintSVG("void", false, false))
	}
	return templates.SVG(viz.TintSVG(t.name, t.pale, false))
}

// levelsOf chooses the levels for a model's plane: tenths of probability where the loss estimates one, bands, the
// sign of the score, or classes.
func levelsOf(m *model.Model, soft bool, pi []float64) planeLevels {
	if m.Multiclass() {
		return classLevels(m)
	}
	if soft {
		l := planeLevels{kind: byProbability, text: func(p model.Prediction) string {
			return viz.Percent(probability(p), 0) + format.Pc
		},
			at: func(p model.Prediction) int { return min(9, int(10*probability(p))) }}
		for k := range 10 {
			l.names = append(l.names, viz.BandName(float64(k)/10, float64(k+1)/10))
			l.tints = append(l.tints, tint{name: "p" + strconv.Itoa(k)})
		}
		return l
	}
	if len(pi) > 0 {
		l := planeLevels{kind: byBand, names: viz.BandNames(pi), at: func(p model.Prediction) int { return p.Stratum }}
		l.text = func(p model.Prediction) string { return l.names[p.Stratum] }
		ends := slices.Concat([]float64{0}, pi, []float64{1})
		for k := range l.names {
			l.tints = append(l.tints, tint{name: "p" + strconv.Itoa(viz.BandTint(ends[k], ends[k+1]))})
		}
		return l
	}
	return planeLevels{kind: bySign, names: []string{"score under 0", "score above 0"},
		tints: []tint{{name: "p2"}, {name: "p7"}},
		text:  func(p model.Prediction) string { return viz.Number(p.Score, 2) },
		at: func(p model.Prediction) int {
			if p.Score > 0 {
				return 1
			}
			return 0
		}}
}

func probability(p model.Prediction) float64 {
	if p.Probability == nil || math.IsNaN(*p.Probability) {
		return .5
	}
	return *p.Probability
}

func ordered(m *model.Model) bool { return task.Of(m.Task).Ordered() }

// classLevels has a level per answer; ordered classes are on one scale.
func classLevels(m *model.Model) planeLevels {
	l := planeLevels{kind: byClass, names: append(slices.Clone(m.Levels), "no answer")}
	k := len(m.Levels)
	for c := range m.Levels {
		if ordered(m) {
			l.tints = append(l.tints, tint{name: "p" + strconv.Itoa(viz.BandTint(float64(c)/float64(k),
				float64(c+1)/float64(k)))})
		} else {
			l.tints = append(l.tints, tint{name: "c" + strconv.Itoa(c%4), pale: c%mostTints >= 4})
		}
	}
	l.tints = append(l.tints, tint{none: true})
	l.at = func(p model.Prediction) int {
		if p.Classes.Class == stat.Abstained {
			return k
		}
		return p.Classes.Class
	}
	l.text = func(p model.Prediction) string { return l.names[l.at(p)] }
	return l
}

// mostly describes the shares of a plane by level.
func (l planeLevels) mostly(shares []float64) string {
	var each []string
	for k, s := range shares {
		if s >= .005 {
			each = append(each, l.names[k]+" on "+viz.Percent(s, 0)+format.Pc)
		}
	}
	return strings.Join(each, ", ")
}

// read tabulates the plane of a run at five by five points.
func (p plane) read(i int, l planeLevels) templates.Table {
	const places = 5
	f := p.fields[i]
	t := templates.Table{Label: "Places of the plane", Class: "tbl-tight tbl-grid",
		Columns: []templates.Column{{Label: p.up.Name + " \\ " + p.across.Name, Num: true}}}
	value := func(c predictor, k int) string {
		return viz.Short(c.Min+float64(k)/(places-1)*(c.Max-c.Min), 3)
	}
	for k := range places {
		t.Columns = append(t.Columns, templates.Column{Label: value(p.across, k), Num: true})
	}
	for j := places - 1; j >= 0; j-- {
		cells := []string{value(p.up, j)}
		for k := range places {
			cells = append(cells, l.text(f.nodes[j*(f.side-1)/(places-1)*f.side+k*(f.side-1)/(places-1)]))
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}
