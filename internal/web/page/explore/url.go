package explore

import (
	"slices"
	"strconv"

	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// pairs is the shortest query that Parse reads as the same state.
func (st State) pairs() []form.Pair {
	plain := New(st.Family)
	var out []form.Pair
	set := func(key, value, otherwise string) {
		if value != otherwise {
			out = append(out, form.Pair{Key: key, Value: value})
		}
	}
	num := func(key string, value, otherwise float64) { set(key, form.Text(value), form.Text(otherwise)) }
	set("family", st.Family, TwoTemperature)
	set("view", st.View, "")
	num("t1", st.T1, plain.T1)
	num("t2", st.T2, plain.T2)
	num("t", st.T, plain.T)
	num("alpha", st.Alpha, plain.Alpha)
	num("noise", st.Noise, plain.Noise)
	num("gamma", st.Gamma, plain.Gamma)
	if !slices.Equal(st.Pi, plain.Pi) {
		set("pi", boundary.Param(st.Pi), "")
	}
	set("over", st.Over, plain.Over)
	num("seed", float64(st.Seed), float64(plain.Seed))
	set("metric", st.Metric, plain.Metric)
	num("cost", st.Cost, plain.Cost)
	set("k", strconv.Itoa(st.Classes), strconv.Itoa(plain.Classes))
	set("y", strconv.Itoa(st.True), strconv.Itoa(plain.True))
	set("rival", st.Rival, plain.Rival)
	num("a", st.Psi[0], plain.Psi[0])
	num("b", st.Psi[1], plain.Psi[1])
	if text := specTexts(st.With); !slices.Equal(text, specTexts(plain.With)) {
		for _, t := range form.OrEmpty(text) {
			out = append(out, form.Pair{Key: "with", Value: t})
		}
	}
	for _, t := range specTexts(st.Pins) {
		out = append(out, form.Pair{Key: "pin", Value: t})
	}
	num("z", st.Z, plain.Z)
	set("third", st.Third, plain.Third)
	num("top", st.Top, 0)
	for _, id := range st.Open {
		out = append(out, form.Pair{Key: "open", Value: id})
	}
	return out
}

// URL is the page's canonical address. What stays readable stays unescaped.
func (st State) URL() string { return "/" + st.Query() }

// Query is the address' query with its question mark, "" when there is none.
func (st State) Query() string { return form.Encode(st.pairs()) }

func specTexts(list []Spec) []string {
	var out []string
	for _, l := range list {
		out = append(out, l.String())
	}
	return out
}
