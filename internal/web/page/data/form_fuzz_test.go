package data

import (
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/store"
)

// FuzzForm reads any form: an accepted patch must be JSON that can be applied or refused, and must never give two
// events.
func FuzzForm(f *testing.F) {
	for _, form := range []string{
		"delimiter=%3B&decimal=%2C&header_row=2&missing=empty%2C+NA%2C+-9", "header_row=&missing=", "type%3Aage=category&role%3Aage=exclude",
		"level%3Aa=event&level%3Ab=event", "level%3Ac=other&level%3Aa=out", "warning=missing-code%3Aage&choice=Treat+as+missing",
		"codes-column=age&codes=%E2%88%929%2C99", "reset%3Aage=non_numeric&reopen=x", "name=%00&outcome=age&positive=1", "sheet=%FF&confirm=1",
	} {
		f.Add(form)
	}
	spec := table.ColumnSpec{Name: "age", MissingCodes: []string{"-9"}}
	d := store.Dataset{
		State: store.Raw, Choice: store.Choice{Outcome: "y", Positive: table.Levels{"a"}, Negative: table.Levels{"b"}},
		Profiles: []table.Profile{{Name: "age", Type: table.Date}, {Name: "y", Type: table.Category, Levels: []table.LevelCount{{Level: "a", Rows: 2}, {Level: "b", Rows: 1}, {Level: "c", Rows: 1}}}},
		Warnings: []table.Warning{{Code: "missing-code", Column: "age", Choices: []table.Choice{{Label: "Treat as missing", Column: &spec}, {Label: "Keep"}}}},
	}
	f.Fuzz(func(t *testing.T, form string) {
		values, err := url.ParseQuery(form)
		if err != nil {
			return
		}
		p, err := ReadForm(values, d)
		if err != nil {
			return
		}
		for _, raw := range append(p.Columns, p.Dialect) {
			if len(raw) > 0 && !json.Valid(raw) {
				t.Fatalf("not JSON: %s", raw)
			}
		}
		if p.Positive != nil && p.Negative != nil && slices.ContainsFunc(*p.Positive, p.Negative.Has) {
			t.Fatalf("%q is the event and told from it", *p.Positive)
		}
		before := d
		_ = p.Apply(&before)
	})
}
