package compare

import (
	"encoding/json"
	"reflect"
	"slices"
)

// The directions of a metric: which of two values is the better one.
const (
	Higher = "higher"
	Lower  = "lower"
	One    = "one"  // the nearer to 1
	Zero   = "zero" // the nearer to 0
	None   = "none" // neither
)

// The verdicts on a difference.
const (
	Better  = "better"
	Worse   = "worse"
	Equal   = "equal"
	Unclear = "unclear" // the 95 % interval of the paired difference holds 0
)

// Metric is one metric of every run.
type Metric struct {
	ID        string        `json:"id"`
	Direction string        `json:"direction"`
	Values    []*float64    `json:"values"`
	Deltas    []*float64    `json:"deltas"`
	Verdicts  []string      `json:"verdicts"` // "" without a difference
	Paired    []*Difference `json:"paired"`   // nil where rows are not paired, or the metric is no mean over rows
}

// known are the metrics that may be compared, in the order they are shown.
// needs says what must agree besides data and event.
var known = []struct {
	id, direction string
	needs         func(x, y Run) bool
}{
	{"interval_loss", Lower, sameBands},
	{"cost", Lower, sameCosts},
	{"auc", Higher, nil},
	{"brier", Lower, nil},
	{"scaled_brier", Higher, nil},
	{"log_loss", Lower, nil},
	{"calibration_slope", One, nil},
	{"calibration_intercept", Zero, nil},
	{"accuracy", Higher, sameRule},
	{"balanced_accuracy", Higher, sameRule},
	{"sensitivity", Higher, sameCut},
	{"specificity", Higher, sameCut},
	{"macro_f1", Higher, sameReach},
	{"mae", Lower, sameReach},
	{"kappa", Higher, sameReach},
	{"abstention_loss", Lower, sameCosts},
	{"abstention_rate", None, nil},
}

func sameBands(x, y Run) bool { return slices.Equal(x.Result.Boundaries, y.Result.Boundaries) }

// sameCosts reports whether an answer costs the same in both. That one of them
// may leave a row unanswered, at a price, is no difference.
func sameCosts(x, y Run) bool {
	a, b := x.Result.Classes, y.Result.Classes
	if a == nil || b == nil {
		return false
	}
	n := min(len(a.Costs), len(b.Costs))
	if n < len(a.Levels) || n < len(b.Levels) {
		return false
	}
	return reflect.DeepEqual(a.Costs[:n], b.Costs[:n])
}

// sameRule reports whether both call a row by the same cut, and every row.
func sameRule(x, y Run) bool { return sameCut(x, y) && sameReach(x, y) }

// sameReach reports whether both answer every row: what is right among the
// answers is no better for being asked less.
func sameReach(x, y Run) bool { return answersAll(x) && answersAll(y) }

func answersAll(r Run) bool {
	if r.Result.Classes == nil {
		return true
	}
	rate := measured(r)["abstention_rate"]
	return rate == 0
}

func sameCut(x, y Run) bool { return x.Result.Cut == y.Result.Cut }

// metrics compares what the runs measured on the rows that judge.
func (b *bench) metrics() []Metric {
	values := make([]map[string]float64, len(b.runs))
	for i, r := range b.runs {
		values[i] = measured(r)
	}
	list := []Metric{}
	for _, k := range known {
		m := Metric{ID: k.id, Direction: k.direction, Values: make([]*float64, len(b.runs)),
			Deltas:   make([]*float64, len(b.runs)),
			Verdicts: make([]string, len(b.runs)), Paired: make([]*Difference, len(b.runs))}
		some := false
		for i := range b.runs {
			if v, ok := values[i][k.id]; ok {
				m.Values[i], some = &v, true
			}
		}
		if !some {
			continue
		}
		b.others(func(i int, r Run) {
			if subtractable(b.baseline(), r) && (k.needs == nil || k.needs(b.baseline(), r)) {
				m.compare(b.base, i, b.pairs[i])
			}
		})
		list = append(list, m)
	}
	return list
}

// subtractable reports whether metrics of two runs may be subtracted.
func subtractable(x, y Run) bool {
	return x.SHA256 == y.SHA256 && sameEvent(x, y) && x.Result.Apparent == y.Result.Apparent
}

// compare fills in the difference of run i.
func (m *Metric) compare(base, i int, p pair) {
	if m.Values[base] == nil || m.Values[i] == nil {
		return
	}
	from, to := *m.Values[base], *m.Values[i]
	d := to - from
	m.Deltas[i] = &d
	m.Paired[i] = p.difference(m.ID)
	m.Verdicts[i] = verdict(m.Direction, from, to)
	if q := m.Paired[i]; q != nil && m.Verdicts[i] != Equal && q.Low != nil && q.High != nil && *q.Low <= 0 &&
		*q.High >= 0 {
		m.Verdicts[i] = Unclear
	}
}

// verdict says which of two values is the better one. Of two distances from a
// target it says nothing: no interval tells whether they differ by more than
// chance.
func verdict(direction string, from, to float64) string {
	gain := 0.0
	switch direction {
	case Higher:
		gain = to - from
	case Lower:
		gain = from - to
	default:
		if from == to && direction != None {
			return Equal
		}
		return ""
	}
	switch {
	case gain > 0:
		return Better
	case gain < 0:
		return Worse
	}
	return Equal
}

// measured reads the metrics of a run by their names in the API, those of two
// classes and those of more alike.
func measured(r Run) map[string]float64 {
	all := map[string]float64{}
	numbers(all, r.Result.Metrics.Test)
	if c := r.Result.Classes; c != nil {
		numbers(all, c.Metrics.Test)
		all["cost"] = c.Cost
	}
	return all
}

// numbers gathers the fields of a struct that are numbers, by their JSON names.
func numbers(dst map[string]float64, metrics any) {
	text, err := json.Marshal(metrics)
	if err != nil {
		panic("compare: metrics do not marshal: " + err.Error())
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		panic("compare: metrics do not read: " + err.Error())
	}
	for name, v := range fields {
		var number *float64
		if json.Unmarshal(v, &number) == nil && number != nil {
			dst[name] = *number
		}
	}
}
