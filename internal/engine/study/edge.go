package study

import (
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/tune"
)

// gridEnd is a number that a study stores for each tuned parameter: at which end of its grid it was
// chosen.
type gridEnd struct {
	metric, name string
	gamma        bool // of γ; otherwise of λ
}

var (
	endOfL2    = gridEnd{"l2_grid_end", "λ", false}
	endOfGamma = gridEnd{"gamma_grid_end", "γ", true}
)

// gridEnds returns those of a method.
func gridEnds(how fit.Method) (all []gridEnd) {
	s := space(how)
	if s.L2 {
		all = append(all, endOfL2)
	}
	if s.Gamma {
		all = append(all, endOfGamma)
	}
	return all
}

// of returns −1 for the lower end, 1 for the upper end, and 0 inside the grid and at its natural ends.
func (g gridEnd) of(edges []tune.Edge) float64 {
	for _, e := range edges {
		switch {
		case e.Gamma != g.gamma:
		case e.High:
			return 1
		default:
			return -1
		}
	}
	return 0
}

// Warnings says for each model how often λ or γ was chosen at an end of its grid. There are none for
// cells of older versions, which did not store it, and for presets, whose grids are those of the papers.
func Warnings(cells []Cell) (all []string) {
	type parameter struct {
		gridEnd
		model string
	}
	type tally struct{ fits, low, high int }
	counts := map[parameter]*tally{}
	var order []parameter
	for _, c := range cells {
		for _, g := range []gridEnd{endOfL2, endOfGamma} {
			p := parameter{g, c.Model}
			if c.Metric != g.metric {
				continue
			}
			if counts[p] == nil {
				counts[p] = &tally{}
				order = append(order, p)
			}
			for _, v := range c.Values {
				counts[p].fits++
				if *v < 0 {
					counts[p].low++
				} else if *v > 0 {
					counts[p].high++
				}
			}
		}
	}
	for _, p := range order {
		n := counts[p]
		for _, end := range []struct {
			times         int
			name, further string
		}{{n.low, "lower", "smaller"}, {n.high, "upper", "larger"}} {
			if end.times > 0 {
				all = append(all, fmt.Sprintf("%s: %s was chosen at the %s end of its grid in %d of %d fits. A %s %s may do "+
					"better: add the model with %s given as a number.", p.model, p.name, end.name, end.times, n.fits,
					end.further, p.name, p.name))
			}
		}
	}
	return all
}
