package studyreport

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/doctest"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/web/format"
	"taper/web/templates"
)

// TestRobustness: the summary follows from the means of the cells, lists the worst model first, and never rounds to
// 100 %.
func TestRobustness(t *testing.T) {
	spec := stored.RobustnessSpec(study.Smoke, 1)
	spec.Models = spec.Models[:3]
	var cells []study.Cell
	n := 5
	put := func(model int, noise, mean float64) {
		cells = append(cells, study.Cell{Key: study.Key{Model: study.Label(spec.Models[model]), Noise: noise, Metric: "accuracy"}, N: n, Mean: &mean})
	}
	put(0, 0, 0.9)
	put(0, 0.2, 0.657)
	put(1, 0, 1)
	put(1, 0.2, 0.9996)
	if got := Robustness(spec, cells, 0.2); got[0] != "With 20\u00a0% of training labels flipped, logistic regression retains 73.0\u00a0% of its noise-free accuracy; two-temperature (t₁\u00a0=\u00a00.1, t₂\u00a0=\u00a01.12) retains 99.9\u00a0%." || got[1] != "" {
		t.Errorf("%q", got)
	}
	put(2, 0, 1)
	put(2, 0.2, 0.8)
	if got := Robustness(spec, cells, 0.2); got[1] != "α-loss (α\u00a0=\u00a04) retains 80.0\u00a0%." {
		t.Errorf("%q", got)
	}
	if got := Robustness(spec, cells, 0.3); got[0] != "" {
		t.Errorf("a rate without cells: %q", got)
	}
	cells[1].N = 4 // the fewest decides
	if got := Robustness(spec, cells, 0.2); got[0] != "With 20\u00a0% of training labels flipped, 4 replicates are too few "+
		"to say which model retains most." || got[1] != "Logistic regression retains 73.0\u00a0% of its noise-free accuracy; "+
		"two-temperature (t₁\u00a0=\u00a00.1, t₂\u00a0=\u00a01.12) retains 99.9\u00a0%; α-loss (α\u00a0=\u00a04) retains 80.0\u00a0%." {
		t.Errorf("few replicates: %q", got)
	}
	if got := Robustness(spec, cells[:2], 0.2); got[0] != "With 20\u00a0% of training labels flipped, logistic regression "+
		"retains 73.0\u00a0% of its noise-free accuracy." {
		t.Errorf("one model: %q", got)
	}
}

// TestMarksNeedATest: below six replicates the signed-rank test cannot reject at 5 %, so no method is marked best.
func TestMarksNeedATest(t *testing.T) {
	cell := func(model string, n int, mean float64) study.Cell {
		c := study.Cell{Key: study.Key{Model: model, Metric: "accuracy"}, N: n, Mean: &mean}
		for i := range n {
			c.Values, c.Replicates = append(c.Values, new(mean+.001*float64(i*i))), append(c.Replicates, i)
		}
		return c
	}
	metric := study.Metric{ID: "accuracy", Title: "Accuracy", Higher: true}
	for n, want := range map[int][]string{1: {"", ""}, 5: {"", ""}, 6: {"✓", ""}} {
		v := Report{drawing: study.Drawing{Totals: true, Metrics: []study.Metric{metric}}, metric: metric,
			cells: []study.Cell{cell("a", n, .9), cell("b", n, .8)}}
		if got := v.marks(metric); !slices.Equal(got, want) {
			t.Errorf("%d replicates: %q, want %q", n, got, want)
		}
		if got := strings.Contains(v.markNote(), "Fewer than six replicates"); got != (n < 6) {
			t.Errorf("%d replicates: %q", n, v.markNote())
		}
	}
}

// TestPairVerdicts: the verdict of a pair follows the interval in its row, even where the signed-rank test differs:
// for five differences its p is at least .0625.
func TestPairVerdicts(t *testing.T) {
	cell := func(model string, values ...float64) (c study.Cell) {
		c.Key, c.N = study.Key{Model: model, Metric: "accuracy"}, len(values)
		mean := 0.
		for i := range values {
			c.Values, c.Replicates = append(c.Values, &values[i]), append(c.Replicates, i)
			mean += values[i] / float64(len(values))
		}
		c.Mean = &mean
		return c
	}
	best := cell("best", .9, .91, .92, .93, .94)
	v := Report{metric: study.Metric{ID: "accuracy", Title: "Accuracy", Higher: true}}
	for _, c := range []struct {
		name, want string
		other      study.Cell
	}{
		{"an interval below 0, p .0625", "worse", cell("other", .85, .861, .872, .881, .89)},
		{"an interval that holds 0", "no significant difference", cell("other", .99, .81, .99, .85, .9)},
	} {
		rows := v.pairTable(study.CompareBest([]study.Cell{best, c.other}, true)).Rows
		if got := rows[1].Cells[4].Text(); got != c.want {
			t.Errorf("%s: %q beside %v", c.name, got, rows[1].Cells[2].Text())
		}
		if p := rows[1].Cells[3].Text(); p < "0.0625" {
			t.Errorf("%s: p %s", c.name, p)
		}
	}
}

// TestAgain: measured times and uploaded predictions are not said to repeat exactly.
func TestAgain(t *testing.T) {
	for _, want := range []struct {
		id    string
		model string
		says  []string
		not   string
	}{
		{"sypherd-fig4", "AdaBoost (α = 0.5)", []string{"The same request gives bit-identical numbers"}, "uploaded"},
		{"sypherd-fig4", "xgboost, uploaded", []string{"bit-identical numbers", "The predictions of xgboost were uploaded"}, "Times"},
		{"amid-table2", "Logistic", []string{"bit-identical counts", "Times are measured"}, "numbers"},
		{"ding-table4", "Logistic", []string{"bit-identical counts", "Times are measured"}, "numbers"},
	} {
		v, err := New("/p", study.Spec{Preset: want.id}, []study.Cell{{Key: study.Key{Model: want.model}}}, State{})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want.says {
			if got := v.again(); !strings.Contains(got, part) || strings.Contains(got, want.not) {
				t.Errorf("%s: %s", want.id, got)
			}
		}
	}
}

// TestUpload: a preset that runs on an upload names the upload, not its own data.
func TestUpload(t *testing.T) {
	for _, id := range []string{"amid-table1", "fathony-table4", "sypherd-fig6"} {
		v, err := New("/p", study.Spec{Preset: id, Size: study.Smoke, Dataset: study.Source{ID: "d1"}}, nil, State{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"pima.csv": "pima.csv", "": "dataset d1, which is gone"} {
			v.Data = name
			if !slices.Contains(v.SpecFacts(), templates.Fact{Label: "Data", Value: want}) {
				t.Errorf("%s: %+v", id, v.SpecFacts())
			}
			if words := v.protocol(); words[0] != "The rows are those of "+want+"." || strings.Contains(words[1], "Wisconsin") || strings.Contains(words[1], "stripes") {
				t.Errorf("%s: %q", id, words)
			}
		}
	}
}

// TestFiguresDeclared: every figure of a study declares which counts it reveals; for an upload it declares that it
// shows rows.
func TestFiguresDeclared(t *testing.T) {
	for _, p := range paper.Presets {
		r, ships := stored.Get(p.ID)
		if !ships {
			continue
		}
		for _, upload := range []string{"", "d1"} {
			spec := r.Spec
			spec.Dataset.ID = upload
			v, err := New("/p", spec, r.Cells, State{Setting: -1, Page: 1})
			if err != nil {
				t.Fatal(err)
			}
			body := v.drawings()
			doctest.Of(t, []doc.Section{{Title: p.ID, Body: body}}, nil).Check(0)
			figures := func(n doc.Node) bool { _, is := n.(doc.Figure); _, are := n.(doc.Figures); return is || are }
			if upload != "" && slices.ContainsFunc(doc.Masked(body, nil), figures) {
				t.Errorf("%s: figures of an upload are printed", p.ID)
			}
		}
	}
}

// TestHeadCountsSources: the summary of the list tells the numbers that a paper prints from those of a rerun, and
// counts what has no number.
func TestHeadCountsSources(t *testing.T) {
	c := NewCatalogue()
	printed, rerun, without := 0, 0, 0
	for _, e := range c.entries() {
		if len(e.verdicts) == 0 {
			without++
		}
		for _, v := range e.verdicts {
			if strings.HasPrefix(v.Where, "Independent ") {
				rerun++
			} else {
				printed++
			}
		}
	}
	_, rest := c.Head()
	for _, want := range []string{fmt.Sprintf("The papers print %d of these numbers; the other %d are from an independent rerun",
		printed, rerun), fmt.Sprintf("%d figures have no number", without), "±: half-width",
		"three standard errors"} {
		if said := rest + c.View(List{}).Note; !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}

// TestMoved: equal shares do not fall, nor does one that is higher with noise.
func TestMoved(t *testing.T) {
	for want, of := range map[string][2]float64{"falls from 99.8\u00a0% to 70.1\u00a0%": {.998, .701},
		"is 100.0\u00a0%, as without noise": {1, .99999}, "rises from 70.1\u00a0% to 71.0\u00a0%": {.701, .71}} {
		if got := moved(of[0], of[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestKeptDigits: a retained share has the same digits in sentences and tables as an accuracy on a slide.
func TestKeptDigits(t *testing.T) {
	for share, want := range map[float64]string{.9966: "99.7", .7266: "72.7", .9999: "99.9", 1: "100.0", 1.004: "100.4"} {
		if got := strings.TrimSuffix(Kept(share), format.Pc); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

// TestPlusMinus: half an interval has the decimals of its number and one more, so that a column of them can be compared.
func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		half     float64
		decimals int
		want     string
	}{{.00011, 4, "±0.0001"}, {.012, 4, "±0.0120"}, {5.9e-6, 4, "±<0.0001"}, {5.9e-6, 6, "±0.000006"}, {.5, 3, "±0.500"}} {
		if got := plusMinus(c.half, c.decimals); got != c.want {
			t.Errorf("%g: %s, want %s", c.half, got, c.want)
		}
	}
}
