package playground

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// pairs is the shortest query that parse reads as the same state.
func (st state) pairs() []form.Pair {
	plain := newState(st.Data)
	var out []form.Pair
	set := func(key, value, otherwise string) {
		if value != otherwise {
			out = append(out, form.Pair{Key: key, Value: value})
		}
	}
	num := func(key string, value, otherwise float64) { set(key, form.Text(value), form.Text(otherwise)) }
	set("data", st.Data, openingData)
	if st.Data == ownPoints && !slices.Equal(st.Own, plain.Own) {
		set("pts", pointsText(st.Own), "?")
	}
	set("cx", st.CX, "")
	set("cy", st.CY, "")
	if st.All {
		set("use", "all", "")
	}
	set("outcome", st.Outcome, "")
	set("positive", st.Positive, "")
	num("n", float64(st.N), float64(plain.N))
	num("test", st.Test, plain.Test)
	set("noise", st.Noise, plain.Noise)
	num("rate", st.Rate, plain.Rate)
	if st.Noise == synth.NoiseClass {
		num("rate0", st.Rate0, 0)
	}
	num("seed", float64(st.Seed), float64(plain.Seed))
	for k, m := range st.Models {
		otherwise := plain.Models[k].Method
		if m.Named {
			otherwise = ""
		}
		set(slots[k]+"method", m.Method, otherwise)
		out = append(out, m.pairs(slots[k])...)
	}
	if st.Brush.Model >= 0 {
		set("brush", slots[st.Brush.Model][:1]+":"+strconv.Itoa(st.Brush.Bin), "")
	}
	if f := st.Frame; f != nil {
		set("ax", strings.Join([]string{form.Text(f[0]), form.Text(f[1]), form.Text(f[2]), form.Text(f[3])}, ","), "")
	}
	if st.Present {
		set("present", "1", "")
	}
	return out
}

func (m model) pairs(slot string) []form.Pair {
	plain := newModel(m.Method)
	var out []form.Pair
	set := func(key, value, otherwise string) {
		if value != otherwise {
			out = append(out, form.Pair{Key: slot + key, Value: value})
		}
	}
	num := func(key string, value, otherwise float64) { set(key, form.Text(value), form.Text(otherwise)) }
	for _, name := range mustMethod(m.Method).paramNames() {
		set(name, m.Params[name], plain.Params[name])
	}
	if !slices.Equal(m.Pi, plain.Pi) {
		set("pi", boundary.Param(m.Pi), "")
	}
	num("l2", m.L2, plain.L2)
	set("features", m.Features, plain.Features)
	set("kernel", m.Kernel, plain.Kernel)
	num("gamma", m.Gamma, 0)
	if m.Kernel == "poly" {
		num("degree", float64(m.Degree), 3)
	}
	set("solver", m.Solver, plain.Solver)
	num("rounds", float64(m.Rounds), float64(plain.Rounds))
	num("depth", float64(m.Depth), float64(plain.Depth))
	set("rule", m.Rule, plain.Rule)
	num("step", float64(m.Step), -1)
	return out
}

func pointsText(own []playground.Point) string {
	parts := make([]string, len(own))
	for i, p := range own {
		parts[i] = form.Text(p.X) + "," + form.Text(p.Y) + "," + strconv.Itoa(p.Class)
	}
	return strings.Join(parts, ";")
}

// url is the page's canonical address. What stays readable stays unescaped.
func (st state) url() string { return "/playground" + st.query() }

// query is the address' query with its question mark, "" when there is none.
func (st state) query() string { return form.Encode(st.pairs()) }
