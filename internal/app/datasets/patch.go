package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/strict"
)

// Patch is the body of PATCH /api/v1/datasets/{id}; forms build the same. Fields that are
// present replace the stored ones. A dialect field set to "" (header_row set to null) is
// detected again.
type Patch struct {
	Name    *string           `json:"name,omitempty"`
	Dialect json.RawMessage   `json:"dialect,omitempty"`
	Columns []json.RawMessage `json:"columns,omitempty"` // of {"name", "type", "role", "missing_codes", …}
	Settle  []string          `json:"settle,omitempty"`  // keys of warnings answered with "keep"
	Reopen  []string          `json:"reopen,omitempty"`  // keys of warnings to show again as open

	Outcome   *string       `json:"outcome,omitempty"`
	Positive  *table.Levels `json:"positive,omitempty"`
	Negative  *table.Levels `json:"negative,omitempty"`
	ScoreOnly *[]string     `json:"score_only,omitempty"`
	Group     *string       `json:"group,omitempty"`
	Weights   *string       `json:"weights,omitempty"`
	Confirm   bool          `json:"confirm,omitempty"` // keep only the columns in use, delete the uploaded file

	Draft bool `json:"-"` // store the change even if the file cannot be parsed with it, for the page to show
}

// Answer adds the answer to a warning.
func (p *Patch) Answer(w table.Warning, c table.Choice) error {
	specs := slices.Clone(c.Columns)
	if c.Column != nil {
		specs = append(specs, *c.Column)
	}
	for _, s := range specs {
		j, err := json.Marshal(s)
		if err != nil {
			return err
		}
		p.Columns = append(p.Columns, j)
	}
	if c.Dialect != nil {
		j, err := json.Marshal(c.Dialect)
		if err != nil {
			return err
		}
		p.Dialect = j
	}
	if o := c.Outcome; o != nil {
		p.Outcome = &o.Column
		if len(o.Positive) > 0 {
			score := append([]string{}, o.ScoreOnly...)
			p.Positive, p.Negative, p.ScoreOnly = &o.Positive, &o.Negative, &score
		}
	}
	if len(specs) == 0 && c.Dialect == nil && c.Outcome == nil {
		p.Settle = append(p.Settle, w.Key())
	}
	return nil
}

// Patch applies a change, parses again if necessary, and stores the result.
func (s *Service) Patch(ctx context.Context, id string, p Patch) (store.Dataset, error) {
	defer s.locks.Lock(id)()
	d, err := s.db.Dataset(ctx, id)
	if err != nil {
		return d, err
	}
	before := d.Options.Clone() // Apply decodes into the same options
	if err := p.Apply(&d); err != nil {
		return d, err
	}
	was := d.State
	if err := s.again(ctx, &d, before); err != nil {
		return d, p.placed(err)
	}
	if d.State == store.Draft && was != store.Draft && !p.Draft {
		return d, d.Problem
	}
	if err := p.kept(d); err != nil {
		return d, err
	}
	if p.Confirm && d.State != store.Kept { // both are stored, or neither
		return s.Confirm(ctx, d)
	}
	return d, s.db.UpdateDataset(ctx, d)
}

// again updates d after its options changed.
func (s *Service) again(ctx context.Context, d *store.Dataset, before table.Options) error {
	if d.State != store.Kept {
		return s.read(ctx, d, func() (*table.Table, error) { return s.fromFile(ctx, *d) })
	}
	if !reflect.DeepEqual(before.Reading(), d.Options.Reading()) {
		return usererr.New(usererr.Conflict, "The uploaded file was wiped when its columns were confirmed, so it cannot "+
			"be read "+
			"another way. Upload it again.")
	}
	base, _, err := s.tables.get(ctx, *d, func() (*table.Table, error) { return s.kept(ctx, *d) })
	if err != nil {
		return err
	}
	s.describe(ctx, d, base)
	return ctx.Err()
}

// Apply changes the record only, without parsing again.
func (p Patch) Apply(d *store.Dataset) error {
	if p.Name != nil {
		name := strings.TrimSpace(*p.Name)
		if name == "" || len(name) > MaxName {
			return usererr.BadField("name", "must hold 1 to %d bytes (got %d)", MaxName, len(name))
		}
		d.Name = name
	}
	if len(p.Dialect) > 0 {
		if c := p.Dialect[0]; c != '{' && c != 'n' { // null changes nothing
			return usererr.BadField("dialect", "must be an object")
		}
		if err := strict.Decode(p.Dialect, &d.Options.Dialect); err != nil {
			return under("dialect.", err)
		}
	}
	for i, raw := range p.Columns {
		if err := p.applyColumn(d, raw); err != nil {
			return under("columns["+strconv.Itoa(i)+"].", err)
		}
	}
	for i, key := range p.Settle {
		if code, _, ok := strings.Cut(key, ":"); !ok || table.Codes[code] == "" {
			return usererr.BadField("settle["+strconv.Itoa(i)+"]",
				"must be a warning’s code and column, as in leak:age (got %.40q)", key)
		}
	}
	d.Options.Settled = slices.DeleteFunc(d.Options.Settled, func(k string) bool { return slices.Contains(p.Reopen, k) })
	for _, k := range p.Settle {
		if !slices.Contains(d.Options.Settled, k) {
			d.Options.Settled = append(d.Options.Settled, k)
		}
	}
	p.applyChoice(&d.Choice)
	return nil
}

// applyColumn merges the changes of one column into the earlier ones. The roles outcome, group
// and weights are stored in the choice.
func (p Patch) applyColumn(d *store.Dataset, raw json.RawMessage) error {
	var named struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &named); err != nil || named.Name == "" {
		return usererr.BadField("name", "must name a column")
	}
	if d.State != store.Draft && !slices.ContainsFunc(d.Profiles, func(q table.Profile) bool {
		return q.Name == named.Name
	}) {
		return usererr.BadField("name", "%q is not a column of this dataset", named.Name)
	}
	i := slices.IndexFunc(d.Options.Columns, func(s table.ColumnSpec) bool { return s.Name == named.Name })
	if i < 0 {
		d.Options.Columns = append(d.Options.Columns, table.ColumnSpec{Name: named.Name})
		i = len(d.Options.Columns) - 1
	}
	s := &d.Options.Columns[i]
	if err := strict.Decode(raw, s); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	moveRole(&d.Choice, s)
	return nil
}

func moveRole(c *store.Choice, s *table.ColumnSpec) {
	switch s.Role {
	case table.Outcome, table.Group, table.Weights:
		leave(c, s.Name)
		map[table.Role]func(){
			table.Outcome: func() { *c = store.Choice{Outcome: s.Name, Group: c.Group, Weights: c.Weights} },
			table.Group:   func() { c.Group = s.Name },
			table.Weights: func() { c.Weights = s.Name },
		}[s.Role]()
		s.Role = ""
	case table.Predictor, table.Exclude, table.Prediction:
		leave(c, s.Name)
		c.Predictors = nil
	}
}

// leave removes a column from all its roles.
func leave(c *store.Choice, name string) {
	if c.Outcome == name {
		c.Outcome, c.Positive, c.Negative, c.ScoreOnly = "", nil, nil, nil
	}
	if c.Group == name {
		c.Group = ""
	}
	if c.Weights == name {
		c.Weights = ""
	}
}

func (p Patch) applyChoice(c *store.Choice) {
	if p.Outcome != nil && *p.Outcome != c.Outcome {
		*c = store.Choice{Outcome: *p.Outcome, Group: c.Group, Weights: c.Weights}
	}
	if p.Positive != nil {
		if slices.ContainsFunc(c.Negative, p.Positive.Has) { // a level that becomes the event leaves the other class
			rest := slices.DeleteFunc(slices.Clone(c.Negative), p.Positive.Has)
			if len(rest) == 0 { // the two are swapped
				rest = slices.DeleteFunc(slices.Clone(c.Positive), p.Positive.Has)
			}
			if c.Negative = rest; len(rest) == 0 {
				c.Negative = nil
			}
		}
		c.Positive = *p.Positive
	}
	if p.Negative != nil {
		c.Negative = *p.Negative
	}
	if p.ScoreOnly != nil {
		c.ScoreOnly = *p.ScoreOnly
	}
	if p.Group != nil {
		c.Group = *p.Group
	}
	if p.Weights != nil {
		c.Weights = *p.Weights
	}
}

// kept returns an error for the first requested choice that settleChoice has removed because
// the table does not have it.
func (p Patch) kept(d store.Dataset) error {
	c := d.Choice
	for _, f := range []struct {
		field string
		asked *string
		got   string
		what  string
	}{
		{"outcome", p.Outcome, c.Outcome, "a column of this dataset: " + columnNames(d)},
		{"group", p.Group, c.Group, "a column of this dataset other than the outcome"},
		{"weights", p.Weights, c.Weights, "a column of numbers other than outcome and group"},
	} {
		if f.asked != nil && *f.asked != f.got {
			return usererr.BadField(f.field, "is %q, which is not %s", *f.asked, f.what)
		}
	}
	if err := p.keptClasses(d); err != nil {
		return err
	}
	if p.ScoreOnly != nil {
		for i, level := range *p.ScoreOnly {
			if !slices.Contains(c.ScoreOnly, level) {
				return usererr.BadField("score_only["+strconv.Itoa(i)+"]",
					"is %q, which is not a value of %s other than its two classes",
					level, c.Outcome)
			}
		}
	}
	return p.played(d)
}

// columnNames lists the columns for a sentence.
func columnNames(d store.Dataset) string {
	names := make([]string, len(d.Profiles))
	for i, c := range d.Profiles {
		names[i] = c.Name
	}
	return check.QuoteNames(names)
}

// levelsOf lists the values of the outcome after a sentence about it, "" where there are many.
func levelsOf(d store.Dataset) string {
	for _, c := range d.Profiles {
		if c.Name == d.Choice.Outcome && len(c.Levels) > 0 {
			var names []string
			for _, l := range c.Levels {
				names = append(names, l.Level)
			}
			return ": " + check.QuoteNames(names)
		}
	}
	return ""
}

// keptClasses returns an error for the first requested level that does not exist, or that is in
// both classes.
func (p Patch) keptClasses(d store.Dataset) error {
	c := d.Choice
	for _, f := range []struct {
		field string
		asked *table.Levels
		got   table.Levels
		what  string
	}{{"positive", p.Positive, c.Positive, "a value of "}, {"negative", p.Negative, c.Negative, "another value of "}} {
		if f.asked == nil {
			continue
		}
		if err := f.asked.Check(f.field); err != nil {
			return err
		}
		wrong := func(level string) bool { return !f.got.Has(level) }
		// One level that does not exist removed all of them: it is named, and not the first.
		if known := OutcomeLevels(d); len(known) > 0 {
			none := func(level string) bool {
				return !slices.ContainsFunc(known, func(l table.LevelCount) bool { return l.Level == level })
			}
			if slices.ContainsFunc(*f.asked, none) {
				wrong = none
			}
		}
		if f.field == "negative" && slices.ContainsFunc(*f.asked, c.Positive.Has) {
			wrong = c.Positive.Has
		}
		if i := slices.IndexFunc(*f.asked, wrong); i >= 0 {
			field := f.field
			if len(*f.asked) > 1 {
				field += "[" + strconv.Itoa(i) + "]"
			}
			return usererr.BadField(field, "is %q, which is not %s%s%s", (*f.asked)[i], f.what, c.Outcome, levelsOf(d))
		}
		if !f.asked.SameSet(f.got) {
			return usererr.BadField(f.field, "is %q, which is not %s%s", f.asked.String(), f.what, c.Outcome)
		}
	}
	return nil
}

// played returns an error for the first requested role that the column cannot have. A later
// column of the same request may have taken the role.
func (p Patch) played(d store.Dataset) error {
	last := map[table.Role]int{}
	var asked []table.ColumnSpec
	for i, raw := range p.Columns {
		var s table.ColumnSpec
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("read column again: %w", err) // Apply succeeded in reading it
		}
		asked = append(asked, s)
		last[s.Role] = i
	}
	for role, name := range map[table.Role]string{table.Group: d.Choice.Group, table.Weights: d.Choice.Weights} {
		if i, ok := last[role]; ok && asked[i].Name != name {
			return usererr.BadField("columns["+strconv.Itoa(i)+"].role",
				"cannot be %s: %q is the outcome or the group, or no column of numbers", role, asked[i].Name)
		}
	}
	return nil
}

// placed moves the fields of a parsing error to their paths in the request.
func (p Patch) placed(err error) error {
	if len(p.Dialect) == 0 {
		return err
	}
	return under("dialect.", err)
}

// under adds a prefix to the fields of an error.
func under(prefix string, err error) error {
	e, ok := usererr.As(err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	moved := *e
	moved.Fields = slices.Clone(e.Fields)
	for i := range moved.Fields {
		f := &moved.Fields[i]
		if strings.HasPrefix(moved.Detail, f.Field+" ") {
			moved.Detail = prefix + moved.Detail
		}
		f.Field = prefix + f.Field
	}
	return &moved
}
