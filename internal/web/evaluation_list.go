package web

import (
	"context"

	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// externals lists the validations of a run on its page.
func (s *Server) externals(ctx context.Context, r store.Run) (templates.Externals, error) {
	v := templates.Externals{Say: "None yet. Score a file of rows from elsewhere that carry ‘" + r.Spec.Outcome +
		"’ and tick “judge the model on them”."}
	all, err := s.db.Evaluations(ctx, r.ID)
	if err != nil || len(all) == 0 {
		return v, err
	}
	several := r.Result != nil && r.Result.Classes != nil
	t := &templates.Table{Label: "External validations", Columns: []templates.Column{{Label: "Report"}, {Label: "File"},
		{Label: "Date"}, {Label: "Rows", Num: true}}}
	if several {
		t.Columns = append(t.Columns, templates.Column{Label: format.Narrow("accuracy"), Unit: "%", Num: true})
	} else {
		t.Columns = append(t.Columns, templates.Column{Label: "Events", Num: true},
			templates.Column{Label: format.Narrow("auc"), Num: true},
			templates.Column{Label: format.Narrow("observed_expected"), Num: true})
	}
	for _, e := range all {
		cells := []templates.Cell{{Text: format.Cut(e.Name, 60), URL: "/evaluations/" + e.ID},
			{Text: format.Cut(e.File, 40)}, {Text: e.Created.UTC().Format("2 January 2006")}, {Text: viz.Count(e.N)}}
		if several {
			cells = append(cells, templates.Cell{Text: format.StatisticOf(stat.ByID("accuracy"), e.Accuracy)})
		} else {
			cells = append(cells, templates.Cell{Text: viz.Count(e.Events)},
				templates.Cell{Text: format.StatisticOf(stat.ByID("auc"), e.AUC)},
				templates.Cell{Text: format.StatisticOf(stat.ByID("observed_expected"), e.ObservedExpected)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	v.Say, v.Table = "Counts and statistics of the model on other files; no row of them is kept.", t
	return v, nil
}
