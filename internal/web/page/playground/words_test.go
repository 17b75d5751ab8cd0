package playground

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
)

// TestSaysWhatIsNotAnswered: a model with abstention is described by its coverage, its accuracy on answered points,
// and the mean cost of a point.
func TestSaysWhatIsNotAnswered(t *testing.T) {
	a := at(t, New(Config{}), "data=blobs&b.method=al-abstain&b.alpha=0.3")
	v := a.Models.B.verdict
	right := 0
	for _, r := range v.Correct {
		if r {
			right++
		}
	}
	if v.Answered == v.Rows || v.Answered == 0 || len(v.Correct) != v.Rows {
		t.Fatalf("%d of %d answered, %d judged", v.Answered, v.Rows, len(v.Correct))
	}
	share := viz.Percent(float64(v.Answered)/float64(v.Rows), 1)
	if !strings.Contains(a.Sentence, "B answers "+share+phrase.NBSP+"%") || !strings.Contains(a.Sentence,
		"A answers all") {
		t.Errorf("the sentence hides what is not answered: %s", a.Sentence)
	}
	cost := (float64(v.Answered-right) + .3*float64(v.Rows-v.Answered)) / float64(v.Rows)
	rows := map[string][]string{}
	for _, r := range a.Table.Rows {
		rows[strings.SplitN(r[0], ",", 2)[0]] = r
	}
	for name, want := range map[string]string{"Coverage (answered)": share, "Cost per point": viz.Number(cost, 3), "Accuracy of the answers": viz.Percent(float64(right)/float64(v.Answered), 1)} {
		if r := rows[name]; r == nil || r[2] != want {
			t.Errorf("%s: %q, want %s", name, r, want)
		}
	}
	if a.Table.Verdict != "" {
		t.Errorf("answers to fewer points are called %s", a.Table.Verdict)
	}
}

// TestVerdict: there is a verdict only where the interval of the paired difference excludes 0, and none if the
// answers never differ.
func TestVerdict(t *testing.T) {
	const unclear = "no significant difference"
	judged := func(a, b int) [2]*modelView {
		var m [2]*modelView
		for k := range m {
			m[k] = &modelView{fit: &playground.Fit{}}
		}
		for range a {
			m[0].verdict.Correct, m[1].verdict.Correct = append(m[0].verdict.Correct, true), append(m[1].verdict.Correct, false)
		}
		for range b {
			m[0].verdict.Correct, m[1].verdict.Correct = append(m[0].verdict.Correct, false), append(m[1].verdict.Correct, true)
		}
		m[0].verdict.Correct = append(m[0].verdict.Correct, true, true) // points that only one of the models is evaluated on
		return m
	}
	for _, c := range []struct {
		a, b int
		want string
	}{{5, 15, "better"}, {8, 12, unclear}, {15, 5, "worse"}, {0, 0, ""}, {10, 10, unclear}, {0, 9, "better"}} {
		if got := cleanVerdict(judged(c.a, c.b)); got != c.want {
			t.Errorf("%d against %d: %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if got := viz.PointSVG(4, false, false); got == viz.PointSVG(0, false, false) {
		t.Error("the fifth class looks like the first")
	}
	levels := at(t, New(Config{}), "data=ordinal-stripes&noise=none").Models.A.Surface.Legend
	if len(levels) != 5 || levels[4].Tint != levels[0].Tint || !levels[4].Pale || levels[0].Pale {
		t.Errorf("the colours of five classes: %+v", levels)
	}
}

// TestCountsSteps: the table counts the frames of the step slider, including the logistic start.
func TestCountsSteps(t *testing.T) {
	a := at(t, New(Config{}), "")
	for _, m := range a.Models.models() {
		last := m.Steps.Labels[len(m.Steps.Labels)-1]
		if n, err := strconv.Atoi(strings.TrimPrefix(last, "iteration ")); err != nil || n != m.fit.Steps() {
			t.Errorf("%s: %d steps, the last is called %q", m.Title, m.fit.Steps(), last)
		}
	}
	if math.IsNaN(shareOf(a.Models.A.verdict.CleanAccuracy)) {
		t.Error("nothing was judged")
	}
}

// TestAbstentionDescribed: the description of a surface gives the accuracy of a model that abstains among its answers,
// as the sentence on the page does, and not with no answer counted as wrong.
func TestAbstentionDescribed(t *testing.T) {
	a := at(t, New(Config{}), "data=blobs&b.method=al-abstain")
	b := a.Models.B
	if b.verdict.Answered == b.verdict.Rows {
		t.Fatal("the model answers every point")
	}
	accuracy, _ := b.score()
	if text := surfaceFinding("B", b, a); !strings.Contains(text, accuracy+" accuracy") ||
		strings.Contains(text, viz.Percent(shareOf(b.verdict.CleanAccuracy), 1)) {
		t.Errorf("%q, accuracy among the answers %s", text, accuracy)
	}
}

// TestHeadKeepsParameters: the head of the table breaks no parameter from its value.
func TestHeadKeepsParameters(t *testing.T) {
	table := tableView(at(t, New(Config{}), "data=moons&b.method=alpha&b.alpha=4"))
	if got := table.Columns[2].Unit; !strings.HasSuffix(got, ", α"+phrase.NBSP+"="+phrase.NBSP+"4") {
		t.Errorf("%q", got)
	}
}
