package audit

import (
	"math/rand/v2"
	"slices"
)

// One in every controlBlock rows to review is a control, drawn at random from all rows, up to
// mostControls.
const (
	controlBlock = 6
	mostControls = 500
)

// Order is the order of review of n ranked rows, as positions in the ranking; control marks the
// random controls. A control is at a random place of its block, so that its place does not
// reveal it. Every row occurs once. The result depends only on n and the seed.
func Order(n int, seed uint64) (order []int, control []bool) {
	rng := rand.New(rand.NewPCG(seed, 0x636f6e74726f6c))
	control = make([]bool, n)
	drawn := rng.Perm(n)[:min((n+controlBlock-1)/controlBlock, mostControls)]
	for _, at := range drawn {
		control[at] = true
	}
	order = make([]int, 0, n)
	next := 0
	for _, at := range drawn {
		start := len(order)
		for next < n && len(order)-start < controlBlock-1 {
			if !control[next] {
				order = append(order, next)
			}
			next++
		}
		order = slices.Insert(order, start+rng.IntN(len(order)-start+1), at)
	}
	for ; next < n; next++ {
		if !control[next] {
			order = append(order, next)
		}
	}
	return order, control
}
