package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// close fails the test when got and want differ by more than tol, relative or
// absolute.
func close(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// sample is 40 rows with tied scores, made by a formula that any language can
// redo; p is miscalibrated on purpose.
func sample() (f, p []float64, y []bool) {
	for i := range 40 {
		x := float64(i)
		v := math.Sin(1.7*x+0.3)*2 + 0.4*math.Cos(0.9*x)
		y = append(y, math.Sin(2.3*x)+v*0.6 > 0.35)
		v = math.Round(v*10) / 10
		f, p = append(f, v), append(p, 1/(1+math.Exp(0.4-v)))
	}
	return f, p, y
}

// Reference: sklearn.metrics 1.2.1 (roc_auc_score, brier_score_loss, log_loss,
// balanced_accuracy_score); scipy 1.10.1 brentq and root for the calibration.
func TestClassification(t *testing.T) {
	f, p, y := sample()
	b := Classification(Scores{Event: y, Score: f, Probability: p})
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"AUC", b.AUC, 0.9092071611253197},
		{"Brier", b.Brier, 0.1264631061274985},
		{"scaled Brier", b.ScaledBrier, 0.4825039135447631},
		{"log loss", b.LogLoss, 0.4042968460340144},
		{"accuracy", b.Accuracy, 0.8},
		{"balanced accuracy", b.BalancedAccuracy, 0.7953964194373402},
		{"sensitivity", b.Sensitivity, 0.7647058823529411},
		{"specificity", b.Specificity, 0.8260869565217391},
		{"calibration intercept", b.CalibrationIntercept, -0.09024407427346612},
		{"calibration slope", b.CalibrationSlope, 1.5779201728954835},
	} {
		close(t, tt.what, *tt.got, tt.want, 1e-12)
	}
	if b.IntervalLoss != nil {
		t.Error("interval loss without boundaries")
	}
}

// Without probability the decision is f > 0, or f > Cut; nothing that needs a
// probability exists.
func TestClassificationWithoutProbability(t *testing.T) {
	s := Scores{Event: []bool{true, true, false, false, false}, Score: []float64{0.5, -1, 0, 0.2, -3},
		Band: []int{2, 0, 1, 1, 0}, Pi: []float64{0.2, 0.6}}
	b := Classification(s)
	close(t, "accuracy", *b.Accuracy, 3.0/5, 1e-15)
	close(t, "sensitivity", *b.Sensitivity, 1.0/2, 1e-15)
	close(t, "specificity", *b.Specificity, 2.0/3, 1e-15)
	close(t, "balanced accuracy", *b.BalancedAccuracy, 7.0/12, 1e-15)
	close(t, "interval loss", *b.IntervalLoss, (0+1.2+0.2+0.2+0)/5, 1e-15)
	if b.Brier != nil || b.ScaledBrier != nil || b.LogLoss != nil || b.CalibrationIntercept != nil || b.CalibrationSlope != nil {
		t.Errorf("made up from no probability: %+v", b)
	}
	s.Cut = 0.3
	close(t, "specificity above 0.3", *Classification(s).Specificity, 1, 0)
}

func TestClassificationUndefined(t *testing.T) {
	one := Classification(Scores{Event: []bool{true, true}, Score: []float64{1, 2}, Probability: []float64{0.4, 1}})
	if one.AUC != nil || one.AUCLow != nil || one.Specificity != nil || one.BalancedAccuracy != nil || one.ScaledBrier != nil || one.CalibrationIntercept != nil {
		t.Errorf("one class: %+v", one)
	}
	close(t, "sensitivity", *one.Sensitivity, 0.5, 0)
	close(t, "Brier", *one.Brier, 0.18, 1e-15)
	if d := cmp.Diff(Binary{}, Classification(Scores{Probability: []float64{}, Band: []int{}, Pi: []float64{0.5}})); d != "" {
		t.Errorf("no rows: %s", d)
	}
	sure := Classification(Scores{Event: []bool{true, false}, Score: []float64{-800, 800}, Probability: []float64{0, 1}})
	close(t, "log loss of a certainty gone wrong", *sure.LogLoss, (53*math.Ln2+1022*math.Ln2)/2, 1e-12)
}

// Reference: scipy.stats.binomtest(k, n).proportion_ci(method='wilson'), scipy
// 1.10.1; 15/148 also in Newcombe 1998, table I, method 3: 0.0624 to 0.1605.
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		events, n int
		low, high float64
	}{
		{0, 10, 0, 0.27753279986288926},
		{3, 10, 0.10779126740630102, 0.6032218525388546},
		{10, 10, 0.7224672001371109, 1},
		{1, 30, 0.005908590381612441, 0.16670390991409173},
		{15, 148, 0.06238639953073629, 0.16048724172330803},
		{263, 263, 0.9856039655993808, 1},
		{52, 100, 0.42316577765223956, 0.6153544824194809},
	} {
		low, high := Wilson(tt.events, tt.n)
		close(t, "low", low, tt.low, 1e-14)
		close(t, "high", high, tt.high, 1e-14)
	}
	if low, high := Wilson(0, 0); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("no rows: %v to %v", low, high)
	}
}

func TestWilsonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1e6).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "events")
		low, high := Wilson(k, n)
		p := float64(k) / float64(n)
		if !(0 <= low && low <= p && p <= high && high <= 1) {
			t.Fatalf("%d of %d: %v to %v", k, n, low, high)
		}
		l, h := Wilson(n-k, n)
		if math.Abs(l-(1-high)) > 1e-12 || math.Abs(h-(1-low)) > 1e-12 {
			t.Fatalf("%d of %d: not mirrored", k, n)
		}
	})
}

// rows repeats n rows of a band, the first of them events.
func rows(band []int, event []bool, k, n, events int) ([]int, []bool) {
	for i := range n {
		band, event = append(band, k), append(event, i < events)
	}
	return band, event
}

func TestStrataVerdicts(t *testing.T) {
	pi := []float64{0.25, 0.5}
	for _, tt := range []struct {
		k, n, events int
		want         string
	}{
		{0, 0, 0, TooFew},
		{0, 29, 6, TooFew},
		{0, 1000, 4, TooFew},
		{0, 1000, 5, Inside},     // CI 0.2 – 1.2 %
		{0, 100, 20, Compatible}, // CI 13.3 – 28.9 %
		{0, 100, 25, Compatible}, // the upper bound belongs to the band
		{1, 100, 25, Unclear},    // the lower one does not
		{1, 100, 38, Inside},     // CI 29.1 – 47.8 %
		{1, 100, 45, Compatible}, // CI 35.6 – 54.8 %
		{1, 1000, 380, Inside},   // CI 35.0 – 41.1 %
		{1, 100, 20, Unclear},    // CI 13.3 – 28.9 % reaches 25 %
		{1, 100, 10, Outside},    // CI 5.5 – 17.4 %
		{1, 100, 70, Outside},    // CI 60.4 – 78.1 %
		{2, 1000, 1000, Inside},  // CI 99.6 – 100 %
		{2, 40, 19, Unclear},     // rate 47.5 %
	} {
		band, event := rows(nil, nil, tt.k, tt.n, tt.events)
		if s := Strata(pi, band, event); s[tt.k].Verdict != tt.want {
			t.Errorf("band %d, %d of %d: %q, want %q", tt.k, tt.events, tt.n, s[tt.k].Verdict, tt.want)
		}
	}
}

func TestStrata(t *testing.T) {
	band, event := rows(nil, nil, 0, 60, 6)
	band, event = rows(band, event, 2, 40, 34)
	s := Strata([]float64{0.25, 0.5}, band, event)
	num := func(v float64) *float64 { return &v }
	want := []Stratum{
		// scipy 1.10.1 binomtest(6, 60) and (34, 40), method wilson
		{Lower: 0, Upper: 0.25, N: 60, Events: 6, Observed: num(0.1), Low: num(0.04664283447388416), High: num(0.20149464723978772), Verdict: Inside, LR: num((6.0 / 40) / (54.0 / 60))},
		{Lower: 0.25, Upper: 0.5, Verdict: TooFew},
		{Lower: 0.5, Upper: 1, N: 40, Events: 34, Observed: num(0.85), Low: num(0.709276756335103), High: num(0.9293881228267964), Verdict: Inside, LR: num((34.0 / 40) / (6.0 / 60))},
	}
	if d := cmp.Diff(want, s, cmpopts.EquateApprox(0, 1e-14)); d != "" {
		t.Error(d)
	}
	band, event = rows(nil, nil, 0, 10, 10)
	if s := Strata([]float64{0.5}, band, event); s[0].LR != nil {
		t.Errorf("likelihood ratio %v without a row of the other class", *s[0].LR)
	}
}

func TestMonotone(t *testing.T) {
	of := func(counts ...int) (s []Stratum) {
		for i := 0; i < len(counts); i += 2 {
			s = append(s, Stratum{Events: counts[i], N: counts[i+1]})
		}
		return s
	}
	for _, tt := range []struct {
		s    []Stratum
		want bool
	}{
		{of(1, 10, 2, 10, 9, 10), true},
		{of(1, 10, 0, 0, 1, 10), true}, // an empty band says nothing
		{of(3, 10, 0, 0, 2, 10), false},
		{of(1, 3, 33, 100), false},
		{of(0, 5), true},
		{nil, true},
	} {
		if got := Monotone(tt.s); got != tt.want {
			t.Errorf("%+v: %v", tt.s, got)
		}
	}
}

// ℓ_π of one row, from the definition in clinical.md §2.
func direct(pi []float64, band int, event bool) (l float64) {
	for k, p := range pi { // g ≤ π_k when the band ends at π_k or below
		switch above := band > k; {
		case event && !above:
			l += 1 - p
		case !event && above:
			l += p
		}
	}
	return 2 * l / float64(len(pi))
}

func TestIntervalLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pi := []float64{0.1, 0.3, 0.55, 0.9}[:rapid.IntRange(1, 4).Draw(t, "K")]
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		band, event, want := make([]int, n), make([]bool, n), 0.0
		for i := range n {
			band[i], event[i] = rapid.IntRange(0, len(pi)).Draw(t, "band"), rapid.Bool().Draw(t, "event")
			want += direct(pi, band[i], event[i]) / float64(n)
		}
		if got := IntervalLoss(pi, band, event); math.Abs(got-want) > 1e-14 || got < 0 || got >= 2 {
			t.Fatalf("ℓ = %v, want %v", got, want)
		}
	})
	if l := IntervalLoss([]float64{0.5}, nil, nil); !math.IsNaN(l) {
		t.Errorf("no rows: %v", l)
	}
}

// Many boundaries make ℓ_π the Brier score of the band's place (math.md §6).
func TestIntervalLossTendsToBrier(t *testing.T) {
	const k = 20000
	pi := make([]float64, k)
	for j := range pi {
		pi[j] = (float64(j) + 0.5) / k
	}
	for _, g := range []float64{0, 0.13, 0.8, 1} {
		band := []int{int(math.Round(g * k))}
		close(t, "event", IntervalLoss(pi, band, []bool{true}), (1-g)*(1-g), 1e-4)
		close(t, "other", IntervalLoss(pi, band, []bool{false}), g*g, 1e-4)
	}
}

func TestRejectSummary(t *testing.T) {
	band := []int{0, 0, 0, 1, 1, 2, 2, 2}
	event := []bool{false, false, true, true, false, true, true, false}
	r := RejectSummary(0.2, band, event)
	third := 2.0 / 6
	want := Reject{Rate: 0.75, Accepted: 6, Errors: 2, ErrorRate: &third, RejectedEvents: 1, Cost: 0.2, Loss: (2 + 0.4) / 8}
	if d := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Error(d)
	}
	close(t, "ℓ_π at c, 1−c", IntervalLoss([]float64{0.2, 0.8}, band, event), r.Loss, 1e-15)
	if r := RejectSummary(0.2, []int{1}, []bool{true}); r.ErrorRate != nil {
		t.Error("error rate of no answer")
	}
}

// delong is the direct O(mn) computation of DeLong et al. 1988.
func delong(score []float64, event []bool) (auc, se float64) {
	x, y := split(score, event)
	m, n := float64(len(x)), float64(len(y))
	v10, v01 := make([]float64, len(x)), make([]float64, len(y))
	for i, a := range x {
		for j, b := range y {
			psi := 0.0
			if a > b {
				psi = 1
			} else if a == b {
				psi = 0.5
			}
			auc, v10[i], v01[j] = auc+psi/(m*n), v10[i]+psi/n, v01[j]+psi/m
		}
	}
	var s10, s01 float64
	for _, v := range v10 {
		s10 += (v - auc) * (v - auc) / (m - 1)
	}
	for _, v := range v01 {
		s01 += (v - auc) * (v - auc) / (n - 1)
	}
	return auc, math.Sqrt(s10/m + s01/n)
}

func TestAUCAgainstDeLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 80).Draw(t, "rows")
		levels := rapid.IntRange(1, 50).Draw(t, "levels") // few: many ties
		score, event, other := make([]float64, n), make([]bool, n), make([]bool, n)
		for i := range n {
			score[i] = float64(rapid.IntRange(0, levels).Draw(t, "score")) / 7
			event[i] = i < 2 || i > 3 && rapid.Bool().Draw(t, "event")
			other[i] = !event[i]
		}
		auc, low, high := AUC(score, event)
		want, se := delong(score, event)
		if math.Abs(auc-want) > 1e-13 || math.Abs(low-max(0, want-Z95*se)) > 1e-12 || math.Abs(high-min(1, want+Z95*se)) > 1e-12 {
			t.Fatalf("%v (%v to %v), want %v ± %v", auc, low, high, want, Z95*se)
		}
		if a, l, h := AUC(score, other); math.Abs(a-(1-auc)) > 1e-13 || math.Abs(l-(1-high)) > 1e-12 || math.Abs(h-(1-low)) > 1e-12 {
			t.Fatalf("classes swapped: %v (%v to %v), was %v (%v to %v)", a, l, h, auc, low, high)
		}
	})
}

func TestAUCUndefined(t *testing.T) {
	for name, a := range map[string]struct {
		score []float64
		event []bool
	}{
		"no rows":   {nil, nil},
		"one class": {[]float64{1, 2}, []bool{true, true}},
		"NaN score": {[]float64{1, math.NaN(), 3}, []bool{true, true, false}},
	} {
		if auc, low, high := AUC(a.score, a.event); !math.IsNaN(auc) || !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("%s: %v (%v to %v)", name, auc, low, high)
		}
	}
	if auc, low, _ := AUC([]float64{1, 2, 3}, []bool{false, false, true}); auc != 1 || !math.IsNaN(low) {
		t.Errorf("one event: %v from %v", auc, low)
	}
}

func TestCalibrationProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	n := 20000
	p, event := make([]float64, n), make([]bool, n)
	for i := range n {
		f := 2*r.NormFloat64() - 1
		p[i] = 1 / (1 + math.Exp(-f))
		event[i] = r.Float64() < 1/(1+math.Exp(-(0.5+0.6*f))) // true recalibration 0.5, 0.6
	}
	_, slope, ok := Calibration(p, event)
	if !ok || math.Abs(slope-0.6) > 0.04 {
		t.Errorf("slope %v, want about 0.6", slope)
	}
	swapped, other := make([]float64, n), make([]bool, n)
	for i := range n {
		swapped[i], other[i] = 1-p[i], !event[i]
	}
	a, b, _ := Calibration(p, event)
	c, d, _ := Calibration(swapped, other)
	close(t, "intercept of the swapped classes", c, -a, 1e-9)
	close(t, "slope of the swapped classes", d, b, 1e-9)
}

func TestCalibrationEdges(t *testing.T) {
	// A constant p: the intercept alone exists, logit ȳ − logit p.
	a, b, ok := Calibration([]float64{0.2, 0.2, 0.2, 0.2}, []bool{true, false, false, true})
	close(t, "intercept", a, -math.Log(0.2/0.8), 1e-12)
	if !ok || !math.IsNaN(b) {
		t.Errorf("constant p: slope %v, ok %v", b, ok)
	}
	for name, p := range map[string][]float64{"separated": {0.9, 0.8, 0.3, 0.1}, "touching": {0.9, 0.3, 0.3, 0.1}, "wrong way round": {0.1, 0.2, 0.8, 0.9}} {
		if _, b, _ := Calibration(p, []bool{true, true, false, false}); !math.IsNaN(b) {
			t.Errorf("%s: slope %v", name, b)
		}
	}
	for name, p := range map[string][]float64{"NaN": {math.NaN(), 0.5}, "above 1": {1.1, 0.5}, "negative": {0.5, -1e-9}} {
		if _, _, ok := Calibration(p, []bool{true, false}); ok {
			t.Errorf("%s: ok", name)
		}
	}
	// Extreme and wrong: the sum of the recalibrated risks is still the number of events.
	p := []float64{1e-300, 1, 0, 1 - 1e-16, 0.5, 1e-12}
	event := []bool{true, false, true, true, false, false}
	a, b, ok = Calibration(p, event)
	if !ok || math.IsNaN(a) || math.IsNaN(b) {
		t.Fatalf("extreme p: %v, %v, %v", a, b, ok)
	}
	sum := 0.0
	for _, q := range p {
		q = within(q)
		sum += 1 / (1 + math.Exp(-(a + math.Log(q) - math.Log1p(-q))))
	}
	close(t, "expected events", sum, 3, 1e-9)
}
