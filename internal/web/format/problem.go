package format

import (
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// Detail is the message of an error without its full stop, for use inside a sentence.
func Detail(err error) string {
	if e, ok := usererr.As(err); ok {
		return strings.TrimSuffix(e.Detail, ".")
	}
	return err.Error()
}

// Problem is the message about a field for its control.
func Problem(f usererr.Field) string {
	if text := f.Message; text != "" && strings.ToUpper(text[:1]) == text[:1] {
		return text
	}
	return phrase.UpperFirst(f.Field) + " " + f.Message
}

// UnusedKeys lists the parameters of an address that could not be used; empty if there are none.
func UnusedKeys(bad []usererr.Field) string {
	if len(bad) == 0 {
		return ""
	}
	return usererr.Sentences(bad) + " The rest is shown."
}
