package report

import (
	"cmp"
	"encoding/json"
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
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/render"
	"taper/web/templates"
)

// The tests of this file simulate an attacker who owns many printed reports of small datasets and knows what each
// number means. He reads every number of the text and the tables, every drawn point (converted by the axes of its
// figure), every SD that follows from two weights, and, where a model is kept with a report, every number of its
// file. A place is one of these values, such as the slope in the table of performance or the first point of a
// curve. The attacker does not know how a place was computed: for each place he tries what would follow from the
// counts of a masked table, and keeps the formulas that fit in every report. He then takes one report and
// enumerates the tables that all places together allow. Each masked count must keep at least five possible values.
//
// Not covered here: densities and the marks of the plane, which have their own tests against the released counts
// (masked_terms_test.go, viz), and an attacker who has the data of all rows but one. adversary_classes_test.go
// covers several classes by the meaning of the numbers; the test of mask.Answers enumerates tables to show that
// answers keep five values.

// printedReport is a masked document with the true counts behind it.
type printedReport struct {
	document doc.Document
	counts   map[string][]mask.Split
	released mask.Released
	pi       []float64
	model    *model.Model // where the model file is given out with the report
}

// printedNumber is a printed number; half is half a unit of its last digit.
type printedNumber struct{ value, half float64 }

var numeral = regexp.MustCompile(`[-−]?\d[\d,]*(\.\d+)?`)

// numbers returns the numbers of a text and the text without them.
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

// places maps the meaning of a number in a report to the printed number.
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
			all, rest := numbers(c.Text() + " " + c.Small())
			is := ""
			if len(all) == 2 && strings.Trim(rest, "#– \u00a0") == "" && c.Small() == "" {
				is = " from to" // the ends of a range are named separately
			}
			for j, n := range all {
				p[fmt.Sprintf("%s/%s/%d %s/%s/%d%s", key, t.Label, i, r.Cells[0].Text(), t.Columns[min(k, len(t.Columns)-1)].Label, j, is)] = n
			}
			p.drawing(fmt.Sprintf("%s/%s/%d/drawing", key, t.Label, i), c.Swatch)
		}
		if t.Label == "Coefficients" && len(r.Cells) > 2 {
			p.scale(key+"/SD of "+r.Cells[0].Text(), r.Cells[1].Text(), r.Cells[2].Text())
		}
	}
}

// scale adds the SD of a term, which is its weight per SD divided by its weight per unit.
func (p places) scale(key, unit, sd string) {
	of, _ := numbers(unit)
	per, _ := numbers(sd)
	if len(of) != 1 || len(per) != 1 || math.Abs(of[0].value) < 4*of[0].half || strings.Contains(unit, "e") {
		return
	}
	v := per[0].value / of[0].value
	p[key] = printedNumber{v, math.Abs(v)*of[0].half/math.Abs(of[0].value) + per[0].half/math.Abs(of[0].value)}
}

// model adds every number of a model file.
func (p places) model(t *testing.T, m *model.Model) {
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var file any
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case float64:
			p[key] = printedNumber{v, 1e-9}
		case []any:
			for i, one := range v {
				walk(fmt.Sprintf("%s/%d", key, i), one)
			}
		case map[string]any:
			name := ""
			if n, is := v["name"].(string); is {
				name = " " + n
			}
			for k, one := range v {
				walk(key+name+"/"+k, one)
			}
		}
	}
	walk("model.json", file)
}

// node adds the numbers of a node. It fails on an unknown type of node, so that new kinds of content cannot escape
// the test.
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
			p.drawing(key+"/icons/"+i.Name, i.SVG)
		}
	case doc.Drawing:
		p.drawing(key+"/drawing", n.Wide)
		p.drawing(key+"/narrow drawing", n.Narrow)
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
	for i, m := range f.Legend {
		p.text(key+"/legend", m.Text)
		p.drawing(fmt.Sprintf("%s/legend %d", key, i), m.SVG)
	}
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

// axis converts a coordinate into the value that the axis labels assign to it.
type axis struct {
	from, per float64 // value at pixel 0, and per pixel
	known     bool
}

func (a axis) at(v float64) printedNumber {
	if !a.known {
		return printedNumber{v, 0.05}
	}
	return printedNumber{a.from + a.per*v, 0.6 * math.Abs(a.per)}
}

// baseline is the distance in pixels from a tick mark down to the baseline of its label.
const baseline = 4

// axes derives the axes of a drawing from the tick labels that share a line.
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

// drawing adds the points of curves, their zero crossings, and the edges of bars.
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
				// The net benefit of treating all is p − (1 − p)·t/(1 − t).
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

// read returns the places of a whole report.
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

// formula is a quantity that the attacker tries: e events among n rows, in a table with N rows and E events; odds
// are those of the boundary below these rows, 0 where there is none.
type formula struct {
	name string
	of   func(e, n, E, N, odds float64) float64
}

var formulas = func() (all []formula) {
	wilson := func(end int, of func(e, n, E, N float64) (k, m float64)) func(e, n, E, N, _ float64) float64 {
		return func(e, n, E, N, _ float64) float64 {
			k, m := of(e, n, E, N)
			if m < 1 || k < 0 || k > m {
				return math.NaN()
			}
			low, high := stat.Wilson(int(k), int(m))
			return []float64{low, high}[end]
		}
	}
	rate := func(e, n, _, _ float64) (float64, float64) { return e, n }
	found := func(e, _, E, _ float64) (float64, float64) { return e, E }
	alarms := func(e, n, E, N float64) (float64, float64) { return n - e, N - E }
	for _, f := range []formula{
		{"events", func(e, _, _, _, _ float64) float64 { return e }},
		{"others", func(e, n, _, _, _ float64) float64 { return n - e }},
		{"rows", func(_, n, _, _, _ float64) float64 { return n }},
		{"rate", func(e, n, _, _, _ float64) float64 { return e / n }},
		{"rate of others", func(e, n, _, _, _ float64) float64 { return 1 - e/n }},
		{"odds", func(e, n, _, _, _ float64) float64 { return e / (n - e) }},
		{"log odds", func(e, n, _, _, _ float64) float64 { return math.Log(e / (n - e)) }},
		{"Brier score of the rate", func(e, n, _, _, _ float64) float64 { return e / n * (1 - e/n) }},
		{"entropy", func(e, n, _, _, _ float64) float64 {
			return -e/n*math.Log(e/n) - (1-e/n)*math.Log(1-e/n)
		}},
		{"share of all rows", func(e, _, _, N, _ float64) float64 { return e / N }},
		{"others' share of all rows", func(e, n, _, N, _ float64) float64 { return (n - e) / N }},
		{"rows' share of all rows", func(_, n, _, N, _ float64) float64 { return n / N }},
		{"share of all events", func(e, _, E, _, _ float64) float64 { return e / E }},
		{"others' share of all others", func(e, n, E, N, _ float64) float64 { return (n - e) / (N - E) }},
		{"likelihood ratio", func(e, n, E, N, _ float64) float64 { return e / E / ((n - e) / (N - E)) }},
		{"SD", func(_, n, _, N, _ float64) float64 { return math.Sqrt(n / N * (1 - n/N)) }},
		{"fewer above", func(e, _, E, _, _ float64) float64 { return E - e }},
		{"net benefit", func(e, n, _, N, odds float64) float64 { return (e - (n-e)*odds) / N }},
		{"standardised net benefit", func(e, n, E, _, odds float64) float64 { return (e - (n-e)*odds) / E }},
		{"right at the boundary", func(e, n, E, N, _ float64) float64 { return (e + N - E - n + e) / N }},
		{"Wilson's lower end", wilson(0, rate)}, {"Wilson's upper end", wilson(1, rate)},
		{"Wilson's lower end of all events", wilson(0, found)}, {"Wilson's upper end of all events", wilson(1, found)},
		{"Wilson's lower end of all others", wilson(0, alarms)}, {"Wilson's upper end of all others", wilson(1, alarms)},
	} {
		for _, scale := range []float64{1, 100, 1000} {
			all = append(all, formula{fmt.Sprintf("%s × %g", f.name, scale),
				func(e, n, E, N, odds float64) float64 { return scale * f.of(e, n, E, N, odds) }})
		}
	}
	return all
}()

// relation applies a formula to the rows from–to of a declared table.
type relation struct {
	formula
	from, to int
	odds     float64
}

// relations lists the relations of a table: for each row, for the rows above and below each boundary, and for all
// rows; for tables of bands also the interval loss, marked by the index −1.
func relations(table string, rows int, pi []float64) (all []relation) {
	add := func(from, to int, odds float64) {
		for _, f := range formulas {
			all = append(all, relation{f, from, to, odds})
		}
	}
	for j := range rows {
		add(j, j+1, 0)
		if j > 0 && rows > 2 {
			add(0, j, 0)
		}
		if j > 0 && rows > 2 || j > 0 && table == bands {
			odds := 0.0
			if j <= len(pi) {
				odds = pi[j-1] / (1 - pi[j-1])
			}
			add(j, rows, odds)
		}
	}
	add(0, rows, 0)
	if table == bands && len(pi) == rows-1 {
		all = append(all, relation{formula{name: "interval loss"}, -1, rows, 0})
	}
	return all
}

// value evaluates the relation on a table.
func (r relation) value(rows []mask.Split, pi []float64) float64 {
	var e, n, all, N float64
	for j, s := range rows {
		if all, N = all+float64(s.Events), N+float64(s.N); j >= r.from && j < r.to {
			e, n = e+float64(s.Events), n+float64(s.N)
		}
	}
	if r.from >= 0 {
		return r.formula.of(e, n, all, N, r.odds)
	}
	iv, sum := loss.Interval{Pi: pi}, 0.0
	for j, s := range rows {
		sum += float64(s.Events)*iv.Theory(1, j) + float64(s.N-s.Events)*iv.Theory(-1, j)
	}
	return sum / N
}

func (r relation) String() string { return fmt.Sprintf("%s of rows %d to %d", r.name, r.from, r.to) }

// leastLeft is the smallest number of possible values that a report must leave for a masked count.
const leastLeft = 5

// mostTables bounds the number of tables that the attacker enumerates.
const mostTables = 400_000

// candidates enumerates the tables that agree with a printed one; nil where there are too many.
func candidates(t mask.Table) (all [][]mask.Split) {
	within := func(s mask.Span, n int) bool { return n >= s.Low && n <= s.High }
	rows, steps := make([]mask.Split, len(t.Rows)), 0
	var walk func(j, n, e int) bool
	walk = func(j, n, e int) bool {
		if steps++; steps > mostTables {
			return false
		}
		if n > t.Total.N.High || e > t.Total.Events.High || n-e > t.Total.Others.High {
			return true
		}
		if j == len(rows) {
			if within(t.Total.N, n) && within(t.Total.Events, e) && within(t.Total.Others, n-e) {
				all = append(all, slices.Clone(rows))
			}
			return true
		}
		m := t.Rows[j]
		for events := m.Events.Low; events <= m.Events.High; events++ {
			for others := m.Others.Low; others <= m.Others.High; others++ {
				if !within(m.N, events+others) {
					continue
				}
				rows[j] = mask.Split{N: events + others, Events: events}
				if !walk(j+1, n+events+others, e+events) {
					return false
				}
			}
		}
		return true
	}
	if !walk(0, 0, 0) {
		return nil
	}
	return all
}

// leaks lists the masked counts for which a report leaves fewer than five values. The attacker first learns the
// meaning of places: those that fit a formula in every report that masks the table and contains them, from at least
// six reports and four distinct numbers. He then enumerates the tables that the printed table of one report allows
// and drops those that contradict any of these places.
func leaks(t *testing.T, all []printedReport) (told []string) {
	type meaning struct {
		table    string
		relation int
		place    string
	}
	fits, masked, values := map[meaning]int{}, map[[2]string]int{}, map[meaning]map[float64]bool{}
	there := make([]places, len(all))
	kinds := map[string][]relation{}
	for k, report := range all {
		there[k] = read(t, report.document)
		if report.model != nil {
			there[k].model(t, report.model)
		}
		order := slices.SortedFunc(maps.Keys(there[k]), func(a, b string) int {
			return cmp.Compare(there[k][a].value, there[k][b].value)
		})
		for name, rows := range report.counts {
			if !report.released[name].Hidden() || len(rows) == 0 {
				continue
			}
			for place := range there[k] {
				masked[[2]string{name, place}]++
			}
			kind := fmt.Sprintf("%s %d", name, len(rows))
			if kinds[kind] == nil {
				kinds[kind] = relations(name, len(rows), report.pi)
			}
			for i, r := range kinds[kind] {
				truth := r.value(rows, report.pi)
				if math.IsNaN(truth) || math.IsInf(truth, 0) {
					continue
				}
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
					key := meaning{kind, i, place}
					if fits[key]++; values[key] == nil {
						values[key] = map[float64]bool{}
					}
					values[key][n.value] = true
				}
			}
		}
	}
	known := map[string][]meaning{}
	for key, n := range fits {
		name, _, _ := strings.Cut(key.table, " ")
		if strings.HasPrefix(key.table, orderGroups) {
			name = orderGroups
		}
		if len(values[key]) >= 4 && n >= 6 && n == masked[[2]string{name, key.place}] {
			known[key.table] = append(known[key.table], key)
		}
	}
	listed := 0
	for k, report := range all {
		for name, rows := range report.counts {
			said := report.released[name]
			left := candidates(said)
			if !said.Hidden() || len(left) == 0 {
				continue
			}
			listed++
			before := distinct(left)
			kind := fmt.Sprintf("%s %d", name, len(rows))
			var by []string
			for _, m := range known[kind] {
				n, is := there[k][m.place]
				if !is {
					continue
				}
				was := len(left)
				left = slices.DeleteFunc(left, func(rows []mask.Split) bool {
					return !n.fits(kinds[kind][m.relation].value(rows, report.pi))
				})
				if len(left) < was {
					by = append(by, fmt.Sprintf("%s is the %v", m.place, kinds[kind][m.relation]))
				}
			}
			for count, n := range distinct(left) {
				if n < min(leastLeft, before[count]) {
					told = append(told, fmt.Sprintf("report %d, %s: %s keep %d of %d values: %s (%+v, printed %+v)", k, name,
						count, n, before[count], strings.Join(by, "; "), rows, said.Rows))
				}
			}
		}
	}
	if listed < 3 {
		t.Errorf("%d masked tables were listed", listed)
	}
	slices.Sort(told)
	return told
}

// distinct counts the different values of each count over a set of tables.
func distinct(all [][]mask.Split) map[string]int {
	values := map[string]map[int]bool{}
	add := func(count string, n int) {
		if values[count] == nil {
			values[count] = map[int]bool{}
		}
		values[count][n] = true
	}
	for _, rows := range all {
		var total mask.Split
		for j, s := range rows {
			add(fmt.Sprintf("events of row %d", j), s.Events)
			add(fmt.Sprintf("others of row %d", j), s.N-s.Events)
			add(fmt.Sprintf("rows of row %d", j), s.N)
			total.N, total.Events = total.N+s.N, total.Events+s.Events
		}
		add("all events", total.Events)
		add("all others", total.N-total.Events)
	}
	out := map[string]int{}
	for count, n := range values {
		out[count] = len(n)
	}
	return out
}

// within returns the number with its error multiplied.
func (n printedNumber) within(times float64) printedNumber {
	n.half *= times
	return n
}

// fits reports whether v is printed as the number is.
func (n printedNumber) fits(v float64) bool { return math.Abs(v-n.value) <= n.half*1.001+1e-9 }

// smallData is a table of few rows: age and a marker that increase with the risk, a ward, and an outcome whose
// event is rare or common.
func smallData(rng *rand.Rand) *table.Table {
	n := 36 + rng.IntN(50)
	shift := []float64{-2.6, -2.2, -1.5, 0, 2.6}[rng.IntN(5)]
	age, marker := make([]float64, n), make([]float64, n)
	ward, sick := make([]string, n), make([]string, n)
	for i := range n {
		age[i], marker[i] = math.Round(40+40*rng.Float64()), math.Round(100*rng.NormFloat64())/100
		ward[i], sick[i] = []string{"north", "north", "north", "north", "south", "south", "east"}[rng.IntN(7)], "no"
		if (age[i]-60)/12+marker[i]+shift+1.5*rng.NormFloat64() > 0 {
			sick[i] = "yes"
		}
	}
	sick[0], sick[1], sick[2], sick[3] = "yes", "no", "yes", "no"
	return tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Numbers("marker", marker...),
		tabletest.Texts("ward", ward...), tabletest.Texts("sick", sick...))
}

// smallSpec is a binary run on smallData.
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
	case "given", "given score":
		// Far from how the data are made, so that rows move to bands on both sides: a count that is 0 in each of a
		// few reports would be found by chance in a figure.
		spec.Model = fit.Spec{Kind: fit.KindGiven, Formula: "(age - 60)/10 - 0.5*marker", L2: fit.L2{Value: 0.02}}
		if kind == "given score" {
			spec.Model.Scale = fit.ScaleScore
		}
	case "no predictor":
		spec.Model.L2 = fit.L2{Value: 1e6}
	}
	return spec.WithDefaults()
}

// printedOf fits one small dataset and prints it; nil where it cannot be fitted.
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
	out := printedReport{p.Report(), p.c.counts(), p.printed().released, r.Boundaries, nil}
	if p.Kept {
		out.model = p.c.Model
	}
	for _, part := range partitions(p) {
		if part.name == levelsOfWard {
			rows, events := p.c.cohort()
			said := mask.Table{Total: MaskSmall.levels(wardOf(p), rows, events).Total}
			var is []mask.Split
			for _, k := range byName(wardOf(p).Levels, len(part.is)) {
				is, said.Rows = append(is, part.is[k]), append(said.Rows, part.rows[k])
			}
			out.counts[part.name], out.released[part.name] = is, said
		}
	}
	return []printedReport{out}
}

// externalReport evaluates the model of a run on another small dataset.
func externalReport(t *testing.T, run store.Run, rng *rand.Rand) printedReport {
	x := externalOf(t, run, rng, MaskSmall)
	counts := x.p.c.counts()
	delete(counts, trained)
	delete(counts, cohort)
	return printedReport{x.Report(), counts, x.p.printed().released, run.Result.Boundaries, nil}
}

func externalOf(t *testing.T, run store.Run, rng *rand.Rand, small SmallCounts) External {
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
	return NewExternal(run, run.Result.Model, store.Evaluation{ID: "e1", Name: "elsewhere", Result: e}, run.Result.Rows, "host", small)
}

// TestMaskedCalibrationInSentences: where the number of events is masked, no sentence of a report or of an external
// validation has the calibration slope, or says what an interval of calibration excludes.
func TestMaskedCalibrationInSentences(t *testing.T) {
	told := []string{"calibration slope is", "slope’s interval excludes", "their ratio excludes", "intercept’s interval excludes"}
	seen := map[bool]int{} // with the number of events masked, and not
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		r, err := engine.Fit(t.Context(), smallData(rng), smallSpec("logistic"), nil)
		if err != nil {
			continue
		}
		x := externalOf(t, store.Run{ID: "r1", Spec: smallSpec("logistic"), Result: r}, rng, MaskSmall)
		off := stat.Estimate{Value: new(0.5), Low: new(0.3), High: new(0.7)}
		x.e.Performance.CalibrationSlope, x.e.Performance.CalibrationIntercept, x.e.Performance.ObservedExpected = off, off, off
		x.p = x.p.printed()
		words := strings.Join(append(x.verdict(), fmt.Sprint(x.limits())), " ")
		shown := x.p.strata.Total.Events.Shown()
		seen[shown]++
		for _, text := range told[:2] {
			if strings.Contains(words, text) != shown {
				t.Errorf("seed %d, events shown: %v: %s", seed, shown, words)
			}
		}
		for _, text := range told[2:] {
			if strings.Contains(words, text) && !shown {
				t.Errorf("seed %d: %s", seed, words)
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%v", seen)
	}
}

// TestReportAdversary checks that the numbers and figures of reports do not determine a masked count.
func TestReportAdversary(t *testing.T) {
	for _, kind := range []string{"interval", "logistic", "split", "apparent", "no predictor", "given", "given score", "kept", "external"} {
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

// TestPageDrawsTheReport checks that every shape on the page of a report is part of the document that the attacker
// reads.
func TestPageDrawsTheReport(t *testing.T) {
	shape := regexp.MustCompile(`<(?:path|rect|line|circle|polygon) class=[^>]*>`) // icons of words have none
	for _, kind := range []string{"interval", "logistic", "kept", "external"} {
		report := printedOf(t, kind, 2)[0].document
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		var read strings.Builder
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case string:
				read.WriteString(v)
			case []any:
				for _, one := range v {
					walk(one)
				}
			case map[string]any:
				for _, one := range v {
					walk(one)
				}
			}
		}
		var all any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		walk(all)
		for _, s := range report.Sections {
			for _, n := range s.Body {
				figures, _ := n.(doc.Figures)
				for _, f := range figures {
					if f.Lines != nil {
						read.WriteString(viz.OverlaySVG(*f.Lines))
						for _, l := range f.Lines.Lines {
							read.WriteString(viz.LineSVG(l.Mark))
						}
					}
				}
			}
		}
		var page strings.Builder
		if err := templates.ReportSheet(render.Report(report, "r1")).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		shapes := shape.FindAllString(page.String(), -1)
		for _, s := range shapes {
			if !strings.Contains(read.String(), s) {
				t.Errorf("%s: the page alone has %s", kind, s)
			}
		}
		if len(shapes) < 20 {
			t.Errorf("%s: %d shapes", kind, len(shapes))
		}
	}
}

// partition is one way in which a report splits its rows, as printed. All partitions of a report split the same
// rows.
type partition struct {
	name string
	rows []mask.Row
	is   []mask.Split
}

// partitions lists those of a report on two classes: bands, subgroups, reclassification, and the levels of each
// category with the rows whose value is missing.
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
			one := partition{name: levelsOfWard, rows: MaskSmall.levels(s, rows, events).Rows}
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

const levelsOfWard = "levels"

func wardOf(p Printed) external.Shift {
	all := p.c.predictors()
	return all[slices.IndexFunc(all, func(s external.Shift) bool { return s.Name == "ward" })]
}

// byName orders levels by name; the rows left of n come last.
func byName(levels []external.ShiftLevel, n int) (order []int) {
	for k := range n {
		order = append(order, k)
	}
	slices.SortStableFunc(order[:min(n, len(levels))], func(a, b int) int { return cmp.Compare(levels[a].Level, levels[b].Level) })
	return order
}

// TestReportAdds checks that sums over bands, subgroups, reclassification and levels, which all count the same
// rows, reveal no masked count.
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

// addUp narrows the ranges of counts by their sum, and the range of the sum by its parts.
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

// balance narrows the ranges by rows = events + non-events.
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
