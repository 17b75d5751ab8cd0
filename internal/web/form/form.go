// Package form derives from one struct everything about the address of a page: how it is parsed, with a message for
// each invalid value; how it is written; the hidden fields of forms; and what controls and the API description need
// to know of a key. A field of the struct declares its key by tags:
//
//	T1 float64 `form:"t1" default:"0.6" range:"0 4" slider:"0 1 0.01" label:"loss bound"`
//
// Keys are parsed from top to bottom. The allowed values of a key and its default may depend on the fields above it
// only (method Field of the struct). Because of this rule, parsing a written address gives the same state, whatever
// defaults it leaves out. Commands of a form ("use this template") are not state: a page converts them to keys
// before it parses.
//
// Invalid values are replaced by defaults and reported, so that a page can still be shown. Keys at their default
// are left out, so that addresses are short.
package form

import (
	"errors"
	"iter"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
)

// Field is one key of an address, after the fields above it are set.
type Field struct {
	Key, Label, Symbol string
	Unit               string // "%" for a share: controls and messages use per cent

	Min, Max        float64 // of a number (range:"0 4"); no limits if equal
	Low, High, Step float64 // of its slider (slider:"0 1 0.01", or step:"0.01" for the whole range)

	Options []string // allowed texts; for a bool, the one that means true
	Default []string // as written; nil is the zero value
	Typed   bool     // in per cent (typed:"%"), for forms that are not part of an address
	Absent  bool     // the state does not have this key: it keeps its default and is not written
	Keep    bool     // written even at its default
	List    bool     // Read gets all texts of the key
	None    bool     // an empty text is a value, such as no group or no columns

	// Snap replaces a number within the limits by the one it stands for.
	Snap func(float64) float64
	// Problem is the message about an invalid text; nil means that of this package.
	Problem func(text string) string
	// Read and Write replace the parser and writer of the field's type. Read sets what is valid; its error
	// describes what is not, by Fields if it has any.
	Read  func(texts []string) error
	Write func() []string

	Tag   reflect.StructTag
	Group reflect.StructTag // tags of the nested struct that contains the field

	value  reflect.Value
	prefix string
}

// State sets what tags cannot express about a key. For a nested struct with a method Field, that method is called
// first, with keys without prefix.
type State interface{ Field(f *Field) }

// Dynamic lists keys that depend on the fields above, such as the parameters of a loss. They are inserted at the
// field tagged form:"*" and have Read and Write.
type Dynamic interface{ Fields() []Field }

// walk visits the keys of a struct, given by a pointer, from top to bottom, and determines each key when it is
// reached. A nested struct has a tag with the prefix of its keys (`prefix:"a."`); an array has a prefix or key per
// element. With only, the other keys that tags name are passed over.
func walk(v reflect.Value, group reflect.StructTag, prefix string, outer []State, only string, visit func(*Field)) {
	var self State
	if v.Addr().CanInterface() {
		self, _ = v.Addr().Interface().(State)
	}
	ask := func(f Field) {
		f.Group, f.prefix = group, prefix
		if self != nil {
			self.Field(&f)
		}
		f.Key = prefix + f.Key
		for _, s := range slices.Backward(outer) {
			s.Field(&f)
		}
		visit(&f)
	}
	within := outer
	if self != nil {
		within = append(slices.Clip(outer), self)
	}
	named := func(name string, tag reflect.StructTag, at reflect.Value) {
		key, none := strings.CutSuffix(name, ",none")
		if only == "" || only == prefix+key {
			ask(fieldOf(key, none, tag, at))
		}
	}
	for i := range v.NumField() {
		tag, at := v.Type().Field(i).Tag, v.Field(i)
		keys, isKey := tag.Lookup("form")
		if !isKey {
			names, nested := tag.Lookup("prefix")
			switch {
			case !nested:
			case at.Kind() == reflect.Array:
				for k, name := range strings.Fields(names) {
					walk(at.Index(k), tag, prefix+name, within, only, visit)
				}
			default:
				walk(at, tag, prefix+names, within, only, visit)
			}
			continue
		}
		switch {
		case keys == "*":
			for _, f := range v.Addr().Interface().(Dynamic).Fields() {
				ask(f)
			}
		case at.Kind() == reflect.Array:
			for k, name := range strings.Fields(keys) {
				named(name, tag, at.Index(k))
			}
		default:
			named(keys, tag, at)
		}
	}
}

// At is a key of a Dynamic whose value is stored at a pointer.
func At(to any, f Field) Field {
	f.value = reflect.ValueOf(to).Elem()
	if f.Default == nil && (f.value.CanInt() || f.value.CanUint() || f.value.CanFloat()) {
		f.Default = []string{"0"}
	}
	return f
}

// fieldOf reads the tags of a field.
func fieldOf(key string, none bool, tag reflect.StructTag, value reflect.Value) Field {
	f := Field{Key: key, None: none, Tag: tag, value: value}
	if value.CanInt() || value.CanUint() || value.CanFloat() {
		f.Default = []string{"0"}
	}
	var limits, slider, step string
	for name, text := range pairs(tag) {
		switch name {
		case "label":
			f.Label = text
		case "symbol":
			f.Symbol = text
		case "unit":
			f.Unit = text
		case "typed":
			f.Typed = text != ""
		case "default":
			f.Default = []string{text}
		case "options":
			f.Options = strings.Split(text, ",")
		case "range":
			limits = text
		case "slider":
			slider = text
		case "step":
			step = text
		}
	}
	for _, part := range []struct {
		text string
		to   []*float64
	}{{limits, []*float64{&f.Min, &f.Max}}, {limits, []*float64{&f.Low, &f.High}},
		{slider, []*float64{&f.Low, &f.High, &f.Step}}, {step, []*float64{&f.Step}}} {
		for i, text := range strings.Fields(part.text) {
			*part.to[i] = MustFloat(text)
		}
	}
	return f
}

// pairs are the keys and values of a tag, read once: Get of reflect reads the tag from its start for each key.
func pairs(tag reflect.StructTag) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for rest := string(tag); ; {
			name, after, ok := strings.Cut(strings.TrimLeft(rest, " "), ":")
			quoted, err := strconv.QuotedPrefix(after)
			if !ok || err != nil {
				return
			}
			text, _ := strconv.Unquote(quoted)
			if !yield(name, text) {
				return
			}
			rest = after[len(quoted):]
		}
	}
}

func each(state any, visit func(*Field)) { walk(reflect.ValueOf(state).Elem(), "", "", nil, "", visit) }

// Parse sets every field of a state, given by a pointer, from a query with shares as fractions or in per cent.
// Unknown keys are ignored. It returns the invalid values.
func Parse(state any, q url.Values) (bad []usererr.Field) {
	q = Fractions(q)
	each(state, func(f *Field) {
		if err := f.read(f.Default, true); err != nil {
			panic("form: the default of " + f.Key + ": " + err.Error())
		}
		texts, given := q[f.Key]
		if f.Absent || !given || f.single() && texts[0] == "" && !f.None {
			return
		}
		err := f.read(texts, false)
		if err == nil {
			return
		}
		var e *usererr.Error
		if !errors.As(err, &e) || len(e.Fields) == 0 {
			bad = append(bad, usererr.Field{Field: f.Key, Message: err.Error()})
			return
		}
		for _, field := range e.Fields {
			bad = append(bad, usererr.Field{Field: f.prefix + field.Field, Message: field.Message})
		}
	})
	return bad
}

// ReadStrict parses a query and returns an error for the first invalid value.
func ReadStrict(state any, q url.Values) error {
	if bad := Parse(state, q); len(bad) > 0 {
		return usererr.BadField(bad[0].Field, "%s", bad[0].Message)
	}
	return nil
}

// Fields are the keys of a state with tags and defaults, for descriptions of a parser.
func Fields(state any) (all []Field) {
	each(state, func(f *Field) { all = append(all, *f) })
	return all
}

// Kind is the kind of a value of the field; for lists and pointers, of the element.
func (f *Field) Kind() reflect.Kind {
	if k := f.value.Kind(); k != reflect.Slice && k != reflect.Pointer {
		return k
	}
	return f.value.Type().Elem().Kind()
}

// Pairs is the shortest query that Parse reads as this state.
func Pairs(state any) (out []Pair) {
	each(state, func(f *Field) {
		texts := f.texts()
		// An empty list and a missing one differ: no columns, or the default columns of the dataset.
		same := slices.Equal(texts, f.Default) && !(f.None && (texts == nil) != (f.Default == nil))
		if f.Absent || same && !f.Keep {
			return
		}
		for _, text := range OrEmpty(texts) {
			out = append(out, Pair{f.Key, text})
		}
	})
	return out
}

// Query is the address of a state starting with its question mark, "" for defaults.
func Query(state any) string { return Encode(Pairs(state)) }

// Values is the query of a state for pages with keys in alphabetical order and all names escaped.
func Values(state any) url.Values {
	q := url.Values{}
	for _, p := range Pairs(state) {
		q.Add(p.Key, p.Value)
	}
	return q
}

// Get returns the field of a key, which must exist.
func Get(state any, key string) (out Field) {
	walk(reflect.ValueOf(state).Elem(), "", "", nil, key, func(f *Field) {
		if f.Key == key && (out.Key == "" || !f.Absent) {
			out = *f
		}
	})
	if out.Key == "" {
		panic("form: no key " + key)
	}
	return out
}

// HiddenPairs are the pairs of keys without a control.
func HiddenPairs(state any, keys ...string) []Pair {
	return slices.DeleteFunc(Pairs(state), func(p Pair) bool { return !slices.Contains(keys, p.Key) })
}

// Text is the value of the field as written in an address.
func (f *Field) Text() string { return strings.Join(f.texts(), ",") }

// Number is the value of a numeric field.
func (f *Field) Number() float64 { return numberOf(f.Text()) }

// DefaultNumber is the default of a numeric field.
func (f *Field) DefaultNumber() float64 { return numberOf(strings.Join(f.Default, ",")) }

func numberOf(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return v
}
