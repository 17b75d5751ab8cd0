package engine

import (
	"math"
	"slices"

	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ReviewedClasses compares the answers of a parent and its child of several
// classes, on the rows whose label nobody changed.
type ReviewedClasses struct {
	Criterion  string        `json:"criterion"` // what prices mean: "error rate"
	Answers    []string      `json:"answers"`   // the classes, then abstaining where that is one
	Before     float64       `json:"before"`    // mean price of the answers
	After      float64       `json:"after"`
	Difference stat.Estimate `json:"difference"` // child minus parent, paired, normal 95 %
	Moves      [][]int       `json:"moves"`      // rows by the answer of the parent, then of the child
}

// normal95 is the 97.5 % point of the normal distribution.
const normal95 = 1.959963984540054

func (v *Reviewed) ofClasses(c *ClassResult, before, after []RowScore) {
	p, n := task.Cost(c.Costs), float64(len(after))
	r := &ReviewedClasses{Criterion: c.Criterion, Answers: slices.Clone(c.Levels)}
	if p.Abstains() {
		r.Answers = append(r.Answers, model.AbstainText)
	}
	for range r.Answers {
		r.Moves = append(r.Moves, make([]int, len(r.Answers)))
	}
	place := func(answer int) int {
		if answer == stat.Abstained {
			return len(c.Levels)
		}
		return answer
	}
	sum, squares := 0.0, 0.0
	for i := range after {
		k := slices.Index(c.Levels, after[i].Outcome)
		a, b := before[i].Predicted, after[i].Predicted
		r.Before += p.Of(a, k) / n
		r.After += p.Of(b, k) / n
		d := p.Of(b, k) - p.Of(a, k)
		sum, squares = sum+d, squares+d*d
		r.Moves[place(a)][place(b)]++
	}
	if n > 1 {
		mean := sum / n
		half := normal95 * math.Sqrt(max(squares/n-mean*mean, 0)/(n-1))
		low, high := mean-half, mean+half
		r.Difference = stat.Estimate{Value: &mean, Low: &low, High: &high}
	}
	v.Classes = r
}
