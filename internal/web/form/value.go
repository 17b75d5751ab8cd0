package form

import (
	"encoding"
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/web/format"
)

// single reports whether only the first text of a key counts.
func (f *Field) single() bool {
	return f.value.Kind() != reflect.Slice && f.value.Kind() != reflect.Map
}

// ReadOne is a Read of the first text only; "" means a missing key.
func ReadOne(read func(text string) error) func([]string) error {
	return func(texts []string) error { return read(strings.Join(texts[:min(1, len(texts))], "")) }
}

// Switch is a Read of true or false.
func Switch(to *bool) func([]string) error {
	return ReadOne(func(text string) error {
		switch text {
		case "", "0", "false":
			*to = false
		case "1", "true":
			*to = true
		default:
			return ReadError("must be true or false, not " + Quoted(text))
		}
		return nil
	})
}

// ReadError is the error of a Read with the message for the page.
func ReadError(text string) error { return errors.New(text) }

// read sets the field. trusted values are defaults, which may be outside of the limits: band −1 means none.
func (f *Field) read(texts []string, trusted bool) error {
	if f.Read != nil {
		return f.Read(texts)
	}
	if f.value.Kind() == reflect.Slice {
		texts = slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" })
		if len(texts) == 0 && (trusted || !f.None) {
			f.value.SetZero()
			return nil
		}
		list := reflect.MakeSlice(f.value.Type(), len(texts), len(texts))
		for i, text := range texts {
			if err := f.set(list.Index(i), text, trusted); err != nil {
				return err
			}
		}
		f.value.Set(list)
		return nil
	}
	if len(texts) == 0 {
		f.value.SetZero()
		return nil
	}
	return f.set(f.value, texts[0], trusted)
}

func (f *Field) set(to reflect.Value, text string, trusted bool) error {
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch to.Kind() {
	case reflect.Pointer: // nil for an empty text
		v := reflect.New(to.Type().Elem())
		if err := f.set(v.Elem(), text, trusted); err != nil {
			return err
		}
		to.Set(v)
		return nil
	case reflect.Bool:
		to.SetBool(slices.Contains(f.Options, text))
		return nil
	case reflect.String:
		if f.Options != nil && !trusted && !slices.Contains(f.Options, text) {
			return f.wrong(text, NotAmong(text, f.Options))
		}
		to.SetString(text)
		return nil
	}
	whole := to.CanInt() || to.CanUint()
	text = strings.TrimSpace(text)
	if whole && grouped.MatchString(text) {
		text = separators.Replace(text)
	}
	v, ok := f.number(text)
	if !ok || whole && v != math.Trunc(v) || to.CanInt() && math.Abs(v) > math.MaxInt64/2 ||
		!trusted && f.Min != f.Max && !(v >= f.Min && v <= f.Max) {
		return f.wrong(text, f.Limits(text))
	}
	if f.Snap != nil {
		v = f.Snap(v)
	}
	switch {
	case to.CanInt():
		to.SetInt(int64(v))
	case to.CanUint():
		n, err := strconv.ParseUint(text, 10, 64) // a float64 would lose the last digits of a long seed
		if err != nil {
			if !(v >= 0 && v < 1<<63) {
				return f.wrong(text, f.Limits(text))
			}
			n = uint64(v)
		}
		to.SetUint(n)
	default:
		to.SetFloat(v)
	}
	return nil
}

// grouped matches a whole number with separators between thousands.
var (
	grouped    = regexp.MustCompile("^[0-9]{1,3}([ \u00a0\u2009\u202f,'’][0-9]{3})+$")
	separators = strings.NewReplacer(" ", "", "\u00a0", "", "\u2009", "", "\u202f", "", ",", "", "'", "", "’", "")
)

// number parses the text of a numeric field.
func (f *Field) number(text string) (float64, bool) {
	if f.Typed {
		return ParsePercent(text)
	}
	return ParseNumber(text)
}

func (f *Field) wrong(text, otherwise string) error {
	if f.Problem != nil {
		return ReadError(f.Problem(text))
	}
	return ReadError(otherwise)
}

// NotAmong is the message that lists the allowed texts.
func NotAmong(text string, options []string) string {
	words := slices.DeleteFunc(slices.Clone(options), func(s string) bool { return s == "" })
	return "must be one of " + strings.Join(words, ", ") + ", not " + Quoted(text)
}

// Limits describes the allowed numbers, for shares in per cent as in controls.
func (f *Field) Limits(text string) string {
	if f.Unit == "%" || f.Typed {
		got := Quoted(text)
		if v, ok := f.number(text); ok {
			got = PercentText(v) + format.Pc
		}
		return "must be from " + PercentText(f.Min) + " to " + PercentText(f.Max) + format.Pc + ", not " + got
	}
	kind, span, write := "a number", "", Text
	if k := f.Kind(); k != reflect.Float64 && f.value.Kind() != reflect.Slice { // a million, not 1e+06
		kind, write = "a whole number", func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	}
	if f.Min != f.Max {
		span = " from " + write(f.Min) + " to " + write(f.Max)
	}
	return "must be " + kind + span + ", not " + Quoted(text)
}

// texts are the values as written in an address; none for an empty list, and for an empty text unless this is a
// value.
func (f *Field) texts() []string {
	if f.Write != nil {
		return f.Write()
	}
	if f.value.Kind() == reflect.Slice {
		if f.value.IsNil() {
			return nil
		}
		all := make([]string, f.value.Len())
		for i := range all {
			all[i] = f.text(f.value.Index(i))
		}
		return all
	}
	if text := f.text(f.value); text != "" || f.None {
		return []string{text}
	}
	return nil
}

func (f *Field) text(v reflect.Value) string {
	if m, ok := v.Addr().Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			panic("form: " + f.Key + ": " + err.Error()) // values that were parsed can be written
		}
		return string(text)
	}
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	case v.Kind() == reflect.Pointer:
		return f.text(v.Elem())
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return f.Options[0]
		}
		return ""
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case f.Typed:
		return PercentText(v.Float())
	case v.CanFloat():
		return Text(v.Float())
	}
	return v.String()
}

// Quoted quotes a text that a user sent.
func Quoted(text string) string { return phrase.Verbatim(format.Cut(text, 20)) }
