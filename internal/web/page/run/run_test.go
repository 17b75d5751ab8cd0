package run

import (
	"slices"
	"testing"
	"time"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// ids lists the sections of a document in order, including those in columns.
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
	result := store.Run{Status: store.Done, Result: &engine.Result{}}
	wiped := result
	wiped.Wiped = time.Unix(1, 0)
	found := resultview.Headline{Strong: "Found."}
	for _, c := range []struct {
		name, answer string
		record       Record
		sections     []string
	}{
		{"one that runs", "This run is running.", Record{Run: store.Run{Status: store.Running},
			Progress: &templates.Progress{}}, []string{"spec"}},
		{"one that failed", "Failed.", Record{Run: store.Run{Status: store.Failed, Error: "Failed. No rows."}}, []string{"spec"}},
		{"the result", "Found.", Record{Run: result, Headline: found, Sections: of("strata")}, []string{"strata"}},
		{"its model", "Found.", Record{Run: result, Page: Model, Headline: found, Sections: of("coef")}, []string{"coef"}},
		{"one whose data were deleted", "The model was kept, its data were deleted",
			Record{Run: wiped, Sections: of("kept-1")}, []string{"verdict", "kept-1"}},
		{"its model, data deleted", "", Record{Run: wiped, Page: Model, Sections: of("kept-2")}, []string{"kept-2", "spec"}},
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

// TestTabs: a run links to exactly the pages that it has.
func TestTabs(t *testing.T) {
	done := store.Run{ID: "r1", Status: store.Done, Result: &engine.Result{}}
	wiped, binned := done, done
	wiped.Wiped = time.Unix(1, 0)
	binned.Spec.Bins = &runspec.Bins{}
	for _, c := range []struct {
		name string
		run  store.Run
		urls []string
	}{
		{"finished", done, []string{"/runs/r1", "/runs/r1/performance", "/runs/r1/model", "/runs/r1/patients", "/audit/r1", "/report/r1"}},
		{"without its data", wiped, []string{"/runs/r1", "/runs/r1/performance", "/runs/r1/model", "/runs/r1/patients", "/report/r1"}},
		{"in bins", binned, []string{"/runs/r1", "/runs/r1/performance", "/runs/r1/model", "/runs/r1/patients", "/report/r1"}},
		{"queued", store.Run{ID: "r1", Status: store.Queued}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			if tabs := Tabs(c.run, Result, "", ""); tabs != nil {
				for _, l := range tabs.Links {
					got = append(got, l.URL)
				}
			}
			if !slices.Equal(got, c.urls) {
				t.Errorf("tabs to %v, want %v", got, c.urls)
			}
			if Has(c.run, Patients) != (len(c.urls) > 0) || !Has(c.run, Result) {
				t.Error("it has other pages than its tabs lead to")
			}
		})
	}
}
