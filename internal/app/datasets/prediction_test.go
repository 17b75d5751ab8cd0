package datasets

import (
	"encoding/json"
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// TestPredictionRole: a column of predictions is no predictor, stays when the columns in use
// are confirmed, and becomes a predictor again if its role is changed.
func TestPredictionRole(t *testing.T) {
	of := tabletest.ByHand(tabletest.Numbers("age", 50, 60, 70, 80), tabletest.Numbers("p", .1, .25, .4, .8),
		tabletest.Texts("died", "no", "no", "yes", "yes"))
	d := store.Dataset{Choice: store.Choice{Outcome: "died", Predictors: []string{"age", "p"}},
		Profiles: []table.Profile{{Name: "age"}, {Name: "p"}, {Name: "died"}}}
	if err := (Patch{Columns: []json.RawMessage{[]byte(`{"name":"p","role":"prediction"}`)}}).Apply(&d); err != nil {
		t.Fatal(err)
	}
	seen := of.WithOptions(d.Options)
	if got := Predictors(d, seen); !slices.Equal(got, []string{"age"}) {
		t.Errorf("predictors %v", got)
	}
	if got := Predictions(d); !slices.Equal(got, []string{"p"}) || roleOf(&d, "p", []string{"age"}) != table.Prediction {
		t.Errorf("predictions %v", got)
	}
	if InUse(d, seen).Column("p") == nil {
		t.Error("the prediction goes when the columns in use are confirmed")
	}
	if err := (Patch{Columns: []json.RawMessage{[]byte(`{"name":"p","role":"predictor"}`)}}).Apply(&d); err != nil {
		t.Fatal(err)
	}
	if got := Predictors(d, of.WithOptions(d.Options)); !slices.Equal(got, []string{"age", "p"}) || Predictions(d) != nil {
		t.Errorf("predictors %v, predictions %v", got, Predictions(d))
	}
}
