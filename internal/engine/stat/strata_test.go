package stat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

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
		if !(math.Abs(l-(1-high)) <= 1e-12) || !(math.Abs(h-(1-low)) <= 1e-12) {
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
		{0, 29, 6, TooFew},       // CI 9.8 – 38.4 %
		{0, 280, 1, Inside},      // CI 0.1 – 2.0 %: rows enough, whatever the events
		{0, 1000, 4, Inside},     // CI 0.2 – 1.0 %
		{0, 40, 4, Inside},       // CI 4.0 – 23.1 %
		{0, 12, 0, Inside},       // CI 0.0 – 24.2 %
		{0, 11, 0, TooFew},       // CI 0.0 – 25.9 %
		{2, 16, 16, Inside},      // CI 80.6 – 100 %
		{1, 24, 0, Outside},      // CI 0.0 – 13.8 %
		{1, 40, 4, Outside},      // CI 4.0 – 23.1 %
		{0, 30, 4, TooFew},       // CI 5.3 – 29.7 %, 4 events
		{1, 30, 26, Outside},     // CI 70.3 – 94.7 %
		{2, 8, 4, TooFew},        // CI 21.5 – 78.5 %
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

// TestFewNonEvents: above a high boundary the non-events are the few.
func TestFewNonEvents(t *testing.T) {
	for _, tt := range []struct {
		n, events int
		want      string
	}{{40, 36, TooFew}, {40, 35, Compatible}, {400, 399, Inside}} {
		if got := BandVerdict(0.8, 1, tt.n, tt.events); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.events, tt.n, got, tt.want)
		}
	}
}

// TestNeeded: with that many rows at the same rate the interval lies inside the
// band or outside it, with one less it does not; a rate of fewer than MinRows
// rows is no basis.
func TestNeeded(t *testing.T) {
	settled := func(s Stratum, n int) bool {
		low, high := wilson(float64(s.Events)/float64(s.N), float64(n))
		return s.Lower <= low+1e-12 && high <= s.Upper+1e-12 || low > s.Upper-1e-12 || high < s.Lower+1e-12
	}
	rapid.Check(t, func(t *rapid.T) {
		edges := []float64{0, 0.05, 0.25, 0.5, 0.9, 1}
		k := rapid.IntRange(0, 4).Draw(t, "band")
		n := rapid.IntRange(1, 60).Draw(t, "n")
		s := Stratum{Lower: edges[k], Upper: edges[k+1], N: n, Events: rapid.IntRange(0, n).Draw(t, "events")}
		need := s.RowsForVerdict()
		switch {
		case need == 0 && settled(s, MostNeeded-1):
			t.Fatalf("%+v: enough rows exist", s)
		case need > 0 && (!settled(s, need) || need > MinRows && settled(s, need-2)):
			t.Fatalf("%+v: %d rows", s, need)
		case BandVerdict(s.Lower, s.Upper, n, s.Events) == TooFew && need > 0 && need < n:
			t.Fatalf("%+v: %d rows are asked for, %d are there", s, need, n)
		}
	})
	if n := (Stratum{Lower: 0.25, Upper: 0.5, N: 12, Events: 6}).RowsForVerdict(); n != 0 {
		t.Errorf("a rate on the boundary: %d rows", n)
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

// ℓ_π of one row, from the definition in docs/clinical.md, Statistics.
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
		if got := IntervalLoss(pi, band, event); !(math.Abs(got-want) <= 1e-14) || got < 0 || got >= 2 {
			t.Fatalf("ℓ = %v, want %v", got, want)
		}
	})
	if l := IntervalLoss([]float64{0.5}, nil, nil); !math.IsNaN(l) {
		t.Errorf("no rows: %v", l)
	}
}

// Many boundaries make ℓ_π the Brier score of the band's place (docs/math.md, Interval classification).
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

// TestIntervalLossOfNothing: without rows or without boundaries there is no mean.
func TestIntervalLossOfNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		pi    []float64
		band  []int
		event []bool
	}{{"no boundaries", nil, []int{0}, []bool{true}}, {"no rows", []float64{.5}, nil, nil}, {"neither", nil, nil, nil}} {
		if got := IntervalLoss(c.pi, c.band, c.event); !math.IsNaN(got) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
