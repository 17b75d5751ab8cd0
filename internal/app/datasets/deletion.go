package datasets

import (
	"slices"

	"taper/internal/engine/usererr"
)

// The ways of deleting a dataset, as named in forms and in the API.
const (
	ModelsDeleted = "delete"
	ModelsKept    = "keep"
)

// KeepsModels parses whether the models are kept.
func KeepsModels(value string) (keep bool, err error) {
	if !slices.Contains([]string{"", ModelsDeleted, ModelsKept}, value) {
		return false, usererr.BadField("models", "must be %s or %s (got %q)", ModelsKept, ModelsDeleted, value)
	}
	return value == ModelsKept, nil
}
