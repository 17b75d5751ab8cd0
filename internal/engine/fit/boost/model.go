package boost

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Reasons why a fit stopped.
const (
	StoppedRounds  = "rounds"  // all trees were grown
	StoppedNoEdge  = "no-edge" // no tree is better than chance
	StoppedPerfect = "perfect" // a tree had no error
)

// Model is a fitted score H(x) = Σ θ_t·h_t(x).
type Model struct {
	Alpha     Alpha    `json:"alpha"`
	Rule      string   `json:"theta_rule"`
	Columns   int      `json:"columns"`
	Trees     []Tree   `json:"trees"`
	Objective float64  `json:"objective"` // mean α-loss of the training rows
	Stopped   string   `json:"stopped"`
	Collapsed int      `json:"collapsed,omitempty"` // first tree after the weights had concentrated on a handful of rows
	Warnings  []string `json:"warnings,omitempty"`
}

// Tree is a tree h with votes −1 and +1, and its coefficient θ. Node 0 is the root.
type Tree struct {
	Theta float64 `json:"theta"`
	Error float64 `json:"error,omitempty"` // ε, on the weights that it was grown on
	Loss  float64 `json:"loss,omitempty"`  // mean training loss including this tree
	Nodes []Node  `json:"nodes"`
}

// Node is a split x[Feature] > Threshold, or a leaf with Below = 0.
type Node struct {
	Feature   int     `json:"feature,omitempty"`
	Threshold float64 `json:"threshold,omitempty"`
	Below     int     `json:"below,omitempty"` // child for x ≤ Threshold
	Above     int     `json:"above,omitempty"` // child for x > Threshold
	Vote      float64 `json:"vote,omitempty"`  // of a leaf
}

// Vote returns h(x).
func (t *Tree) Vote(x []float64) float64 {
	n := &t.Nodes[0]
	for n.Below != 0 {
		if x[n.Feature] > n.Threshold {
			n = &t.Nodes[n.Above]
		} else {
			n = &t.Nodes[n.Below]
		}
	}
	return n.Vote
}

// Score returns H(x).
func (m *Model) Score(x []float64) float64 {
	h := 0.0
	for i := range m.Trees {
		h += m.Trees[i].Theta * m.Trees[i].Vote(x)
	}
	return h
}

// Staged yields the scores of the rows after each tree, counted from 1. The slice is reused.
func (m *Model) Staged(x linear.Matrix) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		h := make([]float64, x.Rows)
		for t := range m.Trees {
			tree := &m.Trees[t]
			for i := range h {
				h[i] += tree.Theta * tree.Vote(x.Row(i))
			}
			if !yield(t+1, h) {
				return
			}
		}
	}
}

// StagedAccuracy returns the accuracy after each tree. A score of zero counts as wrong, as in
// the zero-one loss.
func (m *Model) StagedAccuracy(x linear.Matrix, y []float64) []float64 {
	if len(y) != x.Rows {
		panic("boost: shape mismatch")
	}
	curve := make([]float64, 0, len(m.Trees))
	for _, h := range m.Staged(x) {
		right := 0
		for i := range h {
			if y[i]*h[i] > 0 {
				right++
			}
		}
		curve = append(curve, float64(right)/float64(len(y)))
	}
	return curve
}

// Check returns an error if a decoded model is invalid.
func (m *Model) Check() error {
	if !(m.Alpha > 0) || m.Columns < 1 {
		return usererr.New(usererr.Invalid, "The boosted model has alpha %v and %d columns; both must be positive.",
			float64(m.Alpha), m.Columns)
	}
	for t, tree := range m.Trees {
		if reason := tree.check(m.Columns); reason != "" {
			return usererr.New(usererr.Invalid, "Tree %d of the boosted model %s.", t+1, reason)
		}
	}
	return nil
}

func (t *Tree) check(columns int) string {
	if len(t.Nodes) == 0 || math.IsNaN(t.Theta) || math.IsInf(t.Theta, 0) {
		return "has no node or no finite theta"
	}
	for i, n := range t.Nodes {
		leaf := n.Below == 0 && n.Above == 0
		switch {
		case leaf && n.Vote != 1 && n.Vote != -1:
			return fmt.Sprintf("has a leaf that votes %v instead of −1 or +1", n.Vote)
		case !leaf && (min(n.Below, n.Above) <= i || max(n.Below, n.Above) >= len(t.Nodes)):
			return "has a split that does not lead on to two later nodes"
		case !leaf && (n.Feature < 0 || n.Feature >= columns):
			return fmt.Sprintf("splits column %d of %d", n.Feature+1, columns)
		}
	}
	return ""
}

// Alpha is α in (0, ∞]; its JSON form of infinity is "inf".
type Alpha float64

func (a Alpha) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(a), 1) {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(float64(a))
}

func (a *Alpha) UnmarshalJSON(raw []byte) error {
	if string(raw) == `"inf"` {
		*a = Alpha(math.Inf(1))
		return nil
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return usererr.BadField("alpha", `must be a number or ‘inf’ (got %s)`, raw)
	}
	*a = Alpha(v)
	return nil
}
