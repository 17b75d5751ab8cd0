package mask

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"taper/internal/engine/stat"
)

// TestMaskDesign is the table of the design's report: 9 events, 9 and 1 non-events are hidden,
// the rest is shown.
func TestMaskDesign(t *testing.T) {
	got := Hide([]Split{{326, 9}, {43, 13}, {24, 15}, {176, 175}})
	var events []string
	for _, r := range got.Rows {
		events = append(events, r.Events.CountText())
	}
	want := []string{"1\u00a0–\u2060\u00a09", "13", "15\u00a0–\u2060\u00a023", "167\u00a0–\u2060\u00a0175"}
	if d := cmp.Diff(want, events); d != "" {
		t.Error(d)
	}
	if got.Total.Events != (Span{212, 212}) || got.Rows[2].N != (Span{24, 24}) {
		t.Errorf("totals %v, third row %v", got.Total, got.Rows[2])
	}
	if lo, hi, _ := got.Rows[2].Rates(); lo != 15.0/24 || hi != 23.0/24 {
		t.Errorf("rates %v – %v", lo, hi)
	}
}

func TestMaskCases(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   []Split
		shown  []bool // whether the events of each row are shown
		totals bool
	}{
		{"nothing small", []Split{{100, 30}, {50, 40}}, []bool{true, true}, true},
		{"zeros are not small", []Split{{100, 0}, {50, 50}}, []bool{true, true}, true},
		{"one small hides a second", []Split{{100, 3}, {100, 40}, {90, 45}}, []bool{false, true, false}, true},
		{"two small that pin each other", []Split{{100, 9}, {100, 9}}, []bool{false, false}, true},
		{"few events in all", []Split{{100, 3}, {100, 0}}, []bool{false, true}, false},
		{"few rows in all", []Split{{4, 2}, {3, 1}}, []bool{false, false}, false},
		{"empty", nil, nil, true},
	} {
		got := Hide(c.rows)
		for i, r := range got.Rows {
			if r.Events.Shown() != c.shown[i] {
				t.Errorf("%s: row %d shows %v", c.name, i, r.Events)
			}
		}
		if got.Total.Events.Shown() != c.totals {
			t.Errorf("%s: total events %v", c.name, got.Total.Events)
		}
	}
}

// TestMaskAdversary enumerates every table that the printed one could come from.
func TestMaskAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Split {
			n := rapid.IntRange(0, 24).Draw(t, "n")
			return Split{n, rapid.IntRange(0, n).Draw(t, "events")}
		}), 1, 3).Draw(t, "rows")
		got := Hide(rows)
		possible := enumerate(got, anyTable)
		for i := range rows {
			checkCell(t, "rows", rows[i].N, got.Rows[i].N, possible[i].n)
			checkCell(t, "events", rows[i].Events, got.Rows[i].Events, possible[i].e)
			checkCell(t, "others", rows[i].N-rows[i].Events, got.Rows[i].Others, possible[i].m)
		}
		var n, e int
		for _, r := range rows {
			n, e = n+r.N, e+r.Events
		}
		if n >= 10 && e >= 10 && n-e >= 10 && !(got.Total.N.Shown() && got.Total.Events.Shown()) {
			t.Fatalf("totals of %d rows and %d events are hidden", n, e)
		}
		checkCell(t, "all rows", n, got.Total.N, possible[len(rows)].n)
		checkCell(t, "all events", e, got.Total.Events, possible[len(rows)].e)
	})
}

// checkCell: the truth is possible, a small count is neither shown nor determined, and the
// printed range is exactly that of the possible values.
func checkCell(t *rapid.T, what string, truth int, said Span, possible map[int]bool) {
	if !possible[truth] {
		t.Fatalf("%s: the truth %d is not among %v", what, truth, possible)
	}
	if truth > 0 && truth < 10 && len(possible) < 5 {
		t.Fatalf("%s: %d can only be one of %v", what, truth, possible)
	}
	lo, hi := truth, truth
	for v := range possible {
		lo, hi = min(lo, v), max(hi, v)
	}
	if said != (Span{lo, hi}) {
		t.Fatalf("%s: print says %v, possible is %d … %d", what, said, lo, hi)
	}
}

// TestMaskVerdictAdversary also gives the adversary the verdicts, and whether rates increase,
// where these are printed: they reveal nothing more. Verdicts that follow from the printed
// counts are present.
func TestMaskVerdictAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Split {
			n := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(13, stat.MinRows), rapid.IntRange(stat.MinRows, 50)).Draw(t, "n")
			return Split{n, rapid.IntRange(0, n).Draw(t, "events")}
		}), 1, 3).Draw(t, "rows")
		edges := append(append([]float64{0}, []float64{0.25, 0.75}[:len(rows)-1]...), 1)
		got := Hide(rows)
		words := make([]string, len(rows))
		for i, r := range rows {
			words[i] = got.Rows[i].Verdict(edges[i], edges[i+1])
			if truth := stat.BandVerdict(edges[i], edges[i+1], r.N, r.Events); words[i] != truth && words[i] != stat.Masked {
				t.Fatalf("row %d is %q, print says %q", i, truth, words[i])
			}
		}
		rise, certain := got.Rise()
		if certain && rise != rising(rows) {
			t.Fatalf("rates rise: %v, print says %v", !rise, rise)
		}
		seen := make([]map[string]bool, len(rows))
		for i := range seen {
			seen[i] = map[string]bool{}
		}
		possible := enumerate(got, func(at [][2]int) bool {
			var table []Split
			fits := true
			for i, v := range at {
				table = append(table, Split{v[0] + v[1], v[0]})
				word := stat.BandVerdict(edges[i], edges[i+1], v[0]+v[1], v[0])
				seen[i][word] = true
				fits = fits && (words[i] == word || words[i] == stat.Masked)
			}
			return fits && (!certain || rising(table) == rise)
		})
		for i := range rows {
			checkCell(t, "rows", rows[i].N, got.Rows[i].N, possible[i].n)
			checkCell(t, "events", rows[i].Events, got.Rows[i].Events, possible[i].e)
			checkCell(t, "others", rows[i].N-rows[i].Events, got.Rows[i].Others, possible[i].m)
			if got.Rows[i].N.Shown() && len(seen[i]) == 1 && words[i] == stat.Masked {
				t.Fatalf("row %d can only be %v, print masks it", i, seen[i])
			}
		}
	})
}

// rising reports whether no rate decreases.
func rising(rows []Split) bool {
	var strata []stat.Stratum
	for _, r := range rows {
		strata = append(strata, stat.Stratum{N: r.N, Events: r.Events})
	}
	return stat.Monotone(strata)
}

// TestMaskVerdict tests bands whose verdict, computed from the full counts, would reveal hidden
// ones.
func TestMaskVerdict(t *testing.T) {
	for _, c := range []struct {
		name         string
		lower, upper float64
		rows         Row
		want         string
	}{
		{"41 to 43 of 50 are compatible, 44 inside", 0.75, 1, Row{Span{50, 50}, Span{41, 49}, Span{1, 9}}, stat.Masked},
		{"1 to 9 of 437 are inside", 0, 0.25, Row{Span{437, 437}, Span{1, 9}, Span{428, 436}}, stat.Inside},
		{"1 to 4 of 40 are inside, 5 compatible", 0, 0.25, Row{Span{40, 40}, Span{1, 9}, Span{31, 39}}, stat.Masked},
		{"167 to 175 of 176 are inside", 0.75, 1, Row{Span{176, 176}, Span{167, 175}, Span{1, 9}}, stat.Inside},
		{"15 to 21 of 24 are too few, 22 outside", 0.5, 0.75, Row{Span{24, 24}, Span{15, 23}, Span{1, 9}}, stat.Masked},
		{"15 to 20 of 24 are too few", 0.5, 0.75, Row{Span{24, 24}, Span{15, 20}, Span{4, 9}}, stat.TooFew},
		{"none of 9 is outside, 5 are too few", 0.5, 0.75, Row{Span{1, 9}, Span{0, 9}, Span{0, 9}}, stat.Masked},
		{"shown", 0.25, 0.5, Row{Span{43, 43}, Span{13, 13}, Span{30, 30}}, stat.Compatible},
	} {
		if got := c.rows.Verdict(c.lower, c.upper); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

type values struct{ n, e, m map[int]bool }

// anyTable is a reader who knows only the printed counts.
func anyTable([][2]int) bool { return true }

// enumerate lists every table within the printed ranges that adds up and that the reader
// considers possible, as events and others of each row.
func enumerate(t Table, holds func([][2]int) bool) []values {
	out := make([]values, len(t.Rows)+1)
	for i := range out {
		out[i] = values{map[int]bool{}, map[int]bool{}, map[int]bool{}}
	}
	in := func(s Span, v int) bool { return s.Low <= v && v <= s.High }
	at := make([][2]int, len(t.Rows))
	var walk func(i, e, m int) bool
	walk = func(i, e, m int) bool {
		if e > t.Total.Events.High || m > t.Total.Others.High {
			return false
		}
		if i == len(t.Rows) {
			if !in(t.Total.N, e+m) || !in(t.Total.Events, e) || !in(t.Total.Others, m) || !holds(at) {
				return false
			}
			for j, v := range append(at, [2]int{e, m}) {
				out[j].e[v[0]], out[j].m[v[1]], out[j].n[v[0]+v[1]] = true, true, true
			}
			return true
		}
		found := false
		r := t.Rows[i]
		for at[i][0] = r.Events.Low; at[i][0] <= r.Events.High; at[i][0]++ {
			ev := at[i][0]
			for o := max(r.Others.Low, r.N.Low-ev); o <= min(r.Others.High, r.N.High-ev); o++ {
				at[i] = [2]int{ev, o}
				found = walk(i+1, e+ev, m+o) || found
			}
		}
		return found
	}
	walk(0, 0, 0)
	return out
}

// TestMaskAlike: if few events and few non-events exclude each other, and would reveal each
// other, both are printed alike.
func TestMaskAlike(t *testing.T) {
	few, many := Hide([]Split{{18, 5}, {18, 13}, {200, 100}}), Hide([]Split{{18, 13}, {18, 5}, {200, 100}})
	if d := cmp.Diff(few.Rows[0], many.Rows[0]); d != "" {
		t.Error(d)
	}
}
