package golden

import (
	"fmt"
	"math"
	"reflect"
)

// Exported converts a value to one that JSON can encode: exported fields by name, non-finite
// numbers as texts, functions and nil pointers as nil.
func Exported(v any) any { return exported(reflect.ValueOf(v)) }

func exported(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprint(f)
		}
		return v.Float()
	case reflect.Pointer, reflect.Interface:
		return exported(v.Elem())
	case reflect.Slice, reflect.Array:
		all := make([]any, v.Len())
		for i := range all {
			all[i] = exported(v.Index(i))
		}
		return all
	case reflect.Map:
		all := map[string]any{}
		for _, k := range v.MapKeys() {
			all[fmt.Sprint(k)] = exported(v.MapIndex(k))
		}
		return all
	case reflect.Struct:
		all := map[string]any{}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				all[f.Name] = exported(v.Field(i))
			}
		}
		return all
	case reflect.Invalid, reflect.Func, reflect.Chan:
		return nil
	}
	return v.Interface()
}
