// Package usererr holds the errors a user may see: a code and a sentence that
// says what was wrong with the value that came and what would be right.
//
// Everything else is a bug or a broken machine: it is logged with its cause
// and shown as "Internal error.". A sentence may quote a header or a level the
// user just sent, never a cell's value into a log.
package usererr

import (
	"errors"
	"fmt"
	"strings"
)

// Code classes errors by what a caller can do about them. The web layer maps
// each to one HTTP status.
type Code string

// The codes, with their HTTP status.
const (
	Invalid   Code = "invalid"   // 422: wrong input
	NotFound  Code = "not-found" // 404: no such thing
	TooLarge  Code = "too-large" // 413: over a stated limit
	Forbidden Code = "forbidden" // 403: foreign host or origin
	Conflict  Code = "conflict"  // 409: the thing's state forbids it
	Full      Code = "full"      // 507: the disk is full
	Stalled   Code = "stalled"   // 408: the request stopped half way
	TooMany   Code = "too-many"  // 429: more than is done at a time; later it is
	Busy      Code = "busy"      // 503: other work holds the memory; in a moment it does not
)

// Field names one wrong field of a request, in the notation of the API
// ("boundaries[1]", "model.params.t1").
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error a user may see. Row is the 1-based data row and Column the
// header it concerns; zero values mean the whole input.
type Error struct {
	Code   Code
	Detail string
	Fields []Field
	Row    int
	Column string
	Costly bool `json:",omitempty"` // nothing is wrong with what was asked, but that it takes more than is allowed or free
	Cause  error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Detail + ": " + e.Cause.Error()
	}
	return e.Detail
}

func (e *Error) Unwrap() error { return e.Cause }

// New returns an error with a formatted sentence.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// BadField returns an Invalid error that names one field.
func BadField(field, format string, args ...any) *Error {
	msg := fmt.Sprintf(format, args...)
	return &Error{Code: Invalid, Detail: field + " " + msg + ".", Fields: []Field{{field, msg}}}
}

// BadFields returns an Invalid error that names every one of some fields, nil
// without any.
func BadFields(bad []Field) error {
	if len(bad) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Detail: Sentences(bad), Fields: bad}
}

// Sentences says what is wrong with each of some fields.
func Sentences(bad []Field) string {
	each := make([]string, len(bad))
	for i, f := range bad {
		each[i] = f.Field + " " + f.Message + "."
	}
	return strings.Join(each, " ")
}

// At returns the error placed at a data row (1-based) and column.
func (e *Error) At(row int, column string) *Error {
	e.Row, e.Column = row, column
	return e
}

// TooCostly marks an error as a refusal of what is right but takes too much.
func (e *Error) TooCostly() *Error {
	e.Costly = true
	return e
}

// IsCostly reports whether an error is such a refusal. Who can do without some data must not take it for a sign
// that the data are not there.
func IsCostly(err error) bool {
	e, ok := As(err)
	return ok && e.Costly
}

// As returns the user-visible error inside err, if there is one.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool {
	e, ok := As(err)
	return ok && e.Code == code
}
