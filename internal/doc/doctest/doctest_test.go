package doctest

import (
	"slices"
	"testing"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/doc/mask"
)

// TestOf: a figure without Reveals is found wherever it is, also as a substitute and in a view.
func TestOf(t *testing.T) {
	told := doc.Figure{Title: "told", SVG: "<svg/>", Reveals: mask.NoCount}
	swapped := told
	swapped.Instead = func(mask.Released) doc.Figure { return doc.Figure{SVG: "<svg/>"} }
	empty := told
	empty.Instead = func(mask.Released) doc.Figure { return doc.Figure{} }
	for name, c := range map[string]struct {
		node  doc.Node
		finds int
	}{
		"declared": {told, 0}, "nothing in its place": {empty, 0}, "no figure": {doc.Note("note"), 0},
		"alone": {doc.Figure{}, 1}, "side by side": {doc.Figures{told, {}}, 1}, "in place of another": {swapped, 1},
		"a drawing": {doc.Drawing{Wide: "<svg/>"}, 1}, "among curves": {doc.Curves{doc.Figures{{}}}, 1},
		"in a part": {doc.Group{Body: doc.Nodes{doc.Pair{{doc.Section{Body: doc.Nodes{doc.Block{doc.Figure{}}}}}}}}, 1},
		"of counts": {doc.Counted(func(mask.Released) []doc.Node { return []doc.Node{doc.Figure{}} }), 1},
		"a view":    {doc.Part{View: templ.Raw("<figure>")}, 1}, "words": {doc.Part{View: templ.Raw("<p>")}, 0},
		"a guarded view":     {doc.Guarded{Node: doc.Part{View: templ.Raw("<figure>")}, Reveals: mask.OfRows}, 0},
		"guarded by nothing": {doc.Guarded{Node: doc.Part{View: templ.Raw("<figure>")}}, 1},
	} {
		if got := Of(t, []doc.Section{{Title: "S", Body: doc.Nodes{c.node}}}, nil).Undeclared; len(got) != c.finds {
			t.Errorf("%s: found %v", name, got)
		}
	}
	if got := Of(t, []doc.Section{{Title: "S", Body: doc.Nodes{swapped}}}, nil); !slices.Equal(got.Declared, []string{"S/told"}) ||
		!slices.Equal(got.Undeclared, []string{"S/told in print"}) {
		t.Errorf("%+v", got)
	}
}
