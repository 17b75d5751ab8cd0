// Package form derives from one struct all that the address of a page needs:
// how it is read, with a sentence for whatever cannot be used, and how it is
// written; the fields that a page hides; what a control and an API say of a
// key. A field of the struct declares its key by tags:
//
//	T1 float64 `form:"t1" default:"0.6" range:"0 4" slider:"0 1 0.01" label:"bound of the loss"`
//
// Keys are read from top to bottom. What a key may be, and its default, may
// depend on the fields above it and on nothing else (method Field of the
// struct). By that rule alone reading what was written gives the same state,
// whatever is left out of an address. What somebody does with a form ("take
// this template") is no state: a page turns it into keys before it parses.
//
// What cannot be used takes its default and is named among the problems, so that
// a page still shows itself; what stands at its default is left out, so that an
// address is as short as it can be.
package form

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
)

// Field is one key of an address, as it is once the fields above it are set.
type Field struct {
	Key, Label, Symbol string
	Unit               string // "%" for a share: controls and messages have it in per cent

	Min, Max        float64 // of a number (range:"0 4"); equal: any
	Low, High, Step float64 // of its slider (slider:"0 1 0.01", or step:"0.01" for the whole range)

	Options []string // the words that it may be; of a bool, the one that means yes
	Default []string // as written; nil is the zero value
	Typed   bool     // its texts are per cent (typed:"%"), as somebody types them into a form that makes no address
	Absent  bool     // the state has no such key: it is at its default and in no address
	Keep    bool     // it is written though it is at its default
	List    bool     // all texts count, for a Read of a key that lists
	None    bool     // an empty text is a value: no group, no columns

	// Snap is the number that stands for another one within the limits.
	Snap func(float64) float64
	// Problem says what is wrong with a text; nil is the package's own sentence.
	Problem func(text string) string
	// Read and Write replace how the type of the field is read and written. Read
	// sets what it can use; its error says what it cannot, by its Fields where it
	// has some.
	Read  func(texts []string) error
	Write func() []string

	Tag   reflect.StructTag
	Group reflect.StructTag // tags of the struct within the state that the field stands in

	value  reflect.Value
	prefix string
}

// State settles what tags cannot say of a key. A struct within the state, which
// has its own, is asked first and knows its keys without their prefix.
type State interface{ Field(f *Field) }

// Dynamic lists the keys that depend on the fields above, as the parameters of a
// loss do. They stand where a field is tagged form:"*", and bring Read and Write.
type Dynamic interface{ Fields() []Field }

// walk visits the keys of a pointer to a struct from top to bottom; it asks what
// a key may be when its turn comes. A struct within is tagged with the prefix of
// its keys (`prefix:"a."`), an array with one prefix or key an element.
func walk(v reflect.Value, group reflect.StructTag, prefix string, outer []State, visit func(*Field)) {
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
	for i := range v.NumField() {
		tag, at := v.Type().Field(i).Tag, v.Field(i)
		if names, ok := tag.Lookup("prefix"); ok {
			if at.Kind() == reflect.Array {
				for k, name := range strings.Fields(names) {
					walk(at.Index(k), tag, prefix+name, within, visit)
				}
			} else {
				walk(at, tag, prefix+names, within, visit)
			}
			continue
		}
		switch names := strings.Fields(tag.Get("form")); {
		case len(names) == 0:
		case names[0] == "*":
			for _, f := range v.Addr().Interface().(Dynamic).Fields() {
				ask(f)
			}
		case at.Kind() == reflect.Array:
			for k, name := range names {
				ask(fieldOf(name, tag, at.Index(k)))
			}
		default:
			ask(fieldOf(names[0], tag, at))
		}
	}
}

// At is a key of a Dynamic whose value is kept at a pointer.
func At(to any, f Field) Field {
	f.value = reflect.ValueOf(to).Elem()
	if f.Default == nil && (f.value.CanInt() || f.value.CanUint() || f.value.CanFloat()) {
		f.Default = []string{"0"}
	}
	return f
}

// fieldOf reads the tags of a field.
func fieldOf(key string, tag reflect.StructTag, value reflect.Value) Field {
	key, none := strings.CutSuffix(key, ",none")
	f := Field{Key: key, Label: tag.Get("label"), Symbol: tag.Get("symbol"), Unit: tag.Get("unit"), None: none, Tag: tag,
		Typed: tag.Get("typed") != "", value: value}
	for _, part := range []struct {
		tag string
		to  []*float64
	}{{"range", []*float64{&f.Min, &f.Max}}, {"range", []*float64{&f.Low, &f.High}},
		{"slider", []*float64{&f.Low, &f.High, &f.Step}}, {"step", []*float64{&f.Step}}} {
		for i, text := range strings.Fields(tag.Get(part.tag)) {
			*part.to[i] = MustFloat(text)
		}
	}
	switch text := tag.Get("default"); {
	case text != "":
		f.Default = []string{text}
	case value.CanInt() || value.CanUint() || value.CanFloat():
		f.Default = []string{"0"}
	}
	if text := tag.Get("options"); text != "" {
		f.Options = strings.Split(text, ",")
	}
	return f
}

func each(state any, visit func(*Field)) { walk(reflect.ValueOf(state).Elem(), "", "", nil, visit) }

// Parse sets every field of a state, given by a pointer, from a query with shares
// as fractions or in per cent; keys of others are left to them. It returns what
// could not be used.
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

// ReadStrict reads a query that must be right; its error names the first thing that is not.
func ReadStrict(state any, q url.Values) error {
	if bad := Parse(state, q); len(bad) > 0 {
		return usererr.BadField(bad[0].Field, "%s", bad[0].Message)
	}
	return nil
}

// Fields are the keys of a state, as its tags and its defaults have them: for what
// describes a parser.
func Fields(state any) (all []Field) {
	each(state, func(f *Field) { all = append(all, *f) })
	return all
}

// Kind is the kind of a value of the field: of a list, of its elements; of a pointer,
// of what it points to.
func (f *Field) Kind() reflect.Kind {
	if k := f.value.Kind(); k != reflect.Slice && k != reflect.Pointer {
		return k
	}
	return f.value.Type().Elem().Kind()
}

// Pairs is the shortest query that Parse reads as the state.
func Pairs(state any) (out []Pair) {
	each(state, func(f *Field) {
		texts := f.texts()
		// Some columns, none and those of the dataset are three answers.
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

// Query is the address of a state from its question mark on, "" at the defaults.
func Query(state any) string { return Encode(Pairs(state)) }

// Values is the address of a state for a page whose keys stand in the order of
// the alphabet, every name escaped.
func Values(state any) url.Values {
	q := url.Values{}
	for _, p := range Pairs(state) {
		q.Add(p.Key, p.Value)
	}
	return q
}

// Get is the field of a key, which the state must have.
func Get(state any, key string) (out Field) {
	each(state, func(f *Field) {
		if f.Key == key && (out.Key == "" || !f.Absent) {
			out = *f
		}
	})
	if out.Key == "" {
		panic("form: no key " + key)
	}
	return out
}

// HiddenPairs are the pairs of keys that a page has no control of.
func HiddenPairs(state any, keys ...string) []Pair {
	return slices.DeleteFunc(Pairs(state), func(p Pair) bool { return !slices.Contains(keys, p.Key) })
}

// Text is the value of the field as an address has it.
func (f *Field) Text() string { return strings.Join(f.texts(), ",") }

// Number is the value of a numeric field, and Plain its default.
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
