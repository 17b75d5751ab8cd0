package viz

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
)

// cell is a cell of replicates, with statistics computed here.
func cell(k study.Key, values ...float64) study.Cell {
	c := study.Cell{Key: k, N: len(values)}
	mean, square := 0.0, 0.0
	for i, v := range values {
		c.Values, c.Replicates = append(c.Values, ptr(v)), append(c.Replicates, i)
		mean += v / float64(len(values))
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	c.Mean, c.Median = &mean, ptr(values[len(values)/2])
	if len(values) > 1 {
		sd := math.Sqrt(square / float64(len(values)-1))
		c.SD, c.Low, c.High, c.MedianSE = &sd, ptr(mean-sd), ptr(mean+sd), ptr(sd)
	}
	return c
}

type seriesJSON struct {
	Name, Type, Stack string
	XAxisIndex        int
	Data              []pointJSON
}

// pointJSON is a point with or without a name, or a bar.
type pointJSON []*float64

func (p *pointJSON) UnmarshalJSON(b []byte) error {
	var named struct{ Value []*float64 }
	var bar float64
	if json.Unmarshal(b, (*[]*float64)(p)) == nil {
		return nil
	}
	if json.Unmarshal(b, &bar) == nil {
		*p = pointJSON{&bar}
		return nil
	}
	err := json.Unmarshal(b, &named)
	*p = named.Value
	return err
}

func seriesOf(t *testing.T, f Figure) []seriesJSON {
	t.Helper()
	if strings.ContainsAny(string(f.Option), "<") || strings.Contains(string(f.Option), "NaN") {
		t.Errorf("option %.200s", f.Option)
	}
	var o struct{ Series []seriesJSON }
	if err := json.Unmarshal(f.Option, &o); err != nil {
		t.Fatal(err)
	}
	return o.Series
}

var lineDrawing = study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Flipped", Of: "noise"}, Series: study.Axis{Title: "Model", Of: "model"}}

// TestStudyLines: a band is its lower end and, stacked, its height; x is in per cent and
// ascending; the reference has its own mark; names are escaped.
func TestStudyLines(t *testing.T) {
	key := func(model string, noise float64) study.Key { return study.Key{Model: model, Noise: noise, Metric: "a"} }
	cells := []study.Cell{
		cell(key(hostile, 0.2), 0.6, 0.8, 0.7, 0.6, 0.8), cell(key(hostile, 0), 0.9, 1, 0.95, 0.9, 1),
		cell(key("Logistic", 0.2), 0.7, 0.5, 0.6, 0.7, 0.5), cell(key("Logistic", 0), 1, 1, 1, 1, 1),
		cell(study.Key{Model: "Logistic", Metric: "b"}, 3),
	}
	figures := StudyFigures(lineDrawing, cells, study.Metric{ID: "a", Title: "Accuracy", Higher: true})
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	f := figures[0]
	s := seriesOf(t, f)
	if len(s) != 6 || s[0].Name != hostile || s[0].Stack == "" || s[0].Stack != s[1].Stack || s[0].Stack == s[2].Stack {
		t.Fatalf("series %+v", s)
	}
	low, height, line := s[0].Data, s[1].Data, s[4].Data
	if *low[1][0] != 20 || math.Abs(*low[1][1]-0.6) > 1e-4 || math.Abs(*height[1][1]-0.2) > 1e-4 || *line[0][0] != 0 || math.Abs(*line[1][1]-0.7) > 1e-9 {
		t.Errorf("low %v height %v line %v", *low[1][1], *height[1][1], *line[1][1])
	}
	if f.Legend[0].Mark != "s1" || f.Legend[1].Mark != "s2" {
		t.Errorf("marks %+v", f.Legend)
	}
	if len(f.Rows) != 4 || f.Rows[0][2] != "0.950" || f.Rows[1][1] != "20" || f.Rows[3][5] != "5" {
		t.Errorf("table %q", f.Rows)
	}
	if f.Finding != "At 20"+phrase.NBSP+"% noise the replicates do not separate lowest and highest accuracy (0.600"+phrase.To+"0.700; the 95"+phrase.NBSP+"% interval of their paired difference includes 0)." || !strings.HasSuffix(f.Sentence, f.Finding) {
		t.Errorf("finding %q of %q", f.Finding, f.Sentence)
	}
	apart := []study.Cell{cell(key(hostile, 0.2), 0.6, 0.8, 0.7, 0.6, 0.8), cell(key("xgboost, uploaded", 0.2), 0.81, 1.01, 0.91, 0.81, 1.01)}
	if f := StudyFigures(lineDrawing, apart, study.Metric{ID: "a",
		Title: "Accuracy"})[0]; !strings.HasPrefix(f.Finding, "At 20"+phrase.NBSP+"% noise the accuracy is highest for the uploaded predictions of xgboost, not computed here (0.910) and lowest for "+hostile[:9]) {
		t.Errorf("finding %q", f.Finding)
	}
	if n := strings.Count(string(WithMarker(f, 20).Option), `"xAxis":20`); n != 1 {
		t.Errorf("%d lines mark a place", n)
	}
}

// TestStudyFewReplicates: below five replicates no interval is drawn or used for the axis, and no model is named as the
// highest or the lowest.
func TestStudyFewReplicates(t *testing.T) {
	key := func(noise float64) study.Key { return study.Key{Model: "A", Noise: noise, Metric: "a"} }
	m := study.Metric{ID: "a", Title: "Accuracy", Higher: true}
	for n, series := range map[int]int{2: 1, 4: 1, 5: 3} {
		a, b := cell(key(0), []float64{.9, .8, .85, .9, .8}[:n]...), cell(key(.1), []float64{.7, .6, .65, .7, .6}[:n]...)
		f := StudyFigures(lineDrawing, []study.Cell{a, b}, m)[0]
		if got := len(seriesOf(t, f)); got != series || strings.Contains(f.Sentence, "from five replicates") != (n < 5) {
			t.Errorf("%d replicates: %d series, %s", n, got, f.Sentence)
		}
		medians := lineDrawing
		medians.Median = true
		f = StudyFigures(medians, []study.Cell{a, b}, m)[0]
		if got := len(seriesOf(t, f)); got != series || !strings.Contains(f.Sentence, "Medians of ") ||
			strings.Contains(f.Sentence, "from five replicates") != (n < 5) {
			t.Errorf("medians of %d replicates: %d series, %s", n, got, f.Sentence)
		}
		b.Key = study.Key{Model: "B", Metric: "a"}
		f = StudyFigures(lineDrawing, []study.Cell{a, b}, m)[0]
		if strings.Contains(f.Finding, "highest") != (n >= 5) {
			t.Errorf("%d replicates: %q", n, f.Finding)
		}
	}
}

// TestStudyPicture: means are at their positions, low ones below; the comparison model is grey;
// without data there is no picture.
func TestStudyPicture(t *testing.T) {
	key := func(model string, noise float64) study.Key { return study.Key{Model: model, Noise: noise, Metric: "a"} }
	d := lineDrawing
	d.Metrics = []study.Metric{{ID: "a", Title: "Accuracy", Higher: true}, {ID: "b", Title: "Other"}}
	cells := []study.Cell{cell(key("A", 0), .6), cell(key("A", .2), .8), cell(key("Logistic", 0), .8), cell(key("Logistic", .2), .6)}
	svg, finding := StudyPicture(d, cells)
	for _, want := range []string{`stroke="#1C8C7B" stroke-width="1.5" d="M8 42L99 4"`, `stroke="#7F8883" stroke-width="1.5" d="M8 4L99 42"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil || finding != "" || strings.Contains(svg, "NaN") {
		t.Errorf("%v, %q: %s", err, finding, svg)
	}
	d.Kind, d.X, d.Y = study.DrawScatter, study.Axis{}, study.Axis{}
	other := cells[1]
	other.Key = study.Key{Model: "A", Metric: "b"}
	first := cells[0]
	first.Key = study.Key{Model: "A", Metric: "a"}
	if svg, _ = StudyPicture(d, []study.Cell{first, other}); !strings.Contains(svg, `h0"`) || strings.Contains(svg, "NaN") {
		t.Errorf("a point of two metrics: %s", svg)
	}
	if svg, _ = StudyPicture(d, nil); svg != "" {
		t.Errorf("of nothing: %s", svg)
	}
}

// TestStudyRanking: the sentence names the best by the signed-rank test over the replicates,
// and says if no difference is significant.
func TestStudyRanking(t *testing.T) {
	d := study.Drawing{Kind: study.DrawTable, X: study.Axis{Of: "data"}, Series: study.Axis{Of: "model"}}
	key := func(data, model string) study.Key { return study.Key{Data: data, Model: model, Metric: "a"} }
	good, bad := []float64{.91, .92, .93, .94, .95, .96, .97, .98}, []float64{.81, .83, .82, .84, .85, .87, .86, .88}
	m := study.Metric{ID: "a", Title: "Accuracy", Higher: true}
	cells := []study.Cell{cell(key("x", "A"), good...), cell(key("x", "B"), bad...), cell(key("y", "A"), good...), cell(key("y", "B"), good...)}
	if got := StudyFigures(d, cells, m)[0].Finding; got != "Highest accuracy, or not significantly different from it (Wilcoxon signed-rank test, 5"+
		phrase.NBSP+"%), in: A (2 of 2 settings); B (1)." {
		t.Error(got)
	}
	if got := StudyFigures(d, cells[2:], m)[0].Finding; got != "No method differs significantly from the best in accuracy (Wilcoxon signed-rank test, 5"+
		phrase.NBSP+"%)." {
		t.Error(got)
	}
	if got := StudyFigures(d, cells[:2], study.Metric{ID: "a", Title: "Mean absolute error"})[0].Finding; !strings.HasSuffix(got, "signed-rank test, 5"+phrase.NBSP+"%): B.") {
		t.Error(got)
	}
	few := []study.Cell{cell(key("x", "A"), good[:5]...), cell(key("x", "B"), bad[:5]...)}
	if got := StudyFigures(d, few, m)[0].Finding; !strings.HasPrefix(got, "5 replicates are too few for a Wilcoxon signed-rank") {
		t.Error(got)
	}
	d.Median = true
	if got := StudyFigures(d, cells,
		m)[0].Finding; got != "Accuracy: A 0.950; B 0.850"+phrase.To+"0.950." {
		t.Error(got)
	}
}

// TestStudyLabels: a single dataset is not named in every label, and the axis of an error does
// not go below 0, however wide its interval.
func TestStudyLabels(t *testing.T) {
	p := panel{Drawing: study.Drawing{X: study.Axis{Of: "data"}}}
	for _, c := range []struct{ labels, shown string }{
		{"a, b.csv, linear|a, b.csv, Gaussian", "linear|Gaussian"}, {"a.csv, linear", "linear"}, {"iris, linear|wine, linear", "iris|wine"}, {"a, x|a, x, x", "x|x, x"},
		{"a.csv, 5 classes, linear|a.csv, 50 classes, linear", "5 classes|50 classes"}, {"a|é", "a|é"},
	} {
		p.labels = strings.Split(c.labels, "|")
		if got := strings.Join(p.shownLabels(), "|"); got != c.shown {
			t.Errorf("%s: %s", c.labels, got)
		}
	}
	wide := cell(study.Key{Metric: "m"}, 0.1, 4, 0.2, 0.1, 0.2)
	for title, want := range map[string]bool{"Mean squared error of θ": true, "Log-odds": false} {
		p = panel{metric: study.Metric{Title: title}, series: []series{{cells: []study.Cell{wide}}}}
		if s := p.yScale(true); (s.Min == 0) != want {
			t.Errorf("%s: the axis starts at %v", title, s.Min)
		}
	}
}

// TestConfusionHeads: short names of levels with a common beginning stay distinguishable.
func TestConfusionHeads(t *testing.T) {
	for levels, want := range map[string]string{
		"Iris-setosa|Iris-versicolor|Iris-virginica": "setosa|versic…|virgin…", "a|b": "a|b", "dark red|dark": "dark r…|dark",
		"x-|x-1": "x-|x-1", "category one|category two": "one|two", "hypertension|hypertrophy": "hy…sion|hy…ophy",
	} {
		if got := strings.Join(confusionHeads(strings.Split(levels, "|"), 7), "|"); got != want {
			t.Errorf("%s: %s, want %s", levels, got, want)
		}
	}
}

// TestConfusionNamesWhole: two classes have room for their names above the columns; many are cut, but no wider than a
// phone.
func TestConfusionNamesWhole(t *testing.T) {
	two := stat.Classes{Levels: []string{"benign", "malignant"}, Abstained: []int{11, 13},
		Confusion: [][]int{{346, 0}, {6, 193}}, PerClass: make([]stat.ClassRow, 2)}
	if svg := ConfusionSVG(two); strings.Count(svg, ">malignant<") != 2 {
		t.Errorf("the name is not whole in %.600s", svg)
	}
	many := stat.Classes{Abstained: make([]int, 5), PerClass: make([]stat.ClassRow, 5)}
	for _, l := range []string{"one", "two", "three", "four", "malignant"} {
		many.Levels, many.Confusion = append(many.Levels, l), append(many.Confusion, []int{1, 2, 3, 4, 5})
	}
	if svg := ConfusionSVG(many); !strings.Contains(svg, `width="299"`) {
		t.Errorf("five classes: %.100s", svg)
	}
}

// TestStudyPanels: a chart per panel, log axes where asked for, and gaps where a value has no
// logarithm.
func TestStudyPanels(t *testing.T) {
	d := study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at", Log: true}, Y: study.Axis{Log: true}, Panels: study.Axis{Title: "Data", Of: "data"}}
	var cells []study.Cell
	for i, v := range []float64{1e-6, 0, 200} {
		for _, data := range []string{"one", "two"} {
			cells = append(cells, cell(study.Key{Data: data, Metric: "m", At: []float64{0.5, 2, 20}[i]}, v))
		}
	}
	f := StudyFigures(d, cells, study.Metric{ID: "m", Title: "Error"})
	if len(f) != 2 || f[1].Title != "Error, two" || f[0].ID == f[1].ID {
		t.Fatalf("%d figures", len(f))
	}
	s := seriesOf(t, f[0])
	if len(s) != 1 || s[0].Data[1][1] != nil || *s[0].Data[2][1] != 200 {
		t.Errorf("series %+v", s)
	}
	if !strings.Contains(f[0].Sentence, "Computed once") || !strings.Contains(string(f[0].Option), `"type":"log"`) {
		t.Errorf("%q", f[0].Sentence)
	}
	if got := logScale(0.5, 20); len(got.Ticks) != 6 || got.Min != 0.5 || got.Ticks[5] != 20 {
		t.Errorf("scale %+v", got)
	}
}

// TestStudyBandToZero: a log axis has no 0, so that an interval cut at 0 fills the frame from its lower edge.
func TestStudyBandToZero(t *testing.T) {
	d := study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at"}, Y: study.Axis{Log: true}}
	at := func(x float64) study.Key { return study.Key{Metric: "m", At: x} }
	f := StudyFigures(d, []study.Cell{cell(at(1), 2, 2.1, 2.2, 2.1, 2.1), cell(at(2), 1, 1, 1, 1, 400)}, study.Metric{ID: "m", Title: "Error"})
	s := seriesOf(t, f[0])
	if len(s) != 3 || *s[0].Data[1][1] != 1 || *s[0].Data[0][1] < 1.5 {
		t.Errorf("band from %+v", s[0].Data)
	}
	if !strings.Contains(f[0].Sentence, "those that reach 0 are drawn to the lower edge") {
		t.Error(f[0].Sentence)
	}
}

// TestStudyBoxes: quartiles of 1 … 11 and 40 by hand (type 7): 3.75, 6.5, 9.25; the fence is at
// 17.5, so 40 lies beyond and the whisker ends at 11.
func TestStudyBoxes(t *testing.T) {
	values := []float64{40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	sorted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 40}
	low, q1, median, q3, high, beyond := five(sorted)
	if low != 1 || q1 != 3.75 || median != 6.5 || q3 != 9.25 || high != 11 || len(beyond) != 1 || beyond[0] != 40 {
		t.Errorf("%v %v %v %v %v %v", low, q1, median, q3, high, beyond)
	}
	d := study.Drawing{Kind: study.DrawBox, X: study.Axis{Title: "Depth", Of: "at"}, Series: study.Axis{Of: "model"}}
	f := StudyFigures(d, []study.Cell{cell(study.Key{Model: "A", Metric: "m", At: 1}, values...), cell(study.Key{Model: "B", Metric: "m", At: 1}, values...),
		cell(study.Key{Model: "A", Metric: "m", At: 5}, values...)}, study.Metric{ID: "m", Title: "M"})
	s := seriesOf(t, f[0])
	if len(s) != 6 || s[4].Type != "scatter" || len(s[4].Data) != 4 { // two medians and two points beyond
		t.Fatalf("series %+v", s)
	}
	if a, b := *s[0].Data[0][0], *s[2].Data[0][0]; !(a < 0 && 0 < b && b < 0.5) {
		t.Errorf("boxes stand at %v and %v", a, b)
	}
}

// TestStudyForest: cells with equal x are drawn by part of the data, also in a table of
// features; bars are stacked; points are every value.
func TestStudyForest(t *testing.T) {
	var cells []study.Cell
	for _, model := range []string{"Clean", "Noisy"} {
		for _, data := range []string{"age", "fever"} {
			cells = append(cells, cell(study.Key{Data: data, Model: model, Noise: 0.1, Metric: "m"}, 1, 2, 4))
		}
	}
	m := study.Metric{ID: "m", Title: "Log-odds"}
	for _, d := range []study.Drawing{lineDrawing, {Kind: study.DrawTable, X: study.Axis{Of: "data"}, Series: study.Axis{Of: "model"}}} {
		f := StudyFigures(d, cells, m)
		s := seriesOf(t, f[0])
		if len(s) != 4 || len(s[2].Data) != 2 || s[0].Data[2][0] != nil {
			t.Errorf("%s: %+v", d.Kind, s)
		}
	}
	if f := StudyFigures(study.Drawing{Kind: study.DrawTable, X: study.Axis{Of: "at"}}, cells, m); f != nil {
		t.Errorf("a table is drawn: %+v", f)
	}
	points := StudyFigures(study.Drawing{Kind: study.DrawScatter, X: study.Axis{Of: "at"}, Series: study.Axis{Of: "model"}}, cells, m)
	if s := seriesOf(t, points[0]); len(s) != 2 || len(s[0].Data) != 6 {
		t.Errorf("points %+v", s)
	}
	bars := StudyFigures(study.Drawing{Kind: study.DrawHistogram, X: study.Axis{Of: "data"}, Series: study.Axis{Of: "model"}}, cells, m)
	if !strings.Contains(string(bars[0].Option), `"stack":"all"`) || len(bars[0].Rows) != 4 {
		t.Errorf("bars %s", bars[0].Option)
	}
	if StudyFigures(lineDrawing, cells, study.Metric{ID: "none"}) != nil || StudyFigures(lineDrawing, nil, m) != nil {
		t.Error("nothing is drawn")
	}
}

// TestErrorsAboveZero: the interval of a mean error is drawn and written from 0 where it would reach below, and the
// figure says so; that of a difference is not.
func TestErrorsAboveZero(t *testing.T) {
	cell := func(metric string, values ...float64) study.Cell {
		c := study.Cell{Key: study.Key{Metric: metric, Model: "m", Data: "d", At: 1}, N: len(values), Mean: ptr(.1), Low: ptr(-.2), High: ptr(.4)}
		for _, v := range values {
			c.Values = append(c.Values, ptr(v))
		}
		return c
	}
	d := study.Drawing{Kind: study.DrawLine, X: study.Axis{Of: "at"}, Series: study.Axis{Of: "model"}}
	for _, test := range []struct {
		m    study.Metric
		c    study.Cell
		want string
	}{
		{study.Metric{ID: "e", Title: "Mean squared error"}, cell("e", 0, 0, .3, 0, .3), Range("0.000", "0.400")},
		{study.Metric{ID: "e", Title: "Difference of the loss"}, cell("e", -.1, 0, .4, 0, .1), Range("−0.200", "0.400")},
	} {
		f := StudyFigures(d, []study.Cell{test.c}, test.m)[0]
		if got := fmt.Sprint(f.Rows); !strings.Contains(got, test.want) || strings.Contains(f.Sentence, "cut at 0") != (test.m.Title == "Mean squared error") {
			t.Errorf("%s: %s, %q; want %s", test.m.Title, got, f.Sentence, test.want)
		}
	}
}

// TestWeightFigure: the down-weighted rows are counted.
func TestWeightFigure(t *testing.T) {
	counts := func(low, high int) []int {
		c := make([]int, study.WeightBins)
		c[0], c[study.WeightBins-1] = low, high
		return c
	}
	w := study.Weights{Symbol: "ξ", Groups: []study.WeightGroup{{Role: "puller", N: 90, Counts: counts(9, 81), Median: ptr(0.9)}, {Role: "puller", Flipped: true, N: 10, Counts: counts(8, 2), Median: ptr(0.1)}}}
	low, n := GivenUp(w)
	if low != [2]int{9, 8} || n != [2]int{90, 10} {
		t.Errorf("%v of %v", low, n)
	}
	f := WeightFigure(w, "t-logistic")
	if !strings.Contains(f.Sentence,
		"80"+phrase.NBSP+"% of the 10 flipped rows and 10"+phrase.NBSP+"% of the 90 others") || len(f.Rows) != 2 || !strings.Contains(string(f.Option), `"puller, flipped"`) {
		t.Errorf("%q %s", f.Sentence, f.Option)
	}
	// Each median's line ends at its name: above the bars, in a row of its own.
	var o struct {
		YAxis  []struct{ Max float64 }
		Series []struct {
			MarkLine struct {
				Data [][]struct {
					Name  string
					Coord []float64
				}
			}
		}
	}
	if err := json.Unmarshal(f.Option, &o); err != nil {
		t.Fatal(err)
	}
	lines := o.Series[2].MarkLine.Data
	if len(lines) != 2 || lines[0][0].Name == "" || lines[0][1].Coord[1] <= 81 || lines[1][1].Coord[1] < lines[0][1].Coord[1]+.05*o.YAxis[0].Max ||
		lines[1][1].Coord[1] >= o.YAxis[0].Max {
		t.Errorf("medians %+v on an axis to %+v", lines, o.YAxis)
	}
}

// TestStudyUprights: points are drawn panel by panel with the reference lines of the panel, and
// the sentence gives their values; lines of a score have them too.
func TestStudyUprights(t *testing.T) {
	type marked struct {
		Series []struct {
			MarkLine struct {
				Data []struct{ XAxis, YAxis *float64 }
			}
		}
	}
	lines := func(f Figure) (at []float64) {
		var o marked
		if err := json.Unmarshal(f.Option, &o); err != nil {
			t.Fatal(err)
		}
		for _, s := range o.Series {
			for _, l := range s.MarkLine.Data {
				if l.XAxis != nil {
					at = append(at, *l.XAxis)
				}
			}
		}
		return at
	}
	d := study.Drawing{Kind: study.DrawScatter, Series: study.Axis{Title: "Class", Of: "model"}, Panels: study.Axis{Title: "Setting", Of: "data"},
		Metrics:  []study.Metric{{ID: "x", Title: "x₁"}, {ID: "y", Title: "x₂"}},
		Uprights: &study.Upright{Title: "the boundaries", At: map[string][]float64{"1.1": {0}, "1.2": {-2.5, 2.5}}}}
	var cells []study.Cell
	for _, s := range []string{"1.1", "1.2", "none"} {
		for _, class := range []string{"a", "b"} {
			cells = append(cells, cell(study.Key{Data: s, Model: class, Metric: "x"}, -3, 1, 3),
				cell(study.Key{Data: s, Model: class, Metric: "y"}, 0, 0.5, 1))
		}
	}
	figures := StudyFigures(d, cells, d.Metrics[0])
	for i, want := range []struct {
		id, title, says string
		at              []float64
	}{
		{"study-0", "x₁ and x₂, setting 1.1", "Each of the 6 marks is a row; its shape and colour show its class. Dashed: the boundaries, 0.", []float64{0}},
		{"study-1", "x₁ and x₂, setting 1.2", "Each of the 6 marks is a row; its shape and colour show its class. Dashed: the boundaries, −2.5 and 2.5.", []float64{-2.5, 2.5}},
		{"study-2", "x₁ and x₂, setting none", "Each of the 6 marks is a row; its shape and colour show its class.", nil},
	} {
		f := figures[i]
		if got := lines(f); f.ID != want.id || f.Title != want.title || f.Sentence != want.says || !slices.Equal(got, want.at) || len(seriesOf(t, f)) != 2 {
			t.Errorf("%s, %s: %s lines at %v", f.ID, f.Title, f.Sentence, got)
		}
	}
	d = study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Score", Of: "at"}, Series: study.Axis{Of: "model"}, Metrics: d.Metrics[:1],
		Uprights: &study.Upright{Title: "the cut-offs", At: map[string][]float64{"": {-1, 1}}}}
	f := StudyFigures(d, []study.Cell{cell(study.Key{Model: "a", Metric: "x", At: -2}, 1), cell(study.Key{Model: "a", Metric: "x", At: 2}, 2)}, d.Metrics[0])[0]
	if got := lines(f); !slices.Equal(got, []float64{-1, 1}) || !strings.HasSuffix(f.Sentence, "Dashed: the cut-offs, −1 and 1.") {
		t.Errorf("%s lines at %v", f.Sentence, got)
	}
}
