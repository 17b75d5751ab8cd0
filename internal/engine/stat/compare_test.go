package stat

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/odds"

	"context"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// pair is two models on the same rows, the first the better one.
func pair(n int) (a, b Scores) {
	r := rand.New(rand.NewPCG(6, 1))
	a.Pi, b.Pi = []float64{0.3, 0.6}, []float64{0.3, 0.6}
	for range n {
		f := 1.5 * r.NormFloat64()
		e := r.Float64() < odds.Sigmoid(f)
		for k, s := range []*Scores{&a, &b} {
			p := odds.Sigmoid(f + float64(k)*r.NormFloat64())
			band := 0
			for _, v := range s.Pi {
				if p > v {
					band++
				}
			}
			s.Event, s.Score = append(s.Event, e), append(s.Score, odds.Logit(p))
			s.Probability, s.Band = append(s.Probability, p), append(s.Band, band)
		}
	}
	return a, b
}

// TestCompareElsewhere holds the percentiles against numpy's over the same
// draws, and the AUC against pROC's: testdata/paired.json says how.
func TestCompareElsewhere(t *testing.T) {
	var file struct {
		Event, Band_A, Band_B, First_Draw []int
		A, B, Pi                          []float64
		Seed                              uint64
		Replicates                        int
		Expected                          map[string][]float64
		AUC                               struct {
			A, B, Z, P float64
			Difference []float64
		}
	}
	text, err := os.ReadFile("testdata/paired.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	event := make([]bool, len(file.Event))
	for i, y := range file.Event {
		event[i] = y == 1
	}
	if got := Rows(len(event)).Draw(nil, file.Seed, 0); !slices.Equal(got, file.First_Draw) {
		t.Fatalf("the first draw is %v, elsewhere %v", got, file.First_Draw)
	}
	c, err := Compare(t.Context(), Scores{Event: event, Score: file.A, Probability: file.A, Band: file.Band_A, Pi: file.Pi},
		Scores{Event: event, Score: file.B, Probability: file.B, Band: file.Band_B, Pi: file.Pi}, Draws{Replicates: file.Replicates, Seed: file.Seed})
	if err != nil || c.N != len(event) || c.Draws != file.Replicates {
		t.Fatal(c.N, c.Draws, err)
	}
	for name, got := range map[string]LossDifference{"brier": c.Brier, "scaled_brier": c.ScaledBrier, "log_loss": c.LogLoss, "interval_loss": c.IntervalLoss} {
		want := file.Expected[name]
		for k, v := range []*float64{got.Difference.Value, got.Difference.Low, got.Difference.High} {
			close(t, name, *v, want[k], 1e-12)
		}
		if len(want) > 3 {
			close(t, "SE of "+name, *got.SE, want[3], 1e-12)
		}
	}
	d, want := c.AUC, file.AUC
	for k, v := range []*float64{d.Difference.Value, d.Difference.Low, d.Difference.High} {
		close(t, "AUC", *v, want.Difference[k], 1e-12)
	}
	close(t, "AUC of A", *d.A.Value, want.A, 1e-12)
	close(t, "AUC of B", *d.B.Value, want.B, 1e-12)
	close(t, "z", *d.Z, want.Z, 1e-10)
	close(t, "p", *d.P, want.P, 1e-10)
}

// TestCompareEnds: a comparison whose asker has left returns at once, and the
// number of cores changes no bit.
func TestCompareEnds(t *testing.T) {
	a, b := pair(300)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := Compare(gone, a, b, Draws{Replicates: 1 << 16}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	cells := columnsOf(a, b)
	many, err := Draws{Replicates: 300, Seed: 4}.means(t.Context(), cells, 1)
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for k, v := range many {
		rows = Rows(len(cells)).Draw(rows, 4, uint64(k))
		sum := 0.0
		for _, i := range rows {
			sum += cells[i]
		}
		if v != sum/float64(len(rows)) {
			t.Fatalf("draw %d: %v", k, v)
		}
	}
}

func columnsOf(a, b Scores) []float64 {
	return newColumns([]Pair{{A: squares(a.Probability, a.Event), B: squares(b.Probability, b.Event)}}).cells
}

// The bootstrap distribution of a mean difference is known: its percentiles
// are near ± z·SE, here within the noise of 2000 draws.
func TestCompare(t *testing.T) {
	a, b := pair(400)
	c := compared(t, a, b, Draws{Replicates: 2000, Seed: 9})
	for name, v := range map[string]struct {
		got  LossDifference
		a, b float64
	}{
		"Brier":    {c.Brier, *Brier(a.Probability, a.Event).Value, *Brier(b.Probability, b.Event).Value},
		"log loss": {c.LogLoss, *LogLoss(a.Probability, a.Event).Value, *LogLoss(b.Probability, b.Event).Value},
		"ℓ_π":      {c.IntervalLoss, IntervalLoss(a.Pi, a.Band, a.Event), IntervalLoss(b.Pi, b.Band, b.Event)},
	} {
		close(t, name+" of A", *v.got.A, v.a, 1e-12)
		close(t, name+" of B", *v.got.B, v.b, 1e-12)
		close(t, name, *v.got.Difference.Value, v.a-v.b, 1e-12)
		se := *v.got.SE
		if low := v.a - v.b - Z95*se; !(math.Abs(*v.got.Difference.Low-low) <= 0.25*se) {
			t.Errorf("%s: low %v, about %v by the normal law", name, *v.got.Difference.Low, low)
		}
	}
	var diff []float64
	for i, p := range a.Probability {
		y := 0.0
		if a.Event[i] {
			y = 1
		}
		diff = append(diff, (p-y)*(p-y)-(b.Probability[i]-y)*(b.Probability[i]-y))
	}
	close(t, "SE", *c.Brier.SE, stat.StdDev(diff, nil)/20, 1e-12)
	if again := compared(t, a, b, Draws{Replicates: 2000, Seed: 9}); *again.Brier.Difference.Low != *c.Brier.Difference.Low {
		t.Error("one seed, two results")
	}
	b.Pi = []float64{0.3, 0.7}
	b.Probability = nil
	if other := compared(t, a, b, Draws{Replicates: 50}); other.IntervalLoss.A != nil || other.Brier.A != nil || other.AUC.Difference.Value == nil {
		t.Errorf("other boundaries, no probability: %+v", other)
	}
}

func compared(t *testing.T, a, b Scores, d Draws) Comparison {
	t.Helper()
	c, err := Compare(t.Context(), a, b, d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPairedLosses(t *testing.T) {
	of := func(a, b []float64, d Draws) LossDifference {
		t.Helper()
		list, err := PairedLosses(t.Context(), []Pair{{A: a, B: b}}, d)
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	l := of([]float64{1, 2, 3}, []float64{1, 1, 1}, Draws{})
	close(t, "difference", *l.Difference.Value, 1, 1e-15)
	close(t, "SE", *l.SE, 1/math.Sqrt(3), 1e-15)
	if l.Difference.Low != nil {
		t.Error("an interval without draws")
	}
	if l := of(nil, nil, Draws{Replicates: 50}); l.A != nil || l.Difference.Value != nil {
		t.Errorf("no rows: %+v", l)
	}
}

// BenchmarkCompare is one pair of runs at the page's number of draws.
func BenchmarkCompare(b *testing.B) {
	x, y := pair(5000)
	for b.Loop() {
		if _, err := Compare(b.Context(), x, y, PairedDraws(5000, 1)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestIntervalDifference: by hand at π = .2 and .6, where a missed event costs 1 − π and a
// false alarm π at each boundary passed.
func TestIntervalDifference(t *testing.T) {
	event := []bool{true, true, false, false}
	got := IntervalDifference([]float64{.2, .6}, []int{0, 2, 2, 0}, []int{1, 2, 1, 1}, event)
	// a: .8 + .4, 0, .2 + .6, 0; b: .4, 0, .2, .2
	if want := (1.2 + 0 + .8 + 0 - (.4 + 0 + .2 + .2)) / 4; !(math.Abs(*got.Difference.Value-want) <= 1e-15) {
		t.Errorf("ℓ_π of a − b = %v, want %v", *got.Difference.Value, want)
	}
	if none := IntervalDifference(nil, []int{0}, []int{0}, []bool{true}); none != (LossDifference{}) {
		t.Errorf("without boundaries %+v", none)
	}
}

// TestEnds: bands, verdicts, grids and inflation at the ends of what they are for.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, 1, "all rows"}, {0, .25, "≤ 25 %"}, {.25, .5, "25 – 50 %"}, {.75, 1, "> 75 %"}} {
		if got := BandLabel(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
	// 0 of 25: 0 … 13 %, compatible with the first band up to 10 % and with no other that begins at 0.
	if got := BandVerdict(0, .1, 25, 0); got != TooFew { // no event
		t.Errorf("no event in the first band: %s", got)
	}
	if got := BandVerdict(0, .1, 100, 5); got != Compatible { // 2.2 … 11.2 %
		t.Errorf("5 of 100 up to 10 %%: %s", got)
	}
	if got := BandVerdict(.05, .1, 100, 5); got != Unclear { // its lower end is not part of it
		t.Errorf("5 of 100 from 5 to 10 %%: %s", got)
	}
	grid := decisionGrid([]float64{.125, .5})
	if len(grid) != 100 || grid[0] != .01 || grid[99] != .99 || !slices.Contains(grid, .125) || !slices.IsSorted(grid) {
		t.Errorf("thresholds %v", grid)
	}
	if got := GVIF([]float64{1, 2, 2, 1}, 2, 2, 0, 1); got != nil { // two rows lie on a line
		t.Errorf("two rows: %v", *got)
	}
	if got := GVIF([]float64{1, 2}, 1, 2, 0, 1); got != nil {
		t.Errorf("one row: %v", *got)
	}
	if x, ok := logits([]float64{.5, .2, .8}, []bool{true, false, false}); !ok || x[0] != 0 || !(math.Abs(x[2]-math.Log(4)) <= 1e-15) {
		t.Errorf("one event: %v, %t", x, ok)
	}
	for name, c := range map[string]struct {
		p     []float64
		event []bool
	}{"no event": {[]float64{.5}, []bool{false}}, "events alone": {[]float64{.5}, []bool{true}}, "no probability": {[]float64{.5, 1.1}, []bool{true, false}}} {
		if _, ok := logits(c.p, c.event); ok {
			t.Errorf("%s: a calibration can be fitted", name)
		}
	}
	var c Classes
	if json.Unmarshal([]byte(`{"accuracy":"x"}`), &c) == nil {
		t.Error("a text was read as accuracy")
	}
	defer func() {
		if recover() == nil {
			t.Error("scores of another length than the outcomes were divided")
		}
	}()
	Subgroups([]string{"a"}, []int{0, 0}, Scores{Event: []bool{true, false}, Score: []float64{1}})
}

// TestListedMetrics: a number without a field of its own is listed once it exists, and stays when it
// is taken away.
func TestListedMetrics(t *testing.T) {
	v := .25
	b := &Binary{}
	if b.set("of_tomorrow", Estimate{}); len(b.Listed) != 0 {
		t.Errorf("%v", b.Listed)
	}
	if b.set("of_tomorrow", Estimate{Value: &v}); b.Listed["of_tomorrow"] == nil || *b.Listed["of_tomorrow"] != v {
		t.Errorf("%v", b.Listed)
	}
	b.set("of_tomorrow", Estimate{})
	if got, there := b.Listed["of_tomorrow"]; !there || got != nil {
		t.Errorf("%v", b.Listed)
	}
}

// TestPairedDraws: 2,000 draws of up to 10,000 rows, then as many as make 20 million rows, and never under 400.
func TestPairedDraws(t *testing.T) {
	for n, want := range map[int]int{0: 2000, 1: 2000, 10_000: 2000, 10_001: 1999, 20_000: 1000, 50_000: 400, 50_001: 400,
		5_000_000: 400} {
		if d := PairedDraws(n, 7); d.Replicates != want || d.Seed != 7 {
			t.Errorf("%d rows: %+v, want %d draws", n, d, want)
		}
	}
}
