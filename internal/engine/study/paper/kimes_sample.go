package paper

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"taper/internal/engine/loss"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// kimesSampled is the number of points that the paper draws for a setting.
const kimesSampled = 1000

// kimesClasses are the names of the classes in the figure, the event second.
var kimesClasses = []string{"No event", "Event"}

// kimesSample is panel A of a figure: points of its settings with the Bayes boundaries.
func kimesSample(id, figure string, settings ...string) study.Preset {
	p := study.Preset{
		ID: id, Title: "Sample of settings " + settings[0] + " to " + settings[2] + " with the Bayes boundaries",
		Source: kimesSource, Figure: figure + ", panel A",
		Protocol: "1000 points of each setting in two dimensions, before the rotation of the study: the probability of " +
			"an event is a step function of x₁, and x₂ has no information. The Bayes boundaries are where the " +
			"band of that probability changes.",
		NoNumbers: "The paper draws points and prints no number.",
		Build:     func(in study.Input) (study.Plan, error) { return kimesSamplePlan(in.Seed, settings), nil },
		Drawing: study.Drawing{Kind: study.DrawScatter, X: study.Axis{Title: "x₁"}, Y: study.Axis{Title: "x₂"},
			Series: study.Axis{Title: "Class", Of: "model"}, Panels: study.Axis{Title: "Setting", Of: "data"},
			Metrics:  []study.Metric{{ID: "x", Title: "x₁"}, {ID: "y", Title: "x₂"}},
			Uprights: &study.Upright{Title: "the boundaries of the Bayes rule", At: map[string][]float64{}}},
	}
	for _, s := range settings {
		p.Drawing.Uprights.At[s] = bayesBoundaries(s)
		p.Notes = append(p.Notes, study.Note{
			Text:    "Between the boundaries of setting " + s + " an event has probability " + kimesLevels(s) + ".",
			Finding: func(cells []study.Cell) string { return kimesShares(cells, s) },
		})
	}
	return p
}

// bayesBoundaries are the x₁ at which the probability of the event crosses a boundary, so that the
// optimal band changes (docs/math.md, Interval classification).
func bayesBoundaries(setting string) (at []float64) {
	iv, err := loss.NewInterval(kimesBoundaries[setting])
	if err != nil {
		panic("study: setting " + setting + ": " + err.Error())
	}
	for _, c := range synth.KimesCuts(setting) {
		below := synth.KimesProbability(setting, math.Nextafter(c, math.Inf(-1)))
		if iv.BandOf(below) != iv.BandOf(synth.KimesProbability(setting, c)) {
			at = append(at, c)
		}
	}
	return at
}

// kimesLevels lists the probabilities from left to right.
func kimesLevels(setting string) string {
	levels := []string{percent(synth.KimesProbability(setting, math.Inf(-1)))}
	for _, c := range synth.KimesCuts(setting) {
		levels = append(levels, percent(synth.KimesProbability(setting, c)))
	}
	return strings.Join(levels, ", ")
}

// kimesShares states the share of events between the boundaries.
func kimesShares(cells []study.Cell, setting string) string {
	cuts := bayesBoundaries(setting)
	points := make([][2]float64, len(cuts)+1) // by class
	for k, class := range kimesClasses {
		c := study.Find(cells, study.Key{Data: setting, Model: class, Metric: "x"})
		if c == nil {
			return ""
		}
		for _, x := range c.Values {
			if x == nil {
				continue
			}
			step := 0
			for step < len(cuts) && *x >= cuts[step] {
				step++
			}
			points[step][k]++
		}
	}
	var shares []string
	for _, p := range points {
		if p[0]+p[1] == 0 {
			return ""
		}
		shares = append(shares, percent(p[1]/(p[0]+p[1])))
	}
	return "Of the points here " + strings.Join(shares, ", ") + " are events."
}

// kimesSamplePlan has one unit per point of all settings: its coordinates are stored under its class, and
// no value under the other.
func kimesSamplePlan(seed uint64, settings []string) (p study.Plan) {
	type point struct {
		x     [2]float64
		event bool
	}
	draws := make([]func() []point, len(settings))
	for k, s := range settings {
		draws[k] = sync.OnceValue(func() []point {
			rng, all := study.Random(seed, "kimes sample "+s, 0), make([]point, kimesSampled)
			for i := range all {
				x := all[i].x[:]
				all[i].event = synth.KimesRow(s, x, rng)
				for j := range x {
					x[j] = math.Round(1e4*x[j]) / 1e4 // much finer than a drawn point
				}
			}
			return all
		})
	}
	for i := range kimesSampled {
		u := study.Unit{ID: fmt.Sprintf("point #%d", i), Kind: "point", Replicate: i}
		for _, s := range settings {
			for _, class := range kimesClasses {
				u.Keys = append(u.Keys, study.Key{Data: s, Model: class, Metric: "x"},
					study.Key{Data: s, Model: class, Metric: "y"})
			}
		}
		u.Run = func(context.Context) ([]float64, error) {
			var v []float64
			none := []float64{math.NaN(), math.NaN()}
			for _, draw := range draws {
				if at := draw()[i]; at.event {
					v = append(append(v, none...), at.x[:]...)
				} else {
					v = append(append(v, at.x[:]...), none...)
				}
			}
			return v, nil
		}
		p.Units = append(p.Units, u)
	}
	return p
}
