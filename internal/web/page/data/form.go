package data

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// The forms of a dataset's page have the meaning of PATCH /api/v1/datasets/{id} in form notation: dialect fields by
// name, type:NAME and role:NAME for a column, reset:NAME to undo a treatment of its texts, level:LEVEL for a level
// of the outcome, warning and choice for the answer to a question. confirm with anyway skips open questions, and
// ask continues the dialog. Missing fields change nothing.

// ReadForm reads any form of the page.
func ReadForm(f url.Values, d store.Dataset) (datasets.Patch, error) {
	p := datasets.Patch{Confirm: f.Get("confirm") == "1", Reopen: f["reopen"], Name: field(f, "name")}
	var err error
	if p.Dialect, err = formDialect(f); err != nil {
		return p, err
	}
	formColumns(f, d, &p)
	if p.Outcome = field(f, "outcome"); p.Outcome != nil && *p.Outcome == d.Choice.Outcome {
		p.Outcome = nil
	}
	if level := field(f, "positive"); level != nil {
		class := table.OneLevel(*level)
		p.Positive = &class
	}
	if err := formLevels(f, d, &p); err != nil {
		return p, err
	}
	if key := f.Get("warning"); key != "" {
		return p, formAnswer(f, d, &p)
	}
	return p, nil
}

// FormPart is the part of the page that a form belongs to.
func FormPart(f url.Values) string {
	for name := range f {
		switch {
		case name == "outcome" || name == "positive" || strings.HasPrefix(name, "level:"):
			return "ds-outcome"
		case name == "warning" || name == "reopen" || strings.HasPrefix(name, "reset:"):
			return "ds-notes"
		case strings.HasPrefix(name, "type:") || strings.HasPrefix(name, "role:") || name == "codes":
			return "ds-columns"
		}
	}
	return "ds-dialect"
}

func field(f url.Values, name string) *string {
	if !f.Has(name) {
		return nil
	}
	v := f.Get(name)
	return &v
}

// formDialect collects the dialect fields of a form; "" means detect again.
func formDialect(f url.Values) (json.RawMessage, error) {
	m := map[string]any{}
	for _, name := range []string{"sheet", "delimiter", "decimal", "thousands", "encoding", "quote", "bad_rows"} {
		if f.Has(name) {
			m[name] = f.Get(name)
		}
	}
	if text := f.Get("header_row"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, usererr.BadField("header_row", "must be a line of the file, from 1, or 0 for none")
		}
		m["header_row"] = n
	} else if f.Has("header_row") {
		m["header_row"] = nil
	}
	if f.Has("missing") {
		m["missing"] = formCodes(f.Get("missing"))
	}
	if len(m) == 0 {
		return nil, nil
	}
	j, err := json.Marshal(m)
	return j, err
}

// emptyWord stands for an empty cell in a list of missing codes.
const emptyWord = "empty"

// formCodes reads the missing codes of all columns; nil is the default list.
func formCodes(text string) []string {
	codes := splitCodes(text)
	if len(codes) == 0 || slices.Equal(codes, table.DefaultMissing) {
		return nil
	}
	return codes
}

// codesText is the list for a field.
func codesText(codes []string) string {
	shown := slices.Clone(codes)
	for i, c := range shown {
		if c == "" {
			shown[i] = emptyWord
		}
	}
	return strings.Join(shown, ", ")
}

func splitCodes(text string) []string {
	var codes []string
	apart := func(r rune) bool { return r == ',' || r == '\n' } // the field has several lines
	for code := range strings.FieldsFuncSeq(text, apart) {
		code = strings.Replace(strings.TrimSpace(code), "\u2212", "-", 1)
		if code == emptyWord {
			codes = append(codes, "")
		} else if code != "" {
			codes = append(codes, code)
		}
	}
	return codes
}

// formColumns collects the types and roles that differ from those shown.
func formColumns(f url.Values, d store.Dataset, p *datasets.Patch) {
	for _, q := range d.Profiles {
		m := map[string]any{"name": q.Name}
		if t := field(f, "type:"+q.Name); t != nil && *t != askedType(d, q.Name) {
			m["type"] = *t
		}
		if r := field(f, "role:"+q.Name); r != nil && *r != string(q.Role) {
			m["role"] = *r
			if q.Type == table.Date && table.Role(*r) == table.Predictor {
				m["date_as"] = "days"
			}
		}
		if f.Get("codes-column") == q.Name && f.Has("codes") {
			m["missing_codes"] = append([]string{}, splitCodes(f.Get("codes"))...)
		}
		switch f.Get("reset:" + q.Name) {
		case "join_levels":
			m["join_levels"] = false
		case "non_numeric":
			m["non_numeric"] = ""
		case "strip_quotes":
			m["strip_quotes"] = false
		}
		if len(m) > 1 {
			j, _ := json.Marshal(m) // strings cannot fail
			p.Columns = append(p.Columns, j)
		}
	}
}

// askedType is the type that the user chose for a column, "" for the detected one.
func askedType(d store.Dataset, name string) string {
	for _, s := range d.Options.Columns {
		if s.Name == name {
			return string(s.Type)
		}
	}
	return ""
}

// formAnswer reads the answer to a warning. The form names both warning and choice, so that an answer from an
// outdated page changes nothing else.
func formAnswer(f url.Values, d store.Dataset, p *datasets.Patch) error {
	for _, w := range d.Warnings {
		if w.Key() != f.Get("warning") {
			continue
		}
		for _, c := range w.Choices {
			if c.Label == f.Get("choice") {
				return p.Answer(w, c)
			}
		}
	}
	return usererr.New(usererr.Conflict, "This question is not open any more. Load the page again.")
}

// formLevels reads the uses of the levels. Several levels may form the event, or the class compared with it.
func formLevels(f url.Values, d store.Dataset, p *datasets.Patch) error {
	uses, changed := datasets.LevelUses(d), false
	for _, l := range datasets.OutcomeLevels(d) {
		use := f.Get("level:" + l.Level)
		if use == "" || use == uses[l.Level] {
			continue
		}
		if !slices.Contains([]string{datasets.UseEvent, datasets.UseOther, datasets.UseScore, datasets.UseOut}, use) {
			return usererr.BadField("level", "must be used as event, other, score or out")
		}
		uses[l.Level], changed = use, true
	}
	if !changed {
		return nil
	}
	return p.UseLevels(d, uses)
}
