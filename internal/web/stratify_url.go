package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// query is the shortest query that parseState reads as the same state.
func (st stratifyState) query(d store.Dataset) url.Values {
	q, plain := url.Values{}, newState(d)
	set := func(key, value, otherwise string) {
		if value != otherwise {
			q.Set(key, value)
		}
	}
	set("outcome", st.Outcome, plain.Outcome)
	if st.Outcome != plain.Outcome {
		plain.Positive, plain.Negative, plain.ScoreOnly = nil, nil, nil
	}
	list := func(key string, value, otherwise []string) {
		if !slices.Equal(value, otherwise) {
			q[key] = form.OrEmpty(value)
		}
	}
	list("positive", st.Positive, plain.Positive)
	list("negative", st.Negative, plain.Negative)
	set("group", st.Group, plain.Group)
	list("score", st.ScoreOnly, plain.ScoreOnly)
	if st.Predictors != nil {
		q["x"] = form.OrEmpty(st.Predictors)
	}
	if len(st.Splines) > 0 {
		q["spline"] = st.splineKeys()
	}
	set("mode", st.Mode, plain.Mode)
	if r, _ := boundary.RuleOf(st.Mode); !slices.Equal(st.Pi, r.Pi) {
		q.Set("pi", boundary.Param(st.Pi))
	}
	st.Method.write(q)
	set("l2", l2Text(st.L2), "auto")
	set("folds", strconv.Itoa(st.Folds), strconv.Itoa(plain.Folds))
	set("seed", strconv.FormatUint(st.Seed, 10), strconv.FormatUint(plain.Seed, 10))
	st.writeNoise(q)
	if st.Band >= 0 {
		q.Set("band", strconv.Itoa(st.Band))
		set("page", strconv.Itoa(st.Page), "1")
	}
	if st.Hold {
		q.Set("hold", "1")
	}
	return q
}

// stateKeys is the order of the keys in a URL.
var stateKeys = []string{"outcome", "positive", "negative", "score", "group", "mode", "pi", "method", "alpha", "t",
	"t1", "t2", "rounds", "depth", "loss", "kernel", "gamma", "degree", "solver", "l2", "folds", "seed", "noise", "rate",
	"rate_positive", "rate_negative", "x", "spline", "band", "page", "hold"}

// url is the page's canonical address. Commas stay readable.
func (st stratifyState) url(d store.Dataset) string {
	path := "/stratify/" + d.ID
	if q := st.encode(d); q != "" {
		return path + "?" + q
	}
	return path
}

func (st stratifyState) encode(d store.Dataset) string {
	q := st.query(d)
	var parts []string
	for _, key := range stateKeys {
		for _, v := range q[key] {
			parts = append(parts, key+"="+strings.ReplaceAll(url.QueryEscape(v), "%2C", ","))
		}
	}
	return strings.Join(parts, "&")
}

// spec is the run that the state shows: λ is chosen on the folds that judge,
// which is quick and slightly optimistic; a saved run chooses it inside them.
func (st stratifyState) spec(d store.Dataset) engine.Spec {
	s := engine.Spec{
		Dataset: d.ID, Outcome: st.Outcome, Positive: st.Positive, Negative: st.Negative, ScoreOnly: st.ScoreOnly,
		Predictors: st.Predictors, Splines: st.curves(), Group: st.Group, Weights: d.Choice.Weights,
		Task: "interval", Mode: st.Mode, Boundaries: st.Pi, Seed: st.Seed, Noise: st.Noise,
		Model:      st.Method.spec(st.L2),
		Validation: engine.Validation{Kind: "cv", Folds: st.Folds},
	}
	if s.Predictors == nil {
		s.Predictors = d.Choice.Predictors
	}
	if st.tuned() {
		s.Model.Tuning = engine.TuningSame
	}
	return s.WithDefaults()
}

// nested is the same run with λ chosen inside each fold, for keeping.
func nested(s engine.Spec) engine.Spec {
	s.Model.Tuning = ""
	return s
}

func l2Text(l engine.L2) string {
	switch {
	case l.Mode == "cv-1se":
		return "1se"
	case l.Tuned():
		return "auto"
	}
	if l.Value >= 1 && l.Value < 1e6 {
		return strconv.FormatFloat(l.Value, 'f', -1, 64) // 1024, not 1.02e+03
	}
	if short := strconv.FormatFloat(l.Value, 'g', 3, 64); snap(form.MustFloat(short)) == l.Value {
		return short
	}
	return strconv.FormatFloat(l.Value, 'g', -1, 64)
}
