package report

import (
	"slices"
	"strings"
	"testing"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/metric"
	"taper/internal/store"
)

// TestMaskedSentence hides small counts in sentences made for the screen.
func TestMaskedSentence(t *testing.T) {
	for in, want := range map[string]string{
		"3 rows above 75\u00a0%.":           "Fewer than 10 rows above 75\u00a0%.",
		"14 identical rows: keep?":          "14 identical rows: keep?",
		"1,203 rows lack it.":               "1,203 rows lack it.",
		"1 label changed, 2 rows left out":  "Fewer than 10 labels changed, fewer than 10 rows left out",
		"BMI = 0 in 1 row. Missing?":        "BMI = 0 in fewer than 10 rows. Missing?",
		"23\u00a0rows, 4\u00a0events":       "23\u00a0rows, fewer than 10 events",
		"212 events for 30 parameters (7.1": "212 events for 30 parameters (7.1",
	} {
		if got := masked(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// judgedRun is a run of one band for each pair of rows and events.
func judgedRun(pi []float64, counts ...[2]int) store.Run {
	var band []int
	var event []bool
	for j, c := range counts {
		for i := range c[0] {
			band, event = append(band, j), append(event, i < c[1])
		}
	}
	r := &engine.Result{Boundaries: pi, Strata: metric.Strata(pi, band, event)}
	r.Monotone = metric.Monotone(r.Strata)
	for _, s := range r.Strata {
		r.Flow.Scored, r.Flow.ScoredEvents = r.Flow.Scored+s.N, r.Flow.ScoredEvents+s.Events
	}
	return store.Run{Result: r}
}

// TestVerdictOfMaskedBands: 41 events of 50 rows are compatible and 44 inside,
// so that print, which says 41 to 49, says neither, in the table and in the
// sentences; 5 to 9 of 437 are inside and fewer too few. Where all of the range
// has one verdict it stands.
func TestVerdictOfMaskedBands(t *testing.T) {
	pi := []float64{0.25, 0.5, 0.75}
	for _, c := range []struct {
		name   string
		counts [][2]int
		words  string
		say    []string
	}{
		{"two that would tell", [][2]int{{437, 4}, {40, 16}, {40, 24}, {50, 42}}, "masked compatible compatible masked",
			[]string{"No band whose verdict is printed has a confidence interval that lies inside its label; rates rise from band to band.",
				"The bands from 25 to 50 % and from 50 to 75 % are compatible with their labels; their confidence intervals reach beyond them.",
				"The verdicts on the bands at most 25 % and above 75 % are masked with their counts."}},
		{"ranges of one verdict", [][2]int{{326, 9}, {43, 13}, {24, 15}, {176, 175}}, "masked compatible too few inside",
			[]string{"Of 569 rows, 176 lie in one band whose observed rate agrees with the band: above 75 %.",
				"The band from 25 to 50 % is compatible with its label; its confidence interval reaches beyond it.",
				"The band from 50 to 75 % holds too few rows or events to judge; the verdict on the band at most 25 % is masked with its counts."}},
	} {
		p := New(judgedRun(pi, c.counts...), store.Dataset{}, Clinical{})
		var words []string
		for j := range c.counts {
			words = append(words, p.band(j).Verdict.Label)
		}
		if got := strings.Join(words, " "); got != c.words {
			t.Errorf("%s: the table says %q", c.name, got)
		}
		got := p.seen()
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], wording.NBSP, " ")
		}
		if !slices.Equal(got[:len(got)-1], c.say) {
			t.Errorf("%s: the sentences are %q", c.name, got)
		}
		if kept := p.Numbers().Strata; kept[0].Verdict != metric.Masked {
			t.Errorf("%s: kept as %q", c.name, kept[0].Verdict)
		}
	}
}
