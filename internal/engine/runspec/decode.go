package runspec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/strict"
)

// maxSpec bounds the size of the JSON of a spec; 2,000 columns with long names fit.
const maxSpec = 4 << 20

// Decode reads the JSON of a spec; its error names every field that is unknown or of the wrong
// type. "tuning" may be at the top level or in "model".
func Decode(r io.Reader) (Spec, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxSpec+1))
	if err != nil {
		return Spec{}, fmt.Errorf("read spec: %w", err)
	}
	if len(b) > maxSpec {
		return Spec{}, usererr.New(usererr.TooLarge, "The spec is larger than %d MB.", maxSpec>>20)
	}
	tree, err := parseJSON(b)
	if err != nil {
		return Spec{}, err
	}
	hoistTuning(tree)
	var bad fieldErrors
	bad.shape("", reflect.TypeFor[Spec](), tree)
	bad.zeros(tree)
	if err := bad.err(); err != nil {
		return Spec{}, err
	}
	var s Spec
	clean, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(clean, &s)
	}
	if err != nil {
		return Spec{}, usererr.New(usererr.Invalid, "The spec cannot be read: %v.", err)
	}
	return s, nil
}

// parseJSON reads exactly one JSON object and keeps numbers as text.
func parseJSON(b []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, strict.Explain("The spec", b, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, usererr.New(usererr.Invalid, "The spec is followed by something else at byte %d: send one JSON object.",
			d.InputOffset())
	}
	tree, ok := v.(map[string]any)
	if !ok {
		return nil, usererr.New(usererr.Invalid, "The spec must be a JSON object (got %s).", phrase.JSON(v))
	}
	return tree, nil
}

// hoistTuning moves a top-level "tuning" into "model", where Spec has it.
func hoistTuning(tree map[string]any) {
	v, found := tree["tuning"]
	model, ok := tree["model"].(map[string]any)
	if !found || tree["model"] != nil && !ok {
		return
	}
	if model == nil {
		model = map[string]any{}
		tree["model"] = model
	}
	if _, both := model["tuning"]; !both {
		model["tuning"] = v
		delete(tree, "tuning")
	}
}

// zeros refuses explicit values that Spec could not distinguish from a missing field, and would
// replace by a default.
func (f *fieldErrors) zeros(tree map[string]any) {
	if pi, ok := tree["boundaries"].([]any); ok && len(pi) == 0 {
		f.add("boundaries", "must hold 1 to 99 probabilities (got 0)")
	}
	for _, field := range []struct{ part, name, rule string }{
		{"validation", "test", "must lie strictly between 0 and 1"},
		{"validation", "folds", fmt.Sprintf("must lie between 2 and %d", maxFolds)},
		{"validation", "repeats", fmt.Sprintf("must lie between 1 and %d", maxRepeats)},
		{"model", "rounds", fmt.Sprintf("must be from 1 to %d", boost.MaxRounds)},
		{"model", "depth", fmt.Sprintf("must be from 1 to %d", boost.MaxDepth)},
	} {
		part, _ := tree[field.part].(map[string]any)
		if n, ok := part[field.name].(json.Number); ok {
			if x, err := n.Float64(); err == nil && x == 0 {
				f.add(field.part+"."+field.name, "%s (got 0)", field.rule)
			}
		}
	}
}

// shape compares a parsed value with the Go type of its field. Null counts as missing.
func (f *fieldErrors) shape(at string, t reflect.Type, v any) {
	if t == reflect.TypeFor[table.Levels]() {
		f.class(at, v)
		return
	}
	if t == reflect.TypeFor[json.RawMessage]() { // the content of a file, checked on use
		if _, ok := v.(map[string]any); !ok {
			f.add(at, "must be an object (got %s)", phrase.JSON(v))
		}
		return
	}
	if t == reflect.TypeFor[fit.L2]() {
		var l fit.L2
		b, _ := json.Marshal(v)
		f.join(l.UnmarshalJSON(b))
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		f.shape(at, t.Elem(), v)
	case reflect.Struct:
		f.object(at, t, v)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			f.add(at, "must be a list (got %s)", phrase.JSON(v))
		}
		for i, e := range list {
			f.shape(fmt.Sprintf("%s[%d]", at, i), t.Elem(), e)
		}
	case reflect.Map:
		values, ok := v.(map[string]any)
		if !ok {
			f.add(at, "must be an object (got %s)", phrase.JSON(v))
		}
		for _, k := range slices.Sorted(maps.Keys(values)) {
			f.shape(at+"."+k, t.Elem(), values[k])
		}
	case reflect.Interface:
		f.free(at, v)
	default:
		f.scalar(at, t.Kind(), v)
	}
}

// class checks one level or a list of them.
func (f *fieldErrors) class(at string, v any) {
	if list, ok := v.([]any); ok && len(list) > 0 {
		f.shape(at, reflect.TypeFor[[]string](), v)
		return
	} else if ok {
		f.join(table.Levels{}.Check(at))
		return
	}
	if _, ok := v.(string); !ok {
		f.add(at, "must be a level or a list of levels (got %s)", phrase.JSON(v))
	}
}

// object checks the fields of a struct by their exact JSON names.
func (f *fieldErrors) object(at string, t reflect.Type, v any) {
	values, ok := v.(map[string]any)
	if !ok {
		f.add(at, "must be an object (got %s)", phrase.JSON(v))
		return
	}
	known := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known[name] = t.Field(i).Type
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		name := strings.TrimPrefix(at+"."+k, ".")
		switch field, found := known[k]; {
		case !found:
			f.add(name, "is not a field of a run’s spec")
		case values[k] != nil:
			f.shape(name, field, values[k])
		}
	}
}

// scalar checks a string, number or truth value.
func (f *fieldErrors) scalar(at string, k reflect.Kind, v any) {
	number, isNumber := v.(json.Number)
	var ok bool
	want := "a finite number"
	switch k {
	case reflect.String:
		_, ok = v.(string)
		want = "a text"
	case reflect.Bool:
		_, ok = v.(bool)
		want = "true or false"
	case reflect.Float64:
		ok = isNumber && finite(number)
	case reflect.Int:
		_, err := strconv.ParseInt(number.String(), 10, 32)
		ok, want = isNumber && err == nil, "a whole number"
	case reflect.Uint64:
		_, err := strconv.ParseUint(number.String(), 10, 64)
		ok, want = isNumber && err == nil, "a whole number from 0 to 2^64 − 1"
	default:
		panic("engine: a spec has no field of kind " + k.String())
	}
	if !ok {
		f.add(at, "must be %s (got %s)", want, phrase.JSON(v))
	}
}

// free checks a value of any type: its numbers must be finite.
func (f *fieldErrors) free(at string, v any) {
	switch v := v.(type) {
	case json.Number:
		if !finite(v) {
			f.add(at, "must be a finite number (got %s)", v)
		}
	case []any:
		for i, e := range v {
			f.free(fmt.Sprintf("%s[%d]", at, i), e)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			f.free(at+"."+k, v[k])
		}
	}
}

func finite(n json.Number) bool {
	v, err := n.Float64()
	return err == nil && !math.IsInf(v, 0)
}
