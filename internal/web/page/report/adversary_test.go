package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
	"taper/internal/viz"
)

// The adversary of this file has printed reports of many small data sets and reads
// all of each: every number of the text and the tables, every point that is drawn, read
// off the axes of its figure. A place is one of them: the slope in the table of
// performance, the first point of a curve. He knows what places mean, so that he tries
// on each what would follow there from a hidden count: itself, shares, odds, their
// logarithms, entropy, the ends of Wilson's interval. A place that fits in every report
// tells the count; one that fits by chance does not fit again.
//
// Left to later, with what they would need:
//   - densities, whose areas are counts to one who can take the kernel off
//   - the plane of components, whose marks are rows rounded to a grid
//   - coefficients and what is made of them (equation, points, curves): a fit to its
//     rows says something of them, and beside the data of all but one row much
//   - macro F1, kappa, mean error and cost of several classes, which hold the table of
//     answers to more than its class sizes and accuracy

// leftToLater are the places that are not tried.
var leftToLater = regexp.MustCompile(`distribution by class|Rows by band|^Model/`)

// printedReport is a masked document with the counts behind it.
type printedReport struct {
	document doc.Document
	counts   map[string][]mask.Split
	released mask.Released
}

// printedNumber is a number in print and half the unit of its last digit.
type printedNumber struct{ value, half float64 }

var numeral = regexp.MustCompile(`[-−]?\d[\d,]*(\.\d+)?`)

// numbers are those of a text, with the text that is left.
func numbers(text string) (all []printedNumber, rest string) {
	for _, m := range numeral.FindAllString(text, -1) {
		m = strings.ReplaceAll(strings.ReplaceAll(m, "−", "-"), ",", "")
		v, err := strconv.ParseFloat(m, 64)
		if err != nil {
			continue
		}
		half := 0.5
		if _, decimals, ok := strings.Cut(m, "."); ok {
			half *= math.Pow10(-len(decimals))
		}
		all = append(all, printedNumber{v, half})
	}
	return all, numeral.ReplaceAllString(text, "#")
}

// places are the numbers of a report by what they mean.
type places map[string]printedNumber

func (p places) text(key, text string) {
	all, rest := numbers(text)
	for i, n := range all {
		p[fmt.Sprintf("%s/%s/%d", key, rest, i)] = n
	}
}

func (p places) table(key string, t doc.Table) {
	t = t.Shown()
	p.text(key+"/"+t.Label+"/note", t.Note)
	for _, c := range t.Columns {
		p.text(key+"/"+t.Label+"/head", c.Label+" "+c.Unit)
	}
	for i, r := range append(t.Rows, doc.Row{Cells: t.Foot}) {
		for k, c := range r.Cells {
			all, _ := numbers(c.Text() + " " + c.Small())
			for j, n := range all {
				p[fmt.Sprintf("%s/%s/%d %s/%s/%d", key, t.Label, i, r.Cells[0].Text(), t.Columns[min(k, len(t.Columns)-1)].Label, j)] = n
			}
			p.drawing(fmt.Sprintf("%s/%s/%d/drawing", key, t.Label, i), c.Swatch)
		}
	}
}

// node reads one node; it fails on one that it does not know, so that nothing in print
// is passed over.
func (p places) node(t *testing.T, key string, n doc.Node) {
	texts := func(all []string) {
		for _, s := range all {
			p.text(key, s)
		}
	}
	switch n := n.(type) {
	case doc.Verdict:
		texts(n)
	case doc.List:
		texts(n)
	case doc.Note:
		p.text(key, string(n))
	case doc.Say:
		p.text(key, string(n))
	case doc.Code:
		p.text(key, string(n))
	case doc.Facts:
		for _, f := range n {
			p.text(key+"/"+f.Label, f.Value)
		}
	case doc.Table:
		p.table(key, n)
	case doc.Figure:
		p.figure(key, n)
	case doc.Figures:
		for _, f := range n {
			p.figure(key, f)
		}
	case doc.Block:
		p.nodes(t, key, doc.Nodes(n))
	case doc.Curves:
		p.nodes(t, key, doc.Nodes(n))
	case doc.Pair:
		for _, side := range n {
			p.nodes(t, key, side)
		}
	case doc.Flow:
		for i, s := range n {
			p.text(fmt.Sprintf("%s/flow/%d", key, i), s.Count.CountText()+" "+strings.Join(s.Lines, " "))
		}
	case doc.Icons:
		for _, i := range n {
			p.text(key+"/icons/"+i.Name, i.Text)
		}
	case doc.Drawing:
		p.drawing(key+"/drawing", n.Wide)
	default:
		t.Fatalf("%s holds a %T that the adversary cannot read", key, n)
	}
}

func (p places) nodes(t *testing.T, key string, all doc.Nodes) {
	for _, n := range all {
		p.node(t, key, n)
	}
}

func (p places) figure(key string, f doc.Figure) {
	key += "/" + f.Title
	p.text(key, f.Say)
	p.drawing(key, f.SVG)
	if f.Lines != nil {
		p.text(key, f.Lines.Sentence)
		p.drawing(key, viz.OverlaySVG(*f.Lines))
	}
	if f.Table != nil {
		p.table(key, *f.Table)
	}
}

var (
	svgText = regexp.MustCompile(`<text class="[^"]*" x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>`)
	svgPath = regexp.MustCompile(`<path class="([^"]*)" d="([^"]*)"`)
	svgRect = regexp.MustCompile(`<rect class="([^"]*)" x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"`)
	svgPair = regexp.MustCompile(`([-\d.]+)[ ,]([-\d.]+)`)
)

// axis turns a coordinate into what the numbers beside it say.
type axis struct {
	from, per float64 // value at 0, and of a pixel
	known     bool
}

func (a axis) at(v float64) printedNumber {
	if !a.known {
		return printedNumber{v, 0.05}
	}
	return printedNumber{a.from + a.per*v, 0.6 * math.Abs(a.per)}
}

// baseline is how far below its mark a number beside an axis stands.
const baseline = 4

// axes reads them off the numbers that stand in one line with one another.
func axes(svg string) (x, y axis) {
	type mark struct{ at, value float64 }
	rows, columns := map[string][]mark{}, map[string][]mark{}
	for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
		all, rest := numbers(m[3])
		if len(all) != 1 || strings.Trim(rest, "#%\u00a0 ") != "" {
			continue
		}
		px, _ := strconv.ParseFloat(m[1], 64)
		py, _ := strconv.ParseFloat(m[2], 64)
		rows[m[2]], columns[m[1]] = append(rows[m[2]], mark{px, all[0].value}), append(columns[m[1]], mark{py - baseline, all[0].value})
	}
	read := func(lines map[string][]mark) (a axis) {
		most := 2
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			m := lines[name]
			if last := m[len(m)-1]; len(m) > most && last.at != m[0].at {
				most = len(m)
				a.per = (last.value - m[0].value) / (last.at - m[0].at)
				a.from, a.known = m[0].value-a.per*m[0].at, true
			}
		}
		return a
	}
	return read(rows), read(columns)
}

// drawing reads the points of curves, where they cross 0, and the sides of bars.
func (p places) drawing(key, svg string) {
	x, y := axes(svg)
	for i, m := range svgPath.FindAllStringSubmatch(svg, -1) {
		var was [2]float64
		for k, pair := range svgPair.FindAllStringSubmatch(m[2], -1) {
			px, _ := strconv.ParseFloat(pair[1], 64)
			py, _ := strconv.ParseFloat(pair[2], 64)
			at := fmt.Sprintf("%s/path %d %s", key, i, m[1])
			p[fmt.Sprintf("%s/x %d", at, k)], p[fmt.Sprintf("%s/y %d", at, k)] = x.at(px), y.at(py)
			if v, w := y.at(py).value, y.at(was[1]).value; k > 0 && y.known && v*w < 0 {
				p[at+"/crosses 0"] = x.at(was[0] + (px-was[0])*w/(w-v)).within(3)
			}
			if risk, benefit := x.at(px).value, y.at(py); x.known && y.known && strings.HasSuffix(key, "Decision curve") {
				// Acting on all gains p − (1 − p)·t/(1 − t).
				benefit.value = benefit.value*(1-risk) + risk
				p[fmt.Sprintf("%s/as a rate %d", at, k)] = benefit.within(3)
			}
			was = [2]float64{px, py}
		}
	}
	for i, m := range svgRect.FindAllStringSubmatch(svg, -1) {
		for k, axis := range []axis{x, y, {}, {}} {
			v, _ := strconv.ParseFloat(m[2+k], 64)
			p[fmt.Sprintf("%s/rect %d %s/%d", key, i, m[1], k)] = axis.at(v)
		}
	}
	for i, m := range svgText.FindAllStringSubmatch(svg, -1) {
		p.text(fmt.Sprintf("%s/text %d", key, i), m[3])
	}
}

// read is a whole report.
func read(t *testing.T, d doc.Document) places {
	p := places{}
	p.text("title", d.Title)
	for _, f := range d.Facts {
		if !f.Mono && f.Label != "Date" && f.Label != "Seed" {
			p.text("fact/"+f.Label, f.Value)
		}
	}
	for _, s := range d.Sections {
		p.text(s.Title, s.Say)
		p.nodes(t, s.Title, s.Body)
	}
	return p
}

// formula is what the adversary tries: e events of n rows, in a table with N rows and E
// events.
type formula struct {
	name string
	of   func(e, n, E, N float64) float64
}

var formulas = func() (all []formula) {
	wilson := func(end int) func(e, n, _, _ float64) float64 {
		return func(e, n, _, _ float64) float64 {
			low, high := stat.Wilson(int(e), int(n))
			return []float64{low, high}[end]
		}
	}
	for _, f := range []formula{
		{"events", func(e, _, _, _ float64) float64 { return e }},
		{"others", func(e, n, _, _ float64) float64 { return n - e }},
		{"rate", func(e, n, _, _ float64) float64 { return e / n }},
		{"rate of others", func(e, n, _, _ float64) float64 { return 1 - e/n }},
		{"odds", func(e, n, _, _ float64) float64 { return e / (n - e) }},
		{"log odds", func(e, n, _, _ float64) float64 { return math.Log(e / (n - e)) }},
		{"Brier score of the rate", func(e, n, _, _ float64) float64 { return e / n * (1 - e/n) }},
		{"entropy", func(e, n, _, _ float64) float64 {
			return -e/n*math.Log(e/n) - (1-e/n)*math.Log(1-e/n)
		}},
		{"share of all rows", func(e, _, _, N float64) float64 { return e / N }},
		{"others' share of all rows", func(e, n, _, N float64) float64 { return (n - e) / N }},
		{"share of all events", func(e, _, E, _ float64) float64 { return e / E }},
		{"others' share of all others", func(e, n, E, N float64) float64 { return (n - e) / (N - E) }},
		{"likelihood ratio", func(e, n, E, N float64) float64 { return e / E / ((n - e) / (N - E)) }},
		{"fewer above", func(e, _, E, _ float64) float64 { return E - e }},
		{"Wilson's lower end", wilson(0)}, {"Wilson's upper end", wilson(1)},
	} {
		for _, scale := range []float64{1, 100, 1000} {
			all = append(all, formula{fmt.Sprintf("%s × %g", f.name, scale),
				func(e, n, E, N float64) float64 { return scale * f.of(e, n, E, N) }})
		}
	}
	return all
}()

// tellsBefore is the fewest values that a number must leave a hidden count.
const tellsBefore = 5

// leaks lists the places that fit a formula of a hidden count in every report that has
// them, with three numbers at least, and leave the count fewer than five values.
func leaks(t *testing.T, all []printedReport) (told []string) {
	type try struct {
		formula int
		table   string
		row     int
		place   string
	}
	fits, tells := map[try]int{}, map[try]map[float64]bool{}
	there := make([]places, len(all))
	for k, report := range all {
		there[k] = read(t, report.document)
		order := slices.SortedFunc(maps.Keys(there[k]), func(a, b string) int {
			return cmp.Compare(there[k][a].value, there[k][b].value)
		})
		order = slices.DeleteFunc(order, leftToLater.MatchString)
		for h := range report.hidden {
			for i, f := range formulas {
				truth := f.of(h.events, h.rows, h.allEvents, h.allRows)
				from, _ := slices.BinarySearchFunc(order, truth-1, func(place string, v float64) int {
					return cmp.Compare(there[k][place].value, v)
				})
				for _, place := range order[from:] {
					n := there[k][place]
					if n.value > truth+1 {
						break
					}
					if !n.fits(truth) {
						continue
					}
					key := try{i, h.table, h.row, place}
					if fits[key]++; h.possible(f, n) < tellsBefore {
						if tells[key] == nil {
							tells[key] = map[float64]bool{}
						}
						tells[key][n.value] = true
					}
				}
			}
		}
	}
	for key, values := range tells {
		if len(values) < 3 { // the same in every report, or by chance
			continue
		}
		reports := 0
		for k, report := range all {
			if _, ok := there[k][key.place]; ok && slices.ContainsFunc(slices.Collect(report.hidden), func(h hiddenCount) bool {
				return h.table == key.table && h.row == key.row
			}) {
				reports++
			}
		}
		if reports == fits[key] {
			told = append(told, fmt.Sprintf("%s: %s of %s, row %d (%d reports)", key.place, formulas[key.formula].name,
				key.table, key.row, reports))
		}
	}
	slices.Sort(told)
	return told
}

// hiddenCount is the events of a row of a declared table that print masks; row −1 is
// the total.
type hiddenCount struct {
	table                            string
	row                              int
	said                             mask.Span
	events, rows, allEvents, allRows float64
}

// hidden are those of a report.
func (p printedReport) hidden(yield func(hiddenCount) bool) {
	for name, rows := range p.counts {
		var total mask.Split
		for _, r := range rows {
			total.N, total.Events = total.N+r.N, total.Events+r.Events
		}
		for i, row := range append(slices.Clone(rows), total) {
			h := hiddenCount{name, i, p.released[name].Total.Events, float64(row.Events), float64(row.N),
				float64(total.Events), float64(total.N)}
			if i < len(rows) {
				h.said = p.released[name].Rows[i].Events
			} else {
				h.row = -1
			}
			if h.said.Shown() || row.Events == 0 || row.Events == row.N {
				continue
			}
			if !yield(h) {
				return
			}
		}
	}
}

// possible counts the values that a number leaves a hidden count by a formula.
func (h hiddenCount) possible(f formula, n printedNumber) (count int) {
	for e := h.said.Low; e <= h.said.High; e++ {
		all := h.allEvents
		if h.row < 0 {
			all = float64(e)
		}
		if n.fits(f.of(float64(e), h.rows, all, h.allRows)) {
			count++
		}
	}
	return count
}

// within is the number with so many times the error.
func (n printedNumber) within(times float64) printedNumber {
	n.half *= times
	return n
}

// fits reports whether v is printed as the number is.
func (n printedNumber) fits(v float64) bool { return math.Abs(v-n.value) <= n.half*1.001+1e-9 }

// smallData is a table of few rows: age and a marker that rise with the risk, a ward,
// and an outcome that few or most rows have.
func smallData(rng *rand.Rand) *table.Table {
	n := 36 + rng.IntN(50)
	shift := []float64{-2.6, -2.2, -1.5, 0, 2.6}[rng.IntN(5)]
	age, marker := make([]float64, n), make([]float64, n)
	ward, sick := make([]string, n), make([]string, n)
	for i := range n {
		age[i], marker[i] = math.Round(40+40*rng.Float64()), math.Round(100*rng.NormFloat64())/100
		ward[i], sick[i] = []string{"north", "south", "east"}[rng.IntN(3)], "no"
		if (age[i]-60)/12+marker[i]+shift+1.5*rng.NormFloat64() > 0 {
			sick[i] = "yes"
		}
	}
	sick[0], sick[1], sick[2], sick[3] = "yes", "no", "yes", "no"
	return tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Numbers("marker", marker...),
		tabletest.Texts("ward", ward...), tabletest.Texts("sick", sick...))
}

// smallSpec is a run of two classes on smallData.
func smallSpec(kind string) runspec.Spec {
	spec := runspec.Spec{Outcome: "sick", Positive: table.Levels{"yes"}, Task: "interval",
		Predictors: []string{"age", "marker", "ward"}, Boundaries: []float64{0.2, 0.5},
		Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1}
	spec.Model.Kind, spec.Model.Loss, spec.Model.L2 = "linear", "logistic", fit.L2{Value: 0.02}
	switch kind {
	case "interval":
		spec.Model.Loss = "interval"
	case "split":
		spec.Validation = runspec.Validation{Kind: "split", Test: 0.5}
	case "apparent":
		spec.Validation = runspec.Validation{Kind: "none"}
	case "no predictor":
		spec.Model.L2 = fit.L2{Value: 1e6}
	}
	return spec.WithDefaults()
}

// printedOf fits one small data set and prints it; nil where it cannot be fitted.
func printedOf(t *testing.T, kind string, seed uint64) []printedReport {
	rng := rand.New(rand.NewPCG(seed, 7))
	data, spec := smallData(rng), smallSpec(kind)
	r, err := engine.Fit(t.Context(), data, spec, nil)
	if err != nil {
		t.Logf("%s, seed %d: %v", kind, seed, err)
		return nil
	}
	run := store.Run{ID: "r1", DatasetName: "small.csv", Spec: spec, Result: r, Version: "0.1"}
	c := Clinical{Run: run, Result: r, Model: r.Model, Known: true, By: "ward",
		Statistics: r.Statistics(spec, r.Rows, nil), Groups: r.Subgroups(spec, r.Rows, data.Column("ward"))}
	if kind == "kept" {
		run, c.Model = WithoutRows(run, r.Model)
		run.Wiped = run.Created
	}
	if kind == "external" {
		return []printedReport{externalReport(t, run, rng)}
	}
	p := New(run, store.Dataset{}, c)
	p.Kept = kind == "kept"
	return []printedReport{{p.Report(), p.c.counts(), p.printed().released}}
}

// externalReport judges the model on another small data set.
func externalReport(t *testing.T, run store.Run, rng *rand.Rand) printedReport {
	x := externalOf(t, run, rng)
	counts := x.p.c.counts()
	delete(counts, trained)
	delete(counts, cohort)
	return printedReport{x.Report(), counts, x.p.printed().released}
}

func externalOf(t *testing.T, run store.Run, rng *rand.Rand) External {
	data := smallData(rng)
	var rows []map[string]any
	for i := range data.Rows {
		row := map[string]any{}
		for _, c := range data.Columns {
			if row[c.Name] = nil; c.Num != nil {
				row[c.Name] = c.Num[i]
			} else {
				row[c.Name] = c.Levels[c.Code[i]]
			}
		}
		rows = append(rows, row)
	}
	_, e, err := external.EvaluateRows(t.Context(), run.Result.Model, rows, external.EvaluateOptions{By: "ward", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return NewExternal(run, run.Result.Model, store.Evaluation{ID: "e1", Name: "elsewhere", Result: e}, run.Result.Rows, "host")
}

// TestReportAdversary: no number of a report and no point of its figures tells a
// count that is masked in it.
func TestReportAdversary(t *testing.T) {
	for _, kind := range []string{"interval", "logistic", "split", "apparent", "no predictor", "kept", "external"} {
		t.Run(kind, func(t *testing.T) {
			var all []printedReport
			for seed := range uint64(16) {
				all = append(all, printedOf(t, kind, seed)...)
			}
			if len(all) < 10 {
				t.Fatalf("%d reports", len(all))
			}
			told := leaks(t, all)
			for _, leak := range told[:min(len(told), 10)] {
				t.Error(leak)
			}
		})
	}
}

// partition is the rows of a report split in one way, as it prints them; the rows of
// all partitions of a report are the same.
type partition struct {
	name string
	rows []mask.Row
	is   []mask.Split
}

// partitions are those of one report of two classes: bands, subgroups, moves, and the
// levels of a category with the rows that have none.
func partitions(p Printed) (all []partition) {
	counts, released := p.c.counts(), p.printed().released
	for _, name := range []string{bands, groups, moves} {
		if len(counts[name]) > 0 {
			all = append(all, partition{name, released[name].Rows, counts[name]})
		}
	}
	rows, events := p.c.cohort()
	if !p.split() && p.printed().tellsNothing() {
		for _, s := range p.c.predictors() {
			if s.Kind == prep.Number {
				continue
			}
			one := partition{name: "ward in Table 1", rows: MaskSmall.levels(s, rows, events).Rows}
			rest := mask.Split{N: rows, Events: events}
			for _, l := range s.Levels {
				s := mask.Split{N: l.N[0] + l.N[1], Events: l.N[1]}
				one.is, rest = append(one.is, s), mask.Split{N: rest.N - s.N, Events: rest.Events - s.Events}
			}
			one.is = append(one.is, rest)
			all = append(all, one)
		}
	}
	return all
}

// TestReportAdds: who adds up what is printed of bands, subgroups, moves and levels, all
// of them of the same rows, finds no masked count.
func TestReportAdds(t *testing.T) {
	for _, kind := range []string{"interval", "logistic", "apparent"} {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 7))
			data, spec := smallData(rng), smallSpec(kind)
			r, err := engine.Fit(t.Context(), data, spec, nil)
			if err != nil {
				continue
			}
			run := store.Run{ID: "r1", Spec: spec, Result: r}
			p := New(run, store.Dataset{}, Clinical{Known: true, By: "ward", Statistics: r.Statistics(spec, r.Rows, nil),
				Groups: r.Subgroups(spec, r.Rows, data.Column("ward"))})
			all := partitions(p)
			said := p.printed().strata.Total
			before := said
			for moved := true; moved; {
				moved = false
				for _, part := range all {
					for _, of := range []func(*mask.Row) *mask.Span{
						func(r *mask.Row) *mask.Span { return &r.N }, func(r *mask.Row) *mask.Span { return &r.Events },
						func(r *mask.Row) *mask.Span { return &r.Others }} {
						moved = addUp(part.rows, of, of(&said)) || moved
					}
					for i := range part.rows {
						moved = balance(&part.rows[i]) || moved
					}
				}
				moved = balance(&said) || moved
			}
			if few(r.Flow.ScoredEvents) && said.Events.Shown() && !before.Events.Shown() {
				t.Errorf("%s, seed %d: %d events in all are found", kind, seed, said.Events.Low)
			}
			for _, part := range all {
				for i, s := range part.is {
					m := part.rows[i]
					for what, c := range map[string]struct {
						n    int
						said mask.Span
					}{"events": {s.Events, m.Events}, "others": {s.N - s.Events, m.Others}, "rows": {s.N, m.N}} {
						if few(c.n) && c.said.Shown() {
							t.Errorf("%s, seed %d: %d %s of %s, row %d are found", kind, seed, c.n, what, part.name, i)
						}
					}
				}
			}
		}
	}
}

// addUp narrows what is known of counts by their sum, and the sum by them.
func addUp(rows []mask.Row, of func(*mask.Row) *mask.Span, total *mask.Span) (moved bool) {
	sum := mask.Span{}
	for i := range rows {
		sum = plus(sum, *of(&rows[i]))
	}
	moved = narrowTo(total, sum)
	for i := range rows {
		s := of(&rows[i])
		was := *s
		if narrowTo(s, mask.Span{Low: total.Low - (sum.High - was.High), High: total.High - (sum.Low - was.Low)}) {
			sum = mask.Span{Low: sum.Low + s.Low - was.Low, High: sum.High + s.High - was.High}
			moved = true
		}
	}
	return moved
}

// balance narrows by rows = events + others.
func balance(r *mask.Row) bool {
	moved := narrowTo(&r.N, plus(r.Events, r.Others))
	moved = narrowTo(&r.Events, mask.Span{Low: r.N.Low - r.Others.High, High: r.N.High - r.Others.Low}) || moved
	return narrowTo(&r.Others, mask.Span{Low: r.N.Low - r.Events.High, High: r.N.High - r.Events.Low}) || moved
}

func narrowTo(s *mask.Span, to mask.Span) bool {
	was := *s
	s.Low, s.High = max(s.Low, to.Low), min(s.High, to.High)
	return *s != was
}
