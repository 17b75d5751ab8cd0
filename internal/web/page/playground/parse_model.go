package playground

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// model reads one of the two models; the numbers of other methods stay at
// their defaults.
func (p *parser) model(slot, fallback string) model {
	id := p.OneOf(slot+"method", fallback, methodIDs())
	m, how := newModel(id), mustMethod(id)
	for _, name := range how.paramNames() {
		if text := strings.TrimSpace(p.Values.Get(slot + name)); text != "" {
			if typed, err := how.check(name, text); err != nil {
				p.Fail(slot+name, strings.TrimPrefix(format.Detail(err), name+" "))
			} else {
				m.Params[name] = typed
			}
		}
	}
	if id == "interval" {
		b := form.Parser{Values: url.Values{"pi": p.Values[slot+"pi"]}}
		m.Pi = b.Boundaries("pi", m.Pi)
		for _, f := range b.Bad {
			p.Fail(slot+f.Field, f.Message)
		}
	}
	if id == "boost" {
		m.Rounds = p.Whole(slot+"rounds", m.Rounds, 1, mostRounds)
		m.Depth = p.Whole(slot+"depth", m.Depth, 1, mostDepth)
		m.Rule = p.OneOf(slot+"rule", m.Rule, []string{"half-log", "alpha-log", "line-search"})
	} else {
		m.L2 = p.Number(slot+"l2", m.L2, 1e-8, 1e4)
		m.Solver = p.OneOf(slot+"solver", m.Solver, how.Solvers)
	}
	m.Features = p.OneOf(slot+"features", m.Features, playground.FeatureKinds)
	p.kernel(slot, how, &m)
	m.Gamma = p.Number(slot+"gamma", 0, 0, 1000)
	if m.Kernel == "poly" {
		m.Degree = p.Whole(slot+"degree", 3, 1, 5)
	}
	if m.Kernel != noKernel {
		m.Features = playground.Linear // a kernel has features of its own
	}
	m.Step = p.Whole(slot+"step", -1, -1, 1_000_000)
	return m
}

// kernel reads the kernel, where the method fits with one.
func (p *parser) kernel(slot string, how offer, m *model) {
	m.Kernel = p.OneOf(slot+"kernel", m.Kernel, []string{noKernel, "rbf", "poly"})
	if m.Kernel != noKernel && !how.Kernel {
		p.Fail(slot+"kernel", how.Title+" fits without one")
		m.Kernel = noKernel
	}
	if !slices.Contains(how.solvers(m.Kernel), m.Solver) {
		p.Fail(slot+"solver", "with a kernel must be "+strings.Join(how.solvers(m.Kernel), " or ")+", not "+
			strconv.Quote(m.Solver))
		m.Solver = "auto"
	}
}

// brush reads a bin: "a:3", or a number for B alone.
func (p *parser) brush() brush {
	none, text := brush{Model: -1}, p.Values.Get("brush")
	if text == "" {
		return none
	}
	slot, bin, ok := strings.Cut(text, ":")
	if !ok {
		slot, bin = "b", text
	}
	k, err := strconv.Atoi(bin)
	if err != nil || k < 0 || k >= playground.Bins || slot != "a" && slot != "b" {
		p.Fail("brush", "must be a bin of a histogram such as b:3, not "+strconv.Quote(format.Cut(text, 20)))
		return none
	}
	return brush{Model: int(slot[0] - 'a'), Bin: k}
}

// frame reads frozen axes: "xmin,xmax,ymin,ymax".
func (p *parser) frame() *[4]float64 {
	text := p.Values.Get("ax")
	if text == "" {
		return nil
	}
	var f [4]float64
	parts := strings.Split(text, ",")
	for k := range parts {
		v, ok := form.ParseNumber(parts[k])
		if !ok || len(parts) != 4 {
			p.Fail("ax", "must be four numbers: x from, to, y from, to")
			return nil
		}
		f[k] = v
	}
	if !(f[0] < f[1] && f[2] < f[3]) || max(f[1], -f[0], f[3], -f[2]) > 1e9 {
		p.Fail("ax", "must rise from the first to the second number of each axis")
		return nil
	}
	return &f
}
