package stat

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// four is 60 rows of four classes by a formula that any language can redo.
func four() Answers {
	a := Answers{Levels: []string{"a", "b", "c", "d"}, Ordinal: true}
	for i := range 60 {
		y, best, sum := (i*7+i*i/5)%4, 0, 0.0
		var p [4]float64
		for j := range p {
			v := math.Sin(1.1*float64(i) + 2.3*float64(j))
			switch d := j - y; {
			case d == 0:
				v += 1.1
			case d*d == 1:
				v += 0.5
			}
			p[j] = math.Exp(v)
			sum += p[j]
			if p[j] > p[best] {
				best = j
			}
		}
		for _, v := range p {
			a.Probability = append(a.Probability, v/sum)
		}
		a.Label, a.Predicted = append(a.Label, y), append(a.Predicted, best)
	}
	return a
}

// Reference: sklearn.metrics 1.2.1 (confusion_matrix, accuracy_score,
// balanced_accuracy_score, f1_score(average="macro"), mean_absolute_error,
// cohen_kappa_score(weights="quadratic"), log_loss,
// precision_recall_fscore_support); numpy 1.24.2 for Brier and std(ddof=1).
func TestMulticlassAgainstSklearn(t *testing.T) {
	c := Multiclass(four())
	if d := cmp.Diff([][]int{{9, 8, 1, 0}, {2, 6, 4, 0}, {0, 1, 10, 7}, {0, 2, 5, 5}}, c.Confusion); d != "" {
		t.Error(d)
	}
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"accuracy", c.Accuracy, 0.5},
		{"balanced accuracy", c.BalancedAccuracy, 0.4930555555555556},
		{"macro F1", c.MacroF1, 0.4943663036902601},
		{"MAE", c.MAE, 0.55},
		{"MAE low", c.MAELow, 0.55 - Z95*0.07674523117741308},
		{"kappa", c.Kappa, 0.7144948755490483},
		{"log loss", c.LogLoss, 1.0525070583993061},
		{"log loss low", c.LogLossLow, 1.0525070583993061 - Z95*0.07629440758594026},
		{"log loss high", c.LogLossHigh, 1.0525070583993061 + Z95*0.07629440758594026},
		{"Brier", c.Brier, 0.580687565856874},
		{"Brier low", c.BrierLow, 0.580687565856874 - Z95*0.04721085778869055},
		{"Brier high", c.BrierHigh, 0.580687565856874 + Z95*0.04721085778869055},
	} {
		close(t, tt.what, *tt.got, tt.want, 1e-12)
	}
	for k, want := range [][3]float64{{0.8181818181818182, 0.5, 0.6206896551724137}, {0.35294117647058826, 0.5, 0.41379310344827586},
		{0.5, 0.5555555555555556, 0.5263157894736842}, {0.4166666666666667, 0.4166666666666667, 0.4166666666666667}} {
		row := c.PerClass[k]
		close(t, row.Level+" precision", *row.Precision.Value, want[0], 1e-15)
		close(t, row.Level+" recall", *row.Recall.Value, want[1], 1e-15)
		close(t, row.Level+" F1", *row.F1, want[2], 1e-15)
	}
	if c.AbstentionLoss != nil || c.AbstentionRate != nil {
		t.Error("abstention of a model that cannot abstain")
	}
}

// Two rows of a class that never comes back, a class without rows, and an
// abstention: worked by hand.
func TestMulticlassEdges(t *testing.T) {
	c := Multiclass(Answers{Levels: []string{"x", "y", "z"}, Label: []int{0, 0, 1, 1, 0}, Predicted: []int{0, 0, 0, Abstained, Abstained}, Abstain: true, Cost: 0.3})
	close(t, "accuracy of answers", *c.Accuracy, 2.0/3, 1e-15)
	close(t, "macro F1", *c.MacroF1, (4.0/5+0)/2, 1e-15)
	close(t, "balanced accuracy", *c.BalancedAccuracy, 0.5, 1e-15)
	close(t, "abstention rate", *c.AbstentionRate, 0.4, 1e-15)
	close(t, "abstention loss", *c.AbstentionLoss, (1+2*0.3)/5, 1e-15)
	if y, z := c.PerClass[1], c.PerClass[2]; y.Precision.Value != nil || z.Recall.Value != nil || z.F1 != nil || *y.F1 != 0 {
		t.Errorf("y %+v, z %+v", y, z)
	}
	if c.MAE != nil || c.Kappa != nil || c.LogLoss != nil {
		t.Error("made up without order or probabilities")
	}
	none := Multiclass(Answers{Levels: []string{"x", "y"}, Label: []int{0, 1}, Predicted: []int{Abstained, Abstained}, Ordinal: true, Abstain: true, Cost: 0.5})
	if none.Accuracy != nil || none.MAE != nil || none.Kappa != nil || none.MacroF1 != nil || *none.AbstentionLoss != 0.5 {
		t.Errorf("nothing answered: %+v", none)
	}
	if empty := Multiclass(Answers{Levels: []string{"x", "y"}, Ordinal: true, Abstain: true, Probability: []float64{}}); empty.LogLoss != nil || empty.AbstentionRate != nil {
		t.Errorf("no rows: %+v", empty)
	}
	same := Multiclass(Answers{Levels: []string{"x", "y"}, Label: []int{1, 1}, Predicted: []int{1, 1}, Ordinal: true})
	if same.Kappa != nil || *same.MAE != 0 {
		t.Error("kappa of one class")
	}
}

// TestMacroF1OfAbsentClass: a file without rows of z. F1 is 0.8 of x and 1 of y; z, answered once, has no rows and is left
// out: 0.9, as sklearn's f1_score(labels=[0, 1], average="macro") gives. The derivatives by the shares xx, xz and yy are
// ½(2/s − 2F/s) = 0.16, −½F/s = −0.32 with s = 1.25, and 0, so the variance is (½·0.16² + ¼·0.32²)/4 = 0.0096.
func TestMacroF1OfAbsentClass(t *testing.T) {
	c := Multiclass(Answers{Levels: []string{"x", "y", "z"}, Label: []int{0, 0, 0, 1}, Predicted: []int{0, 0, 2, 1}})
	e := c.Of("macro_f1")
	close(t, "macro F1", *e.Value, 0.9, 1e-15)
	one, _ := Wilson(1, 1) // y, whose F1 of 1 has no variance: half its distance to the Wilson limit is added
	close(t, "its lower limit", *e.Low, 0.9-math.Hypot(Z95*math.Sqrt(0.0096), (1-2*one/(1+one))/2), 1e-12)
	close(t, "balanced accuracy", *c.BalancedAccuracy, (2.0/3+1)/2, 1e-15)
	if *e.High != 1 || *c.PerClass[2].F1 != 0 || !slices.Equal(c.WithoutRows(), []string{"z"}) {
		t.Errorf("up to %v, F1 of z %v, without rows: %v", *e.High, *c.PerClass[2].F1, c.WithoutRows())
	}
}

// TestMeanCost: costs of eight rows by hand, three right at 0, two wrong at 5, one wrong at 1 and two without an answer
// at 0.5. Their mean is 12/8 = 1.5, their sum of squares 51.5, so the variance is (51.5 − 8·2.25)/7 = 33.5/7.
func TestMeanCost(t *testing.T) {
	none := Abstained
	c := Multiclass(Answers{Levels: []string{"a", "b"}, Label: []int{0, 0, 1, 1, 1, 0, 0, 1},
		Predicted: []int{0, 0, 1, 0, 0, 1, none, none}, Abstain: true})
	costs := [][]float64{{0, 5}, {1, 0}, {0.5, 0.5}}
	e := c.MeanCost(costs, 1.5)
	half := Z95 * math.Sqrt(33.5/7/8)
	close(t, "mean cost", *e.Value, 1.5, 0)
	close(t, "its upper limit", *e.High, 1.5+half, 1e-12)
	if *e.Low != max(0, 1.5-half) {
		t.Errorf("lower limit %v, want %v", *e.Low, max(0, 1.5-half))
	}
	// Answered for every row, the row of costs for no answer changes neither the mean nor its standard error, and only
	// bounds the interval.
	full := Multiclass(Answers{Levels: []string{"a", "b"}, Label: []int{0, 0, 1, 1}, Predicted: []int{0, 1, 1, 0}, Abstain: true})
	with, without := full.MeanCost(costs, 1.5), full.MeanCost(costs[:2], 1.5)
	if *with.Value != *without.Value || *with.High != *without.High || *with.Low != *without.Low {
		t.Errorf("with a cost of no answer %v – %v, without %v – %v", *with.Low, *with.High, *without.Low, *without.High)
	}
	dear := full.MeanCost([][]float64{costs[0], costs[1], {9, 9}}, 1.5)
	if half := Z95 * math.Sqrt((26-4*2.25)/3/4); math.Abs(*dear.High-1.5-half) > 1e-12 {
		t.Errorf("up to %v, want %v", *dear.High, 1.5+half)
	}
	if e := c.MeanCost(costs, 1.4); e.Low != nil || *e.Value != 1.4 {
		t.Errorf("a mean over repeats: %v", e)
	}
	if e := (Classes{}).MeanCost(costs, 1.5); e.Low != nil || *e.Value != 1.5 {
		t.Errorf("no counts: %v", e)
	}
}

// Renaming the classes permutes what is per class and leaves the rest.
func TestMulticlassPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		class := rapid.IntRange(0, 2)
		a := Answers{Levels: []string{"0", "1", "2"}, Label: rapid.SliceOfN(class, n, n).Draw(t, "label"), Predicted: rapid.SliceOfN(class, n, n).Draw(t, "predicted")}
		b := Answers{Levels: a.Levels, Label: make([]int, n), Predicted: make([]int, n)}
		to := rapid.Permutation([]int{0, 1, 2}).Draw(t, "permutation")
		for i := range n {
			b.Label[i], b.Predicted[i] = to[a.Label[i]], to[a.Predicted[i]]
		}
		x, y := Multiclass(a), Multiclass(b)
		approx := cmpopts.EquateApprox(0, 1e-14)
		for k, j := range to {
			if d := cmp.Diff(x.PerClass[k], y.PerClass[j], approx, cmpopts.IgnoreFields(ClassRow{}, "Level")); d != "" {
				t.Fatal(d)
			}
		}
		all := cmpopts.IgnoreFields(Classes{}, "PerClass", "Confusion")
		if d := cmp.Diff(x, y, approx, all); d != "" {
			t.Fatal(d)
		}
	})
}

func TestCoverage(t *testing.T) {
	got := Coverage([]float64{0.9, 0.5, 0.9, 0.7, 0.5}, []bool{true, false, false, true, true}, 200)
	want := []CoveragePoint{{0.9, 2, 0.4, Proportion(1, 2)}, {0.7, 3, 0.6, Proportion(2, 3)}, {0.5, 5, 1, Proportion(3, 5)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if Coverage(nil, nil, 5) != nil {
		t.Error("points without rows")
	}
}

// The bootstrap of an abstention rate is that of a proportion; a metric that
// does not exist has no interval.
func TestMulticlassIntervals(t *testing.T) {
	a := four()
	for i := range a.Predicted {
		if i%4 == 0 {
			a.Predicted[i] = Abstained
		}
	}
	a.Abstain, a.Cost = true, 0.2
	whole := Multiclass(a)
	c, err := MulticlassIntervals(t.Context(), a, whole, Draws{Replicates: 2000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	close(t, "rate", *c.AbstentionRate.Value, 0.25, 0)
	half := Z95 * math.Sqrt(0.25*0.75/60)
	if !(math.Abs(*c.AbstentionRate.High-0.25-half) <= 0.02) || !(math.Abs(*c.AbstentionRate.Low-0.25+half) <= 0.02) {
		t.Errorf("%v to %v, about .25 ± %v", *c.AbstentionRate.Low, *c.AbstentionRate.High, half)
	}
	for name, v := range map[string]struct {
		e    Estimate
		want *float64
	}{"F1": {c.MacroF1, whole.MacroF1}, "kappa": {c.Kappa, whole.Kappa}, "log loss": {c.LogLoss, whole.LogLoss}} {
		if *v.e.Value != *v.want || !(*v.e.Low < *v.want && *v.want < *v.e.High) {
			t.Errorf("%s: %v in %v to %v", name, *v.e.Value, *v.e.Low, *v.e.High)
		}
	}
	a.Ordinal = false
	one := Answers{Levels: []string{"x", "y"}, Label: []int{0, 1, 0, 1}, Predicted: []int{0, 0, 0, 0}, Ordinal: true}
	if c, err := MulticlassIntervals(t.Context(), one, Multiclass(one), Draws{Replicates: 50}); err != nil || c.Kappa.Value == nil || c.Kappa.Low != nil || c.Kappa.High != nil {
		t.Errorf("where all answers are the same kappa has an interval without width: %+v", c.Kappa)
	}
	if c, err := MulticlassIntervals(t.Context(), a, Multiclass(a), Draws{Replicates: 50}); err != nil || c.Kappa.Value != nil || c.Kappa.Low != nil {
		t.Errorf("kappa without order: %+v, %v", c.Kappa, err)
	}
}

// TestF1OverRows: macro F1 of a class without rows differs from that of earlier versions, which counted the class
// as 0 if it was predicted. By hand: F1 of a and b is 0.8 and 1; c has one prediction and no row.
func TestF1OverRows(t *testing.T) {
	now, earlier := .9, .6
	c := Classes{Levels: []string{"a", "b", "c"}, PerClass: []ClassRow{{Level: "a", Support: 3, Predicted: 2},
		{Level: "b", Support: 2, Predicted: 2}, {Level: "c", Predicted: 1}}}
	for k, f := range []float64{.8, 1, 0} {
		c.PerClass[k].F1 = &f
	}
	for _, test := range []struct {
		stored *float64
		want   bool
	}{{&now, true}, {&earlier, false}, {nil, false}} {
		if c.MacroF1 = test.stored; c.F1OverRows() != test.want {
			t.Errorf("%v: %v", test.stored, !test.want)
		}
	}
}
