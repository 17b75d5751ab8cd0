package report

import (
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Clinical is the statistics of a finished binary run, for its page and its report. Fields are nil where the run
// has no such statistic.
type Clinical struct {
	Run        store.Run
	Result     *engine.Result
	Statistics engine.Statistics
	Model      *model.Model
	Refits     *store.Bootstrap // the bootstrap
	By         string           // column of the subgroups, "" without
	Order      string           // of the groups, as engine.WriteOrder writes it; "" is the order of the run
	Groups     []stat.Subgroup
	Workers    string            // queue of workers that may receive the rows; "" = none
	Choice     []string          // columns that can define subgroups
	Known      bool              // the rows of the run were available
	Origin     *store.Origin     // set for a recalibrated run
	Asked      *store.Evaluation // the external validation that gave the recalibration; nil where it was deleted

	Validations []store.Evaluation // external validations of this run
}

func (c Clinical) event() string { return format.Event(c.Result.Outcome, c.Result.Positive) }

// judgedName heads the column of results on test rows.
func (c Clinical) judgedName() string {
	switch c.Run.Spec.Validation.Kind {
	case "split":
		return "Held out"
	case "none":
		if c.Result.OwnRows() {
			return "Apparent"
		}
		return "Evaluated"
	}
	return "Cross-validated"
}

// checked returns the bootstrap result, nil until it is finished.
func (c Clinical) checked() *engine.Bootstrap {
	if c.Refits == nil {
		return nil
	}
	return c.Refits.Result
}

func (c Clinical) split() bool { return c.Run.Spec.Validation.Kind == "split" }

// askedSay names the external validation behind a recalibrated run, as a clause.
func (c Clinical) askedSay() string {
	o := c.Origin
	switch {
	case o == nil || o.Evaluation == "":
		return ""
	case o.How == "":
		return ", asked for at the external validation " + o.Evaluation
	}
	return ", fitted on the rows of the external validation " + o.Evaluation
}

func correctedOf(b *engine.Bootstrap, id string) stat.Estimate {
	for _, m := range b.Metrics {
		if m.ID == id {
			return m.Corrected
		}
	}
	return stat.Estimate{}
}

// withCI returns the bootstrap intervals of a coefficient and of its odds ratio, zero without a bootstrap.
func (c Clinical) withCI(name string) (value, odds stat.Estimate) {
	if b := c.checked(); b != nil {
		for _, k := range b.Coefficients {
			if k.Name == name {
				return k.Value, k.OddsRatio
			}
		}
	}
	return
}

// missedSay explains the dash of a term without an interval; "" where every term has one.
func (c Clinical) missedSay() string {
	b := c.checked()
	if b == nil || !slices.ContainsFunc(b.Coefficients, func(k engine.CoefficientDraw) bool {
		return k.Value.Low == nil
	}) {
		return ""
	}
	return " (" + viz.None + "): not estimable, because too many bootstrap samples lack the term (its category was " +
		"absent, pooled or the reference)."
}

// The tables of counts that the documents of a run declare: the bands of the test rows, the training rows, the rows
// of Table 1, reclassification from logistic regression's bands, subgroups, ordered groups, and classes; an
// external validation also declares the bands of development.
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

// What a number about the whole run reveals: the split of its bands, or only its events.
var (
	ofBands  = mask.Ref{Table: bands, Row: mask.All}
	ofEvents = mask.Ref{Table: bands, Row: mask.All, Part: stat.Total}

	ofTrained = mask.Ref{Table: trained, Row: mask.All, Part: stat.Total} // for intercepts of the fit
)

// counts are the tables of counts from which the numbers are computed.
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

// cohort counts the rows and events trained on and, in a split, those held out.
func (c Clinical) cohort() (rows, events int) {
	f := c.Result.Flow
	if c.split() {
		return f.Trained + f.Scored, f.TrainedEvents + f.ScoredEvents
	}
	return f.Trained, f.TrainedEvents
}

// classRows counts the classes: N is all rows of a class, Events its test rows, which in a split are the rows held
// out.
func (c Clinical) classRows() (rows []mask.Split) {
	for _, class := range c.Result.Classes.Rows {
		s := mask.Split{N: class.Scored, Events: class.Scored}
		if c.split() {
			s.N += class.Trained
		}
		rows = append(rows, s)
	}
	return rows
}

// movesOf counts the rows that moved to a higher band, stayed, or moved to a lower one.
func movesOf(m *stat.Reclassification) []mask.Split {
	var higher, same, lower mask.Split
	add := func(counts [][]int, events int) {
		for i, row := range counts {
			for j, n := range row {
				to := &same
				switch {
				case j > i:
					to = &higher
				case j < i:
					to = &lower
				}
				to.N, to.Events = to.N+n, to.Events+events*n
			}
		}
	}
	add(m.Events.Counts, 1)
	add(m.Others.Counts, 0)
	return []mask.Split{higher, same, lower}
}

// kept reports whether the run was kept without its rows, so that its counts are ranges.
func (c Clinical) kept() bool {
	return slices.ContainsFunc(c.Result.Strata, func(s stat.Stratum) bool { return s.Masked })
}

// keptBands returns the stored ranges of a run whose exact counts were deleted with its rows.
func (c Clinical) keptBands() (t mask.Table) {
	shown := func(n, events int) mask.Row {
		return mask.Row{N: mask.Span{Low: n, High: n}, Events: mask.Span{Low: events, High: events},
			Others: mask.Span{Low: n - events, High: n - events}}
	}
	f := c.Result.Flow
	t.Total = shown(f.Scored, f.ScoredEvents)
	if f.ScoredEvents == 0 { // the total is masked too
		most := max(f.Scored, leastRows-1)
		t.Total.Events, t.Total.Others = mask.Span{High: most}, mask.Span{High: most}
	}
	if f.Scored == 0 {
		t.Total.N = mask.Span{High: leastRows - 1}
	}
	for _, s := range c.Result.Strata {
		row := shown(s.N, s.Events)
		if s.Masked {
			row = mask.Row{N: mask.Span{High: t.Total.N.High}, Events: mask.Span{High: t.Total.Events.High},
				Others: mask.Span{High: t.Total.Others.High}}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// intervalLoss is printed with as many decimals as the masked bands allow (LossText).
const intervalLoss = "interval_loss"

// lossDecimals is the number of decimals that the interval loss may have beside masked bands; −1 means only a
// range. A run without its rows has the loss as it was stored.
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

// lossText writes the model's interval loss with the given decimals, or as the range that the masked bands allow.
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

// ownLoss is the cell of the model's interval loss over the bands of a table, with as many decimals as the masked
// counts allow. With ranged it may also be the range that they allow.
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

// withLoss prints the interval loss in cell own with as many decimals as the masked counts allow; the other cells
// are of other rows and stay. If it cannot be printed the whole line is left out.
func (c Clinical) withLoss(s stat.Statistic, row doc.Row, own int) doc.Row {
	if s.ID != intervalLoss {
		return row
	}
	for k := range row.Cells {
		row.Cells[k].Reveals = mask.Ref{}
	}
	row.Cells[own] = c.ownLoss(row.Cells[own], bands, false)
	row.Reveals = ofBands
	row.Instead = func(r mask.Released) doc.Row {
		decimals := c.lossDecimals(r[bands])
		if decimals < 0 || decimals < 3 && c.Result.OwnRows() && len(row.Cells) > 2 { // corrected and optimism add up to it
			return doc.Row{}
		}
		return doc.Row{Cells: row.Cells}
	}
	return row
}

// bare is a number without its interval.
func bare(s stat.Statistic, e stat.Estimate) doc.Cell {
	return doc.Measured(s, stat.Estimate{Value: e.Value}, bands)
}
