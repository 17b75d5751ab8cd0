package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas makes the schemas of Go types, with references to named types.
type schemas struct {
	names      map[reflect.Type]string
	known      map[reflect.Type]*jsonschema.Schema
	components map[string]*jsonschema.Schema
	required   map[*jsonschema.Schema]bool // required fields are given by the words
}

func newSchemas(a API) (*schemas, error) {
	g := &schemas{names: map[reflect.Type]string{}, components: map[string]*jsonschema.Schema{},
		required: map[*jsonschema.Schema]bool{},
		known: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
			reflect.TypeFor[json.RawMessage](): {},
		}}
	for _, t := range a.Types {
		if t.Value != nil {
			g.names[reflect.TypeOf(t.Value)] = t.Name
			g.known[reflect.TypeOf(t.Value)] = NamedType(t.Name)
		}
	}
	var words map[string]map[string]*jsonschema.Schema
	if err := json.Unmarshal(a.Words, &words); err != nil {
		return nil, fmt.Errorf("read the words: %w", err)
	}
	for _, t := range a.Types {
		s := &jsonschema.Schema{}
		if !t.Hand {
			var err error
			if s, err = g.written(reflect.TypeOf(t.Value)); err != nil {
				return nil, err
			}
		}
		g.components[t.Name] = s
		if err := g.add(s, t.Fields); err != nil {
			return nil, err
		}
		said := map[string]*jsonschema.Schema{}
		maps.Copy(said, words[t.Name])
		for _, e := range embedded(reflect.TypeOf(t.Value)) { // its fields are fields of t
			for path, w := range words[g.names[e]] {
				if said[path] == nil && path != "" {
					said[path] = w
				}
			}
		}
		for _, path := range slices.Sorted(maps.Keys(said)) {
			if err := g.say(s, path, said[path], a.Lists); err != nil {
				return nil, fmt.Errorf("words for %s.%s: %w", t.Name, path, err)
			}
		}
	}
	for name := range words {
		if g.components[name] == nil {
			return nil, fmt.Errorf("words for %s, which is no type", name)
		}
	}
	for _, op := range a.Operations {
		if op.Body != nil {
			for _, v := range op.Body.Content {
				s, err := g.of(v)
				if err != nil {
					return nil, err
				}
				g.request(s, map[*jsonschema.Schema]bool{})
			}
		}
	}
	return g, nil
}

// add describes fields, and adds those that the Go type does not have.
func (g *schemas) add(s *jsonschema.Schema, fields []Field) error {
	for _, f := range fields {
		if s.Properties[f.Name] == nil {
			of, err := g.of(f.Value)
			if err != nil {
				return err
			}
			s.Properties[f.Name], s.PropertyOrder = of, append(s.PropertyOrder, f.Name)
			if f.Always {
				s.Required = append(s.Required, f.Name)
			}
		}
		s.Properties[f.Name].Description = f.Description
	}
	return nil
}

// request adapts a schema for input: unknown fields are refused, and fields that the Go type always writes need not
// be sent. Required fields are given by the words.
func (g *schemas) request(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if name, ok := strings.CutPrefix(s.Ref, NamedType("").Ref); ok {
		s = g.components[name]
	}
	if seen[s] {
		return
	}
	seen[s] = true
	if s.Properties != nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		if !g.required[s] {
			s.Required = nil
		}
	}
	for _, p := range s.Properties {
		g.request(p, seen)
	}
	for _, p := range slices.Concat(s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Items}) {
		if p != nil {
			g.request(p, seen)
		}
	}
}

// of is the schema of the type of a value.
func (g *schemas) of(v any) (*jsonschema.Schema, error) {
	if s, ok := v.(*jsonschema.Schema); ok {
		return s, nil
	}
	t := reflect.TypeOf(v)
	if name, ok := g.names[t]; ok {
		return NamedType(name), nil
	}
	return g.written(t)
}

// written is the schema of a type without a reference.
func (g *schemas) written(t reflect.Type) (*jsonschema.Schema, error) {
	known := maps.Clone(g.known)
	delete(known, t)
	for _, e := range embedded(t) {
		delete(known, e) // its fields are inlined in t, where there can be no reference
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", t, err)
	}
	return s, tidy(t, s, known)
}

// embedded are the structs whose fields are promoted to t.
func embedded(t reflect.Type) (all []reflect.Type) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			all = append(all, f.Type.Elem())
		} else if f.Anonymous {
			all = append(all, f.Type)
		}
	}
	return all
}

// tidy corrects the schema that the library makes of t: null is removed where encoding/json omits the field
// instead, a nullable reference becomes anyOf, objects may have additional fields, and a field is restored that the
// library loses if its Go name is also that of an outer field.
func tidy(t reflect.Type, s *jsonschema.Schema, known map[reflect.Type]*jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s.Ref != "" && len(s.Types) > 0 {
		*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
	}
	if known[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return tidy(t.Elem(), s.Items, known)
	case reflect.Map:
		return tidy(t.Elem(), s.AdditionalProperties, known)
	case reflect.Struct:
	default:
		return nil
	}
	s.AdditionalProperties = nil
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[cmp.Or(name, f.Name)]
		if p == nil || f.Anonymous || !f.IsExported() {
			continue
		}
		if err := tidy(f.Type, p, known); err != nil {
			return err
		}
		if strings.Contains(options, "omit") {
			never(p)
		}
	}
	for _, e := range embedded(t) {
		inner, err := jsonschema.ForType(e, &jsonschema.ForOptions{TypeSchemas: known})
		if err != nil {
			return fmt.Errorf("the schema of %s: %w", e, err)
		}
		if err := tidy(e, inner, known); err != nil {
			return err
		}
		for _, name := range inner.PropertyOrder {
			if s.Properties[name] != nil {
				continue
			}
			s.Properties[name], s.PropertyOrder = inner.Properties[name], append(s.PropertyOrder, name)
			if slices.Contains(inner.Required, name) {
				s.Required = append(s.Required, name)
			}
		}
	}
	return nil
}

// never removes null.
func never(s *jsonschema.Schema) {
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" {
		*s = *s.AnyOf[0]
	}
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
}

// null adds null.
func null(s *jsonschema.Schema) {
	switch {
	case s.Ref != "":
		*s = jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
	case s.Type != "":
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
}

// say adds the words for a field. Items of lists and values of maps add nothing to the path, unless the words are
// about them: sizes[].
func (g *schemas) say(s *jsonschema.Schema, path string, words *jsonschema.Schema, lists map[string]List) error {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, ".")
		plain := strings.TrimRight(name, "[]")
		s = inside(s).Properties[plain]
		for range (len(name) - len(plain)) / 2 {
			if s != nil {
				s = cmp.Or(s.Items, s.AdditionalProperties)
			}
		}
		if s == nil {
			return fmt.Errorf("there is no field %s", name)
		}
	}
	choice := slices.ContainsFunc(words.AnyOf, func(c *jsonschema.Schema) bool { return c.Ref != "" && c.Ref == s.Ref })
	switch {
	case choice: // in addition to the Go type
		s.Ref = ""
	case (words.Type != "" || words.Types != nil || words.Properties != nil || words.Items != nil || words.AnyOf != nil ||
		words.OneOf != nil || words.Ref != "") && (s.Type != "" || s.Types != nil || s.Ref != ""):
		return fmt.Errorf("the Go type says what it is")
	}
	for _, name := range words.Required {
		if s.Properties[name] == nil && words.Properties[name] == nil {
			return fmt.Errorf("there is no field %s to require", name)
		}
	}
	g.required[s] = words.Required != nil
	if is, ok := words.Extra["null"].(bool); ok {
		never(s)
		if is {
			null(s)
		}
	}
	if name, ok := words.Extra["list"].(string); ok {
		if len(lists[name].Texts) == 0 {
			return fmt.Errorf("there is no list %s", name)
		}
		s.Enum, s.Description = Texts(lists[name].Texts...).Enum, lists[name].Description
	}
	to, from := reflect.ValueOf(s).Elem(), reflect.ValueOf(words).Elem()
	for i := range from.NumField() {
		if f := from.Type().Field(i); f.Name != "Extra" && !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return nil
}

// inside is the schema of the items of a list or the values of a map.
func inside(s *jsonschema.Schema) *jsonschema.Schema {
	for {
		switch {
		case s.Items != nil:
			s = s.Items
		case s.Properties == nil && s.AdditionalProperties != nil:
			s = s.AdditionalProperties
		default:
			return s
		}
	}
}
