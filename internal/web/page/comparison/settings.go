package comparison

import (
	"cmp"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine/compare"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// inOrder lists all settings in the order of the spec.
func (v Page) inOrder() []compare.Setting {
	all := slices.Concat(v.Differences, v.Same)
	slices.SortFunc(all, func(a, b compare.Setting) int { return compare.Place(a.Field) - compare.Place(b.Field) })
	return all
}

// settingRows are the settings as texts; settings that no run has are left out.
func (v Page) settingRows(list []compare.Setting) []doc.Row {
	var rows []doc.Row
	for _, s := range list {
		row, some := doc.Row{Cells: []doc.Cell{{Value: settingLabels[s.Field]}}}, false
		for _, i := range v.order() {
			text := settingText(s.Field, v.runs[i])
			if s.Field == "predictors" && i != v.Base {
				text = predictorChange(v.runs[v.Base].Spec.Predictors, v.runs[i].Spec.Predictors)
			}
			some = some || text != ""
			row.Cells = append(row.Cells, doc.Cell{Value: cmp.Or(viz.Unbroken(text), viz.None), Class: "wrap"})
			if i != v.Base {
				row.Cells = append(row.Cells, doc.Cell{Value: ""})
			}
		}
		if some {
			rows = append(rows, row)
		}
	}
	return rows
}

// predictorChange describes a set of predictors by what it removes from and adds to that of the baseline.
func predictorChange(base, own []string) string {
	var less, more []string
	for _, name := range base {
		if !slices.Contains(own, name) {
			less = append(less, name)
		}
	}
	for _, name := range own {
		if !slices.Contains(base, name) {
			more = append(more, name)
		}
	}
	text := predictorsText(own)
	if len(less) > 0 {
		text += ", without " + format.Names(less, 4)
	}
	if len(more) > 0 {
		text += ", with " + format.Names(more, 4)
	}
	return text
}
