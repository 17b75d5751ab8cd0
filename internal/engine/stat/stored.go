package stat

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Stored results keep the order of their fields and their nulls. The structs Performance, Binary, Classes,
// ClassIntervals and Comparison have fields for the statistics of the first version. JSON lists statistics
// added later after these fields, in the order of All, where they exist; so no struct changes when All grows.

// field returns a pointer to the field of type T with this JSON name in the struct that v points to, nil if
// there is none.
func field[T any](v any, id string) *T {
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		if s.Type().Field(i).Tag.Get("json") == id {
			p, _ := s.Field(i).Addr().Interface().(*T)
			return p
		}
	}
	return nil
}

// get reads a statistic from the field of a struct: an estimate, or a number without an interval.
func get(v any, id string) (e Estimate, ok bool) {
	if e := field[Estimate](v, id); e != nil {
		return *e, true
	}
	if v := field[*float64](v, id); v != nil {
		return Estimate{Value: *v}, true
	}
	return e, false
}

// put writes a statistic to the field of a struct; false if there is no such field.
func put(v any, id string, e Estimate) bool {
	if to := field[Estimate](v, id); to != nil {
		*to = e
		return true
	}
	to := field[*float64](v, id)
	if to != nil {
		*to = e.Value
	}
	return to != nil
}

// with returns a copy of a map with one more entry: copies of a struct share their map.
func with[T any](m map[string]T, id string, v T) map[string]T {
	if m = maps.Clone(m); m == nil {
		m = map[string]T{}
	}
	m[id] = v
	return m
}

// appended writes a struct as JSON, followed by the statistics of a list.
func appended(plain any, list []Statistic, of func(Statistic) any) ([]byte, error) {
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	for _, s := range list {
		v, err := json.Marshal(of(s))
		if err != nil {
			return nil, err
		}
		text = append(append(text, `,"`+s.ID+`":`...), v...)
	}
	return append(text, '}'), nil
}

func appendMore[T any](plain any, more map[string]T) ([]byte, error) {
	list := Which(func(s Statistic) bool { _, ok := more[s.ID]; return ok })
	return appended(plain, list, func(s Statistic) any { return more[s.ID] })
}

// readMore reads JSON into the struct that plain points to. It returns the statistics of a list for which the
// struct has no field.
func readMore[T any](text []byte, plain any, list []Statistic) (more map[string]T, err error) {
	if err := json.Unmarshal(text, plain); err != nil {
		return nil, err
	}
	t := reflect.TypeOf(plain).Elem()
	known := map[string]bool{}
	for i := range t.NumField() {
		known[t.Field(i).Tag.Get("json")] = true
	}
	later := slices.DeleteFunc(list, func(s Statistic) bool { return known[s.ID] })
	if len(later) == 0 {
		return nil, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, s := range later {
		if raw, ok := all[s.ID]; ok {
			var v T
			if err := json.Unmarshal(raw, &v); err != nil {
				return nil, err
			}
			more = with(more, s.ID, v)
		}
	}
	return more, nil
}

// Average returns the first of several structs of metrics with each number replaced by its mean. A number that
// is missing in any of them is missing in the result.
func Average[T any](all []T) T {
	m := all[0]
	if len(all) == 1 {
		return m
	}
	mean := func(of func(*T) *float64) *float64 {
		sum := 0.0
		for i := range all {
			v := of(&all[i])
			if v == nil {
				return nil
			}
			sum += *v
		}
		sum /= float64(len(all))
		return &sum
	}
	to := reflect.ValueOf(&m).Elem()
	for i := range to.NumField() {
		at := func(v *T) any { return reflect.ValueOf(v).Elem().Field(i).Interface() }
		switch v := to.Field(i).Addr().Interface().(type) {
		case **float64:
			*v = mean(func(m *T) *float64 { return at(m).(*float64) })
		case *bool: // that these are means
			*v = true
		case *map[string]*float64:
			*v = maps.Clone(*v)
			for id := range *v {
				(*v)[id] = mean(func(m *T) *float64 { return at(m).(map[string]*float64)[id] })
			}
		}
	}
	return m
}
