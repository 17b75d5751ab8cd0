// Package strict decodes JSON written by users: an unknown field or a value of the wrong type
// is an error with a sentence.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Decode decodes one JSON value whose fields must all be known. Absent fields leave dst
// unchanged.
func Decode(raw []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		return explain(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return usererr.New(usererr.Invalid, "The body holds more than one JSON value.")
	}
	return nil
}

func explain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	if _, ok := usererr.As(err); ok {
		return err
	}
	switch {
	case errors.As(err, &kind) && kind.Field != "" && kind.Type == reflect.TypeFor[table.Levels]():
		return usererr.BadField(kind.Field, "must be a text or a list of texts (got %s)", got(kind.Value))
	case errors.As(err, &kind) && kind.Field != "":
		return usererr.BadField(kind.Field, "must be %s (got %s)", kindOf(kind.Type.Kind().String()), got(kind.Value))
	case errors.As(err, &kind):
		return usererr.New(usererr.Invalid, "The body must be a JSON object (got %s).", got(kind.Value))
	case errors.As(err, &syntax):
		return usererr.New(usererr.Invalid, "The body is not JSON: byte %d is out of place.", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return usererr.New(usererr.Invalid, "The body is not JSON: it is empty or ends too early.")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if plain, err := strconv.Unquote(name); err == nil {
			return usererr.BadField(plain, "is not a field of this request")
		}
	}
	return usererr.New(usererr.Invalid, "The body cannot be read as this request: %s.",
		strings.TrimPrefix(err.Error(), "json: "))
}

// kindOf is the JSON name of a Go kind.
func kindOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a finite number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	case kind == "slice", kind == "array":
		return "a list"
	}
	return "an object"
}

// got describes the received value, from the message of package json. Texts are not repeated.
func got(value string) string {
	if digits, ok := strings.CutPrefix(value, "number "); ok {
		return fmt.Sprintf("%.40s", digits)
	}
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	}
	return "a " + value
}
