// Package usererr defines the errors that users see: a code, and a sentence that says what was
// wrong with the input and what would be right.
//
// Every other error is a bug or a broken machine; it is logged with its cause and shown as
// "Internal error.". A sentence may quote a header or a level that the user just sent, but no
// cell, since messages may be logged.
package usererr

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"taper/internal/engine/phrase"
)

// Code classifies errors by what a caller can do about them. The web layer maps each to an HTTP
// status.
type Code string

// The codes, with their HTTP status.
const (
	Invalid   Code = "invalid"   // 422: wrong input
	NotFound  Code = "not-found" // 404: no such thing
	TooLarge  Code = "too-large" // 413: over a stated limit
	Forbidden Code = "forbidden" // 403: foreign host or origin
	Conflict  Code = "conflict"  // 409: the state of the object forbids it
	Full      Code = "full"      // 507: the disk is full
	Stalled   Code = "stalled"   // 408: the request stopped midway
	TooMany   Code = "too-many"  // 429: more than is processed at a time; try later
	Busy      Code = "busy"      // 503: other work holds the memory; try again in a moment
)

// Field is an invalid field of a request, in the notation of the API ("boundaries[1]",
// "model.params.t1").
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error for a user. Row is the data row (from 1) and Column the header; zero values
// mean the whole input.
type Error struct {
	Code   Code
	Detail string
	Fields []Field
	Row    int
	Column string
	Costly bool `json:",omitempty"` // the request is valid, but takes more than is allowed or free
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
	return &Error{Code: code, Detail: Sprintf(format, args...)}
}

// Sprintf is fmt.Sprintf for sentences: %q sets a text in typographic quotes, as pages do, and escapes only what would
// not be seen. It keeps the arguments by which vet knows a wrapper of fmt.Sprintf.
func Sprintf(format string, args ...any) string {
	for i, arg := range args {
		switch arg.(type) {
		case fmt.Formatter, fmt.Stringer, error:
		default:
			if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
				args[i] = quotable(v.String())
			}
		}
	}
	return fmt.Sprintf(format, args...)
}

// quotable is a string argument of Sprintf.
type quotable string

func (q quotable) Format(f fmt.State, verb rune) {
	if verb != 'q' {
		fmt.Fprintf(f, fmt.FormatString(f, verb), string(q))
		return
	}
	text := string(q)
	if most, ok := f.Precision(); ok {
		text = phrase.Shorten(text, most)
	}
	io.WriteString(f, phrase.Verbatim(text))
}

// BadField returns an Invalid error that names one field.
func BadField(field, format string, args ...any) *Error {
	msg := Sprintf(format, args...)
	return &Error{Code: Invalid, Detail: field + " " + msg + ".", Fields: []Field{{field, msg}}}
}

// BadFields returns an Invalid error that lists several fields; nil if there are none.
func BadFields(bad []Field) error {
	if len(bad) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Detail: Sentences(bad), Fields: bad}
}

// Sentences joins the messages of several fields.
func Sentences(bad []Field) string {
	each := make([]string, len(bad))
	for i, f := range bad {
		each[i] = f.Field + " " + f.Message + "."
	}
	return strings.Join(each, " ")
}

// At sets the data row (from 1) and the column of the error.
func (e *Error) At(row int, column string) *Error {
	e.Row, e.Column = row, column
	return e
}

// TooCostly marks the error of a valid request that takes too much.
func (e *Error) TooCostly() *Error {
	e.Costly = true
	return e
}

// IsCostly reports whether an error is of that kind. Callers that can go without some data must
// distinguish it from the absence of the data.
func IsCostly(err error) bool {
	e, ok := As(err)
	return ok && e.Costly
}

// As returns the user error inside err, if there is one.
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
