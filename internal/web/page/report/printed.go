package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// Printed is the report of a run. Parts made from counts know strata and decimals only after the release of counts
// (see counted), so that no unmasked count can be printed before.
type Printed struct {
	Audit Audit
	Kept  bool // this is the last report before the data are deleted
	Alone bool // made from spec and data alone, for verification: leaves out everything added to the run later
	Small SmallCounts

	run  store.Run
	r    *engine.Result // what the report may show; all of it where small counts are shown
	full *engine.Result
	data store.Dataset
	c    Clinical

	released mask.Released
	strata   mask.Table // the bands as released
	decimals int        // of the interval loss; −1: only a range
}

// New is the report of a run; c is zero for several classes, and where only the record of the run is known.
func New(run store.Run, data store.Dataset, c Clinical) Printed {
	return Printed{full: run.Result, run: run, data: data, c: c}.of(printable(run.Result))
}

// of is the report with another result.
func (p Printed) of(r *engine.Result) Printed {
	p.run.Result, p.r = r, r
	p.c.Run, p.c.Result = p.run, r
	return p
}

// counted makes nodes after the counts are released.
func (p Printed) counted(make func(Printed) []doc.Node) doc.Nodes {
	return doc.Nodes{doc.Counted(func(r mask.Released) []doc.Node { return make(p.with(r, bands)) })}
}

// with returns the report with the released counts; table is the name of the table of bands.
func (p Printed) with(r mask.Released, table string) Printed {
	p.released, p.strata, p.decimals = r, r[table], p.c.lossDecimals(r[table])
	return p
}

// printed returns the report with its counts released, for parts of other pages that are made from a report.
func (p Printed) printed() Printed {
	r := mask.Released{}
	for table, rows := range p.c.counts() {
		r[table] = p.release(table, rows)
	}
	return p.with(r, bands)
}

// release is the masking policy: the bands of a run without its rows as they were stored; ordered groups are masked
// one by one, since their total is not printed.
func (p Printed) release(table string, rows []mask.Split) (t mask.Table) {
	switch {
	case table == bands && p.c.kept():
		return p.c.keptBands()
	case table == orderGroups:
		for _, r := range rows {
			t.Rows = append(t.Rows, mask.Row{N: p.Small.span(r.N)})
		}
		return t
	}
	return p.Small.release(rows)
}

// masked is a node after masking.
func (p Printed) masked(n doc.Node) doc.Node {
	if nodes := doc.Masked([]doc.Node{n}, p.released); len(nodes) > 0 {
		return nodes[0]
	}
	return nil
}

// tells reports whether a statistic would reveal a masked count.
func (p Printed) tells(s stat.Statistic) bool {
	if s.ID == intervalLoss {
		return p.decimals < 0
	}
	return p.released.Discloses(doc.Measured(s, stat.Estimate{}, bands).Reveals)
}

// several reports whether the run has multiclass results: several or ordered classes, or classification with
// abstention.
func (p Printed) several() bool { return p.r.Classes != nil }

// classes wraps the result for sentences shared with the run's page.
func (p Printed) classes() resultview.Classes {
	return resultview.Classes{Result: p.r, Spec: p.run.Spec}
}

// classTable is the released table of class sizes.
func (p Printed) classTable() mask.Table { return p.released[classes] }

func (p Printed) split() bool { return p.c.split() }

// narrow reports whether the excluded columns stay unnamed, since readers of this report must not learn their
// names.
func (p Printed) narrow() bool { return p.Kept || p.Alone }

// judged returns the counts of the test rows.
func (p Printed) judged() mask.Row {
	if p.several() {
		return p.Small.release([]mask.Split{{N: p.r.Flow.Scored}}).Total
	}
	return p.strata.Total
}

// trained returns the counts of the training rows.
func (p Printed) trained() mask.Row {
	return p.released[trained].Total
}

// tellsNothing reports whether Table 1 may be printed beside the strata. In a split it counts training and test
// rows together: if one of them is masked, it follows from the other and the sum.
func (p Printed) tellsNothing() bool {
	return !p.split() || p.trained().Events.Shown() && p.strata.Total.Events.Shown()
}

func (p Printed) scoredHow() string {
	switch {
	case p.r.Given != nil:
		return "judged"
	case p.r.Apparent:
		return "scored by a model that saw them"
	case p.split():
		return "held out and scored"
	}
	return "scored out of fold"
}

// event names the event.
func (p Printed) event() string { return format.Event(p.r.Outcome, p.r.Positive) }

// interval reports whether the model predicts bands without probabilities.
func (p Printed) interval() bool { return p.run.Spec.Model.Banded() }

// loss is the name of the loss with its parameters.
func (p Printed) loss() string {
	if m := p.run.Spec.Model; m.Given() || !p.interval() && m.Loss != "logistic" {
		return m.Title()
	} else if f, ok := loss.FamilyByID(m.Loss); ok { // the title of the model says how it is used, too
		return f.Title
	}
	return p.run.Spec.Model.Loss
}

func (p Printed) link() string {
	return cmp.Or(p.r.Link.Text(), model.LinkName(p.run.Spec.Model.Link()))
}

// rareTerms reports, for each term of a model, whether its mean and SD must be masked since a group of 1 to 9 rows
// would follow, from the model alone or together with the levels in Table 1. In a split Table 1 counts the test
// rows too; the training rows would reveal them.
func (c Clinical) rareTerms(m *model.Model) []bool {
	rare := m.Rare(c.Result.Flow.Trained)
	small := map[string]bool{}
	for _, s := range c.predictors() {
		small[s.Name] = few(s.Missing)
		for _, l := range s.Levels {
			n := 0
			for _, of := range l.N {
				n += of
			}
			small[s.Name] = small[s.Name] || few(n)
		}
	}
	for k, t := range m.Terms {
		indicator := t.Kind == prep.Level || t.Kind == prep.OtherLevel || t.Kind == prep.MissingLevel
		rare[k] = rare[k] || indicator && t.Mean != 0 && (small[t.Column] || c.split())
	}
	return rare
}

// tightTerms are the coefficients, by name, whose Wald interval is masked. The interval of a single indicator has
// half-width 1.96 √(1/a + 1/b + 1/c + 1/d), computed from its 2×2 table (Woolf 1955). So no interval is printed
// for a column with a count that Table 1 masks, nor any where the events are masked.
func (p Printed) tightTerms(hide map[string]bool) map[string]bool {
	tight, m := maps.Clone(hide), p.c.Model
	all := m == nil || !p.strata.Total.Events.Shown() || !p.trained().Events.Shown()
	masked := map[string]bool{}
	for _, s := range p.c.predictors() {
		counts := slices.Clone(s.MissingIn)
		for _, l := range s.Levels {
			counts = append(counts, l.N...)
		}
		masked[s.Name] = slices.ContainsFunc(counts, p.Small.few)
	}
	for k, c := range p.r.Coefficients {
		if all || k > 0 && k <= len(m.Terms) && masked[m.Terms[k-1].Column] {
			tight[c.Name] = true
		}
	}
	return tight
}

// maskedTerms are the coefficients, by name, whose weight per SD is masked: those of rare terms, and the
// intercepts, which are sums with their means. Without the model file the SD is computed from the two weights.
func (p Printed) maskedTerms() map[string]bool {
	hide := map[string]bool{}
	m := p.c.Model
	if m != nil {
		for k, rare := range p.c.rareTerms(m) {
			if rare {
				hide[m.Terms[k].Name] = true
			}
		}
	}
	for _, c := range p.r.Coefficients {
		if v := c.Standardized; v == nil {
			hide[c.Name] = true
		} else if m == nil && c.Name != model.InterceptName && c.Value != 0 {
			sd, n := *v/c.Value, float64(p.r.Flow.Trained)
			if rows := n * (1 - math.Sqrt(max(0, 1-4*sd*sd))) / 2; 0.5 < rows && rows < leastRows-0.5 && sd < 0.5 {
				hide[c.Name] = true
			}
		}
	}
	if len(hide) > 0 {
		hide[model.InterceptName] = true
	}
	return hide
}

// word is the verdict on band j as the report may show it; a run kept without its data stored it masked.
func (p Printed) word(j int) string {
	s, m := p.r.Strata[j], p.strata.Rows[j]
	if s.Masked || m.N.Shown() && m.Events.Shown() {
		return s.Verdict
	}
	return m.Verdict(s.Lower, s.Upper)
}

func (p Printed) bandName(j int) string {
	return viz.BandName(p.r.Strata[j].Lower, p.r.Strata[j].Upper)
}

// fallTold reports whether the report may say that event rates do not increase over the bands.
func (p Printed) fallTold() bool {
	rise, certain := p.strata.Rise()
	return certain && !rise
}

// LossText writes the model's interval loss with as many decimals as the masked counts allow.
func (p Printed) LossText() string {
	return lossText(p.r, p.strata, p.decimals)
}

// lossWords is LossText for a sentence. A range says that masked counts leave it, since it would read as a confidence
// interval.
func (p Printed) lossWords() string {
	text := p.LossText()
	if p.r.Metrics.Test.IntervalLoss != nil && p.decimals <= 0 {
		text += " (" + leftByCounts + ", not a confidence interval)"
	}
	return text
}

// leftByCounts describes a range in place of a number.
const leftByCounts = "the range that the printed counts leave"

// tellsConstant reports whether the intercept and the objective would reveal a masked total: those of a fit without
// predictors follow from its events alone, and small weights come close to that.
func (p Printed) tellsConstant() bool { return !p.trained().Events.Shown() }

const maskedText = "masked"
