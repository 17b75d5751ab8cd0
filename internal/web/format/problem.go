package format

import (
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// Detail is what an error says, without its full stop, to go on within a
// sentence.
func Detail(err error) string {
	if e, ok := usererr.As(err); ok {
		return strings.TrimSuffix(e.Detail, ".")
	}
	return err.Error()
}

// Problem is a problem as it stands at its control.
func Problem(f usererr.Field) string {
	if text := f.Message; text != "" && strings.ToUpper(text[:1]) == text[:1] {
		return text
	}
	return phrase.UpperFirst(f.Field) + " " + f.Message
}

// UnusedKeys says what of an address could not be used on a page that shows the
// rest; it is empty when all of it could.
func UnusedKeys(bad []usererr.Field) string {
	if len(bad) == 0 {
		return ""
	}
	return usererr.Sentences(bad) + " The rest is shown."
}
