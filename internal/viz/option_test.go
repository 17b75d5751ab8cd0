package viz

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// TestOptionData: points that skip the merge have the same bytes as with it, and items that
// hold more than a point do not skip it.
func TestOptionData(t *testing.T) {
	for _, c := range []struct {
		name string
		past bool
		data []opts.ScatterData
	}{
		{"points", true, []opts.ScatterData{{Value: []any{1.5, -2e-7}}, {Value: []any{3, nil}}, {Value: []any{1e21, "<b>"}}}},
		{"named", false, []opts.ScatterData{{Value: []any{1.0, 2.0}}, {Name: "a", Value: []any{3.0, 4.0}}}},
		{"a symbol", false, []opts.ScatterData{{Symbol: "none", Value: []any{1.0}}}},
		{"numbers", false, []opts.ScatterData{{Value: 1.0}, {Value: 2.0}}},
		{"items within", false, []opts.ScatterData{{Value: []any{map[string]any{"value": 1}}}}},
		{"a gap", false, []opts.ScatterData{{Value: []any{1.0, 2.0}}, {}}},
		{"none", false, []opts.ScatterData{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := func() *charts.Scatter {
				s := newScatter()
				s.AddSeries("first", []opts.ScatterData{{Value: []any{0.1, 0.2}}})
				s.AddSeries("second", c.data)
				return s
			}
			patch := func() object {
				return object{"series": []object{{"z": 1}, {"color": "s1"}}}
			}
			if past := plain(c.data) != nil; past != c.past {
				t.Errorf("past the round trip: %v, want %v", past, c.past)
			}
			s := made()
			s.Validate()
			built, err := json.Marshal(s.JSON())
			if err != nil {
				t.Fatal(err)
			}
			var tree object
			if err := json.Unmarshal(built, &tree); err != nil {
				t.Fatal(err)
			}
			for _, unused := range []string{"title", "toolbox", "color", "dataset"} {
				delete(tree, unused)
			}
			want, err := json.Marshal(lay(slim(tree), patch()))
			if err != nil {
				t.Fatal(err)
			}
			if got := option(made(), patch()); string(got) != string(want) {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
	if plain(nil) != nil || plain([]float64{math.Pi}) != nil {
		t.Error("what is no list of items goes past the round trip")
	}
}
