package audit

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

func TestRank(t *testing.T) {
	nan := math.NaN()
	rows := []Row{{Row: 0, Probability: 1, Margin: 5}, {Row: 1, Probability: 0, Margin: -40}, {Row: 2, Probability: 0, Margin: -900}, {Row: 3, Probability: .3, Margin: -1}, {Row: 4, Probability: .3, Margin: -1}}
	Rank(rows)
	var order []int
	for _, r := range rows {
		order = append(order, r.Row)
	}
	if !slices.Equal(order, []int{2, 1, 3, 4, 0}) {
		t.Errorf("order %v", order)
	}
	if s := Suspicions(rows); !slices.Equal(s, []float64{0, -1, -2, -2, -3}) {
		t.Errorf("suspicions %v", s)
	}
	byMargin := []Row{{Row: 0, Probability: nan, Margin: 2}, {Row: 1, Probability: nan, Margin: -3}, {Row: 2, Probability: nan, Margin: 2}}
	Rank(byMargin)
	if byMargin[0].Row != 1 || !slices.Equal(Suspicions(byMargin), []float64{0, -1, -1}) {
		t.Errorf("by margin: %+v", byMargin)
	}
}

func TestMedianWeight(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		w    []float64
		want float64
	}{{[]float64{3, nan, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{nan}, nan}} {
		var rows []Row
		for _, w := range c.w {
			rows = append(rows, Row{Weight: w})
		}
		if got := MedianWeight(rows); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: %v, want %v", c.w, got, c.want)
		}
	}
}

// Hand calculation: the thresholds are .6 (label 0: .9 .8 .1) and .7 (label 1: .9 .95 .25); the
// third row counts as 1, the sixth as 0, the others as labelled. Each label has three rows, so
// scaling changes nothing.
func TestWrongLabelsByHand(t *testing.T) {
	p1 := []float64{.1, .2, .9, .9, .95, .25}
	label := []int{0, 0, 0, 1, 1, 1}
	var prob []float64
	for _, p := range p1 {
		prob = append(prob, 1-p, p)
	}
	e := WrongLabels(prob, label, 2, 1)
	if !reflect.DeepEqual(e.Joint, [][]float64{{2, 1}, {1, 2}}) || e.Wrong != 2 || e.Rows != 6 {
		t.Errorf("%+v", e)
	}
}

// With true class probabilities and 10 % flipped labels, the interval contains the number of
// flips.
func TestWrongLabelsFindsTheNumber(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var prob []float64
		var label []int
		flips := 0
		for range 3000 {
			y := rng.IntN(3)
			p := []float64{.03, .03, .03}
			p[y] = .94
			prob = append(prob, p...)
			if rng.Float64() < .1 {
				y = (y + 1 + rng.IntN(2)) % 3
				flips++
			}
			label = append(label, y)
		}
		e := WrongLabels(prob, label, 3, seed)
		if !(math.Abs(e.Wrong-float64(flips)) <= 3) || e.Low > float64(flips) || e.High < float64(flips) {
			t.Errorf("%d flips: %v (%v to %v)", flips, e.Wrong, e.Low, e.High)
		}
	}
}

// TestWrongLabelsOfFewRows: without rows there is no estimate, and a single row agrees with its
// label, since its probability is the mean of its class.
func TestWrongLabelsOfFewRows(t *testing.T) {
	if e := WrongLabels(nil, nil, 2, 1); e != nil {
		t.Errorf("no row: %+v", e)
	}
	e := WrongLabels([]float64{.8, .2}, []int{0}, 2, 1)
	if e == nil || e.Rows != 1 || e.Wrong != 0 || e.Low != 0 || e.High != 0 || !reflect.DeepEqual(e.Joint, [][]float64{{1, 0}, {0, 0}}) {
		t.Errorf("one row: %+v", e)
	}
}

// TestConfidentJointOfTies: among equally probable classes the first counts. A row that misses
// the mean of its class by rounding, as for three times .1, is not confident and keeps its
// label.
func TestConfidentJointOfTies(t *testing.T) {
	for _, c := range []struct {
		name string
		p0   []float64 // probability of class 0
		y    []int
		want [][]float64
	}{
		{"ties", []float64{.5, .5, .5}, []int{0, 0, 1}, [][]float64{{2, 0}, {1, 0}}},
		{"no row is confident", []float64{.1, .1, .1, .02}, []int{0, 0, 0, 1}, [][]float64{{3, 0}, {0, 1}}},
	} {
		var prob []float64
		for _, p := range c.p0 {
			prob = append(prob, p, 1-p)
		}
		if got := confidentJoint(prob, c.y, 2, []int{0, 1, 2, 3}[:len(c.y)]); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWrongLabelsWithoutAClass(t *testing.T) {
	e := WrongLabels([]float64{.5, .5, 0, .4, .6, 0}, []int{0, 0}, 3, 1)
	if e.Wrong < 0 || math.IsNaN(e.Wrong) || math.IsNaN(e.Low) {
		t.Errorf("%+v", e)
	}
}

func TestNearestAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cols := rapid.IntRange(2, 40).Draw(t, "n"), rapid.IntRange(1, 19).Draw(t, "cols")
		x := make([]float64, n*cols)
		for i := range x {
			x[i] = float64(rapid.IntRange(-3, 3).Draw(t, "x"))
		}
		at, k := rapid.IntRange(0, n-1).Draw(t, "at"), rapid.IntRange(1, 6).Draw(t, "k")
		group := func(i int) int { return i%3 - 1 }
		which := rapid.IntRange(0, 1).Draw(t, "group")
		var want []Neighbour
		for i := range n {
			if i == at || i%3-1 != which {
				continue
			}
			d := 0.0
			for j := range cols {
				d += math.Pow(x[i*cols+j]-x[at*cols+j], 2)
			}
			want = append(want, Neighbour{i, math.Sqrt(d)})
		}
		slices.SortStableFunc(want, func(a, b Neighbour) int { return cmp.Compare(a.Distance, b.Distance) })
		want = want[:min(k, len(want))]
		got := Nearest(x, cols, at, k, 2, group)[which]
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestOrder(t *testing.T) {
	for _, n := range []int{0, 1, 5, 6, 7, 100, 10_000} {
		order, control := Order(n, 3)
		sorted := slices.Sorted(slices.Values(order))
		for i, at := range sorted {
			if at != i {
				t.Fatalf("n = %d: not every row once", n)
			}
		}
		if len(order) != n {
			t.Fatalf("n = %d: %d rows", n, len(order))
		}
		controls := 0
		for _, c := range control {
			if c {
				controls++
			}
		}
		if want := min((n+5)/6, mostControls); controls != want {
			t.Errorf("n = %d: %d controls, want %d", n, controls, want)
		}
		var rest []int
		for _, at := range order {
			if !control[at] {
				rest = append(rest, at)
			}
		}
		if !slices.IsSorted(rest) {
			t.Errorf("n = %d: the others are not in order of suspicion", n)
		}
	}
	a, _ := Order(500, 3)
	b, _ := Order(500, 3)
	c, control := Order(500, 4)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("a seed is not an order")
	}
	for block := range 20 { // one control per block, at varying positions
		n := 0
		for _, at := range c[6*block : 6*block+6] {
			if control[at] {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("block %d has %d controls", block, n)
		}
	}
}

func small() *table.Table {
	num := &table.Column{Name: "age", Type: table.Number, Num: []float64{50, 61, 50, math.NaN(), 0}}
	text := &table.Column{Name: "sex", Type: table.Category, Code: []int32{0, 1, 0, -1, 1}, Levels: []string{"F", "M"}}
	return &table.Table{Rows: 5, Columns: []*table.Column{num, text}}
}

func TestKeys(t *testing.T) {
	keys := Keys(small())
	for i, k := range keys {
		for j := range i {
			if keys[j] == k {
				t.Errorf("rows %d and %d share a key", j, i)
			}
		}
		if got, ok := ParseKey(k.String()); !ok || got != k {
			t.Errorf("key %d does not read back", i)
		}
	}
	turned := small()
	slices.Reverse(turned.Columns)
	turned.Columns[0].Levels, turned.Columns[0].Code = []string{"M", "F"}, []int32{1, 0, 1, -1, 0} // codes in another order
	turned.Columns[1].Num[4] = math.Copysign(0, -1)
	if !slices.Equal(Keys(turned), keys) {
		t.Error("the order of columns and levels, or −0, changes keys")
	}
	changed := small()
	changed.Columns[0].Num[1] = 62
	if got := Keys(changed); got[1] == keys[1] || got[0] != keys[0] {
		t.Error("a value that changes must change its key alone")
	}
}

func TestCSVReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []Line
		var want []Decision
		for i := range rapid.IntRange(0, 5).Draw(t, "n") {
			d := Decision{Row: i, Kind: rapid.SampledFrom(append([]Kind{""}, Kinds...)).Draw(t, "kind"), Key: Key{byte(i), 7},
				To:   rapid.SampledFrom([]string{"", "=a", "b,\"c\"", "'d", "-1"}).Draw(t, "to"),
				Note: strings.TrimSpace(rapid.StringMatching(`[=+@'\-a-z ,"]{0,9}`).Draw(t, "note"))}
			lines = append(lines, Line{Decision: d, Suspicion: "0.5"})
			if d.Kind != "" || d.Note != "" {
				want = append(want, Decision{Key: d.Key, Kind: d.Kind, To: d.To, Note: d.Note})
			}
		}
		var b bytes.Buffer
		if err := WriteCSV(&b, "sha", lines); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			for _, cell := range record[:6] {
				if cell != "" && cell != "-1" && strings.ContainsAny(cell[:1], "=+-@\t") { // −1 is a number, not a formula
					t.Fatalf("a cell begins like a formula: %q", cell)
				}
			}
		}
		got, err := ReadCSV(&b, "sha")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v, %v", got, want, err)
		}
	})
}

// A file of an earlier version, without row_number, is read in the same way.
func TestCSVOfBefore(t *testing.T) {
	key := Key{9}
	var b bytes.Buffer
	if err := WriteCSV(&b, "sha", []Line{{Decision: Decision{Row: 434, Label: "no", Kind: Keep, Key: key}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "row_number,row,label,decision,") || !strings.Contains(b.String(), "\n435,434,no,keep,") {
		t.Errorf("%s", b.String())
	}
	before := "row,label,decision,to,note,suspicion,margin,weight,row_key,data\n434,no,keep,,,,,," + key.String() + ",sha\n"
	for _, text := range []string{b.String(), before} {
		got, err := ReadCSV(strings.NewReader(text), "sha")
		if err != nil || !reflect.DeepEqual(got, []Decision{{Key: key, Kind: Keep}}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestReadCSVSaysWhere(t *testing.T) {
	key := Key{1}.String()
	for text, want := range map[string]string{
		"":                                  "empty",
		"row,decision\n1,keep\n":            "no column row_key",
		"row_key,decision\n" + key + ",x\n": "Line 2, column decision",
		"row_key,decision\nzz,keep\n":       "Line 2, column row_key",
		"row_key,decision,data\n" + key + ",keep,other\n":                                  "Line 2, column data",
		"row_key,decision\n" + key + ",\"a\n":                                              "Line 2",
		"row_key,decision,note\n" + key + ",keep," + strings.Repeat("x", MaxNote+1) + "\n": "Line 2, column note",
	} {
		if _, err := ReadCSV(strings.NewReader(text), "sha"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	got, err := ReadCSV(strings.NewReader("\ufeffNote, Decision ,row_key\nhm,FLIP,"+key+"\n"), "sha")
	if err != nil || len(got) != 1 || got[0].Kind != Flip || got[0].Note != "hm" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCodec(t *testing.T) {
	rows := []Row{{Row: 7, Fold: 4, Label: 1, Probability: .25, Margin: -1, Weight: .5, Score: -1}, {Row: 90_000, Other: 2, Probability: math.NaN(), Margin: 3, Weight: math.NaN(), Score: math.NaN()}}
	keys := []Key{{1}, {2}}
	got, k, err := Decode(Encode(rows, keys))
	if err != nil || !slices.Equal(k, keys) {
		t.Fatal(err, k)
	}
	for i := range rows {
		if a, b := show(got[i]), show(rows[i]); a != b {
			t.Errorf("%s, want %s", a, b)
		}
	}
}

func show(r Row) string {
	return strings.Join([]string{strconv.Itoa(r.Row), strconv.Itoa(r.Fold), strconv.Itoa(r.Label), strconv.Itoa(r.Other),
		strconv.FormatFloat(r.Probability, 'g', -1, 64), strconv.FormatFloat(r.Margin, 'g', -1, 64), strconv.FormatFloat(r.Weight, 'g', -1, 64), strconv.FormatFloat(r.Score, 'g', -1, 64)}, " ")
}

func TestCount(t *testing.T) {
	all := []Decision{{Kind: Flip, Control: true, Blind: true}, {Kind: Keep, Control: true}, {Kind: Exclude, Blind: true}, {Kind: Unsure}, {Note: "only"}, {Kind: Flip}}
	if got := Count(all); got != (Tally{Reviewed: 5, Errors: 2, Excluded: 1, Unsure: 1, Controls: 2, ControlErrors: 1, ControlsBlind: 1}) {
		t.Errorf("%+v", got)
	}
	if got := Verdicts(all); !slices.Equal(got, []bool{true, false, false, false, true}) {
		t.Errorf("%v", got)
	}
}

// TestReadCSVLimit: a review larger than the limit is refused; its end is not cut off.
func TestReadCSVLimit(t *testing.T) {
	text := "row_key,decision,more\n" + Key{1}.String() + ",keep,"
	for extra, fine := range []bool{true, false} {
		got, err := ReadCSV(strings.NewReader(text+strings.Repeat("a", MaxCSV-len(text)+extra)), "sha")
		if fine && (err != nil || len(got) != 1) || !fine && !usererr.Is(err, usererr.TooLarge) {
			t.Errorf("%d bytes above the limit: %d decisions, %v", extra, len(got), err)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	key := Key{9}.String()
	f.Add("row,label,decision,to,note,row_key,data\n3,'=x,flip,b,\"a, b\","+key+",sha\n", "sha")
	f.Add("\ufeffrow_key,decision\n"+key+",\n", "")
	f.Add("decision,row_key\n\"keep", "sha")
	f.Fuzz(func(t *testing.T, text, data string) {
		all, err := ReadCSV(strings.NewReader(text), data)
		if err != nil {
			return
		}
		for _, d := range all {
			if d.Kind != "" && !d.Kind.Valid() || len(d.Note) > MaxNote || d.Kind == "" && d.Note == "" {
				t.Fatalf("%+v", d)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode([]Row{{Row: 1, Probability: .5}}, []Key{{3}}))
	f.Add([]byte(magic))
	f.Add([]byte("TA1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, keys, err := Decode(b)
		if err == nil && (len(rows) != len(keys) || len(rows)*width+len(magic) != len(b)) {
			t.Fatal("rows and bytes disagree")
		}
	})
}

// overlapping draws rows whose log-odds against class 0 are normal with the given spread, draws
// their classes, and flips a share of the labels. prob are the true probabilities, or with a
// and b those of a miscalibrated model.
func overlapping(n, k int, spread, flips, a, b float64, seed uint64) (prob []float64, label []int, flipped int) {
	rng := rand.New(rand.NewPCG(seed, 31))
	for range n {
		f, p := make([]float64, k), make([]float64, k)
		for j := 1; j < k; j++ {
			f[j] = spread * rng.NormFloat64()
		}
		softmax(p, f)
		y := drawClass(rng, p)
		if rng.Float64() < flips {
			y = (y + 1 + rng.IntN(k-1)) % k
			flipped++
		}
		for j := 1; j < k; j++ {
			f[j] = a*f[j] + b
		}
		softmax(p, f)
		prob, label = append(prob, p...), append(label, y)
	}
	return prob, label, flipped
}

func softmax(p, f []float64) {
	sum := 0.0
	for j := range p {
		p[j] = math.Exp(f[j])
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
}

// With overlapping classes and no wrong label, up to a quarter of the rows may count as wrong.
// The expected number is then the same, whether the model's probabilities are calibrated, too
// extreme, not extreme enough, or biased.
func TestExpectedIsWhatOverlapGives(t *testing.T) {
	for _, k := range []int{2, 3} {
		for _, off := range [][2]float64{{1, 0}, {2, 0}, {.3, 0}, {1, 1}} {
			within := 0
			for seed := range uint64(10) {
				prob, label, _ := overlapping(1000, k, 1.5, 0, off[0], off[1], seed)
				e := WrongLabels(prob, label, k, seed)
				x := e.Expected
				if x.Rates != nil || x.Draws != 200 || !(x.Low < x.Mean && x.Mean < x.High) {
					t.Errorf("%d classes, off by %v, seed %d: %+v", k, off, seed, x)
				}
				if e.Wrong < 100 {
					t.Errorf("%d classes, off by %v, seed %d: only %v", k, off, seed, e.Wrong)
				}
				if e.Against() == 0 {
					within++
				}
			}
			if within < 8 {
				t.Errorf("%d classes, off by %v: within what is expected in %d of 10", k, off, within)
			}
		}
	}
}

// With separated classes the excess equals the number of flips, also for the shrunken
// probabilities of a linear model fitted to the flipped labels; labels drawn from these without
// correction would add a hundred expected errors.
func TestExcessIsTheFlips(t *testing.T) {
	for _, k := range []int{2, 3} {
		for seed := range uint64(5) {
			for _, rate := range []float64{0, .1} {
				prob, label, flipped := overlapping(1000, k, 12, rate, 1-8*rate, 0, seed)
				e := WrongLabels(prob, label, k, seed)
				if e.Expected == nil || !(math.Abs(e.Wrong-e.Expected.Mean-float64(flipped)) <= 20+.1*float64(flipped)) || (e.Against() > 0) != (rate > 0) || (e.Expected.Rates != nil) != (rate > 0) {
					t.Errorf("%d classes, seed %d, %d flips: %v, expected %+v", k, seed, flipped, e.Wrong, e.Expected)
				}
			}
		}
	}
}

// The flip rates of the classes are estimated separately.
func TestRatesOfEachClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	prob, label, _ := overlapping(4000, 2, 8, 0, 1, 0, 3)
	for i := range label {
		if label[i] == 1 && rng.Float64() < .2 {
			label[i] = 0
		}
	}
	_, rho := cleanProb(prob, label, 2)
	if len(rho) != 2 || rho[0] > .02 || !(math.Abs(rho[1]-.2) <= .03) {
		t.Errorf("rates %v", rho)
	}
}

// At the fit without errors the likelihood is stationary in a and b.
func TestCleanFitIsStationary(t *testing.T) {
	prob, label, _ := overlapping(300, 3, 1.5, 0, .5, .7, 2)
	c := newCleaner(prob, label, 3, false)
	at := c.fit()
	if !(math.Abs(c.a-2) <= .5) {
		t.Errorf("temperature %v, want about 2", c.a)
	}
	for _, v := range []*float64{&c.a, &c.b[1], &c.b[2]} {
		was := *v
		for _, d := range []float64{-.05, .05} {
			*v = was + d
			if got := c.expect(); got > at+1e-3 {
				t.Errorf("moved by %v: %v after %v", d, got, at)
			}
		}
		*v = was
	}
}

func BenchmarkWrongLabels(b *testing.B) {
	for _, k := range []int{2, 5} {
		prob, label, _ := overlapping(50_000, k, 4, .1, 1, 0, 1)
		b.Run(strconv.Itoa(k)+" classes", func(b *testing.B) {
			for b.Loop() {
				WrongLabels(prob, label, k, 1)
			}
		})
	}
}

// TestJudgeTrialAtCounts: the ranking is evaluated at 10, 25 and 50 rows and at the number of
// flipped rows, each once.
func TestJudgeTrialAtCounts(t *testing.T) {
	ranking := make([]Row, 200)
	for i := range ranking {
		ranking[i] = Row{Row: i, Margin: float64(i)}
	}
	for flips, want := range map[int][]int{7: {10, 25, 50, 7}, 10: {10, 25, 50}, 25: {10, 25, 50}, 49: {10, 25, 50, 49}, 50: {10, 25, 50}, 51: {10, 25, 50, 51}} {
		flipped := map[int]bool{}
		for i := range flips {
			flipped[2*i] = true // every second of the most suspicious
		}
		var ks []int
		for _, at := range judgeTrial(ranking, flipped).At {
			ks = append(ks, at.K)
			if found := float64(min((at.K+1)/2, flips)); at.Found != found {
				t.Errorf("%d flips: %v of the first %d, want %v", flips, at.Found, at.K, found)
			}
		}
		if !slices.Equal(ks, want) {
			t.Errorf("%d flips: counted at %v, want %v", flips, ks, want)
		}
	}
}
