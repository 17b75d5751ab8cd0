package boost

import (
	"slices"

	"taper/internal/engine/fit/linear"
)

// Cover counts, for every node of every tree, the rows of x that reach it.
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

// next is the child node for x.
func (n *Node) next(x []float64) int {
	if x[n.Feature] > n.Threshold {
		return n.Above
	}
	return n.Below
}

// Shapley adds each player's Shapley value of the tree's θ·h(x) to phi, and returns the mean of
// θ·h over the rows of cover. The mean and all Shapley values add up to θ·h(x).
//
// The game is v(S) = E[θ·h | x_S], in which a split on a player outside S sends x both ways, in
// proportion to the rows that went there: path-dependent TreeSHAP (Lundberg, Erion and Lee
// 2018, Algorithm 2). A player is a group of columns of the design; player[j] is that of column
// j, and all levels of a category are one player. For stumps the game is additive, and phi is
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

// step is a player on the path from the root: the proportion of rows that go on where the
// player is left out (zero), whether x itself goes on (one: 1 or 0), and the summed weight of
// the sets with that many of the path's players.
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

// walk visits a node, reached by a split with the given step, and its children.
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
		if share > 0 || goes > 0 { // otherwise every weight below is 0
			g.walk(child, way, zero*share, goes, p)
		}
	}
}

// extend returns the path with one more step; the argument is not changed.
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

// unwind returns the path without its step k, as if that player had never been met.
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

// unwound is the total weight of unwind(way, k), without building that path.
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
