package playground

import (
	"math"
	"net/url"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/playground"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// standards are the page's defaults that differ from the engine's.
var standards = map[string]map[string]string{
	"alpha": {"alpha": "4"}, "boost": {"alpha": "2"}, "tempered": {"t1": "0.6", "t2": "1.6"},
	"tempered-multiclass": {"t1": "0.6", "t2": "1.6"}, "t-logistic": {"t": "1.9"},
}

// defaults are the parameters as text. The default cost matrix depends on the number of classes, so it stays empty.
func (h offer) defaults() map[string]string {
	all := map[string]string{}
	for _, p := range h.Params {
		all[p.Name] = typedValue(p.Type, p.Default)
		if text, ok := standards[h.ID][p.Name]; ok {
			all[p.Name] = text
		}
		if p.Type == loss.Matrix {
			all[p.Name] = ""
		}
	}
	return all
}

func typedValue(t loss.Type, v loss.Value) string {
	switch t {
	case loss.ID:
		return v.ID
	case loss.Matrix:
		rows := make([]string, len(v.Matrix))
		for i, r := range v.Matrix {
			each := make([]string, len(r))
			for j, c := range r {
				each[j] = form.Text(c)
			}
			rows[i] = strings.Join(each, ",")
		}
		return strings.Join(rows, "/")
	case loss.List:
		return boundary.Param(v.List)
	}
	return form.Text(v.Number)
}

// canonical validates a parameter given as text and returns its canonical form.
func canonical(p loss.Param, text string) (string, error) {
	if p.Type == loss.Number {
		text = form.Plain(text)
	}
	v, err := p.Parse(text)
	if err != nil {
		return "", err
	}
	return typedValue(p.Type, v), nil
}

// setting converts the model for the engine; classes is the number of classes.
func (m model) setting(classes int, seed uint64) (playground.Setting, error) {
	h := mustMethod(m.Method)
	spec := fit.Spec{Kind: "linear", Loss: h.Family.ID, Params: map[string]any{}, Solver: m.Solver,
		L2: fit.L2{Value: m.L2}}
	values, err := h.Family.Parse(m.typed())
	if err != nil {
		return playground.Setting{}, err
	}
	for _, p := range h.Params {
		spec.Params[p.Name] = paramValue(p, values[p.Name])
		if p.Type == loss.Matrix && m.Params[p.Name] == "" {
			spec.Params[p.Name] = squaredCosts(classes)
		}
	}
	switch {
	case h.banded():
		spec.Params["pi"] = m.Pi
	case m.Method == "boost":
		spec.Kind, spec.Rounds, spec.Depth, spec.ThetaRule, spec.Solver = "boost", m.Rounds, m.Depth, m.Rule, ""
	}
	set := playground.Setting{L2: m.L2, Seed: seed, Features: playground.Features{Kind: m.Features, Gamma: m.Gamma},
		Boundaries: m.Pi}
	if m.Kernel != noKernel {
		spec.Kind, spec.Kernel = "kernel", &fit.Kernel{Name: m.Kernel, Degree: m.Degree}
		if m.Gamma > 0 {
			spec.Kernel.Gamma = m.Gamma
		}
	}
	set.Method, err = fit.Parse(spec)
	return set, err
}

func (m model) typed() url.Values {
	q := url.Values{}
	for name, text := range m.Params {
		q.Set(name, text)
	}
	return q
}

// paramValue is a parameter in the form of a spec.
func paramValue(p loss.Param, v loss.Value) any {
	switch p.Type {
	case loss.ID:
		return v.ID
	case loss.Matrix:
		return v.Matrix
	case loss.List:
		return v.List
	}
	if math.IsInf(v.Number, 1) {
		return "inf"
	}
	return v.Number
}

// squaredCosts are (i−j)², the default of a cost matrix.
func squaredCosts(classes int) [][]float64 {
	m := make([][]float64, classes)
	for i := range m {
		m[i] = make([]float64, classes)
		for j := range m[i] {
			m[i][j] = float64((i - j) * (i - j))
		}
	}
	return m
}
