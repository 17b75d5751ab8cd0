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

// Page is a state of the page together with its data.
type Page struct {
	State State
	Bad   []usererr.Field // parameters that could not be used

	table   *table.Table
	usual   []string      // the default predictors of the dataset
	query   url.Values    // as requested
	whole   bool          // no preview, even while a slider moves
	lean    bool          // answers a moving slider: what waits for its release is not made
	levels  []string      // of classes, in order; nil where classes are bins
	lacking usererr.Field // why the default outcome of the data cannot be used
	events  []string      // values of the outcome, of which the query names none as the event
}

// Read reads a query on a dataset; t are its rows, usual the default predictors, and scale says which data have many
// rows.
func Read(q url.Values, d store.Dataset, t *table.Table, usual []string, scale runspec.Scale) *Page {
	p := &Page{table: t, usual: usual, query: q}
	p.State, p.Bad = ParseAt(q, d, scale)
	if p.State.Task != "" {
		p.order()
		return p
	}
	if slices.Equal(p.State.Predictors, usual) {
		p.State.Predictors = nil
	}
	// A column that is no longer a predictor loses its spline; one that does not exist keeps it, so that the page
	// reports the error.
	chosen := p.chosen()
	for _, name := range slices.Sorted(maps.Keys(p.State.Splines)) {
		if t.Column(name) != nil && !slices.Contains(chosen, name) {
			p.State = p.State.WithoutSpline(name)
		}
	}
	return p
}

// usualBins is the default number of classes of a numeric outcome with too many values; with up to mostOrdered
// values, its values are ordered classes.
const (
	usualBins   = 5
	mostOrdered = 12
)

// order sets the levels of classes as the page shows them.
func (p *Page) order() {
	st, col := &p.State, p.table.Column(p.State.Outcome)
	if col == nil {
		return
	}
	decided := p.query.Has("bins") // whether the user chose to bin the number, or not to
	if many := col.Code == nil || len(col.Levels) > mostOrdered && !decided; many && col.Num != nil &&
		st.About().Ordered() && st.Bins == 0 {
		st.Bins = usualBins
	}
	st.Predictors = slices.DeleteFunc(st.Predictors, func(name string) bool { return name == st.Outcome })
	other := func(l string) bool { return !slices.Contains(col.Levels, l) } // level of a previous outcome
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

// Usable reports whether there is an outcome to fit. A task with bands needs an event, or an outcome in the query
// to be tried.
func (p *Page) Usable() bool {
	if p.State.Task != "" {
		return true
	}
	return p.events == nil && p.State.Outcome != "" && (len(p.State.Positive) > 0 || p.query.Has("outcome"))
}

// Shows identifies the controls and parts of the page; the page is loaded again when others are needed.
func (p *Page) Shows() string {
	if p.State.Task != "" {
		return "classes"
	}
	return "bands"
}

// Spec is the run of the state, or its error. Of many rows the computation checks those that it reads: choosing them
// takes longer than a preview.
func (p *Page) Spec() (runspec.Spec, error) {
	spec := p.State.Spec(len(p.levels))
	if p.Previews() > 0 {
		return spec, spec.CheckSettings()
	}
	return spec, spec.Validate(p.table)
}

// chosen are the predictors of the model.
func (p *Page) chosen() []string {
	if p.State.Predictors != nil {
		return p.State.Predictors
	}
	return p.usual
}

// TidyURL is the canonical address of a form sent without scripts. It keeps invalid values, so that the page
// reports them.
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
	case st.Outcome == "":
		return "Stratify " + st.Dataset.Name
	case st.Task != "", len(st.Positive) == 0:
		return st.Outcome + " in " + st.Dataset.Name
	case !p.Usable():
		return "Stratify " + st.Dataset.Name
	}
	return format.Event(st.Outcome, st.Positive) + " in " + st.Dataset.Name
}

// problem is the error of a field, as a sentence for its control; "" without one.
func (p *Page) problem(field string) string {
	i := slices.IndexFunc(p.Bad, func(f usererr.Field) bool {
		return f.Field == field || strings.HasPrefix(f.Field, field+"[")
	})
	if i < 0 {
		return ""
	}
	return format.Problem(p.Bad[i])
}

// choice makes a choice of which one option is on.
func choice(id, name, label, on string, options ...templates.Option) templates.Choice {
	c := templates.Choice{ID: id, Name: name, Label: label, Options: slices.Clone(options)}
	for i, o := range c.Options {
		c.Options[i].On = o.Value == on
	}
	return c
}
