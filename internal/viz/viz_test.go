package viz

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func figures(r *engine.Result) []Figure {
	return []Figure{
		Density(r, Axes{}), Density(r, Axes{X: [2]float64{-20, 20}, Y: [2]float64{0, 0.3}}),
		PCAScatter(r, Axes{}), TuningCurve(r), RateBands(r), LossBars(r),
	}
}

func svgs(r *engine.Result) map[string]string {
	out := map[string]string{
		"density": DensitySVG(r, 10), "pca": PCASVG(r, PlaneMask{}), "tuning": TuningSVG(r),
		"strip": BandStripSVG(r.Boundaries), "forest-axis": ForestAxisSVG(), "mark": MarkSVG(r.Boundaries, 0),
		"icons": IconsSVG(30, true, r.Positive.String()), "histogram": HistogramSVG([]int{0, 3, 9, 1}, 3), "prevalence": PrevalenceSVG(212, 569),
		"masked": MaskedForestSVG(0.5, 0.75, 0.625, 0.958, true),
	}
	for _, s := range r.Strata {
		out["forest "+BandName(s.Lower, s.Upper)] = ForestSVG(s)
	}
	return out
}

// TestFigures checks what must hold for every option: it parses, contains no '<', no NaN and no
// unescaped name, and has no animation and canvas tooltips.
func TestFigures(t *testing.T) {
	iv, err := loss.NewInterval([]float64{0.25, 0.5, 0.75})
	if err != nil {
		t.Fatal(err)
	}
	one, err := loss.NewInterval([]float64{0.001})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range oddities() {
		for _, f := range append(figures(r), Surrogate(iv), Surrogate(one)) {
			checkFigure(t, name+"/"+f.ID, f)
		}
	}
}

func checkFigure(t *testing.T, name string, f Figure) {
	t.Helper()
	var o struct {
		Animation *bool
		Tooltip   struct{ RenderMode string }
		Series    []map[string]any
	}
	if err := json.Unmarshal(f.Option, &o); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if o.Animation == nil || *o.Animation || o.Tooltip.RenderMode != "richText" {
		t.Errorf("%s: animation %v, tooltip %q", name, o.Animation, o.Tooltip.RenderMode)
	}
	if len(o.Series) == 0 {
		t.Errorf("%s: no series", name)
	}
	for _, bad := range []string{"<", "NaN", "Inf", `"@c0",`} {
		if strings.Contains(string(f.Option), bad) && (bad != `"@c0",` || strings.Contains(string(f.Option), `"name":"@c0"`)) {
			t.Errorf("%s: option holds %q", name, bad)
		}
	}
	for _, row := range f.Rows {
		if len(row) != len(f.Head) {
			t.Errorf("%s: row of %d cells under %d heads", name, len(row), len(f.Head))
		}
		if s := strings.Join(row, "|"); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: table says %s", name, s)
		}
	}
	if f.Title == "" || f.Sentence == "" || f.Label == "" {
		t.Errorf("%s: title %q, sentence %q, label %q", name, f.Title, f.Sentence, f.Label)
	}
}

// TestOptionNames: a level that looks like a design token is escaped.
func TestOptionNames(t *testing.T) {
	var o struct{ Series []struct{ Name string } }
	if err := json.Unmarshal(Density(oddities()["named"], Axes{}).Option, &o); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range o.Series {
		switch s.Name {
		case "@c0":
			t.Error("a level is taken for a token")
		case "\u2060@c0", hostile:
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 levels drawn: %v", found, o.Series)
	}
}

// TestSVG checks what must hold for every SVG: well-formed XML, known elements only, no style
// attribute, no event handler, finite numbers.
func TestSVG(t *testing.T) {
	for name, r := range oddities() {
		for id, s := range svgs(r) {
			checkSVG(t, name+"/"+id, s)
		}
	}
}

func checkSVG(t *testing.T, name, s string) {
	t.Helper()
	known := map[string]bool{"svg": true, "rect": true, "line": true, "path": true, "text": true}
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v in %s", name, err, s)
		}
		el, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if !known[el.Name.Local] {
			t.Errorf("%s: element %s", name, el.Name.Local)
		}
		for _, a := range el.Attr {
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("%s: attribute %s", name, a.Name.Local)
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
			}
		}
	}
}

// TestGolden compares the options and SVGs of the sample with golden files.
func TestGolden(t *testing.T) {
	r := sample()
	iv, err := loss.NewInterval(r.Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Figure{Density(r, Axes{}), TuningCurve(r), RateBands(r), LossBars(r), Surrogate(iv)} {
		var b bytes.Buffer
		if err := json.Indent(&b, f.Option, "", " "); err != nil {
			t.Fatal(err)
		}
		golden(t, f.ID+".json", append(b.Bytes(), '\n'))
	}
	for id, s := range svgs(r) {
		if !strings.Contains(id, " ") {
			golden(t, id+".svg", []byte(strings.ReplaceAll(s, "><", ">\n<")+"\n"))
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from its golden file; look at it and run with -update", name)
	}
}

// TestSentences: the sentence of each figure contains its numbers.
func TestSentences(t *testing.T) {
	r := sample()
	soft := sample()
	soft.Metrics.Test.LogLoss = ptr(0.1)
	iv, err := loss.NewInterval([]float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{Density(r, Axes{}).Sentence, "67 of 569 rows lie between the 25 and the 75\u00a0% cut-off."},
		{Density(oddities()["hard"], Axes{}).Sentence, "200 of 569 rows lie above the 50\u00a0% cut-off."},
		{PCAScatter(r, Axes{}).Sentence, "explain 80\u00a0% of the variance. The band medians are in order along the first."},
		{TuningCurve(r).Sentence, "The cross-validated interval loss is lowest at λ\u00a0=\u00a00.00391: 0.0500 ± 0.0060. The largest λ within one standard error of it is 0.0625."},
		{TuningCurve(soft).Sentence, "The cross-validated log loss is lowest"},
		{RateBands(r).Sentence, "The whole interval lies in its band: ≤\u00a025\u00a0% and >\u00a075\u00a0%. The rate lies in its band, but the interval reaches beyond it: 25\u00a0–\u2060\u00a050\u00a0%."},
		{LossBars(r).Sentence, "‘Interval surrogate’ has the lowest loss. The losses on the same rows are: Interval surrogate "},
		// One boundary at ½: both hinges at ∓2·log 2 = ∓1.386 (docs/math.md, Interval
		// classification).
		{Surrogate(iv).Sentence, "the loss of an event is 0 from f\u00a0=\u00a01.39, of a non-event up to f\u00a0=\u00a0−1.39."},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q lacks %q", c.got, c.want)
		}
	}
}

// TestSurrogateKinks: the curves pass through the tangents' values; at the hinge between two
// boundaries both classes have the loss given in docs/math.md, Interval classification.
func TestSurrogateKinks(t *testing.T) {
	iv, err := loss.NewInterval([]float64{0.25, 0.75})
	if err != nil {
		t.Fatal(err)
	}
	// H(¼) = H(¾), so the middle hinge is 0 and φ(0) = H(¼) = 0.562335.
	var o struct{ Series []struct{ Data [][]float64 } }
	if err := json.Unmarshal(Surrogate(iv).Option, &o); err != nil {
		t.Fatal(err)
	}
	for _, class := range o.Series[:2] {
		found := false
		for _, p := range class.Data {
			found = found || p[0] == 0 && p[1] == 0.56234
		}
		if !found {
			t.Errorf("no kink (0, 0.56234) in %v", class.Data)
		}
	}
}

// TestCutNamesApart: no two names in one row of the cut-offs overlap, and the outermost ones
// are always shown.
func TestCutNamesApart(t *testing.T) {
	for _, pi := range [][]float64{{.1, .2, .35, .5, .7, .9}, {.02, .03, .04, .05, .06, .07}, {.25, .5, .75}, {.49, .5, .51}} {
		iv, err := loss.NewInterval(pi)
		if err != nil {
			t.Fatal(err)
		}
		x := surrogateScale(iv)
		last := map[any]float64{}
		for k, d := range cutLabels(iv, x)["data"].([]any) {
			label := d.(object)["label"].(object)
			if label["show"] == false {
				if k == 0 {
					t.Errorf("%v: the first cut-off has no name", pi)
				}
				continue
			}
			row := label["distance"]
			if at, ok := last[row]; ok && iv.Delta[k]-at < 0.1*(x.Max-x.Min) {
				t.Errorf("%v: the name of %g touches the one before", pi, pi[k])
			}
			last[row] = iv.Delta[k]
		}
		if len(pi) <= oneRow && len(last) != 1 || len(last) > 2 {
			t.Errorf("%v: names in %d rows", pi, len(last))
		}
	}
}

// TestRangeNamesApart: the names of neighbouring shaded ranges do not lie on each other.
func TestRangeNamesApart(t *testing.T) {
	p := Panel{X: [2]float64{-8, 8}, Y: [2]float64{0, 2}}
	for _, middle := range []float64{-0.8, -0.1, 0, 0.1, 0.9} {
		p.Ranges = append(p.Ranges, Rule{At: middle - .05, To: middle + .05, Text: "δ"})
	}
	areas := p.rules().style["markArea"].(object)["data"].([]any)
	last := map[any]float64{}
	for k, a := range areas {
		label := a.([]any)[0].(object)["label"].(object)
		if label["show"] != true {
			t.Errorf("range %d has no name", k)
		}
		middle := (p.Ranges[k].At + p.Ranges[k].To) / 2
		if before, ok := last[label["distance"]]; ok && middle-before < 0.8 {
			t.Errorf("the name of range %d lies on the one before", k)
		}
		last[label["distance"]] = middle
	}
	if len(last) != 3 {
		t.Errorf("names in %d rows, want 3", len(last))
	}
}

// TestPlaneCountsNoRows: in masked print each band has the required number of rows in excess of
// its marks, and the distances of the marks follow those of the rows.
func TestPlaneCountsNoRows(t *testing.T) {
	r := &engine.Result{Boundaries: []float64{0.5}, PCA: &engine.PCA{}}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 70 {
		band := min(1, i/30) // 30 and 40 rows
		r.PCA.X = append(r.PCA.X, rng.NormFloat64()+8*float64(band))
		r.PCA.Y, r.PCA.Band = append(r.PCA.Y, rng.NormFloat64()), append(r.PCA.Band, band)
	}
	for _, spare := range []int{0, 9, 20, 35} {
		var marks []int
		for _, m := range regexp.MustCompile(`<path class="[^"]*" d="([^"]*)"`).FindAllStringSubmatch(PCASVG(r, PlaneMask{Spare: spare}), -1) {
			marks = append(marks, strings.Count(m[1], "M"))
		}
		want := 2
		if spare >= 30 {
			want = 1
		}
		if len(marks) != want {
			t.Fatalf("spare %d: %d bands", spare, len(marks))
		}
		for k, n := range marks {
			if rows := []int{30, 40}[k+2-want]; n > rows-spare || n < (rows-spare)/4 {
				t.Errorf("spare %d: %d marks of %d rows", spare, n, rows)
			}
		}
	}
}

// TestCoarseDecisions: rounding by a grain hides changes of the benefit smaller than half a
// step, that is, half the grain divided by 1 − threshold.
func TestCoarseDecisions(t *testing.T) {
	const grain = 0.1
	curve := func(by float64) (all []stat.NetBenefit) {
		for k := 1; k < 10; k++ {
			at := float64(k) / 10
			v, one := (float64(5-k)+by)*grain/(1-at), 0.4-at/2
			all = append(all, stat.NetBenefit{Threshold: at, Model: stat.Estimate{Value: &v}, All: stat.Estimate{Value: &one}})
		}
		return all
	}
	coarse := DecisionSVG(curve(0), nil, grain)
	for _, by := range []float64{-0.4, 0.4} {
		if DecisionSVG(curve(by), nil, grain) != coarse {
			t.Errorf("%v grains are seen", by)
		}
		if DecisionSVG(curve(by), nil, 0) == coarse {
			t.Errorf("%v grains are not seen in full", by)
		}
	}
}

// TestDecisionLines: the curves have the numbers, in % of risk, between the boundaries as vertical lines; the axis
// does not follow acting on all down to where nobody would be acted on.
func TestDecisionLines(t *testing.T) {
	var all []stat.NetBenefit
	for k := 1; k < 100; k++ {
		at := float64(k) / 100
		model, everybody := 0.3-0.35*at, 0.3-0.7*at/(1-at)
		all = append(all, stat.NetBenefit{Threshold: at, Model: stat.Estimate{Value: &model},
			All: stat.Estimate{Value: &everybody}})
	}
	all[10].Model.Value = nil
	o := DecisionLines(all, []float64{.25, .5})
	if n := len(o.Lines[0].X); n != 98 || o.Lines[0].X[0] != 1 || o.Lines[0].Y[0] < 0.29 || o.Lines[1].Y[97] > -60 {
		t.Errorf("%d points, %v", n, o.Lines)
	}
	if !slices.Equal(o.Cuts, []float64{25, 50}) || o.Y.Ends[0] < -0.11 || o.Y.Ends[0] >= 0 || o.Y.Ends[1] < 0.297 {
		t.Errorf("cuts %v, axis %v", o.Cuts, o.Y.Ends)
	}
	if s := OverlaySVG(o); strings.Count(s, `class="cutl"`) != 2 {
		t.Errorf("the boundaries are not drawn: %s", s)
	}
	between := stat.NetBenefit{Threshold: .0333, Model: all[0].Model, All: all[0].All} // a boundary
	for _, o := range []Overlay{o, DecisionLines(slices.Insert(all, 3, between), []float64{.0333})} {
		var at []string
		for _, row := range o.Rows {
			at = append(at, row[0])
		}
		if len(at) != 19 || at[0] != "5" || at[18] != "95" {
			t.Errorf("the table has the thresholds %v", at)
		}
	}
}

// TestGrained: a decreasing benefit stays decreasing, within a step of its value, from end to
// end.
func TestGrained(t *testing.T) {
	var xs, benefit []float64
	for i := range 99 {
		x := float64(i) / 100
		xs, benefit = append(xs, x), append(benefit, .4*(1-x)*(1-x))
	}
	const grain = .02
	at, v := grained(xs, benefit, grain)
	if len(at) < 5 || at[0] != xs[0] || at[len(at)-1] != xs[len(xs)-1] {
		t.Fatalf("drawn at %v", at)
	}
	for i, x := range at {
		if step := grain / (1 - x); math.Abs(v[i]-.4*(1-x)*(1-x)) > step/2+1e-12 {
			t.Errorf("at %v the benefit is %v", x, v[i])
		}
		if i > 0 && (v[i] > v[i-1] || v[i] == v[i-1] && v[i] != 0 || x <= at[i-1]) {
			t.Errorf("from %v to %v it goes from %v to %v", at[i-1], x, v[i-1], v[i])
		}
	}
}

// TestNameRows: names that would overlap go to the next row, and those without room in any row
// are left out.
func TestNameRows(t *testing.T) {
	for _, x := range []struct {
		at   []float64
		most int
		want []int
	}{
		{[]float64{-1.1, 0, 1.1}, 5, []int{0, 0, 0}},
		{[]float64{-.12, 0, .12, 1.2}, 5, []int{0, 1, 2, 0}},
		{[]float64{0, .1, .2, 1}, 2, []int{0, 1, -1, 0}},
		{nil, 1, []int{}},
	} {
		if got := NameRows(x.at, 1, x.most); !slices.Equal(got, x.want) {
			t.Errorf("%v in %d rows: %v, want %v", x.at, x.most, got, x.want)
		}
	}
}
