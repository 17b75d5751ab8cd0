// Package sheet shows every component in its states, with invented content, for golden files and browser tests. It
// is not part of the program.
package sheet

import (
	"context"
	"fmt"
	"io"

	"github.com/a-h/templ"

	"taper/web/templates"
)

// Part is one component in one state.
type Part struct {
	Name string
	Show templ.Component
}

// Page is the whole sheet in the frame p.
func Page(p templates.Page) templ.Component {
	p.Title = "Components"
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: "sheet"}}
	p.Result = templates.Sentence("Every part in its states.", "One accent, one probability scale, one table, one slider.")
	p.Actions = templates.Buttons(
		templates.Button{Label: "Copy link", Icon: "link", Copy: "here"},
		templates.Button{Label: "Delete", Icon: "trash", Kind: "bad", Dialog: "sure"},
	)
	body := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, `<form class="comp-3" action="/sheet" data-live="/sheet/live">`)
		for _, part := range Parts() {
			if _, err := fmt.Fprintf(w, `<section class="stack-s"><h2>%s</h2>`, part.Name); err != nil {
				return err
			}
			if err := part.Show.Render(ctx, w); err != nil {
				return err
			}
			_, _ = io.WriteString(w, `</section>`)
		}
		_, _ = io.WriteString(w, `</form>`)
		return templates.DialogView(Sure()).Render(ctx, w)
	})
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return templates.Layout(p).Render(templ.WithChildren(ctx, body), w)
	})
}

// Parts are the components, in the order of the design's picture.
func Parts() []Part {
	return []Part{
		{"Slider", templates.SliderView(Alpha())},
		{"Slider, plain", templates.SliderView(templates.Slider{
			ID: "t1", Name: "t1", Symbol: "t", Sub: "1", Label: "keyboard", Max: 1, Step: .01, Value: .6, Default: .6,
			Text:  "0.60",
			Hint:  "Arrows ±0.01, Page keys ±0.10.",
			Ticks: []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: "1"}}})},
		{"Slider, out of range", templates.SliderView(templates.Slider{
			ID: "t2", Name: "t2", Symbol: "t", Sub: "2", Label: "out of range", Min: 1, Max: 1.99, Step: .01, Value: 1.99,
			Default: 1, Text: "2,4",
			Error: "2.4 is above 1.99. Using 1.99."})},
		{"Slider, disabled", templates.SliderView(templates.Slider{
			ID: "l2", Name: "l2", Symbol: "λ", Label: "chosen by CV", Stops: []string{"1e-5", "1e-4", "1e-3", "0.003", "0.01",
				"0.1"},
			Value: 3, Disabled: true, Hint: "Turn cross-validation off to set it."})},
		{"Slider, one line", templates.SliderView(templates.Slider{
			ID: "pi1", Name: "pi1", Symbol: "π", Sub: "1", Note: "25 %", Min: .01, Max: .99, Step: .01, Value: .25,
			Default: .25, Compact: true})},
		{"Chips", chips()},
		{"Chart", templates.ChartView(Losses())},
		{"Chart, same axis", templates.ChartView(Slopes())},
		{"Scatter", templates.ChartView(Points())},
		{"Table", templates.TableView(Strata())},
		{"Notices", templates.Notices(notices())},
		{"Banners", join(
			templates.BannerView(templates.Banner{Fact: "18 events for 12 parameters (1.5 each):", Text: "exploratory only."}),
			templates.BannerView(templates.Banner{Bad: true, Fact: "Row 212 has 15 cells, expected 16.",
				Text:   "Line 213 of heart-clinic.csv. Nothing was stored.",
				Button: &templates.Button{Label: "Show the line", URL: "#line"}}))},
		{"Progress", templates.ProgressView(templates.Progress{Step: "Fold 3 of 5", Detail: "λ 4 of 9",
			Percent: 41,
			Time:    "6 s so far, about 9 s left", Cancel: &templates.Button{Label: "Cancel", Icon: "stop", URL: "#cancel"}})},
		{"Empty", templates.EmptyView(templates.Empty{Title: "No runs yet",
			Text: "A run stores the hash of its data, its seed and its version: repeating it gives bit-identical results.",
			Buttons: []templates.Button{{Label: "Open the sample", Icon: "document", URL: "#sample", Kind: "1"},
				{Label: "Drop a CSV", Icon: "upload", URL: "#drop"}}})},
		{"Fields", fields()},
	}
}

// Alpha is a slider with an uneven scale and its usual range shaded.
func Alpha() templates.Slider {
	return templates.Slider{
		ID: "alpha", Name: "alpha", Symbol: "α", Stops: []string{"0.25", "0.5", "1", "2", "4", "8", "16", "32", "inf"},
		Value: 4, Default: 2,
		Usual: [2]float64{.25, .65}, Hint: "Loss capped at 1.33; usual range shaded.",
		Ticks: []templates.Tick{{At: 0, Label: "¼"}, {At: .125, Label: "½"}, {At: .25, Label: "1"},
			{At: .5, Label: "4"}, {At: .875, Label: "32"}, {At: 1, Label: "∞"}},
	}
}

// Sure is a dialog. It is outside of the sheet's form, since forms cannot be nested.
func Sure() templates.Dialog {
	return templates.Dialog{ID: "sure", Question: "Delete heart-clinic.csv?",
		Text: "The file, its 4 runs and their rows are wiped from this machine. This cannot be undone.",
		Keep: "Keep", Do: templates.Button{Label: "Delete file and 4 runs", Icon: "trash", Kind: "bad", URL: "/sheet",
			Method: "POST"}}
}

func chips() templ.Component {
	var cs []templ.Component
	for _, v := range []string{"inside", "compatible", "unclear", "outside", "too few"} {
		cs = append(cs, templates.ChipView(templates.Verdict(v)))
	}
	for _, v := range []string{"queued", "running", "done", "failed", "interrupted"} {
		cs = append(cs, templates.ChipView(templates.Status(v)))
	}
	cs = append(cs,
		templates.ChipView(templates.Chip{Icon: "convex", Label: "convex"}),
		templates.ChipView(templates.Chip{Icon: "quasi", Label: "quasi-convex"}),
		templates.ChipView(templates.Chip{Icon: "bounded", Label: "bounded at 2.50", Kind: "accent"}),
		templates.ChipView(templates.Chip{Icon: "warn", Label: "leak?", Kind: "warn"}))
	return inside("chips", join(cs...))
}

func notices() []templates.Notice {
	post := func(label, kind string) templates.Button {
		return templates.Button{Label: label, Kind: kind, URL: "#answer"}
	}
	return []templates.Notice{
		{ID: "n1", Kind: "ask", Fact: "−9 in 23 rows of chol.", Text: "Is −9 a code for a missing value?",
			Buttons: []templates.Button{post("Treat as missing", "1"), post("Keep the number", "")}},
		{ID: "n2", Kind: "stop", Fact: "Only ‘no’ is present.", Text: "Two classes are needed."},
		{ID: "n3", Kind: "done", Fact: "patient looks like an identifier:", Text: "kept for grouping, never a predictor."},
		{ID: "n4", Fact: "", Text: "‘0,8’ read as 0.8 in 1 column (oldpeak)."},
	}
}

// Strata is a table with intervals, a greyed row and a footer.
func Strata() templates.Table {
	verdict := func(v string) templates.Cell {
		return templates.Cell{Content: templates.ChipView(templates.Verdict(v))}
	}
	return templates.Table{
		ID: "strata", Label: "Strata", Class: "strata",
		Note: "Out of fold: every row was scored by a model that was not trained on it. Wilson 95 % CI.",
		Columns: []templates.Column{{Label: "Band", Unit: "risk of malignant"}, {Label: "Rows", Num: true},
			{Label: "Events", Num: true},
			{Label: "Observed rate", Unit: "% (95 % CI)", Num: true}, {Label: "Verdict"}},
		Rows: []templates.Row{
			{Cells: []templates.Cell{{Text: "≤ 25 %"}, {Text: "326"}, {Text: "9"}, {Text: "2.8", CI: "1.5 – 5.2"},
				verdict("inside")}},
			{Cells: []templates.Cell{{Text: "25 – 50 %"}, {Text: "43"}, {Text: "13"}, {Text: "30.2", CI: "18.6 – 45.1"},
				verdict("compatible")}},
			{Class: "is-few", Cells: []templates.Cell{{Text: "50 – 75 %"}, {Text: "24"}, {Text: "15"},
				{Text: "62.5", CI: "42.7 – 78.8"}, verdict("too few")}},
			{Class: "is-steer", Cells: []templates.Cell{{Text: "> 75 %"}, {Text: "176"}, {Text: "175"},
				{Text: "99.4", CI: "96.9 – 99.9"}, verdict("inside")}},
		},
		Foot: []templates.Cell{{Text: "All"}, {Text: "569"}, {Text: "212"}, {Text: "37.3", CI: "33.4 – 41.3"}, {}},
	}
}

func fields() templ.Component {
	three := []templates.Option{{Value: "linear", Label: "linear"}, {Value: "quadratic", Label: "quadratic"},
		{Value: "rbf", Label: "RBF", On: true}}
	return inside("stack-s", join(
		templates.Segments(templates.Choice{ID: "features", Name: "features", Label: "Features", Options: three}),
		templates.Select(templates.Choice{ID: "delimiter", Name: "delimiter", Label: "Delimiter",
			Options: []templates.Option{{Value: ";", Label: "; semicolon", On: true}, {Value: ",", Label: ", comma"}}}),
		templates.Radios(templates.Choice{ID: "rule", Name: "rule", Label: "Decision rule",
			Options: []templates.Option{{Value: "hard", Label: "Hard", Note: "one cut"},
				{Value: "interval", Label: "Interval", Note: "risk bands", On: true}}}),
		templates.Check("keep", "keep", "Keep each patient in one fold", "88 repeat", true),
		templates.InputView(templates.Input{ID: "name", Name: "name", Label: "Name", Value: "first try",
			Hint: "Shown in the list of runs."}),
		templates.InputView(templates.Input{ID: "seed", Name: "seed", Label: "Seed", Value: "x", Numeric: true,
			Error: "A seed is a whole number."}),
	))
}

func join(cs ...templ.Component) templ.Component { return templ.Join(cs...) }

func inside(class string, c templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, _ = fmt.Fprintf(w, `<div class="%s">`, class)
		if err := c.Render(ctx, w); err != nil {
			return err
		}
		_, err := io.WriteString(w, `</div>`)
		return err
	})
}
