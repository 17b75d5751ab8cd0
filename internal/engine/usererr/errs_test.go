package usererr

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		got  error
		want Error
		says string
	}{
		{"a sentence", New(Invalid, "%d rows.", 3), Error{Code: Invalid, Detail: "3 rows."}, "3 rows."},
		{"with its cause", &Error{Code: Full, Detail: "No space", Cause: io.EOF}, Error{Code: Full, Detail: "No space", Cause: io.EOF}, "No space: EOF"},
		{"what a user sent", New(Invalid, "The run %q is %s.", "a\nb\"", "new"), Error{Code: Invalid, Detail: `The run ‘a\nb"’ is new.`}, `The run ‘a\nb"’ is new.`},
		{"cut", BadField("model", "must be known (got %.4q, %d, %q)", "random forest", 3, Code("x")),
			Error{Code: Invalid, Detail: "model must be known (got ‘ran…’, 3, ‘x’).", Fields: []Field{{"model", "must be known (got ‘ran…’, 3, ‘x’)"}}},
			"model must be known (got ‘ran…’, 3, ‘x’)."},
		{"a place", New(Invalid, "Odd.").At(7, "age"), Error{Code: Invalid, Detail: "Odd.", Row: 7, Column: "age"}, "Odd."},
		{"a field", BadField("seed", "must be above %d", 0), Error{Code: Invalid, Detail: "seed must be above 0.", Fields: []Field{{"seed", "must be above 0"}}}, "seed must be above 0."},
		{"one field of a list", BadFields([]Field{{"a", "is odd"}}), Error{Code: Invalid, Detail: "a is odd.", Fields: []Field{{"a", "is odd"}}}, "a is odd."},
		{"two fields", BadFields([]Field{{"a", "is odd"}, {"b", "is even"}}),
			Error{Code: Invalid, Detail: "a is odd. b is even.", Fields: []Field{{"a", "is odd"}, {"b", "is even"}}}, "a is odd. b is even."},
	} {
		e, ok := As(fmt.Errorf("read: %w", c.got))
		if !ok {
			t.Errorf("%s is no error of a user", c.name)
			continue
		}
		if d := cmp.Diff(c.want, *e, cmpopts.EquateErrors()); d != "" || e.Error() != c.says {
			t.Errorf("%s says %q: %s", c.name, e, d)
		}
		if !Is(c.got, c.want.Code) || Is(c.got, Conflict) || !errors.Is(c.got, c.want.Cause) && c.want.Cause != nil {
			t.Errorf("%s: code or cause is lost", c.name)
		}
	}
	if err := BadFields(nil); err != nil {
		t.Errorf("no bad field: %v", err)
	}
	if _, ok := As(io.EOF); ok || Is(io.EOF, Invalid) || Is(nil, Invalid) {
		t.Error("any error is a user's")
	}
}
