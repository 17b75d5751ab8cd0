package stat

import (
	"context"
	"math"
	"slices"
	"testing"
)

// graded are answers of three ordered classes with errors near and far.
func graded(times int) Answers {
	a := Answers{Levels: []string{"low", "middle", "high"}, Ordinal: true}
	for i, row := range [][]int{{40, 8, 2}, {6, 30, 9}, {1, 7, 47}} {
		for j, n := range row {
			for range n * times {
				a.Label, a.Predicted = append(a.Label, i), append(a.Predicted, j)
			}
		}
	}
	return a
}

// TestDeltaSlopes compares the derivatives with differences of the metric when one row is added to many: for a share
// p_ij of all rows the metric changes by (g_ij − Σ p·g)/n.
func TestDeltaSlopes(t *testing.T) {
	const times = 400
	a := graded(times)
	whole := Multiclass(a)
	n := float64(len(a.Label))
	for _, id := range []string{"macro_f1", "kappa"} {
		s := ByID(id)
		g, mean := s.slope(&whole), 0.0
		for i, row := range whole.Confusion {
			for j, count := range row {
				mean += float64(count) / n * g(i, j)
			}
		}
		for i := range a.Levels {
			for j := range a.Levels {
				more := a
				more.Label, more.Predicted = append(slices.Clip(a.Label), i), append(slices.Clip(a.Predicted), j)
				moved := Multiclass(more)
				got := (*moved.Of(id).Value - *whole.Of(id).Value) * n
				if want := g(i, j) - mean; math.Abs(got-want) > 1e-3 {
					t.Errorf("%s, a row of %d answered %d: %.6f per row, the derivative is %.6f", id, i, j, got, want)
				}
			}
		}
	}
}

// TestKappaInterval compares with the large-sample variance of Fleiss, Cohen and Everitt (1969), formula 13.
func TestKappaInterval(t *testing.T) {
	c := Multiclass(graded(1))
	n, k := float64(c.Answered), len(c.Levels)
	w := func(i, j int) float64 { return 1 - float64((i-j)*(i-j))/float64((k-1)*(k-1)) }
	row := func(i int) float64 { return float64(c.PerClass[i].Support) / n }
	column := func(j int) float64 { return float64(c.PerClass[j].Predicted) / n }
	po, pe := 0.0, 0.0
	for i := range k {
		for j := range k {
			po += w(i, j) * float64(c.Confusion[i][j]) / n
			pe += w(i, j) * row(i) * column(j)
		}
	}
	sum := 0.0
	for i := range k {
		for j := range k {
			ofRow, ofColumn := 0.0, 0.0
			for m := range k {
				ofRow += w(i, m) * column(m)
				ofColumn += w(m, j) * row(m)
			}
			d := w(i, j)*(1-pe) - (ofRow+ofColumn)*(1-po)
			sum += float64(c.Confusion[i][j]) / n * d * d
		}
	}
	se := math.Sqrt((sum - math.Pow(po*pe-2*pe+po, 2)) / n / math.Pow(1-pe, 4))
	e := c.Of("kappa")
	if e.Low == nil || math.Abs(*e.Low-(*e.Value-Z95*se)) > 1e-12 || math.Abs(*e.High-(*e.Value+Z95*se)) > 1e-12 {
		t.Errorf("kappa %+v, standard error by the formula %.6f", e, se)
	}
}

// TestDeltaBootstrap: on some hundred rows both intervals agree to a few thousandths.
func TestDeltaBootstrap(t *testing.T) {
	a := graded(4)
	c := Multiclass(a)
	drawn, err := MulticlassIntervals(context.Background(), a, c, Draws{Replicates: 2000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"macro_f1", "kappa"} {
		got, want := c.Of(id), drawn.Of(id)
		if got.Low == nil || math.Abs(*got.Low-*want.Low) > .008 || math.Abs(*got.High-*want.High) > .008 {
			t.Errorf("%s: delta %+v, bootstrap %+v", id, got, want)
		}
	}
}

// TestMacroF1OfRightAnswers: where every answer is right the interval is that of Wilson alone, with 1/(1 + z²) and
// 2/(2 + z²) of the rows of each class: 1 − √((1 − 0.3423)² + (1 − 0.5101)²)/2.
func TestMacroF1OfRightAnswers(t *testing.T) {
	e := Multiclass(Answers{Levels: []string{"a", "b"}, Label: []int{0, 1, 1}, Predicted: []int{0, 1, 1}}).Of("macro_f1")
	if e.Low == nil || *e.High != 1 {
		t.Fatalf("%+v", e)
	}
	close(t, "the lower limit", *e.Low, 1-math.Hypot(1-.3423, 1-.5101)/2, 1e-3)
}

// TestDeltaNone: no interval without answers and for a mean over repeats; of kappa none without errors.
func TestDeltaNone(t *testing.T) {
	right := Answers{Levels: []string{"a", "b"}, Label: []int{0, 1, 1}, Predicted: []int{0, 1, 1}, Ordinal: true}
	silent := Answers{Levels: []string{"a", "b"}, Label: []int{0, 1}, Predicted: []int{Abstained, Abstained},
		Ordinal: true, Abstain: true}
	once, other := Multiclass(graded(1)), .5
	averaged := Average([]Classes{once, once}) // equal to the first repeat
	for name, c := range map[string]Classes{"every answer right": Multiclass(right), "no answer": Multiclass(silent),
		"a mean over repeats": averaged, "nothing stored": {MacroF1: &other, Kappa: &other}} {
		for _, id := range []string{"macro_f1", "kappa"} {
			if id == "macro_f1" && name == "every answer right" {
				continue
			}
			if e := c.Of(id); e.Low != nil || e.High != nil {
				t.Errorf("%s: %s has an interval: %g – %g", name, id, *e.Low, *e.High)
			}
		}
	}
}

// TestF1Interval: the limits are the values of F1 at which the score test of q = F1/(2 − F1) reaches its 95 % point.
func TestF1Interval(t *testing.T) {
	c := Multiclass(graded(1))
	for k, row := range c.PerClass {
		tp, all := float64(c.Confusion[k][k]), float64(row.Support+row.Predicted-c.Confusion[k][k])
		e := row.Of("f1")
		if e.Low == nil || *e.Low >= *row.F1 || *e.High <= *row.F1 {
			t.Fatalf("%+v", e)
		}
		for _, f1 := range []float64{*e.Low, *e.High} {
			q := f1 / (2 - f1)
			close(t, "score test", math.Abs(tp-all*q)/math.Sqrt(all*q*(1-q)), Z95, 1e-9)
		}
	}
	if e := (ClassRow{Support: 10, Predicted: 11, F1: new(.55)}).Of("f1"); e.Low != nil {
		t.Errorf("a mean over repeats has an interval: %+v", e)
	}
}

// TestBalancedInterval: for two classes it is the square-and-add interval of sensitivity and specificity, it agrees with
// the bootstrap, and it has a width where every answer of a class is right.
func TestBalancedInterval(t *testing.T) {
	var a Answers
	a.Levels = []string{"no", "yes"}
	for i, row := range [][]int{{270, 30}, {0, 40}} {
		for j, n := range row {
			for range n {
				a.Label, a.Predicted = append(a.Label, i), append(a.Predicted, j)
			}
		}
	}
	c := Multiclass(a)
	e := c.Of("balanced_accuracy")
	l0, h0 := Wilson(270, 300)
	l1, h1 := Wilson(40, 40)
	close(t, "low", *e.Low, .95-math.Hypot(.9-l0, 1-l1)/2, 1e-12)
	close(t, "high", *e.High, .95+math.Hypot(h0-.9, h1-1)/2, 1e-12)
	many := graded(4)
	c = Multiclass(many)
	drawn, err := MulticlassIntervals(context.Background(), many, c, Draws{Replicates: 2000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	got, want := c.Of("balanced_accuracy"), drawn.Of("balanced_accuracy")
	if math.Abs(*got.Low-*want.Low) > .008 || math.Abs(*got.High-*want.High) > .008 {
		t.Errorf("%+v, bootstrap %+v", got, want)
	}
	if e := Average([]Classes{c, c}).Of("balanced_accuracy"); e.Low != nil {
		t.Errorf("a mean over repeats has an interval: %+v", e)
	}
}

// TestAbstentionInterval compares with the mean of the rows' losses, written out.
func TestAbstentionInterval(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		for _, abstained := range []int{0, 25} {
			a := graded(1)
			a.Ordinal, a.Abstain, a.Cost = ordered, true, .35
			for i := range abstained {
				a.Predicted[6*i] = Abstained
			}
			var each []float64
			for i, y := range a.Label {
				switch d := math.Abs(float64(a.Predicted[i] - y)); {
				case a.Predicted[i] == Abstained:
					each = append(each, a.Cost)
				case ordered:
					each = append(each, d)
				default:
					each = append(each, min(d, 1))
				}
			}
			want, c := meanOfRows(each), Multiclass(a)
			got := c.Of("abstention_loss")
			close(t, "value", *got.Value, *want.Value, 1e-12)
			close(t, "low", *got.Low, *want.Low, 1e-12)
			close(t, "high", *got.High, *want.High, 1e-12)
			averaged := Average([]Classes{c, c})
			for _, id := range []string{"abstention_loss", "abstention_rate"} {
				if e := averaged.Of(id); e.Low != nil || *e.Value != *c.Of(id).Value {
					t.Errorf("a mean over repeats, equal to the first, has the interval of it: %s %+v", id, e)
				}
			}
			if e := averaged.Of("accuracy"); e.Low == nil {
				t.Error("the stored limits of the accuracy are lost")
			}
		}
	}
}

// TestMacroF1OfClassesWithoutVariance: of 23 answers, all of two classes right and all of two others wrong, the delta
// method alone gives 0.365 – 0.482. The F1 of 0 of classes of 5 and 2 rows reach up to 0.606 and 0.793 by Wilson, so the
// upper limit is 0.4231 + √(0.0588² + (0.606² + 0.793²)/16).
func TestMacroF1OfClassesWithoutVariance(t *testing.T) {
	var a Answers
	a.Levels = []string{"a", "b", "c", "d"}
	for _, n := range [][3]int{{0, 0, 10}, {1, 1, 6}, {2, 0, 5}, {3, 0, 1}, {3, 1, 1}} {
		for range n[2] {
			a.Label, a.Predicted = append(a.Label, n[0]), append(a.Predicted, n[1])
		}
	}
	e := Multiclass(a).Of("macro_f1")
	close(t, "macro F1", *e.Value, 0.4231, 1e-4)
	close(t, "its lower limit", *e.Low, 0.3645, 2e-3)
	close(t, "its upper limit", *e.High, 0.4231+math.Sqrt(0.0588*0.0588+(0.606*0.606+0.793*0.793)/16), 2e-3)
}

// TestEqualCosts: where every row has the same cost, such as that of no answer, an interval without width would promise
// certainty: there is none.
func TestEqualCosts(t *testing.T) {
	a := Answers{Levels: []string{"a", "b"}, Abstain: true, Cost: .3}
	for i := range 50 {
		a.Label, a.Predicted = append(a.Label, i%2), append(a.Predicted, Abstained)
	}
	c := Multiclass(a)
	if e := c.Of("abstention_loss"); *e.Value != .3 || e.Low != nil {
		t.Errorf("abstention loss %v, from %v", *e.Value, e.Low)
	}
	if e := c.MeanCost([][]float64{{0, 1}, {1, 0}, {.3, .3}}, .3); *e.Value != .3 || e.Low != nil {
		t.Errorf("mean cost %v, from %v", *e.Value, e.Low)
	}
	a.Predicted[0] = 0
	if e := Multiclass(a).Of("abstention_loss"); e.Low == nil || *e.Low >= *e.High {
		t.Errorf("one answer: %+v", e)
	}
}
