package boost

import (
	"slices"

	"taper/internal/engine/fit/linear"
)

// Cover counts, for every node of every tree, the rows that pass through it.
func (m *Model) Cover(x linear.Matrix) [][]int {
	all := make([][]int, len(m.Trees))
	for t := range m.Trees {
		nodes := m.Trees[t].Nodes
		all[t] = make([]int, len(nodes))
		for i := range x.Rows {
			at, row := 0, x.Row(i)
			for all[t][0]++; nodes[at].Below != 0; all[t][at]++ {
				at = nodes[at].next(row)
			}
		}
	}
	return all
}

// next is the child that a row goes to.
func (n *Node) next(x []float64) int {
	if x[n.Feature] > n.Threshold {
		return n.Above
	}
	return n.Below
}

// Shapley adds to phi what each player brings to the tree's θ·h(x), and returns
// the mean of θ·h over the rows of cover; mean and all of phi add up to θ·h(x).
//
// These are the Shapley values of the game v(S) = E[θ·h | x_S] in which a split
// on a player outside S sends x both ways, by the shares of the rows that went
// there: path-dependent TreeSHAP (Lundberg, Erion, Lee 2018, Algorithm 2). A
// player is a group of columns of the design, player[j] that of column j: levels
// of one category play as one. Of stumps the game is additive, and phi is
// exactly vote minus mean vote.
func (t *Tree) Shapley(phi, x []float64, cover, player []int) (mean float64) {
	g := game{tree: t, x: x, cover: cover, player: player, phi: phi}
	g.walk(0, nil, 1, 1, -1)
	for i, n := range t.Nodes {
		if n.Below == 0 {
			mean += t.Theta * n.Vote * float64(cover[i]) / float64(cover[0])
		}
	}
	return mean
}

// step is a player met on the way down: the share of the rows that go on without
// it, whether x goes on with it (1 or 0), and the weight of the sets that hold as
// many of the players met so far.
type step struct {
	player            int
	zero, one, weight float64
}

type game struct {
	tree          *Tree
	x             []float64
	cover, player []int
	phi           []float64
}

// walk goes down from a node, met by the given step.
func (g *game) walk(at int, way []step, zero, one float64, player int) {
	way = extend(way, zero, one, player)
	n := &g.tree.Nodes[at]
	if n.Below == 0 {
		for i := 1; i < len(way); i++ {
			g.phi[way[i].player] += unwound(way, i) * (way[i].one - way[i].zero) * g.tree.Theta * n.Vote
		}
		return
	}
	zero, one = 1, 1
	p := g.player[n.Feature]
	if k := slices.IndexFunc(way, func(s step) bool { return s.player == p }); k > 0 {
		zero, one = way[k].zero, way[k].one
		way = unwind(way, k)
	}
	hot := n.next(g.x)
	for _, child := range [2]int{n.Below, n.Above} {
		share, goes := float64(g.cover[child])/float64(g.cover[at]), 0.0
		if child == hot {
			goes = one
		}
		if share > 0 || goes > 0 { // else no set leads there
			g.walk(child, way, zero*share, goes, p)
		}
	}
}

// extend returns a longer way; the given one stays as it is.
func extend(way []step, zero, one float64, player int) []step {
	n := len(way)
	w := append(slices.Clone(way), step{player: player, zero: zero, one: one})
	if n == 0 {
		w[0].weight = 1
	}
	for i := n - 1; i >= 0; i-- {
		w[i+1].weight += one * w[i].weight * float64(i+1) / float64(n+1)
		w[i].weight *= zero * float64(n-i) / float64(n+1)
	}
	return w
}

// unwind undoes the step at k: the way as if that player had not been met.
func unwind(way []step, k int) []step {
	n := len(way) - 1
	w := slices.Clone(way)
	one, zero := w[k].one, w[k].zero
	next := w[n].weight
	for i := n - 1; i >= 0; i-- {
		if one != 0 {
			was := w[i].weight
			w[i].weight = next * float64(n+1) / (float64(i+1) * one)
			next = was - w[i].weight*zero*float64(n-i)/float64(n+1)
		} else {
			w[i].weight *= float64(n+1) / (zero * float64(n-i))
		}
	}
	for i := k; i < n; i++ {
		w[i].player, w[i].zero, w[i].one = w[i+1].player, w[i+1].zero, w[i+1].one
	}
	return w[:n]
}

// unwound is the total weight of unwind(way, k).
func unwound(way []step, k int) (sum float64) {
	n := len(way) - 1
	one, zero := way[k].one, way[k].zero
	next := way[n].weight
	for i := n - 1; i >= 0; i-- {
		if one != 0 {
			w := next * float64(n+1) / (float64(i+1) * one)
			sum += w
			next = way[i].weight - w*zero*float64(n-i)/float64(n+1)
		} else {
			sum += way[i].weight * float64(n+1) / (zero * float64(n-i))
		}
	}
	return sum
}
