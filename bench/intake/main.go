// Intake measures what the data checks notice: flaws are put one by one and all together into generated clinical
// files, and false alarms are counted on files without a flaw. If a folder of real files is given, it lists the
// questions about them.
//
//	go run ./bench/intake [-files 20] [-data ../shared/data]
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
)

// ordinary are the questions about a file without a flaw that are no false alarms: what only its owner can know.
// Notes about what is done anyway do not count either.
var ordinary = []string{"which-outcome", "which-event", "identifier", "sorted", "few-events", "prevalence",
	"missing-values", "missing-outcome", "date", "decimal-comma", "no-header", "repeated-patients", "missing-spellings"}

func main() {
	files := flag.Int("files", 20, "generated files for each flaw")
	data := flag.String("data", filepath.Join("..", "shared", "data"), "folder of real CSV files")
	flag.Parse()
	bad := measureRecall(*files)
	bad = falseAlarms(5**files) || bad
	realFiles(*data)
	if bad {
		os.Exit(1)
	}
}

// doubts are the warnings about a file with its known outcome.
func doubts(csv []byte, bare bool) []table.Warning {
	ctx := context.Background()
	t, err := table.Read(ctx, csv, table.Options{}, table.Limits{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	o := table.OutcomeChoice{Column: "diagnosis", Positive: table.Levels{"disease"}, Negative: table.Levels{"healthy"}}
	if bare {
		o.Column = t.Columns[len(t.Columns)-1].Name
	}
	t = t.WithOptions(table.Options{Columns: []table.ColumnSpec{{Name: o.Column, Role: table.Outcome}}})
	return check.Sort(table.Join(t.Warnings, check.Columns(t, table.Options{}),
		check.Outcome(ctx, t, o, check.UsablePredictors(t, o.Column, "", ""), table.Options{})))
}

// noticed reports whether a warning is about the flaw.
func noticed(all []table.Warning, codes, columns []string) bool {
	return slices.ContainsFunc(all, func(w table.Warning) bool {
		return slices.Contains(codes, w.Code) && slices.ContainsFunc(columns, func(c string) bool {
			return c == "" || w.Concerns(c) || strings.Contains(w.Message, c)
		})
	})
}

// measureRecall prints the share of flaws noticed, one by one and together.
func measureRecall(files int) (bad bool) {
	fmt.Printf("%-44s %-7s %8s\n", "flaw", "", "noticed")
	var hit, all [2]int // should, must
	for _, fl := range flaws {
		found := 0
		for seed := range files {
			f := clean(uint64(seed) + 1000)
			columns := fl.put(f)
			if noticed(doubts(f.csv(), f.bare), fl.codes, columns) {
				found++
			}
		}
		kind, k := "should", 0
		if fl.must {
			kind, k = "must", 1
		}
		hit[k], all[k] = hit[k]+found, all[k]+files
		fmt.Printf("%-44s %-7s %4d/%d\n", fl.name, kind, found, files)
	}
	together, of := 0, 0
	missed := map[string]int{}
	for seed := range files {
		f := clean(uint64(seed) + 5000)
		type wanted struct {
			name           string
			codes, columns []string
		}
		var want []wanted
		for _, fl := range flaws {
			if fl.name == "record numbers without a header" { // all other flaws have headers
				continue
			}
			want = append(want, wanted{fl.name, fl.codes, fl.put(f)})
		}
		list := doubts(f.csv(), f.bare)
		for _, w := range want {
			of++
			if noticed(list, w.codes, w.columns) {
				together++
			} else {
				missed[w.name]++
			}
		}
	}
	rate := func(a, b int) float64 { return 100 * float64(a) / float64(b) }
	fmt.Printf("\nmust be raised   %5.1f %%\nshould be raised %5.1f %%\nall in one file  %5.1f %%\n", rate(hit[1], all[1]),
		rate(hit[0], all[0]), rate(together, of))
	for _, name := range slices.Sorted(maps.Keys(missed)) {
		fmt.Printf("  missed among others: %s (%d)\n", name, missed[name])
	}
	return rate(hit[1], all[1]) < 95 || rate(hit[0], all[0]) < 95
}

// falseAlarms prints the alarms about files without a flaw.
func falseAlarms(files int) bool {
	count := 0
	said := map[string]int{}
	for seed := range files {
		f := clean(uint64(seed) + 9000)
		for _, w := range doubts(f.csv(), false) {
			if !slices.Contains(ordinary, w.Code) {
				count++
				said[w.Code]++
				if said[w.Code] <= 3 {
					fmt.Printf("false alarm: %s: %s\n", w.Code, w.Message)
				}
			}
		}
	}
	fmt.Printf("false alarms on %d generated clean files: %d\n", files, count)
	return count > 0
}

// realFiles lists the questions about each file of a folder.
func realFiles(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	if len(names) == 0 {
		fmt.Println("no folder of real files: give one with -data")
		return
	}
	for _, name := range names {
		csv, err := os.ReadFile(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		ctx := context.Background()
		t, err := table.Read(ctx, csv, table.Options{}, table.Limits{})
		if err != nil {
			fmt.Println(filepath.Base(name), err)
			continue
		}
		o := check.SuggestOutcome(t)
		fmt.Printf("\n%s, outcome %s\n", filepath.Base(name), o.Column)
		for _, w := range check.Sort(table.Join(t.Warnings, check.Columns(t, table.Options{}),
			check.Outcome(ctx, t, o, check.UsablePredictors(t, o.Column, "", ""), table.Options{}))) {
			fmt.Printf("  %-4s %s: %s\n", w.Level, w.Code, w.Message)
		}
	}
}
