package table

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// TestReadingCodes finds every warning that the reader's own files make among
// readingCodes, and none of the doubts'.
func TestReadingCodes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal := regexp.MustCompile(`Code: "([a-z-]+)"`)
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasPrefix(file, "doubts") || strings.HasPrefix(file, "outcome") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(src), -1) {
			seen[m[1]] = true
			if !readingCodes[m[1]] {
				t.Errorf("%s makes %q, which readingCodes lacks", file, m[1])
			}
		}
	}
	for code := range readingCodes {
		if !seen[code] {
			t.Errorf("no file of the reader makes %q", code)
		}
	}
}

// TestWith compares a table that gets its roles and answers later with one
// that was read with them.
func TestWith(t *testing.T) {
	const csv = "id;größe;dose;y\n1;12,5;1 mg;a\n2;13,5;2;b\n3;14;3;a\n4;15;4;b\n"
	roles := Options{Columns: []ColumnSpec{{Name: "id", Role: Predictor}, {Name: "größe", Role: Exclude}, {Name: "dose", NonNumeric: "strip", Role: Weights}}, Settled: []string{"decimal-comma:", "odd-text:dose"}}
	read := func(o Options) *Table {
		t.Helper()
		got, err := Read(context.Background(), []byte(csv), o, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want, base := read(roles), read(roles.Reading())
	got := base.WithOptions(roles)
	if !reflect.DeepEqual(got.Warnings, want.Warnings) {
		t.Errorf("warnings %+v, want %+v", got.Warnings, want.Warnings)
	}
	for i, c := range want.Columns {
		if g := got.Columns[i]; g.Role != c.Role || g.Spec.Role != c.Spec.Role {
			t.Errorf("%s: role %q (asked %q), want %q (%q)", c.Name, g.Role, g.Spec.Role, c.Role, c.Spec.Role)
		}
	}
	if plain := base.WithOptions(Options{}); plain.Columns[1].Role != Predictor || base.Columns[1].Spec.Role != "" {
		t.Error("the base was changed")
	}
}

func TestReading(t *testing.T) {
	o := Options{Settled: []string{"x:"}, Columns: []ColumnSpec{{Name: "a", Role: Exclude}, {Name: "b", MissingCodes: []string{}, Role: Group}, {Name: "c"}}}
	want := Options{Columns: []ColumnSpec{{Name: "b", MissingCodes: []string{}}}}
	if got := o.Reading(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if o.Columns[1].Role != Group || len(o.Settled) != 1 {
		t.Error("the options themselves were changed")
	}
}

func TestColumnSpecCheck(t *testing.T) {
	for field, s := range map[string]ColumnSpec{
		"type": {Type: "float"}, "role": {Role: "feature"}, "non_numeric": {NonNumeric: "trim"}, "date_as": {DateAs: "age"},
	} {
		e, ok := usererr.As(s.Check())
		if !ok || len(e.Fields) != 1 || e.Fields[0].Field != field || !strings.Contains(e.Detail, "it must be ‘") {
			t.Errorf("%s: %v", field, e)
		}
	}
	for _, s := range []ColumnSpec{{}, {Type: Date, DateAs: "days"}, {Type: Integer, Role: Weights, NonNumeric: "limit"}} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
