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
	"unicode/utf8"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Decode decodes one JSON value whose fields must all be known. Absent fields leave dst
// unchanged.
func Decode(raw []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		return Explain("The body", raw, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return usererr.New(usererr.Invalid, "The body holds more than one JSON value: send one.")
	}
	return nil
}

// Explain words an error of encoding/json for a user: the field and what it must be, or where the text stops being
// JSON and what is expected there. The subject, like "The body", begins the sentence.
func Explain(subject string, raw []byte, err error) error {
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
		return usererr.New(usererr.Invalid, "%s must be a JSON object (got %s).", subject, got(kind.Value))
	case len(bytes.TrimSpace(raw)) == 0:
		return usererr.New(usererr.Invalid, "%s is empty: a JSON object is expected.", subject)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return usererr.New(usererr.Invalid, "%s is not JSON: it ends too early, so a quote, a ] or a } is missing.", subject)
	case errors.As(err, &syntax):
		return usererr.New(usererr.Invalid, "%s is not JSON: %s.", subject, place(raw, syntax))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if plain, err := strconv.Unquote(name); err == nil {
			return usererr.BadField(plain, "is not a field of this request")
		}
	}
	return usererr.New(usererr.Invalid, "%s cannot be read: %s.", subject, strings.TrimPrefix(err.Error(), "json: "))
}

// expected is what package json expected where it met another character, by the end of its message.
var expected = []struct{ after, what string }{
	{"looking for beginning of object key string", "a name in double quotes or a }"},
	{"looking for beginning of value",
		"a value (a text in double quotes, a number, true, false, null, a list or an object)"},
	{"after object key", "a colon"},
	{"after object key:value pair", "a comma or a }"},
	{"after array element", "a comma or a ]"},
	{"after top-level value", "nothing"},
	{"in string literal", "no line break within a text (write \\n)"},
	{"in string escape code", "one of \" \\ / b f n r t u after a \\"},
	{"in \\u hexadecimal character escape", "four digits from 0 to f after \\u"},
}

// place says what is expected at the line and character where a text stops being JSON, and what stands there instead.
func place(raw []byte, syntax *json.SyntaxError) string {
	at := min(max(int(syntax.Offset)-1, 0), len(raw)-1) // the offset is that behind the character
	before := raw[:at]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	found, _ := utf8.DecodeRune(raw[at:])
	what := "another character"
	for _, e := range expected {
		if strings.HasSuffix(syntax.Error(), e.after) {
			what = e.what
		}
	}
	return usererr.Sprintf("at line %d, character %d it has %q where %s is expected", line, column, string(found), what)
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
