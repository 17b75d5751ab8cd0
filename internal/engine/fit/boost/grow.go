package boost

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
)

// grower grows trees of depth 2 and more, a level at a time: one walk over each
// sorted column serves all nodes of a level. The last level splits for the
// smallest weighted error. Above it the error is too flat to choose by (every
// split of an exclusive-or errs as often), so there Gini's impurity decides.
type grower struct {
	f     *fit
	slot  []int32  // place in live of the node a row is in; −1: none
	live  []branch // nodes of the level that may still split
	next  []branch // their children
	runs  [][]run  // one a live node, for each worker
	found []split  // best of each live node, column after column
	nodes []Node   // of the tree under way
}

// branch is a node, what its rows weigh (Σ D) and how they lean (Σ D·y).
type branch struct {
	node         int
	weight, lean float64
}

// run is a live node's part of a sorted column as far as it was walked.
type run struct {
	weight, lean float64
	group        int // of equal values: the last one seen
	row          int32
}

// split lies between the values of two rows.
type split struct {
	purity       float64
	column       int
	below, above int32
}

func newGrower(f *fit) *grower {
	return &grower{f: f, slot: make([]int32, f.x.Rows)}
}

// tree grows one; there is none when no column varies.
func (g *grower) tree() (Tree, bool) {
	g.nodes = append(g.nodes[:0], Node{Vote: 1})
	root := branch{weight: 1}
	for i, v := range g.f.mass.shares {
		g.slot[i] = -1
		if v > 0 {
			g.slot[i] = 0
			root.lean += g.f.mass.dy[i]
		}
	}
	g.live = append(g.live[:0], root)
	for level := g.f.o.Depth; level > 0 && len(g.live) > 0 && g.f.ctx.Err() == nil; level-- {
		g.search(level == 1)
		g.divide(level == 1)
	}
	return Tree{Nodes: slices.Clone(g.nodes)}, len(g.nodes) > 1
}

// search finds the best split of every live node in every column.
func (g *grower) search(last bool) {
	o, k := g.f.order, len(g.live)
	g.found = slices.Grow(g.found[:0], o.d*k)[:o.d*k]
	if g.runs == nil { // the columns are sorted by now, by as many workers
		g.runs = make([][]run, o.workers)
	}
	parallel.Each(o.d, o.workers, func(worker, j int) {
		g.runs[worker] = slices.Grow(g.runs[worker][:0], k)[:k]
		clear(g.runs[worker])
		found := g.found[j*k : (j+1)*k]
		for i := range found {
			found[i] = split{purity: math.Inf(-1), column: j}
		}
		if g.f.ctx.Err() == nil {
			g.walk(j, last, g.runs[worker], found)
		}
	})
}

// walk goes up a column. Between two different values of a node lies one of
// its thresholds.
func (g *grower) walk(j int, last bool, runs []run, found []split) {
	o := g.f.order
	rows, start := o.rows[j*o.n:(j+1)*o.n], 0
	for group := range len(o.ends[j]) + 1 {
		end := o.n
		if group < len(o.ends[j]) {
			end = int(o.ends[j][group])
		}
		for _, r := range rows[start:end] {
			k := g.slot[r]
			if k < 0 {
				continue
			}
			a := &runs[k]
			if a.group != group && a.weight > 0 {
				if p := purity(g.live[k], a, last); p > found[k].purity+tie {
					found[k] = split{p, j, a.row, r}
				}
			}
			a.weight += g.f.mass.d[r]
			a.lean += g.f.mass.dy[r]
			a.group, a.row = group, r
		}
		start = end
	}
}

// purity measures a split: Σ|lean| over both sides, which is 1 − 2·error, or
// Σ lean²/weight, which is 1 − Gini's impurity up to a constant.
func purity(b branch, a *run, last bool) float64 {
	rest, lean := b.weight-a.weight, b.lean-a.lean
	if last {
		return math.Abs(a.lean) + math.Abs(lean)
	}
	if rest <= 0 {
		return math.Inf(-1)
	}
	return a.lean*a.lean/a.weight + lean*lean/rest
}

// divide splits the live nodes where a column offers to: on the last level only
// if the error gets smaller, above it whatever there is.
func (g *grower) divide(last bool) {
	k := len(g.live)
	g.next = g.next[:0]
	for i, b := range g.live {
		best := split{purity: math.Inf(-1), column: -1}
		if last {
			best.purity = math.Abs(b.lean)
		}
		for j := range g.f.order.d {
			if s := g.found[j*k+i]; s.purity > best.purity+tie {
				best = s
			}
		}
		g.next = append(g.next, branch{}, branch{})
		if best.column >= 0 {
			g.cut(b.node, best, g.next[2*i:])
		}
	}
	g.deal()
	g.settle()
}

// cut turns a leaf into a split with two leaves.
func (g *grower) cut(node int, s split, children []branch) {
	x, n := g.f.x, len(g.nodes)
	vote := g.nodes[node].Vote
	g.nodes[node] = Node{Feature: s.column, Threshold: midpoint(x.Row(int(s.below))[s.column],
		x.Row(int(s.above))[s.column]), Below: n, Above: n + 1}
	g.nodes = append(g.nodes, Node{Vote: vote}, Node{Vote: vote})
	children[0].node, children[1].node = n, n+1
}

// deal moves the rows of the live nodes into their children.
func (g *grower) deal() {
	for i, k := range g.slot {
		if k < 0 {
			continue
		}
		n := &g.nodes[g.live[k].node]
		if n.Below == 0 {
			g.slot[i] = -1
			continue
		}
		child := 2 * k
		if g.f.x.Row(i)[n.Feature] > n.Threshold {
			child++
		}
		g.slot[i] = child
		g.next[child].weight += g.f.mass.d[i]
		g.next[child].lean += g.f.mass.dy[i]
	}
}

// level is the share of its weight by which a node must lean: less is rounding.
const level = 1e-9

// settle lets the children vote and keeps those that are mixed as live.
func (g *grower) settle() {
	at := make([]int32, len(g.next))
	g.live = g.live[:0]
	for i, b := range g.next {
		at[i] = -1
		if b.weight == 0 {
			continue // not split, or nothing weighs here: votes as its parent
		}
		switch lean := b.lean / b.weight; {
		case lean > level:
			g.nodes[b.node].Vote = 1
		case lean < -level:
			g.nodes[b.node].Vote = -1
		}
		if math.Abs(b.lean) < b.weight*(1-level) {
			at[i] = int32(len(g.live))
			g.live = append(g.live, b)
		}
	}
	for i, k := range g.slot {
		if k >= 0 {
			g.slot[i] = at[k]
		}
	}
}
