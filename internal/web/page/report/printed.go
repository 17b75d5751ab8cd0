package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// Printed is a run with its report. Strata and decimals are known to what is made of
// counts alone (counted): there is nothing to print counts from before they are
// released.
type Printed struct {
	Audit Audit
	Kept  bool // the last report before the data go
	Alone bool // of spec and data alone, for whoever computes it again: nothing that was made of the run later
	Small SmallCounts

	run  store.Run
	r    *engine.Result // what may be printed, and all of it where small counts are shown
	full *engine.Result
	data store.Dataset
	c    Clinical

	released mask.Released
	strata   mask.Table // the bands, as they may be told
	decimals int        // of the interval loss; −1: a range only
}

// New is the report of a run; c is zero where nothing but its record is known, and
// for several classes.
func New(run store.Run, data store.Dataset, c Clinical) Printed {
	return Printed{full: run.Result, run: run, data: data, c: c}.of(printable(run.Result))
}

// of is the report of a result in place of its own.
func (p Printed) of(r *engine.Result) Printed {
	p.run.Result, p.r = r, r
	p.c.Run, p.c.Result = p.run, r
	return p
}

// counted makes nodes once it is known what print may say of the counts.
func (p Printed) counted(make func(Printed) []doc.Node) doc.Nodes {
	return doc.Nodes{doc.Counted(func(r mask.Released) []doc.Node { return make(p.with(r, bands)) })}
}

// with is the report with the counts released; table names that of its bands.
func (p Printed) with(r mask.Released, table string) Printed {
	p.released, p.strata, p.decimals = r, r[table], p.c.lossDecimals(r[table])
	return p
}

// printed is the report with what print may say of its own counts, for what is made
// of a run beside its report.
func (p Printed) printed() Printed {
	r := mask.Released{}
	for table, rows := range p.c.counts() {
		r[table] = p.release(table, rows)
	}
	return p.with(r, bands)
}

// release is the policy of print: the bands of a run without its rows as they were
// kept; groups in order one by one, since no total of them is printed.
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

// masked is a node as print may show it.
func (p Printed) masked(n doc.Node) doc.Node {
	if nodes := doc.Masked([]doc.Node{n}, p.released); len(nodes) > 0 {
		return nodes[0]
	}
	return nil
}

// tells reports whether a statistic would tell a masked count.
func (p Printed) tells(s stat.Statistic) bool {
	if s.ID == intervalLoss {
		return p.decimals < 0
	}
	return p.released.Discloses(doc.Measured(s, stat.Estimate{}, bands).Reveals)
}

// several reports whether the run is one of several or ordered classes, or of
// classes or no answer.
func (p Printed) several() bool { return p.r.Classes != nil }

// classes is the result for the words that the page of a run uses too.
func (p Printed) classes() resultview.Classes {
	return resultview.Classes{Result: p.r, Spec: p.run.Spec}
}

// classTable counts the classes as print may show them.
func (p Printed) classTable() mask.Table { return p.released[classes] }

func (p Printed) split() bool { return p.c.split() }

// narrow reports whether the columns that took no part are not named: those who read the report cannot know them.
func (p Printed) narrow() bool { return p.Kept || p.Alone }

// judged counts the test rows.
func (p Printed) judged() mask.Row {
	if p.several() {
		return p.Small.release([]mask.Split{{N: p.r.Flow.Scored}}).Total
	}
	return p.strata.Total
}

// trained counts the training rows.
func (p Printed) trained() mask.Row {
	return p.released[trained].Total
}

// tellsNothing reports whether Table 1 may stand beside the strata. In a split
// it counts the training rows and those held out together: when one part is
// masked, the other and the sum would give it away.
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

// event names the event in words.
func (p Printed) event() string { return format.Event(p.r.Outcome, p.r.Positive) }

// interval reports whether the model promises bands and no probabilities.
func (p Printed) interval() bool { return p.run.Spec.Model.Banded() }

// loss names the loss by its id, or with its parameters where it has some.
func (p Printed) loss() string {
	if m := p.run.Spec.Model; m.Given() || !p.interval() && m.Loss != "logistic" {
		return m.Title()
	}
	return p.run.Spec.Model.Loss
}

func (p Printed) link() string {
	return cmp.Or(p.r.Link.Formula, model.LinkName(p.run.Spec.Model.Link()))
}

// rareTerms lists, for each term of a model, whether print may say nothing that holds its
// mean or SD, since a group of 1 to 9 rows would follow: from the model alone, or beside
// the levels in Table 1. In a split that counts the rows held out too, which the rows
// trained on would tell.
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

// tightTerms are the coefficients whose Wald interval print keeps back, by name. That of an
// indicator alone is ± 1.96 √(1/a + 1/b + 1/c + 1/d) wide by its 2×2 table (Woolf 1955): none
// is printed of a column with a count that Table 1 masks, nor where the events are masked.
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

// maskedTerms are the coefficients whose weight per SD print keeps back, by name: those
// of rare terms, and the intercepts that hold their means. Without the model it goes by
// the SD that both weights tell.
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

// word is the verdict on band j as print may say it; of a kept run it was
// stored so.
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

// fallTold reports whether print may say that rates do not rise.
func (p Printed) fallTold() bool {
	rise, certain := p.strata.Rise()
	return certain && !rise
}

// LossText writes the model's own interval loss as exactly as the masked
// counts allow.
func (p Printed) LossText() string {
	return lossText(p.r, p.strata, p.decimals)
}

// tellsConstant reports whether the intercept and the objective would tell a
// masked total: those of a fit without predictors follow from its events alone, and so
// nearly do those of one whose weights are small.
func (p Printed) tellsConstant() bool { return !p.trained().Events.Shown() }

const maskedText = "masked"
