package datasets

import (
	"slices"

	"taper/internal/engine/usererr"
)

// The ways to delete a dataset, as a form and the API name them.
const (
	ModelsDeleted = "delete"
	ModelsKept    = "keep"
)

// KeepsModels reads what becomes of the models.
func KeepsModels(value string) (keep bool, err error) {
	if !slices.Contains([]string{"", ModelsDeleted, ModelsKept}, value) {
		return false, usererr.BadField("models", "must be %s or %s (got %q)", ModelsKept, ModelsDeleted, value)
	}
	return value == ModelsKept, nil
}
