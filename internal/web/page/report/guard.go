package report

import (
	"math"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// The tables of counts that the documents of a run declare: the bands of the rows that
// judge, the rows trained on, those of Table 1, moves from logistic regression's bands,
// subgroups, groups in order, and classes; of an external validation also the bands of
// development.
const (
	bands       = "bands"
	trained     = "trained"
	cohort      = "cohort"
	moves       = "moves"
	groups      = "groups"
	orderGroups = "groups in order"
	classes     = "classes"
	development = "development"
)

// What a number of the whole run tells: something of the split of its bands, or its
// events alone.
var (
	ofBands  = mask.Ref{Table: bands, Row: mask.All}
	ofEvents = mask.Ref{Table: bands, Row: mask.All, Part: stat.Total}
)

// counts are the tables of counts behind the numbers.
func (c Clinical) counts() map[string][]mask.Split {
	all := map[string][]mask.Split{bands: nil, trained: {{N: c.Result.Flow.Trained, Events: c.Result.Flow.TrainedEvents}}}
	rows, events := c.cohort()
	all[cohort] = []mask.Split{{N: rows, Events: events}}
	if c.Result.Classes != nil {
		all[classes] = c.classRows()
	}
	if m := c.Statistics.Reclassified; m != nil {
		all[moves] = movesOf(m)
	}
	for _, s := range c.Result.Strata {
		all[bands] = append(all[bands], mask.Split{N: s.N, Events: s.Events})
	}
	for _, g := range c.Groups {
		all[groups] = append(all[groups], mask.Split{N: g.N, Events: g.Events})
	}
	if o := c.Statistics.Ordered; o != nil {
		for _, n := range o.N {
			all[orderGroups] = append(all[orderGroups], mask.Split{N: n})
		}
	}
	return all
}

// release is the policy of print: the bands of a run without its rows as they were
// kept; groups in order one by one, since no total of them is printed.
func (p Printed) release(table string, rows []mask.Split) (t mask.Table) {
	switch {
	case table == bands && p.c.kept():
		return p.c.keptBands()
	case table == orderGroups:
		for _, r := range rows {
			t.Rows = append(t.Rows, mask.Row{N: hideSmall(r.N)})
		}
		return t
	}
	return mask.Hide(rows)
}

// masked is a node as print may show it.
func (p Printed) masked(n doc.Node) doc.Node {
	if nodes := doc.Masked([]doc.Node{n}, p.released); len(nodes) > 0 {
		return nodes[0]
	}
	return nil
}

// ownLoss is the cell of the model's own interval loss, over the bands that a table
// counts. It is printed as exactly as hidden counts allow; ranged, also as the range
// that they leave.
func (c Clinical) ownLoss(cell doc.Cell, table string, ranged bool) doc.Cell {
	cell.Reveals = mask.Ref{Table: table, Row: mask.All}
	cell.Instead = func(r mask.Released) doc.Cell {
		decimals := c.lossDecimals(r[table])
		if decimals < 0 && !ranged {
			return doc.Cell{}
		}
		return doc.Cell{Value: lossText(c.Result, r[table], decimals)}
	}
	return cell
}

// lossDecimals is how exactly the interval loss may stand beside masked bands; −1: as
// a range only. A run without its rows has it with the decimals it was kept with.
func (c Clinical) lossDecimals(t mask.Table) (decimals int) {
	v := c.Result.Metrics.Test.IntervalLoss
	switch {
	case v == nil:
		return 3
	case c.kept():
		for decimals < 3 && math.Abs(*v-rounded(*v, decimals)) > 1e-9 {
			decimals++
		}
		return decimals
	}
	return mask.LossDecimals(c.counts()[bands], t, *v)
}

// lossText writes a model's own interval loss with so many decimals, or as the range
// that the masked bands leave.
func lossText(r *engine.Result, t mask.Table, decimals int) string {
	v := r.Metrics.Test.IntervalLoss
	switch {
	case v == nil:
		return viz.None
	case decimals > 0:
		return viz.Number(*v, decimals)
	}
	low, high := mask.LossRange(r.Boundaries, t)
	return viz.Range(viz.Number(low, 2), viz.Number(high, 2))
}
