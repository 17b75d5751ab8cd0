package boost

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// grower grows trees of depth 2 and more, level by level. The last level minimises the weighted
// error. Higher levels minimise Gini impurity, because the error does not distinguish their
// splits: for an exclusive-or every first split has the same error.
//
// In every column the rows of a node are contiguous and sorted, so sums over a node need no
// test of membership. Both criteria are convex in the weight and in the signed weight below a
// threshold. Sums over blocks of rows therefore bound the criterion at every threshold inside a
// block, and only blocks whose bound reaches the best threshold between two blocks are scanned
// row by row.
type grower struct {
	f      *fit
	rows   []int32    // d × n: the order of the rows by column, node by node
	spare  [2][]int32 // buffers for the rows of later levels, used in turn
	turn   int
	above  []uint8  // 1 for rows that go to the upper child of their node
	leaf   []int32  // node of each row in the current tree; −1 = row without weight
	live   []branch // nodes of the level that may still split
	next   []branch // their children
	splits []split  // chosen for each live node; column −1: none
	spans  []block  // the places of blocks in the list of a node
	blocks int      // number of blocks of all live nodes, in one column
	sums   []sum    // sums of these blocks, column after column
	peaks  []float64
	floor  []float64 // per live node: the largest of its peaks
	found  []split   // best split of each live node, column after column
	nodes  []Node    // of the current tree
}

// branch is a node: the range [lo, hi) of its rows in each column, its first block, its weight
// Σ D and its signed weight Σ D·y (lean).
type branch struct {
	node, lo, hi, block int
	weight, lean        float64
}

// split is a threshold between the values of two rows; at is the number of the node's rows
// below.
type split struct {
	purity       float64
	column, at   int
	below, above int32
}

// chunk is the number of rows per block. Larger blocks need fewer bounds, but the bounds are
// looser.
const chunk = 64

// slack is far above the rounding error of a purity and of its ties, and far below differences
// that decide between splits.
const slack = 1e-9

func newGrower(f *fit) *grower {
	g := &grower{f: f, above: make([]uint8, f.x.Rows), leaf: make([]int32, f.x.Rows)}
	for i, v := range f.mass.shares {
		if v == 0 {
			g.leaf[i] = -1
		}
	}
	for at := int32(0); int(at) < f.x.Rows; at += chunk {
		g.spans = append(g.spans, block{at, at + chunk})
	}
	return g
}

// tree grows one tree; it returns false when no column varies.
func (g *grower) tree() (Tree, bool) {
	g.nodes = append(g.nodes[:0], Node{Vote: 1})
	g.rows = g.f.order.rows
	for _, r := range g.rows[:g.f.order.n] {
		g.leaf[r] = 0
	}
	g.live = append(g.live[:0], branch{hi: g.f.order.n, weight: 1, lean: total(g.rows[:g.f.order.n], g.f.mass.pairs).Lean})
	for level := g.f.o.Depth; level > 0 && len(g.live) > 0 && g.f.ctx.Err() == nil; level-- {
		g.search(level == 1)
		g.divide(level == 1)
		g.settle()
		if level > 1 {
			g.part()
		}
	}
	return Tree{Nodes: slices.Clone(g.nodes)}, len(g.nodes) > 1
}

// search finds the best split of every live node in every column.
func (g *grower) search(last bool) {
	o, k := g.f.order, len(g.live)
	g.blocks = 0
	for i := range g.live {
		b := &g.live[i]
		b.block = g.blocks
		g.blocks += (b.hi - b.lo + chunk - 1) / chunk
	}
	g.sums = slices.Grow(g.sums[:0], o.d*g.blocks)[:o.d*g.blocks]
	g.peaks = slices.Grow(g.peaks[:0], o.d*k)[:o.d*k]
	g.found = slices.Grow(g.found[:0], o.d*k)[:o.d*k]
	g.each(func(j int) {
		for i, b := range g.live {
			g.peaks[j*k+i] = g.sum(j, b, last)
		}
	})
	g.floor = g.floor[:0]
	for i := range k {
		top := math.Inf(-1)
		for j := range o.d {
			top = max(top, g.peaks[j*k+i])
		}
		g.floor = append(g.floor, top)
	}
	for i := range g.found {
		g.found[i] = split{purity: math.Inf(-1), column: -1}
	}
	g.each(func(j int) {
		for i, b := range g.live {
			g.found[j*k+i] = g.best(j, b, g.floor[i], last)
		}
	})
}

// each runs a task for every column, unless the fit is cancelled.
func (g *grower) each(task func(j int)) {
	parallel.Each(g.f.order.d, g.f.order.workers, func(_, j int) {
		if g.f.ctx.Err() == nil {
			task(j)
		}
	})
}

// list returns the rows of a node in the order of a column.
func (g *grower) list(j int, b branch) []int32 {
	at := j * g.f.order.n
	return g.rows[at+b.lo : at+b.hi]
}

// sum stores the sums of a node's blocks in column j and returns the largest purity of a
// threshold between two blocks.
func (g *grower) sum(j int, b branch, last bool) float64 {
	rows, sums, peak, below := g.list(j, b), g.sums[j*g.blocks+b.block:], math.Inf(-1), sum{}
	full, count := len(rows)/chunk, (len(rows)+chunk-1)/chunk
	vector.Sums(sums[:full], g.f.mass.pairs, rows, g.spans[:full])
	if full < count {
		sums[full] = total(rows[full*chunk:], g.f.mass.pairs)
	}
	for k, s := range sums[:count] {
		end := min((k+1)*chunk, len(rows))
		below.Weight, below.Lean = below.Weight+s.Weight, below.Lean+s.Lean
		if end == len(rows) || below.Weight == 0 {
			continue
		}
		// Reading the values is slow because they are far apart in memory, so only candidates
		// are read.
		if p := purity(b, below, last); p > peak && g.value(j, rows[end-1]) != g.value(j, rows[end]) {
			peak = p
		}
	}
	return peak
}

func (g *grower) value(j int, row int32) float64 { return g.f.x.Data[int(row)*g.f.x.Cols+j] }

// total sums rows.
func total(rows []int32, pairs []sum) sum {
	var all [1]sum
	vector.Sums(all[:], pairs, rows, []block{{0, int32(len(rows))}})
	return all[0]
}

// best returns a node's best split in column j if its purity reaches floor. Otherwise the
// result may be any split below floor.
func (g *grower) best(j int, b branch, floor float64, last bool) split {
	rows, sums, below := g.list(j, b), g.sums[j*g.blocks+b.block:], sum{}
	top := split{purity: math.Inf(-1), column: -1}
	for k := range (len(rows) + chunk - 1) / chunk {
		if s := sums[k]; bound(b, below, s, last) >= floor-slack {
			g.scan(j, b, k*chunk, min((k+1)*chunk, len(rows)-1), below, last, &top)
		}
		below.Weight, below.Lean = below.Weight+sums[k].Weight, below.Lean+sums[k].Lean
	}
	return top
}

// scan tries the thresholds after each row of a node from one position to another.
func (g *grower) scan(j int, b branch, from, to int, below sum, last bool, top *split) {
	rows := g.list(j, b)
	if from >= to || g.value(j, rows[from]) == g.value(j, rows[to]) {
		return
	}
	for at := from; at < to; at++ {
		v := g.f.mass.pairs[rows[at]]
		below.Weight, below.Lean = below.Weight+v.Weight, below.Lean+v.Lean
		if below.Weight == 0 {
			continue
		}
		p := purity(b, below, last)
		if p > top.purity+tie && g.value(j, rows[at]) != g.value(j, rows[at+1]) {
			*top = split{p, j, at + 1, rows[at], rows[at+1]}
		}
	}
}

// bound returns an upper bound on the purity of any threshold in a block. The order of positive
// and negative rows within the block is left open, so the sums below the threshold lie in a
// parallelogram; a convex function has its maximum at a corner.
func bound(b branch, below, s sum, last bool) float64 {
	plus, minus := (s.Weight+s.Lean)/2, (s.Weight-s.Lean)/2
	corner := func(p, m float64) float64 {
		at := sum{Weight: below.Weight + p + m, Lean: below.Lean + p - m}
		if last {
			return purity(b, at, last)
		}
		all := 0.0
		if at.Weight > 0 {
			all = at.Lean * at.Lean / at.Weight
		}
		if rest := b.weight - at.Weight; rest > 0 {
			all += (b.lean - at.Lean) * (b.lean - at.Lean) / rest
		}
		return all
	}
	return max(corner(0, 0), corner(plus, 0), corner(0, minus), corner(plus, minus))
}

// purity rates a split by the sums below it: Σ|lean| over both sides, which is 1 − 2·error, or
// Σ lean²/weight, which is 1 − Gini impurity up to a constant.
func purity(b branch, below sum, last bool) float64 {
	rest, lean := b.weight-below.Weight, b.lean-below.Lean
	if last {
		return math.Abs(below.Lean) + math.Abs(lean)
	}
	if rest <= 0 {
		return math.Inf(-1)
	}
	return below.Lean*below.Lean/below.Weight + lean*lean/rest
}

// divide splits the live nodes at their best split: on the last level only if the error
// decreases, on others always.
func (g *grower) divide(last bool) {
	k := len(g.live)
	g.next, g.splits = g.next[:0], g.splits[:0]
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
		g.next, g.splits = append(g.next, branch{}, branch{}), append(g.splits, best)
		if best.column >= 0 {
			g.cut(b, best, g.next[2*i:])
		}
	}
}

// cut turns a leaf into a split with two leaves.
func (g *grower) cut(b branch, s split, children []branch) {
	x, n := g.f.x, len(g.nodes)
	vote := g.nodes[b.node].Vote
	g.nodes[b.node] = Node{Feature: s.column, Threshold: midpoint(x.Row(int(s.below))[s.column],
		x.Row(int(s.above))[s.column]), Below: n, Above: n + 1}
	g.nodes = append(g.nodes, Node{Vote: vote}, Node{Vote: vote})
	rows, middle := g.list(s.column, b), b.lo+s.at
	for i, part := range [][]int32{rows[:s.at], rows[s.at:]} {
		of := total(part, g.f.mass.pairs)
		children[i] = branch{node: n + i, lo: b.lo, hi: middle, weight: of.Weight, lean: of.Lean}
		for _, r := range part {
			g.above[r], g.leaf[r] = uint8(i), int32(n+i)
		}
	}
	children[1].lo, children[1].hi = middle, b.hi
}

// part reorders the rows in every column so that the rows of each child are contiguous.
func (g *grower) part() {
	if len(g.live) == 0 {
		return
	}
	o, from := g.f.order, g.rows
	if g.spare[g.turn] == nil {
		g.spare[g.turn] = make([]int32, o.n*o.d)
	}
	g.rows, g.turn = g.spare[g.turn], 1-g.turn
	g.each(func(j int) {
		from, to := from[j*o.n:(j+1)*o.n], g.rows[j*o.n:(j+1)*o.n]
		for i, s := range g.splits {
			if s.column < 0 {
				continue
			}
			lo, hi := g.next[2*i], g.next[2*i+1]
			below, above := lo.lo, hi.lo
			for _, r := range from[lo.lo:hi.hi] {
				at, up := below, int(g.above[r])
				if up != 0 {
					at = above
				}
				to[at] = r
				above += up
				below += 1 - up
			}
		}
	})
}

// level is the smallest |lean|/weight that is not taken as rounding error.
const level = 1e-9

// settle sets the votes of the children and keeps those with mixed labels as live nodes.
func (g *grower) settle() {
	g.live = g.live[:0]
	for _, b := range g.next {
		if b.weight == 0 {
			continue // not split, or without weight: keeps the vote of its parent
		}
		switch lean := b.lean / b.weight; {
		case lean > level:
			g.nodes[b.node].Vote = 1
		case lean < -level:
			g.nodes[b.node].Vote = -1
		}
		if math.Abs(b.lean) < b.weight*(1-level) {
			g.live = append(g.live, b)
		}
	}
}
