package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// The tables of counts that the documents of a run declare: its bands, its subgroups
// and the groups of an order.
const (
	bands       = "bands"
	groups      = "groups"
	orderGroups = "groups in order"
)

// What a number of the whole run tells: something of the split of its bands, or its
// events alone.
var (
	ofBands  = mask.Ref{Table: bands, Row: mask.All}
	ofEvents = mask.Ref{Table: bands, Row: mask.All, Part: mask.Total}
)

// counts are the tables of counts behind the numbers.
func (c Clinical) counts() map[string][]mask.Split {
	all := map[string][]mask.Split{bands: nil}
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

// release is the policy of print: bands as the report tells them throughout, which of
// a run without its rows is as they were kept; groups in order one by one, since no
// total of them is printed.
func (p Printed) release(table string, rows []mask.Split) (t mask.Table) {
	switch table {
	case bands:
		return p.Strata
	case orderGroups:
		for _, r := range rows {
			t.Rows = append(t.Rows, mask.Row{N: hideSmall(r.N)})
		}
		return t
	}
	return mask.Hide(rows)
}

// masked is a node as print may show it.
func (p Printed) masked(n doc.Node) doc.Node {
	d := doc.Mask(doc.Document{Counts: p.c.counts(), Sections: []doc.Section{{Body: []doc.Node{n}}}}, p.release)
	if len(d.Sections) == 0 {
		return nil
	}
	return d.Sections[0].Body[0]
}

// ofStatistic is what a statistic of all rows tells.
func ofStatistic(s stat.Statistic) mask.Ref {
	switch s.Reveals {
	case stat.Nothing:
		return mask.Ref{}
	case stat.Total:
		return ofEvents
	}
	return ofBands
}

// guarded says what a line of a table of statistics tells. The interval loss in cell
// own is printed as exactly as hidden counts allow.
func (c Clinical) guarded(s stat.Statistic, row doc.Row, own int) doc.Row {
	row.Reveals = ofStatistic(s)
	if s.ID == intervalLoss {
		row.Reveals = ofBands
		row.Instead = func(r mask.Released) doc.Row {
			decimals := lossDecimals(c.Result, c.counts()[bands], r[bands])
			if decimals < 0 {
				return doc.Row{}
			}
			said := doc.Row{Cells: slices.Clone(row.Cells)}
			said.Cells[own] = doc.Cell{Value: lossText(c.Result, r[bands], decimals)}
			return said
		}
	}
	return row
}

// lossDecimals is how exactly the interval loss may stand beside masked bands; −1: as
// a range only.
func lossDecimals(r *engine.Result, rows []mask.Split, t mask.Table) int {
	if v := r.Metrics.Test.IntervalLoss; v != nil {
		return mask.LossDecimals(rows, t, *v)
	}
	return 3
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
