package runspec

import (
	"fmt"
	"strings"

	"taper/internal/engine/usererr"
)

// fieldErrors collects the errors of all fields of a request, for one response that lists them
// all.
type fieldErrors []usererr.Field

func (f *fieldErrors) add(field, format string, args ...any) {
	*f = append(*f, usererr.Field{Field: field, Message: usererr.Sprintf(format, args...)})
}

// join adds the field errors in an error of another package.
func (f *fieldErrors) join(err error) {
	if e, ok := usererr.As(err); ok {
		*f = append(*f, e.Fields...)
	}
}

// has reports whether the field, or a part of it, has an error.
func (f fieldErrors) has(field string) bool {
	for _, e := range f {
		if rest, ok := strings.CutPrefix(e.Field, field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// err returns one error that lists every field, nil if there is none.
func (f fieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	text := usererr.Sentences(f[:min(len(f), 3)])
	if more := len(f) - 3; more > 0 {
		text += fmt.Sprintf(" And %d more.", more)
	}
	return &usererr.Error{Code: usererr.Invalid, Detail: text, Fields: f}
}
