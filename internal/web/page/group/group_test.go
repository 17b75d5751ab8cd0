package group

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/store"
)

func run() store.Run {
	return store.Run{ID: "r1", Status: store.Done, Result: &engine.Result{Outcome: "disease", Positive: table.Levels{"yes"},
		Boundaries: []float64{.25, .5}}}
}

func TestState(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "/runs/r1/group",
		"pi=.25,.5":                           "/runs/r1/group",
		"pi=.2,.5&counts=shown":               "/runs/r1/group?pi=.2,.5&counts=shown",
		"pi.pct=20&pi.pct=49,5":               "/runs/r1/group?pi=.2,.495",
		"pi=.5,.5":                            "pi must rise from one boundary to the next",
		"pi=.5":                               "pi takes as many boundaries as the run has, which are 2",
		"pi=0,.5":                             "pi must be from 0.1 to 99.9\u00a0%, not 0\u00a0%",
		"pi.pct=20&pi.pct=200":                "pi must be from 0.1 to 99.9\u00a0%, not 200\u00a0%",
		"pi=.1," + strings.Repeat("9", 30):    "not ‘" + strings.Repeat("9", 20) + "…’",
		"counts=all":                          "counts must be one of shown, not ‘all’",
		"pi=NaN,.5":                           "pi must be from 0.1 to 99.9\u00a0%, not ‘NaN’",
		"pi=.25,.5&had=group-say%3Ax&drag=ab": "/runs/r1/group",
	} {
		q, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		st, err := Read(q, run())
		got := st.URL()
		if err != nil {
			got = err.Error()
		}
		if got != want && !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func page(t interface{ Fatal(...any) }, moves [][]engine.Move, counts string) (*Group, string) {
	g := New(State{Pi: []float64{.3, .6}, Counts: counts, Run: run()}, moves)
	var b strings.Builder
	parts := Parts(g.View())
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		if err := parts[id].Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
	return g, b.String()
}

// TestHundreds: for every reclassification, each band drawn has a hundred people, the whole group has a hundred,
// and the people drawn with a ring are those who changed band.
func TestHundreds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves := make([][]engine.Move, 3)
		for i := range moves {
			for range 3 {
				n := rapid.IntRange(0, 60).Draw(t, "n")
				moves[i] = append(moves[i], engine.Move{N: n, Events: rapid.IntRange(0, n).Draw(t, "events")})
			}
		}
		g, html := page(t, moves, rapid.SampledFrom([]string{"", "shown"}).Draw(t, "counts"))
		people, came := g.crowd()
		all := 0
		for j, n := range people {
			if all += n; came[j] > n {
				t.Fatalf("%d of %d came", came[j], n)
			}
			of := 0
			for _, p := range g.hundred(j) {
				of += p.All()
			}
			if of != 100 && of != 0 {
				t.Fatalf("band %d has %d people", j, of)
			}
			if of == 0 && g.rows[j].N.Low > 0 {
				t.Fatalf("band %d of %v is not drawn", j, g.rows[j])
			}
		}
		if all != 100 && all != 0 {
			t.Fatalf("%d people in all", all)
		}
		if strings.Contains(html, "NaN") {
			t.Fatal(html)
		}
	})
}

// TestPageIsMadeOfPrint: two groups with equal masked counts have the same page.
func TestPageIsMadeOfPrint(t *testing.T) {
	of := func(few int) [][]engine.Move {
		return [][]engine.Move{{{N: 140, Events: 40 - few}, {N: 20, Events: few}, {}},
			{{}, {N: 90, Events: 45}, {}}, {{}, {}, {N: 80, Events: 60}}}
	}
	_, two := page(t, of(2), "")
	_, seven := page(t, of(7), "")
	if two != seven {
		t.Error("the page tells 2 events from 7")
	}
	_, shown := page(t, of(7), "shown")
	if shown == seven {
		t.Error("small counts are not shown")
	}
}

// TestMoves: a row changes band when the boundary moves past its probability.
func TestMoves(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	r := run()
	rows := []engine.RowScore{{Row: 0, Split: "1", Outcome: "yes", Probability: p(.27), Stratum: 1},
		{Row: 1, Split: "1", Outcome: "no", Probability: p(.3), Stratum: 1}, {Row: 2, Split: "2", Outcome: "no", Probability: p(.31), Stratum: 1},
		{Row: 3, Split: "scored", Outcome: "yes", Probability: p(.1), Stratum: 0}, {Row: 4, Split: "2", Outcome: "yes", Probability: p(.9), Stratum: 2}}
	got := r.Result.Moves(r.Spec, rows, []float64{.3, .5}, nil)
	if got[1][0] != (engine.Move{N: 2, Events: 1}) || got[1][1].N != 1 || got[2][2] != (engine.Move{N: 1, Events: 1}) || got[0][0].N != 0 {
		t.Errorf("%v", got)
	}
	again := []engine.RowScore{{Row: 0, Stratum: 2}, {Row: 1, Stratum: 1}, {Row: 4, Stratum: 0}}
	got = r.Result.Moves(r.Spec, rows, []float64{.3, .5}, again)
	if got[1][2].N != 1 || got[1][1].N != 1 || got[2][0] != (engine.Move{N: 1, Events: 1}) {
		t.Errorf("fitted again: %v", got)
	}
}

// TestShareOfRows: the share printed is that of the rows; the people drawn are whole numbers that make a hundred.
func TestShareOfRows(t *testing.T) {
	moves := [][]engine.Move{{{N: 150, Events: 30}, {}, {}}, {{}, {N: 104, Events: 50}, {}}, {{}, {}, {N: 40, Events: 25}}}
	if _, html := page(t, moves, "shown"); !strings.Contains(html, "13.6\u00a0% of all") {
		t.Errorf("40 of 294 rows: %s", html)
	}
}

// TestIntervalOfBand: a rate whose counts are shown has its Wilson interval; a range of masked counts is named as one.
func TestIntervalOfBand(t *testing.T) {
	moves := [][]engine.Move{{{N: 200, Events: 40}, {}, {}}, {{}, {N: 60, Events: 3}, {}}, {{}, {}, {N: 50, Events: 50}}}
	g, _ := page(t, moves, "")
	bands := g.View().Bands
	if got, want := bands[0].Rows, "200 rows, 95\u00a0% CI 15.0\u00a0–\u2060\u00a026.1"; got != want { // R: prop.test(40, 200, correct = FALSE)
		t.Errorf("%q, want %q", got, want)
	}
	// Four of 3,000 are masked, although they are none of a hundred people.
	few, _ := page(t, [][]engine.Move{{{N: 3000, Events: 4}, {}, {}}, {{}, {N: 60, Events: 30}, {}}, {{}, {}, {N: 50, Events: 40}}}, "")
	if got := few.View().Bands[0]; strings.Contains(got.Rows, "CI") {
		t.Errorf("a masked band: %+v", got)
	}
	if got := bands[1]; strings.Contains(got.Rows, "CI") || !strings.HasSuffix(got.Rows, "rows, masked range") {
		t.Errorf("%+v", got)
	}
}
