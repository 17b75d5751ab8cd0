package synth

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/testdata/oracle"
)

func generate(t *testing.T, id string, rows int, seed uint64, params map[string]float64) (*table.Table, Meta) {
	t.Helper()
	got, meta, err := Generate(id, rows, seed, params)
	if err != nil {
		t.Fatal(err)
	}
	return got, meta
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.4f, want %.4f ± %.4f", what, got, want, tol)
	}
}

// where returns the rows of a numeric column whose outcome is level.
func where(c, y *table.Column, level string) (x []float64) {
	for i, k := range y.Code {
		if y.Levels[k] == level {
			x = append(x, c.Num[i])
		}
	}
	return x
}

func TestEveryGeneratorRepeatsWithItsSeed(t *testing.T) {
	ids := []string{"long-servedio", "long-servedio-2d", "mease-wyner", "gmm", "kimes-1.1", "kimes-1.2", "kimes-1.3", "kimes-2.1", "kimes-2.2", "kimes-2.3",
		// the order of /api/v1/generators
		"moons", "circles", "xor", "blobs", "ordinal-stripes", "ordinal-fan", "covid-survey", "adni-like"}
	if len(ids) != len(Generators) {
		t.Fatalf("%d generators, the API lists %d", len(Generators), len(ids))
	}
	for i, id := range ids {
		t.Run(id, func(t *testing.T) {
			if Generators[i].ID != id {
				t.Errorf("place %d holds %s", i, Generators[i].ID)
			}
			a, meta := generate(t, id, 240, 7, nil)
			b, _ := generate(t, id, 240, 7, nil)
			if d := cmp.Diff(a, b); d != "" {
				t.Errorf("same seed differs:\n%s", d)
			}
			if a.Rows != 240 || a.Column(meta.Outcome) == nil || len(meta.Notes) == 0 {
				t.Errorf("rows %d, meta %+v", a.Rows, meta)
			}
			c, _ := generate(t, id, 240, 8, nil)
			if same := cmp.Equal(a.Columns[0], c.Columns[0]); same != (id == "long-servedio-2d") {
				t.Errorf("another seed gives the same first column: %v", same)
			}
		})
	}
}

func TestGenerateNamesTheWrongField(t *testing.T) {
	for _, c := range []struct {
		id     string
		rows   int
		params map[string]float64
		field  string
	}{
		{"nonesuch", 10, nil, "generator"},
		{"gmm", -1, nil, "rows"},
		{"gmm", MaxRows + 1, nil, "rows"},
		{"adni-like", MaxRows, nil, "rows"},
		{"gmm", 10, map[string]float64{"prevalence": 1.5}, "params.prevalence"},
		{"gmm", 10, map[string]float64{"prevalence": math.NaN()}, "params.prevalence"},
		{"gmm", 10, map[string]float64{"colour": 1}, "params.colour"},
		{"blobs", 10, map[string]float64{"k": 2.5}, "params.k"},
	} {
		_, _, err := Generate(c.id, c.rows, 1, c.params)
		e, ok := usererr.As(err)
		if !ok || e.Code != usererr.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != c.field || strings.Contains(err.Error(), "%!") {
			t.Errorf("Generate(%q, %d, %v) = %v, want the field %s", c.id, c.rows, c.params, err, c.field)
		}
	}
}

// TestGenerators: defaults, limits and number of columns, including the outcome, of each
// generator.
func TestGenerators(t *testing.T) {
	p, sd := "p 10 of 1 to 1000, whole", func(v string) string { return "sd " + v + " of 0 to 10" }
	want := map[string]string{
		"long-servedio": "2000 rows", "long-servedio-2d": "12 rows; gamma 0.05 of 0.001 to 0.1666; copies 2 of 1 to 99, whole",
		"mease-wyner": "2000 rows", "gmm": "1000 rows; prevalence 0.14 of 0.001 to 0.999; mean 1 of 0 to 10",
		"kimes-1.1": "300 rows; " + p, "kimes-1.2": "300 rows; " + p, "kimes-1.3": "300 rows; " + p,
		"kimes-2.1": "300 rows; " + p, "kimes-2.2": "300 rows; " + p, "kimes-2.3": "300 rows; " + p,
		"moons": "300 rows; " + sd("0.2"), "circles": "300 rows; " + sd("0.1"), "xor": "300 rows; " + sd("0.45"),
		"blobs":           "300 rows; k 3 of 2 to 20, whole; d 2 of 2 to 1000, whole; " + sd("0.8"),
		"ordinal-stripes": "300 rows; " + sd("0.1"), "ordinal-fan": "300 rows; " + sd("0.1"), "covid-survey": "20000 rows", "adni-like": "804 rows",
	}
	for _, g := range Generators {
		got := fmt.Sprint(g.Rows, " rows")
		for _, p := range g.Params {
			got += fmt.Sprintf("; %s %v of %v to %v", p.Name, p.Default, p.Min, p.Max)
			if p.Integer {
				got += ", whole"
			}
		}
		if got != want[g.ID] {
			t.Errorf("%s: %s, want %s", g.ID, got, want[g.ID])
		}
		if tab, _, err := Generate(g.ID, 20, 1, nil); err != nil || g.cols > 0 && g.cols != len(tab.Columns) {
			t.Errorf("%s counts as %d columns: %v", g.ID, g.cols, err)
		}
	}
}

// TestLongServedioRole: all of the 21 features agree with the class, or the first eleven, or
// fewer.
func TestLongServedioRole(t *testing.T) {
	row := func(first, last int) []float64 { // number of ones among the first eleven and the last ten features; the others are −1
		x := slices.Repeat([]float64{-1}, 21)
		for j := range first {
			x[j] = 1
		}
		for j := range last {
			x[11+j] = 1
		}
		return x
	}
	for _, c := range []struct{ first, last, class, want int }{
		{11, 10, 1, 0}, {0, 0, 0, 0}, {11, 0, 1, 1}, {0, 10, 0, 1}, {5, 6, 1, 2}, {6, 4, 0, 2}, {10, 10, 1, 2},
	} {
		if got := LongServedioRole(row(c.first, c.last), c.class); got != c.want {
			t.Errorf("%d and %d ones of class %d: role %d, want %d", c.first, c.last, c.class, got, c.want)
		}
	}
}

// TestTypesOfDraws: a column with one value is constant, two levels are yes/no, whole numbers
// are integers with their texts, and levels are in the order of the rows.
func TestTypesOfDraws(t *testing.T) {
	for _, c := range []struct {
		name   string
		levels []string
		code   []int32
		typ    table.Type
		order  string
	}{
		{"one level of two", []string{"a", "b"}, []int32{1, 1}, table.Constant, "[b] [2]"},
		{"two levels", []string{"a", "b"}, []int32{1, 0, 1}, table.Boolean, "[b a] [2 1]"},
		{"0 and 1", []string{"0", "1"}, []int32{1, 0}, table.Boolean, "[1 0] [1 1]"},
		{"two whole numbers", []string{"1", "2"}, []int32{0, 1}, table.Integer, "[1 2] [1 1]"},
		{"three levels", []string{"a", "b", "c"}, []int32{2, 1, 0}, table.Category, "[c b a] [1 1 1]"},
	} {
		col := &table.Column{Levels: c.levels, Code: c.code}
		finishLevels(col)
		if got := fmt.Sprint(col.Levels, " ", col.Count); col.Type != c.typ || got != c.order || (col.Role == table.Exclude) != (c.typ == table.Constant) {
			t.Errorf("%s: %s %s, want %s %s", c.name, col.Type, got, c.typ, c.order)
		}
	}
	for _, c := range []struct {
		name string
		num  []float64
		typ  table.Type
	}{{"one number", []float64{3, 3}, table.Constant}, {"0 and 1", []float64{0, 1, 1}, table.Boolean},
		{"whole numbers", []float64{1, 2}, table.Integer}, {"a fraction", []float64{1, 2.5}, table.Number}} {
		col := &table.Column{Num: c.num}
		finishNumber(col)
		if col.Type != c.typ || (col.Role == table.Exclude) != (c.typ == table.Constant) {
			t.Errorf("%s: %s, want %s", c.name, col.Type, c.typ)
		}
	}
}

// y·Σx is 21 for a quarter of the rows and 1 for the others; pullers agree in exactly the first
// eleven features (docs/math.md, Datasets and noise).
func TestLongServedio(t *testing.T) {
	d, _ := generate(t, "long-servedio", 8000, 3, nil)
	large, pullers, penalizers := 0, 0, 0
	for i := range d.Rows {
		y := sign(d.Column("y"), i)
		first, sum := 0.0, 0.0
		for j := range 21 {
			v := y * sign(d.Columns[j], i)
			sum += v
			if j < 11 {
				first += v
			}
		}
		switch {
		case sum == 21:
			large++
		case sum == 1 && first == 11:
			pullers++
		case sum == 1 && first == -1:
			penalizers++
		default:
			t.Fatalf("row %d: y·Σx = %g, over the first eleven %g", i+1, sum, first)
		}
	}
	near(t, "large margin", float64(large)/8000, .25, .02)
	near(t, "pullers", float64(pullers)/8000, .25, .02)
	near(t, "penalizers", float64(penalizers)/8000, .5, .02)
	near(t, "events", float64(events(d, "y", "1"))/8000, .5, .02)
}

// sign reads a cell as −1 or 1; the outcome's 0 counts as −1.
func sign(c *table.Column, i int) float64 {
	v, _ := strconv.ParseFloat(c.Levels[c.Code[i]], 64)
	return 2*max(v, 0) - 1
}

func events(d *table.Table, outcome, level string) int {
	y := d.Column(outcome)
	return y.Count[slices.Index(y.Levels, level)]
}

// The oracle's risk at p = 1/3 counts each point twice clean and once flipped.
func TestLongServedio2D(t *testing.T) {
	d, _ := generate(t, "long-servedio-2d", 12, 1, nil)
	want := map[[3]float64]int{{1, 0, 1}: 2, {1, 0, 0}: 1, {.05, -.05, 1}: 4, {.05, -.05, 0}: 2, {.05, .25, 1}: 2, {.05, .25, 0}: 1}
	got := map[[3]float64]int{}
	for i := range d.Rows {
		y, _ := strconv.ParseFloat(cell(d.Column("y"), i), 64)
		x1, _ := strconv.ParseFloat(cell(d.Columns[0], i), 64)
		x2, _ := strconv.ParseFloat(cell(d.Columns[1], i), 64)
		got[[3]float64{x1, x2, y}]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMeaseWyner(t *testing.T) {
	d, _ := generate(t, "mease-wyner", 4000, 2, nil)
	for i := range d.Rows {
		sum := 0.0
		for j := range 5 {
			sum += d.Columns[j].Num[i]
		}
		if (sum >= 2.5) != (cell(d.Column("y"), i) == "1") {
			t.Fatalf("row %d: x1+…+x5 = %g, y = %s", i+1, sum, cell(d.Column("y"), i))
		}
	}
	mean, sd := moments(d.Columns[19].Num)
	near(t, "mean of x20", mean, .5, .02)
	near(t, "sd of x20", sd, 1/math.Sqrt(12), .01)
}

func TestGMM(t *testing.T) {
	d, meta := generate(t, "gmm", 40_000, 11, nil)
	near(t, "prevalence", float64(events(d, "y", meta.Positive))/40_000, .14, .006)
	for _, c := range d.Columns[:2] {
		mean, sd := moments(where(c, d.Column("y"), "1"))
		near(t, "event mean", mean, 1, .05)
		near(t, "event sd", sd, 1, .04)
		mean, sd = moments(where(c, d.Column("y"), "0"))
		near(t, "other mean", mean, -1, .02)
		near(t, "other sd", sd, 1, .02)
	}
}

func TestShapes(t *testing.T) {
	exact := map[string]float64{"sd": 0}
	d, _ := generate(t, "circles", 400, 1, exact)
	for i := range d.Rows {
		want := 1.0
		if cell(d.Column("y"), i) == "1" {
			want = .5
		}
		near(t, "radius", math.Hypot(d.Columns[0].Num[i], d.Columns[1].Num[i]), want, 1e-12)
	}
	d, _ = generate(t, "moons", 400, 1, exact)
	for i := range d.Rows {
		x, y := d.Columns[0].Num[i], d.Columns[1].Num[i]
		if cell(d.Column("y"), i) == "1" {
			x, y = 1-x, .5-y
		}
		near(t, "moon radius", math.Hypot(x, y), 1, 1e-12)
		if y < -1e-12 {
			t.Fatalf("row %d is on the wrong half of its moon", i+1)
		}
	}
	d, _ = generate(t, "xor", 20_000, 1, nil)
	product := 0.0
	for i := range d.Rows {
		product += d.Columns[0].Num[i] * d.Columns[1].Num[i] * sign(d.Column("y"), i) / 20_000
	}
	near(t, "mean of y·x1·x2", product, -1, .03)
	_, sd := moments(d.Columns[0].Num)
	near(t, "sd of x1", sd, math.Sqrt(1+.45*.45), .02)
}

func TestBlobsStripesAndFan(t *testing.T) {
	d, meta := generate(t, "blobs", 30_000, 4, map[string]float64{"k": 4})
	for c, want := range [][2]float64{{2, 0}, {0, 2}, {-2, 0}, {0, -2}} {
		for j := range 2 {
			mean, sd := moments(where(d.Columns[j], d.Column("y"), meta.Levels[c]))
			near(t, "centre", mean, want[j], .04)
			near(t, "sd", sd, .8, .03)
		}
	}
	d, _ = generate(t, "ordinal-stripes", 2000, 4, map[string]float64{"sd": 0})
	for i := range d.Rows {
		v := d.Columns[0].Num[i] + .25*math.Sin(2*math.Pi*d.Columns[1].Num[i])
		class, _ := strconv.ParseFloat(cell(d.Column("y"), i), 64)
		if lo, hi := (class-1)/5, class/5; (v < lo && class > 1) || (v >= hi && class < 5) {
			t.Fatalf("row %d: %g in class %g", i+1, v, class)
		}
	}
	d, _ = generate(t, "ordinal-fan", 2000, 4, map[string]float64{"sd": 0})
	for i := range d.Rows {
		x, y := d.Columns[0].Num[i], d.Columns[1].Num[i]
		class, _ := strconv.ParseFloat(cell(d.Column("y"), i), 64)
		// to the left of the ray at the start of the class's angle, and to the right of that at
		// its end
		from, to := (class-1)*math.Pi/5, class*math.Pi/5
		if y*math.Cos(from) < x*math.Sin(from)-1e-12 || y*math.Cos(to) > x*math.Sin(to)+1e-12 {
			t.Fatalf("row %d: (%g, %g) in class %g", i+1, x, y, class)
		}
	}
}

func TestCovidSurvey(t *testing.T) {
	d, _ := generate(t, "covid-survey", 100_000, 5, nil)
	share := func(name, level string) float64 { return float64(events(d, name, level)) / 100_000 }
	near(t, "positive", share("covid", "yes"), .14, .004)
	near(t, "male", share("gender", "male"), .45, .006)
	near(t, "aged 75 or more", share("age", "75+"), .07, .003)
	near(t, "aged 35 to 44", share("age", "35-44"), .18, .004)
	both := 0.0 // latent illness makes the symptoms dependent
	aches, fever := d.Column("aches"), d.Column("fever")
	for i := range d.Rows {
		if cell(aches, i) == "yes" && cell(fever, i) == "yes" {
			both += 1.0 / 100_000
		}
	}
	if both < 1.3*share("aches", "yes")*share("fever", "yes") {
		t.Errorf("aches and fever together %.4f: hardly above chance", both)
	}
}

// Group sizes, and moments from docs/generators.md: E x_j = a_j·E s, Var x_j = a_j² Var s +
// |b_j|² + 1.
func TestADNILike(t *testing.T) {
	d, meta := generate(t, "adni-like", 0, 1, nil)
	for level, want := range map[string]int{"NC": 225, "sMCI": 226, "pMCI": 167, "AD": 186} {
		if got := events(d, meta.Outcome, level); got != want {
			t.Errorf("%s has %d rows, want %d", level, got, want)
		}
	}
	if d.Columns[0].Name != "roi_01" || d.Columns[92].Name != "roi_93" || len(d.Columns) != 94 {
		t.Errorf("columns %s … %s, %d in all", d.Columns[0].Name, d.Columns[92].Name, len(d.Columns))
	}
	d, _ = generate(t, "adni-like", 80_400, 1, nil)
	b := sharedLoadings()
	for j, a := range map[int]float64{0: -.6, 29: -.6, 30: -.3, 49: -.3, 50: 0, 92: 0} {
		shared := 1.0
		for _, v := range b[j] {
			shared += v * v
		}
		mean, sd := moments(where(d.Columns[j], d.Column("group"), "AD"))
		near(t, "AD mean", mean, 5000+800*a, 30)
		near(t, "AD sd", sd, 800*math.Sqrt(a*a*.25+shared), 25)
		mean, _ = moments(where(d.Columns[j], d.Column("group"), "sMCI"))
		near(t, "sMCI mean", mean, 5000-800*a*.35, 30)
	}
	spread := 0.0
	for _, row := range b {
		for _, v := range row {
			spread += v * v / (93 * 8)
		}
	}
	near(t, "sd of b", math.Sqrt(spread), .4, .03)
}

func TestKimesOracle(t *testing.T) {
	type golden struct {
		Name   string
		Params struct{ Setting string }
		Inputs struct {
			X1 float64
			Pi []float64
		}
		Expected struct {
			P         *string
			BayesLoss *string `json:"bayes_loss"`
		}
	}
	checked := 0
	check := func(name, want string, got float64) {
		w, _ := strconv.ParseFloat(want, 64)
		near(t, name, got, w, 1e-14)
		checked++
	}
	for _, c := range oracle.Read[golden](t, "simulation-004") {
		if c.Expected.P != nil {
			check(c.Name, *c.Expected.P, KimesProbability(c.Params.Setting, c.Inputs.X1))
		}
		if c.Expected.BayesLoss != nil {
			check(c.Name, *c.Expected.BayesLoss, KimesBayesLoss(c.Params.Setting, c.Inputs.Pi))
		}
	}
	if checked != 59 {
		t.Errorf("checked %d of 59 values", checked)
	}
}

// A rotation preserves lengths: E|x|² = half²/3 + (p−1)/3; in setting 1.2 P(Y = 1) is ½.
func TestKimesTable(t *testing.T) {
	d, _ := generate(t, "kimes-1.2", 20_000, 9, map[string]float64{"p": 5})
	square := 0.0
	for _, c := range d.Columns[:5] {
		for _, v := range c.Num {
			square += v * v / 20_000
		}
	}
	near(t, "E|x|²", square, 64./3+4./3, .4)
	near(t, "events", float64(events(d, "y", "1"))/20_000, .5, .015)
	_, sd := moments(d.Columns[0].Num)
	if near1 := 8 / math.Sqrt(3); math.Abs(sd-near1) < .02 {
		t.Errorf("x1 has SD %.3f: not rotated", sd)
	}
}

func TestWriteCSVRoundTrip(t *testing.T) {
	d, _ := generate(t, "adni-like", 30, 1, nil)
	var b bytes.Buffer
	if err := WriteCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	if len(lines) != 31 {
		t.Fatalf("%d lines, want 31", len(lines))
	}
	last := bytes.Split(lines[30], []byte(","))
	for j := range 93 {
		if got, _ := strconv.ParseFloat(string(last[j]), 64); got != d.Columns[j].Num[29] {
			t.Fatalf("column %d reads %v, was %v", j+1, got, d.Columns[j].Num[29])
		}
	}
	if got := string(last[93]); got != cell(d.Column("group"), 29) {
		t.Errorf("group reads %s", got)
	}
}

// A generated table equals the table read from its CSV.
func TestTablesReadBackAsTheyAre(t *testing.T) {
	for _, g := range Generators {
		made, _ := generate(t, g.ID, 240, 3, nil)
		var b bytes.Buffer
		if err := WriteCSV(&b, made); err != nil {
			t.Fatal(err)
		}
		read, err := table.Read(t.Context(), b.Bytes(), table.Options{}, table.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", g.ID, err)
		}
		for j, c := range made.Columns {
			r := read.Columns[j]
			if c.Name != r.Name || c.Type != r.Type || c.Role != r.Role || c.Distinct != r.Distinct || !slices.Equal(c.Num, r.Num) {
				t.Errorf("%s: %s is %s, %s, %d distinct; reads as %s %s, %s, %d", g.ID, c.Name, c.Type, c.Role, c.Distinct, r.Name, r.Type, r.Role, r.Distinct)
			}
			for i := range made.Rows {
				if cell(c, i) != cell(r, i) {
					t.Fatalf("%s: row %d of %s reads %q, was %q", g.ID, i+1, c.Name, cell(r, i), cell(c, i))
				}
			}
		}
	}
}

// Simulated tables raise no question except about few events, an order made by the recipe, and
// classes coded 1 … k, whose meaning cannot be inferred.
func TestSimulatedTablesRaiseNoQuestion(t *testing.T) {
	for _, g := range Generators {
		d, meta := generate(t, g.ID, 0, 3, nil)
		o := table.OutcomeChoice{Column: meta.Outcome, Positive: table.OneLevel(meta.Positive), Negative: table.OneLevel(meta.Negative), ScoreOnly: meta.ScoreOnly}
		list := check.Columns(d, table.Options{})
		if meta.Positive != "" {
			list = table.Join(list, check.Outcome(context.Background(), d, o, check.UsablePredictors(d, o.Column, "", ""), table.Options{}))
		}
		for _, w := range list {
			if w.Level != "note" {
				t.Errorf("%s: %s", g.ID, w.Message)
			}
		}
		if s := check.SuggestOutcome(d); s.Column != meta.Outcome || s.Positive.String() != meta.Positive {
			t.Errorf("%s: suggests %+v", g.ID, s)
		}
	}
}
