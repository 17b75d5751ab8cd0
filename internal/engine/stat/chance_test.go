package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"taper/internal/engine/odds"
)

// TestICIByChance: the ICI of outcomes that follow the risks has the mean that the delta method gives: the curve at a
// row is off by a normal error with the standard error s on the logit scale, thus by √(2/π)·s·p(1−p) on average. An
// ICI of such outcomes lies among those by chance, one of risks that are too extreme above them. Outcomes of
// patients with several rows are not drawn independently.
func TestICIByChance(t *testing.T) {
	const n = 800
	random := rand.New(rand.NewPCG(5, 6))
	p, extreme, event := make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range p {
		x := -1 + 1.3*random.NormFloat64()
		p[i], extreme[i] = odds.Sigmoid(x), odds.Sigmoid(2*x)
		event[i] = random.Float64() < p[i]
	}
	d := Draws{Replicates: 500, Seed: 3}
	got := drawn(t, Scores{Event: event, Score: p, Probability: p}, d)
	by := got.Of(ChanceICI)

	c, ok := smooth(p, event)
	if !ok {
		t.Fatal("no curve")
	}
	k := len(c.beta)
	information := mat.NewSymDense(k, nil)
	for _, q := range p {
		information.SymRankOne(information, q*(1-q), mat.NewVecDense(k, c.row(q)))
	}
	var chol mat.Cholesky
	if !chol.Factorize(information) {
		t.Fatal("singular")
	}
	var covariance mat.SymDense
	if err := chol.InverseTo(&covariance); err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, q := range p {
		row := mat.NewVecDense(k, c.row(q))
		want += math.Sqrt(2/math.Pi*mat.Inner(row, &covariance, row)) * q * (1 - q) / n
	}
	if math.Abs(*by.Value/want-1) > 0.05 {
		t.Errorf("mean %v, by the delta method %v", *by.Value, want)
	}
	if ici := *got.ICI.Value; ici < *by.Low || ici > *by.High {
		t.Errorf("calibrated: ICI %v outside %v – %v", ici, *by.Low, *by.High)
	}
	worse := drawn(t, Scores{Event: event, Score: extreme, Probability: extreme}, d)
	if ici, by := *worse.ICI.Value, worse.Of(ChanceICI); ici <= *by.High {
		t.Errorf("too extreme: ICI %v within %v – %v", ici, *by.Low, *by.High)
	}
	patients := make([]int, n)
	for i := range patients {
		patients[i] = i / 2
	}
	groups := ResampleGroups(patients)
	few := Draws{Replicates: 60, Seed: 3, Resample: &groups}
	if by := drawn(t, Scores{Event: event, Score: p, Probability: p}, few).Of(ChanceICI); by.Value != nil {
		t.Errorf("two rows for each patient: %v", by)
	}
	if !slices.ContainsFunc(PerformanceTable(), func(s Statistic) bool { return s.ID == ChanceICI }) {
		t.Error("not in the table of performance")
	}
}
