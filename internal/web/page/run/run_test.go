package run

import (
	"slices"
	"testing"
	"time"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// ids lists the sections of a document in their order, those side by side too.
func ids(d doc.Document) (all []string) {
	var walk func([]doc.Node)
	walk = func(body []doc.Node) {
		for _, n := range body {
			switch n := n.(type) {
			case doc.Section:
				all = append(all, n.ID)
			case doc.Pair:
				for _, column := range n {
					walk(column)
				}
			}
		}
	}
	for _, s := range d.Sections {
		if s.ID != "" {
			all = append(all, s.ID)
		}
		walk(s.Body)
	}
	return all
}

func TestDocument(t *testing.T) {
	of := func(id string) []doc.Section { return []doc.Section{{ID: id, Title: id}} }
	view := resultview.View{Strong: "Found.", Lead: of("lead"), Caveats: of("doubts"),
		Performance: of("performance"), Classification: of("classification"), Body: of("body"), Way: of("way")}
	counted := &engine.Result{Beside: []engine.Beside{{}, {}}}
	for _, c := range []struct {
		name, answer string
		record       Record
		sections     []string
	}{
		{"one that runs", "This run is running.", Record{Run: store.Run{Status: store.Running},
			Progress: &templates.Progress{}}, []string{"spec"}},
		{"one that failed", "Failed.", Record{Run: store.Run{Status: store.Failed, Error: "Failed. No rows."}}, []string{"spec"}},
		{"two classes", "Found.", Record{Run: store.Run{Status: store.Done, Result: counted}, View: view,
			Statistics: of("size")}, []string{"verdict", "spec", "doubts", "performance", "lead", "classification", "size", "body", "way"}},
		{"several classes", "Found.", Record{Run: store.Run{Status: store.Done,
			Result: &engine.Result{Classes: &engine.ClassResult{}}}, View: view}, []string{"spec", "doubts", "performance", "lead", "classification", "body", "way"}},
		{"one whose data were deleted", "The model was kept, its data were deleted", Record{
			Run: store.Run{Status: store.Done, Wiped: time.Unix(1, 0), Result: counted}, Report: of("kept-1"), View: view},
			[]string{"verdict", "spec", "kept-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strong, _, _ := c.record.Answer(); strong != c.answer {
				t.Errorf("the headline is %q, want %q", strong, c.answer)
			}
			if got := ids(c.record.Document()); !slices.Equal(got, c.sections) {
				t.Errorf("sections %v, want %v", got, c.sections)
			}
		})
	}
}
