package compare

import (
	"reflect"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
)

// Least and Most bound the number of runs in a comparison.
const (
	Least = 2
	Most  = 6
)

// Run is a finished run with everything stored about it.
type Run struct {
	ID, Name, Data, SHA256, Version string

	Spec   runspec.Spec
	Result *engine.Result
	Rows   []engine.RowScore
	Model  *model.Model
}

// sameEvent reports whether two runs on one file predict the same event.
func sameEvent(x, y Run) bool {
	return x.Spec.Outcome == y.Spec.Outcome && x.Result.Positive.SameSet(y.Result.Positive) &&
		x.Result.Negative.SameSet(y.Result.Negative) &&
		slices.Equal(levels(x), levels(y)) && reflect.DeepEqual(x.Spec.Bins, y.Spec.Bins)
}

func levels(r Run) []string {
	if r.Result.Classes == nil {
		return nil
	}
	return r.Result.Classes.Levels
}

// twoClasses reports whether a run has an event.
func twoClasses(r Run) bool {
	return !r.Spec.Multiclass() && r.Model != nil && len(r.Result.Positive) > 0
}
