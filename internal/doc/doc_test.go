package doc

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/doc/mask"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

func TestCell(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	nothing := (*float64)(nil)
	for _, c := range []struct {
		name        string
		cell        Cell
		text, small string
	}{
		{"a text", Cell{Value: "age", Note: "years"}, "age", "years"},
		{"nothing", Cell{}, "–", ""},
		{"no number", Cell{Value: nothing, Format: To(3)}, "–", ""},
		{"a count", Cell{Value: 12345}, "12\u202f345", ""},
		{"a number", Cell{Value: -.12345, Format: To(3)}, "−0.123", ""},
		{"an interval", Cell{Value: v(.5), Low: v(.25), High: v(.75), Format: Shares(1)}, "50.0", "(25.0\u00a0–\u2060\u00a075.0)"},
		{"an interval without width", Cell{Value: v(1), Low: v(1), High: v(1), Format: To(3)}, "1.000", "(no interval)"},
		{"nor with few digits", Cell{Value: v(1), Low: v(1), High: v(1), Format: Format{Style: Joint, Bare: true}}, "1", "no interval"},
		{"nor of nothing flagged", Cell{Value: v(0), Low: v(0), High: v(0), Format: To(3)}, "0.000", "(no interval)"},
		{"no difference on any row", Cell{Value: v(0), Low: v(0), High: v(0), Format: Format{Digits: 3, Signed: true}}, "0.000", "(0.000\u00a0–\u2060\u00a00.000)"},
		{"a narrow interval", Cell{Value: v(1), Low: v(.99999), High: v(1), Format: To(3)}, "1.000", "(1.000\u00a0–\u2060\u00a01.000)"},
		{"half an interval is none", Cell{Value: v(.5), Low: v(.25), Format: Shares(1), Note: "why"}, "50.0", "why"},
		{"a difference", Cell{Value: v(.02), Low: v(-.01), High: v(.05), Format: Format{Digits: 2, Signed: true, Bare: true}}, "+0.02", "−0.01\u00a0–\u2060\u00a0+0.05"},
		{"nothing has no sign", Cell{Value: v(.0004), Format: Format{Digits: 2, Signed: true}}, "0.00", ""},
		{"a joint estimate", Cell{Value: v(1.234), Low: v(.0512), High: v(12.34), Format: Format{Style: Joint, Null: 1}}, "1.23", "(0.05\u00a0–\u2060\u00a012.34)"},
		{"a masked count", Cell{Value: mask.Span{Low: 1, High: 9}}, "1\u00a0–\u2060\u00a09", ""},
		{"a range", Cell{Value: Range{Low: .1, High: v(.2)}, Format: Shares(0)}, "10\u00a0–\u2060\u00a020", ""},
		{"a range that rounds to one number", Cell{Value: Range{Low: .101, High: v(.104)}, Format: Shares(0)}, "10", ""},
		{"a range without an end", Cell{Value: Range{Low: 2}, Format: Format{Style: Ratio}}, "≥ 2.00", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.cell.Text(); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			if got := c.cell.Small(); got != c.small {
				t.Errorf("small %q, want %q", got, c.small)
			}
		})
	}
}

// TestMask: everything that reveals hidden counts is replaced by its substitute or omitted, and
// no declaration, reference or function is left.
func TestMask(t *testing.T) {
	first, all := mask.Ref{Table: "bands"}, mask.Ref{Table: "bands", Row: mask.All}
	span := func(r mask.Released) Cell { return Cell{Value: r["bands"].Rows[0].Events} }
	d := Document{Title: "Run", Counts: map[string][]mask.Split{"bands": {{N: 100, Events: 7}, {N: 200, Events: 90}, {N: 50, Events: 20}}},
		Sections: []Section{
			{Title: "Bands", Body: []Node{
				Table{Label: "Bands", Note: "Rates.", MaskedNote: MaskedNote{" Masked.", all}, Rows: []Row{
					{Cells: []Cell{{Value: "low"}, {Value: 7, Reveals: first, Instead: span}, {Value: .07, Reveals: first}}},
					{Cells: []Cell{{Value: "left out"}}, Reveals: first},
					{Cells: []Cell{{Value: "total, shown"}, {Value: 117, Reveals: mask.Ref{Table: "bands", Row: mask.All, Part: stat.Total}}}},
					{Cells: []Cell{{Value: "no count"}, {Value: .8, Reveals: mask.Ref{Table: "bands", Part: stat.Nothing}}}},
					{Cells: []Cell{{Value: "exact"}}, Reveals: first, Instead: func(mask.Released) Row { return Row{Cells: []Cell{{Value: "instead"}}} }},
				}},
				Guarded{Node: Note("7 events"), Reveals: all, Instead: func(mask.Released) Node { return Note("few events") }},
				Guarded{Node: Note("7 events"), Reveals: first},
				Figures{{Title: "ROC", Reveals: all}, {Title: "Weights", Reveals: mask.NoCount}, {Title: "Nobody said"},
					{Title: "Steps", Reveals: mask.OfRows, Instead: func(mask.Released) Figure { return Figure{Title: "Nobody said"} }}},
				Drawing{Wide: "odds", Reveals: mask.NoCount}, Drawing{Wide: "nobody said"}, Drawing{Wide: "rows", Reveals: mask.OfRows},
				Form{},
				Group{ID: "rows", Screen: true, Body: []Node{Note("row 7")}},
				Group{ID: "lead", Body: []Node{Section{Title: "Below", Body: []Node{Note("told"), Form{}}},
					Section{Title: "Empty", Body: []Node{Form{}}}}},
			}},
			{Title: "Left out", Body: []Node{Pair{{Guarded{Node: Say("7"), Reveals: first}}}, Block{Form{}},
				Table{Rows: []Row{{Cells: []Cell{{Value: 7}}, Reveals: all}}}, Figures{{Title: "ROC", Reveals: all}}}},
			{Title: "A count that nobody declared", Body: []Node{Guarded{Node: Note("7"), Reveals: mask.Ref{Table: "groups"}}}},
		}}
	want := Document{Title: "Run", Sections: []Section{{Title: "Bands", Body: []Node{
		Table{Label: "Bands", Note: "Rates. Masked.", Rows: []Row{
			{Cells: []Cell{{Value: "low"}, {Value: mask.Span{Low: 1, High: 9}}, {}}},
			{Cells: []Cell{{Value: "total, shown"}, {Value: 117}}},
			{Cells: []Cell{{Value: "no count"}, {Value: .8}}},
			{Cells: []Cell{{Value: "instead"}}},
		}},
		Note("few events"), Figures{{Title: "Weights"}}, Drawing{Wide: "odds"},
		Group{ID: "lead", Body: []Node{Section{Title: "Below", Body: []Node{Note("told")}}}},
	}}}}
	if d := cmp.Diff(want, Mask(d, func(_ string, rows []mask.Split) mask.Table { return mask.Hide(rows) })); d != "" {
		t.Error(d)
	}
	everything := Mask(d, func(_ string, rows []mask.Split) mask.Table {
		return mask.Hide([]mask.Split{{N: 100, Events: 50}, {N: 200, Events: 90}, {N: 50, Events: 20}})
	})
	if n := len(everything.Sections[0].Body); n != 6 {
		t.Errorf("with nothing to hide %d nodes are left, want all but the form and the rows", n)
	}
	if d.Sections[0].Body[0].(Table).Rows[0].Cells[1].Value != 7 {
		t.Error("masking changed the document it was given")
	}
}

// TestStored: a masked document survives a round trip through JSON; views and functions cannot
// be stored.
func TestStored(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	d := Document{Title: "Run", Use: "Research.", Facts: []Fact{{Label: "Run", Value: "r1", Mono: true}}, Foot: []string{"Taper"},
		Sections: []Section{{ID: "all", Title: "All", Say: "Every node.", Class: "wide", Body: Nodes{
			Verdict{"One.", "Two."}, Note("small"), Say("said"), List{"item"}, Code("f = 1"), Facts{{Label: "λ", Value: "0.1"}},
			Figure{Title: "ROC", Say: "Curve.", SVG: "<svg/>", Legend: []Mark{{SVG: "<i/>", Text: "line"}}},
			Section{ID: "below", Lower: true, Body: Nodes{Group{ID: "part", Body: Nodes{Highlights{{Label: "AUC", Value: "0.8"}}}}}},
			Figure{Lines: &viz.Overlay{ID: "lift", Lines: []viz.Trace{{Name: "model", X: []float64{0, .5}, Y: []float64{0, 1}}},
				X: viz.Axis{Name: "flagged", Ends: [2]float64{0, 1}}, Rows: [][]string{{"5", "10"}}}},
			Figures{{Title: "Table", Table: &Table{Label: "t"}}}, Pair{{Note("left")}, {Note("right"), Say("below")}},
			Block{Note("close")}, Curves{Say("knots")}, Flow{{Count: mask.Span{Low: 1, High: 9}, Lines: []string{"dropped"}}},
			Icons{{Name: "low", Text: "3 of 100", SVG: "<svg/>"}}, Drawing{Wide: "<svg/>", Narrow: "<svg/>"},
			Table{ID: "t", Caption: "T", Label: "T", Class: "x", Tall: true, Lean: true, Note: "n", Head: []Column{{Label: "a", Span: 2}},
				Columns: []Column{{Label: "a", Unit: "%", Number: true, Class: "c", SVG: "<svg/>"}},
				Rows: []Row{{Class: "is-few", Cells: []Cell{{Value: "text", Note: "n", Swatch: "<i/>", Chip: "inside", Mark: "a",
					Verdict: "better", Spoken: "s", Class: "c"}, {}, {Value: 12}, {Value: .25, Format: Shares(1)},
					{Value: mask.Span{Low: 1, High: 9}}, {Value: Range{Low: .1, High: v(.2)}, Format: To(2)}, {Value: Range{Low: 2}},
					{Value: 2., Low: v(1), High: v(3), Format: Format{Style: Joint, Digits: 2, Null: 1, Signed: true, Bare: true, Before: "× "}}}}},
				Foot: []Cell{{Value: ""}}},
		}}}}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got Document
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(d, got); d != "" {
		t.Error(d)
	}
	for name, n := range map[string]Node{"a view": Part{}, "a form": Form{}, "counts": Counted(nil), "a guard": Guarded{},
		"a value of an unknown type": Table{Foot: []Cell{{Value: true}}}} {
		if text, err := json.Marshal(Nodes{n}); err == nil {
			t.Errorf("%s is stored as %s", name, text)
		}
	}
	if err := json.Unmarshal([]byte(`[{"kind":"dance","node":1}]`), &Nodes{}); err == nil {
		t.Error("a node of an unknown kind is read")
	}
}
