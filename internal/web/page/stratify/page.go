package stratify

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Page is one state of the page on its data.
type Page struct {
	State State
	Bad   []usererr.Field // what could not be used

	table   *table.Table
	usual   []string   // the predictors of the dataset
	query   url.Values // what was asked
	levels  []string   // of classes, in order; nil where they come from bins
	lacking string     // why the data's own outcome does not do
}

// Read reads a query on a dataset; t are its rows and usual the predictors of a model
// that names none.
func Read(q url.Values, d store.Dataset, t *table.Table, usual []string) *Page {
	p := &Page{table: t, usual: usual, query: q}
	p.State, p.Bad = Parse(q, d)
	if p.State.Task != "" {
		p.order()
		return p
	}
	if slices.Equal(p.State.Predictors, usual) {
		p.State.Predictors = nil
	}
	// A column that is no predictor any more loses its curve; one that the data lack
	// keeps it, so that the page says so.
	chosen := p.chosen()
	for _, name := range slices.Sorted(maps.Keys(p.State.Splines)) {
		if t.Column(name) != nil && !slices.Contains(chosen, name) {
			p.State = p.State.WithoutSpline(name)
		}
	}
	return p
}

// usualBins is the number of classes of a number with too many values; up to
// mostOrdered values it is ordered classes as it is.
const (
	usualBins   = 5
	mostOrdered = 12
)

// order resolves the levels of classes as the page shows them.
func (p *Page) order() {
	st, col := &p.State, p.table.Column(p.State.Outcome)
	if col == nil {
		return
	}
	decided := p.query.Has("bins") // whether the number is cut into classes
	if many := col.Code == nil || len(col.Levels) > mostOrdered && !decided; many && col.Num != nil &&
		st.About().Ordered() && st.Bins == 0 {
		st.Bins = usualBins
	}
	st.Predictors = slices.DeleteFunc(st.Predictors, func(name string) bool { return name == st.Outcome })
	other := func(l string) bool { return !slices.Contains(col.Levels, l) } // of another outcome
	if slices.ContainsFunc(st.Levels, other) {
		st.Levels = nil
	}
	st.ScoreOnly = slices.DeleteFunc(st.ScoreOnly, other)
	if col.Code == nil || st.Bins > 0 {
		return
	}
	if p.levels = st.Levels; p.levels != nil {
		return
	}
	var all []string
	for k, l := range col.Levels {
		if (k >= len(col.Count) || col.Count[k] > 0) && !slices.Contains(st.ScoreOnly, l) {
			all = append(all, l)
		}
	}
	p.levels = runspec.LevelOrder(all, cmp.Or(p.table.Dialect.Decimal, "."))
}

// Usable reports whether there is an outcome to fit: with bands it has an event, or
// the query names one to try.
func (p *Page) Usable() bool {
	return p.State.Task != "" || p.State.Outcome != "" && (len(p.State.Positive) > 0 || p.query.Has("outcome"))
}

// Shows says which controls and parts the page has: it is loaded anew where others are needed.
func (p *Page) Shows() string {
	if p.State.Task != "" {
		return "classes"
	}
	return "bands"
}

// Spec is the run of the state, and what is wrong with it.
func (p *Page) Spec() (runspec.Spec, error) {
	spec := p.State.Spec(len(p.levels))
	return spec, spec.Validate(p.table)
}

// chosen are the predictors in use.
func (p *Page) chosen() []string {
	if p.State.Predictors != nil {
		return p.State.Predictors
	}
	return p.usual
}

// TidyURL is the canonical address of what a form without scripts sent; it keeps what
// could not be used, so that the page says so.
func (p *Page) TidyURL(sent url.Values) string {
	to := p.State.URL()
	for _, f := range p.Bad {
		value := sent.Get(f.Field)
		if f.Field == "pi" {
			value = strings.Join(sent["pi"], ",")
		} else if f.Field == "template" || !sent.Has(f.Field) {
			continue
		}
		sep := "?"
		if strings.Contains(to, "?") {
			sep = "&"
		}
		to += sep + f.Field + "=" + strings.ReplaceAll(url.QueryEscape(value), "%2C", ",")
	}
	return to
}

func (p *Page) at() string { return "/stratify/" + p.State.Dataset.ID }

func (p *Page) title() string {
	st := p.State
	switch {
	case st.Task != "":
		return st.Outcome + " in " + st.Dataset.Name
	case !p.Usable():
		return "Stratify " + st.Dataset.Name
	}
	return format.Event(st.Outcome, st.Positive) + " in " + st.Dataset.Name
}

// problem is what was wrong with a field, as a sentence at its control, "" for nothing.
func (p *Page) problem(field string) string {
	i := slices.IndexFunc(p.Bad, func(f usererr.Field) bool {
		return f.Field == field || strings.HasPrefix(f.Field, field+"[")
	})
	if i < 0 {
		return ""
	}
	return format.Problem(p.Bad[i])
}

// choice offers options of which one is on.
func choice(id, name, label, on string, options ...templates.Option) templates.Choice {
	c := templates.Choice{ID: id, Name: name, Label: label, Options: slices.Clone(options)}
	for i, o := range c.Options {
		c.Options[i].On = o.Value == on
	}
	return c
}
