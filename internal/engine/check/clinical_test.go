package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/testdata"
)

// file builds a CSV of n rows cell by cell.
func file(n int, header string, row func(i int, rng *rand.Rand) string) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(header))))
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i, rng) + "\n")
	}
	return b.String()
}

// issuesOf reads a CSV and returns everything that is said about it.
func issuesOf(t *testing.T, csv string, opt table.Options) (*table.Table, []table.Warning) {
	t.Helper()
	tab, err := table.Read(context.Background(), []byte(csv), opt, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	o := SuggestOutcome(tab)
	if o.Column != "" { // a person named the column, and no event
		o = SpokenEvent(tab.Column(o.Column))
	}
	all := table.Join(tab.Warnings, Columns(tab, opt), Outcome(context.Background(), tab, o, UsablePredictors(tab, o.Column, "", ""), opt))
	for _, w := range all {
		if table.Codes[w.Code] == "" {
			t.Errorf("the code %q is not listed", w.Code)
		}
	}
	return tab, all
}

// Each case is a row of docs/clinical.md, Data checks as a file: it must say the sentence, and
// taking the first choice must change what the last column says.
func TestClinicalFiles(t *testing.T) {
	age := func(rng *rand.Rand) int { return 30 + rng.IntN(50) }
	yes := func(on bool) string {
		if on {
			return "yes"
		}
		return "no"
	}
	for _, c := range []struct{ row, csv, says, after string }{
		{
			"-9 averaged",
			file(200, "chol,y", func(i int, rng *rand.Rand) string {
				if i < 41 {
					return "-9," + yes(i%3 == 0)
				}
				return fmt.Sprintf("%d,%s", 180+rng.IntN(150), yes(i%3 == 0))
			}),
			"−9 in 41 rows of chol. Is −9 a code for a missing value?", "−9 is read as missing in chol.",
		},
		{
			"999 averaged",
			file(200, "severity,y", func(i int, rng *rand.Rand) string {
				if i%50 == 0 {
					return "999," + yes(i%3 == 0)
				}
				return fmt.Sprintf("%.1f,%s", 20+30*rng.Float64(), yes(i%3 == 0))
			}),
			"999 in 4 rows of severity. Is 999 a code for a missing value?", "‘999’ is read as missing in severity.",
		},
		{
			"impossible zeros",
			file(300, "BMI,y", func(i int, rng *rand.Rand) string {
				if i < 11 {
					return "0.0," + yes(i%2 == 0)
				}
				return fmt.Sprintf("%.1f,%s", 18+20*rng.Float64(), yes(i%3 == 0))
			}),
			"0 in 11 rows of BMI. Does 0 mean that the value is missing?", "‘0’ is read as missing in BMI.",
		},
		{
			"one-level column", file(60, "site,age,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf("A,%d,%s", age(rng), yes(i%3 == 0)) }),
			"site never varies: left out.", "",
		},
		{
			"empty column", file(60, "extra,age,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf(",%d,%s", age(rng), yes(i%3 == 0)) }),
			"extra is empty: left out.", "",
		},
		{
			"mostly missing column",
			file(100, "ca,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%s,%d,%s", []string{"1", "", "2", "", ""}[i%5], age(rng), yes(i%3 == 0))
			}),
			"ca is empty in 60 of 100 rows (60" + nb + "%): left out.", "ca is empty in 60 of 100 rows (60" + nb + "%) and used all the same.",
		},
		{
			"differently spelt levels",
			file(60, "smoker,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%s,%d,%s", []string{"No", "no.", "Yes", "No"}[i%4], age(rng), yes(i%3 == 0))
			}),
			"‘No’ and ‘no.’ of smoker differ by a final full stop or case. Join them?", "Spellings of smoker are joined.",
		},
		{
			"several spellings of missing",
			file(60, "chol,y", func(i int, rng *rand.Rand) string {
				return []string{"?", "", ".", fmt.Sprint(180 + rng.IntN(99)), fmt.Sprint(180 + rng.IntN(99)), fmt.Sprint(180 + rng.IntN(99)), fmt.Sprint(180 + rng.IntN(99))}[i%7] + "," + yes(i%3 == 0)
			}),
			"Missing values are written in several ways in chol (‘?’, the empty cell and ‘.’): all of these are read as missing.", "",
		},
		{
			"file sorted by outcome", file(100, "age,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%d,%s", age(rng), yes(i >= 60)) }),
			"The file is sorted by outcome: rows are always shuffled by seed, and the row number is no predictor.", "",
		},
		{
			"row number", file(100, "nr,age,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%d,%d,%s", i+1, age(rng), yes(i >= 60)) }),
			"nr looks like an identifier: left out.", "",
		},
		{
			"follow-up time by name", file(100, "futime,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%d,%s", 100+rng.IntN(900), yes(i%3 == 0)) }),
			"futime sounds like something known only after the outcome. Is it known at the time of prediction?", "futime is left out, as you decided.",
		},
		{
			"cause of death, empty in the living",
			file(120, "cause_of_death,age,y", func(i int, rng *rand.Rand) string {
				if i%4 == 0 {
					return fmt.Sprintf("%s,%d,yes", []string{"heart", "lung", "other"}[rng.IntN(3)], age(rng))
				}
				return fmt.Sprintf(",%d,no", age(rng))
			}),
			"cause_of_death is empty in some rows, and that alone predicts the outcome with AUC 1.000: left out.", "",
		},
		{
			"leak through being empty",
			file(120, "scan,age,y", func(i int, rng *rand.Rand) string {
				if i%3 == 0 {
					return fmt.Sprintf(",%d,yes", age(rng))
				}
				return fmt.Sprintf("%d,%d,no", rng.IntN(200), age(rng))
			}),
			"scan is empty in some rows, and that alone predicts the outcome with AUC 1.000. Is it known at the time of prediction?", "scan is left out, as you decided.",
		},
		{
			"a column that gives the answer",
			file(300, "discharge_code,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%s,%d,%s", []string{"Z01", "I20"}[count(i%3 == 0)^count(i == 7)], age(rng), yes(i%3 == 0))
			}),
			// 1 of 200 others carries the code of the 100 events: AUC (1 + 199/200)/2.
			"discharge_code alone reaches AUC 0.997. Is it known at the time of prediction?", "discharge_code is left out, as you decided.",
		},
		{
			"a perfect predictor", file(100, "level,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%.2f,%s", float64(i%3)+rng.Float64(), yes(i%3 == 2))
			}),
			"level alone reaches AUC 1.000. Is it known at the time of prediction?", "level is left out, as you decided.",
		},
		{
			"identifier", file(100, "case_id,age,y", func(i int, rng *rand.Rand) string { return fmt.Sprintf("K%04d,%d,%s", 7*i, age(rng), yes(i%3 == 0)) }),
			"case_id looks like an identifier: left out.", "",
		},
		{
			"date", file(100, "visit,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("2024-%02d-%02d,%d,%s", 1+i%12, 1+i%28, age(rng), yes(i%3 == 0))
			}),
			"visit is a date: left out. It can become days since the first visit.", "visit is used as days since " +
				"its earliest date.",
		},
		{
			"free text", file(100, "note,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("seen again in %d days or so,%d,%s", i%80, age(rng), yes(i%3 == 0))
			}),
			"note is free text (80 different values): left out.", "",
		},
		{
			"outcome coded 1 and 2", file(90, "age,status", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%d,%d", age(rng), 1+count(i%3 == 0)) }),
			"status has the values ‘1’ (60 rows) and ‘2’ (30 rows). Which value is the event?", "",
		},
		{
			"three values where two are needed",
			file(100, "age,event", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%d,%s", age(rng), []string{"0", "1", "0", "9"}[i%4])
			}),
			"Found 0, 1, 9: map 9, or choose ordinal / multiclass.", "event has the values ‘0’ (50 rows) and ‘1’ (25 rows). Which value is the event?",
		},
		{
			"missing outcome", file(123, "age,event", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%d,%s", age(rng), []string{yes(i%2 == 0), ""}[count(i%5 == 0 && i < 115)])
			}),
			"23 rows lack the outcome: scored, but not used for training.", "",
		},
		{
			"the same patient several times",
			file(294, "patient,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("P%d,%d,%s", 1000+i%285, age(rng), yes(i%3 == 0))
			}),
			"18 rows belong to patients seen more than once (285 patients, 294 rows). Keep each patient in one fold?", "patient keeps the rows of a patient in one fold (285 patients, 294 rows).",
		},
		{
			"identical rows",
			file(114, "a,b,y", func(i int, _ *rand.Rand) string {
				rng := rand.New(rand.NewPCG(uint64(i%100), 1))
				return fmt.Sprintf("%.5f,%.5f,%s", rng.NormFloat64(), rng.NormFloat64(), yes(i%100%3 == 0))
			}),
			"14 rows are identical to an earlier one. Copies can be in both training and test data, which makes the results optimistic. Keep them?", "",
		},
		{
			"few events", file(180, "a,b,c,d,e,f,g,h,i,j,k,l,disease", func(i int, rng *rand.Rand) string {
				var cells []string
				for range 12 {
					cells = append(cells, fmt.Sprintf("%.3f", rng.NormFloat64()))
				}
				return strings.Join(append(cells, yes(i%10 == 0)), ",")
			}),
			"18 events for 12 parameters (1.5 each): exploratory only.", "",
		},
		{
			"boundaries far from the prevalence", file(600, "a,disease", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%.3f,%s", rng.NormFloat64(), yes(i%20 == 0)) }),
			"5.0" + nb + "% of the rows are events: with boundaries at 25, 50 and 75" + nb + "% all rows may fall in one band. Try boundaries near 2, 5, 10" + nb + "%.", "",
		},
		{
			"groups to be scored only", file(120, "age,group", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%d,%s", age(rng), []string{"NC", "sMCI", "pMCI", "AD"}[i%4])
			}),
			"60 rows (sMCI and pMCI): scored, but not used for training.", "",
		},
		{
			"post codes", file(100, "zip,age,y", func(i int, rng *rand.Rand) string {
				return fmt.Sprintf("%d,%d,%s", 50000+rng.IntN(60), age(rng), yes(i%3 == 0))
			}),
			"zip looks like post codes: left out, and not stored once you confirm the columns.", "zip looks like post codes: kept, as you decided.",
		},
	} {
		t.Run(c.row, func(t *testing.T) {
			_, all := issuesOf(t, c.csv, table.Options{})
			i := slices.IndexFunc(all, func(w table.Warning) bool { return w.Message == c.says })
			if i < 0 {
				t.Fatalf("%q is not among %q", c.says, sentences(all))
			}
			if c.after == "" {
				return
			}
			_, all = issuesOf(t, c.csv, tabletest.Choose(table.Options{}, all[i], all[i].Choices[0]))
			if i := slices.IndexFunc(all, func(w table.Warning) bool { return w.Message == c.after }); i < 0 {
				t.Errorf("after %q: %q is not among %q", c.says, c.after, sentences(all))
			}
		})
	}
}

func TestOneClassOnly(t *testing.T) {
	tab, _ := issuesOf(t, file(40, "age,y", func(i int, _ *rand.Rand) string { return fmt.Sprintf("%d,no", 30+i%37) }), table.Options{})
	want(t, say(t, Outcome(context.Background(), tab, table.OutcomeChoice{Column: "y"}, []string{"age"}, table.Options{}), "one-class"), "y is no in all 40 rows, so there is nothing to predict. "+
		"Choose another column or upload a file with both values.")
	tab, _ = issuesOf(t, file(40, "age,y", func(i int, _ *rand.Rand) string { return fmt.Sprintf("%d,0", 30+i%37) }), table.Options{})
	want(t, say(t, Outcome(context.Background(), tab, table.OutcomeChoice{Column: "y"}, []string{"age"}, table.Options{}), "one-class"), "y is 0 in all 40 rows, so there is nothing to predict. "+
		"Choose another column or upload a file with both values.")
}

// asked lists the questions by code and column.
func asked(all []table.Warning) (keys []string) {
	for _, w := range all {
		if w.Level != "note" {
			keys = append(keys, w.Key())
		}
	}
	return keys
}

// The samples that ship ask exactly what they were made to ask.
func TestSamplesAskWhatTheyShould(t *testing.T) {
	for name, expect := range map[string][]string{
		"wdbc.csv":         {"leak:worst_perimeter, worst_radius, worst_area, worst_concave_points, mean_concave_points"},
		"adni-like.csv":    nil,
		"heart-clinic.csv": nil,
		"heart-clinic-dirty.csv": {
			"header-row:", "odd-text:troponin", "missing-code:trestbps", "missing-code:chol", "similar-levels:smoker", "repeated-patients:patient", "leak:discharge_code",
		},
	} {
		tab, all := issuesOf(t, string(testdata.Read(name)), table.Options{})
		if got := asked(all); !slices.Equal(got, expect) {
			t.Errorf("%s asks %q, want %q", name, got, expect)
		}
		i := slices.IndexFunc(testdata.Samples, func(s testdata.Sample) bool { return s.File == name })
		o, s := SuggestOutcome(tab), testdata.Samples[i]
		slices.Sort(o.ScoreOnly)
		if o.Column != s.Outcome || o.Positive.String() != s.Positive || o.Negative.String() != s.Negative || len(o.ScoreOnly) != len(s.ScoreOnly) {
			t.Errorf("%s: suggests %+v", name, o)
		}
	}
}

// Answering every question with its proposal leaves none.
func TestDirtySampleIsRepairedByItsFirstChoices(t *testing.T) {
	opt := table.Options{}
	var tab *table.Table
	for range 12 {
		var all []table.Warning
		tab, all = issuesOf(t, string(testdata.Read("heart-clinic-dirty.csv")), opt)
		if len(asked(all)) == 0 {
			break
		}
		i := slices.IndexFunc(all, func(w table.Warning) bool { return w.Level == "ask" })
		opt = tabletest.Choose(opt, all[i], all[i].Choices[0])
	}
	got := UsablePredictors(tab, "disease", "patient", "")
	if expect := "age sex größe cp trestbps chol fbs thalach exang oldpeak troponin smoker"; strings.Join(got, " ") != expect {
		t.Errorf("predictors %q", got)
	}
	chol := tab.Column("chol")
	if chol.Missing != 33 || tab.Column("patient").Role != table.Group || tab.Column("smoker").Distinct != 2 || tab.Column("troponin").Missing != 0 {
		t.Errorf("chol lacks %d, troponin %d, smoker has %d levels", chol.Missing, tab.Column("troponin").Missing, tab.Column("smoker").Distinct)
	}
}

// Real files: the warnings are right and few. They are read where they are, and
// the test is skipped without them.
func TestRealFilesAskLittle(t *testing.T) {
	dir := os.Getenv("TAPER_DATA_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real files is absent: set TAPER_DATA_DIR")
	}
	for name, expect := range map[string][]string{
		"biopsy.csv":          {"repeated-patients:ID", "leak:V2", "leak:V3"},
		"pima.csv":            {"impossible-zero:glucose, pressure, skinfold, insulin, bmi", "which-event:diabetes"},
		"pbc.csv":             {"follow-up:time", "which-event:status"},
		"heart-hungarian.csv": {"which-event:num", "codes:cp"},
	} {
		csv, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, all := issuesOf(t, string(csv), table.Options{}); !slices.Equal(asked(all), expect) {
			t.Errorf("%s asks %q, want %q", name, asked(all), expect)
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
