package check

import (
	"fmt"
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
	"taper/testdata"
)

// TestShippedFilesAskLittle: what is asked of the files that ship is right and little,
// and what a person is asked first is what does most harm. They are on every machine;
// TestRealFilesAskLittle looks at others where they are.
func TestShippedFilesAskLittle(t *testing.T) {
	for name, want := range map[string][]string{
		"iris.csv":         {"which-event:species"},
		"wdbc.csv":         {"leak:worst_perimeter, worst_radius, worst_area, worst_concave_points, mean_concave_points"},
		"adni-like.csv":    nil,
		"heart-clinic.csv": nil,
	} {
		if _, all := issuesOf(t, string(testdata.Read(name)), table.Options{}); !slices.Equal(asked(all), want) {
			t.Errorf("%s asks %q, want %q", name, asked(all), want)
		}
	}
}

// TestStoredChecks: everything that is said of the shipped files, as they are and after
// each first answer, is what it was.
func TestStoredChecks(t *testing.T) {
	for _, name := range []string{"iris", "wdbc", "heart-clinic", "heart-clinic-dirty"} {
		t.Run(name, func(t *testing.T) {
			found := map[string]any{}
			text, opt := string(testdata.Read(name+".csv")), table.Options{}
			for step := range 14 {
				tab, all := issuesOf(t, text, opt)
				o := SuggestOutcome(tab)
				said := map[string]any{"warnings": all, "outcome": o, "likely": LikelyOutcomes(tab), "open": len(OpenQuestions(all)),
					"must name": MustNameOutcome(tab), "predictors": UsablePredictors(tab, o.Column, "", ""),
					"parameters": Parameters(tab, UsablePredictors(tab, o.Column, "", ""))}
				var roles []string
				for _, c := range tab.Columns {
					roles = append(roles, fmt.Sprint(c.Name, " ", c.Type, " ", c.Role, " ", c.Missing, " ", c.Distinct, " ", Personal(c)))
				}
				said["columns"] = roles
				found[fmt.Sprint("answers ", step)] = said
				i := slices.IndexFunc(all, func(w table.Warning) bool { return w.Level == "ask" && len(w.Choices) > 0 })
				if i < 0 {
					break
				}
				opt = tabletest.Choose(opt, all[i], all[i].Choices[0])
			}
			golden.Equal(t, "checks/"+name, found)
		})
	}
}
