package report

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
)

// TestShareTable checks that the table of the report reveals no count of 1 to 9.
func TestShareTable(t *testing.T) {
	table := MaskSmall.shareTable(stat.Classes{Levels: []string{"a", "b", "c"}, Abstained: []int{0, 0, 0}, Confusion: [][]int{{50, 0, 0}, {0, 47, 3}, {0, 3, 47}}}, true)
	var texts []string
	for _, r := range table.Rows {
		for _, c := range r.Cells[1:] {
			texts = append(texts, strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(c.Text()))
		}
	}
	// Six answers are wrong in all: one to five in each of the two classes.
	if want := []string{"100", "0", "0", "0", "0", "90 – 98", "2 – 10", "0", "0", "2 – 10", "90 – 98", "0"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	if !strings.Contains(table.Note, "A range replaces") {
		t.Error(table.Note)
	}
}

// TestNoAnswerColumn: the answers of a model that may abstain have a column for none, also where it always answers; a
// reader knows that another model has none, so nothing is hidden there in the place of another count.
func TestNoAnswerColumn(t *testing.T) {
	m := stat.Classes{Levels: []string{"a", "b"}, Abstained: []int{0, 0}, Confusion: [][]int{{50, 2}, {1, 60}}}
	for _, small := range []SmallCounts{MaskSmall, ShowSmall} {
		for _, task := range []string{"multiclass", "abstain"} {
			p := classRun(52, 61)
			p.r.Classes.Task, p.r.Classes.Metrics.Test, p.Small = task, m, small
			var names []string
			for _, c := range p.Small.shareTable(m, abstains(p.r)).Columns {
				names = append(names, c.Label)
			}
			if got := slices.Contains(names, model.NoAnswer); got != (task == "abstain") {
				t.Errorf("%s: %q", task, names)
			}
		}
	}
	spans, _ := MaskSmall.answers(answersOf(m, false))
	for i, row := range spans {
		if len(row) != 2 || row[1-i].High-row[1-i].Low < 4 || row[i].Shown() {
			t.Errorf("class %d: %+v", i, row)
		}
	}
}

// classRun is a softmax run with two terms and classes with the given numbers of rows.
func classRun(rows ...int) Printed {
	r := &engine.Result{Classes: &engine.ClassResult{Task: "abstain"}}
	for k, n := range rows {
		level := string(rune('a' + k))
		r.Classes.Rows = append(r.Classes.Rows, engine.ClassRows{Level: level, Trained: n, Scored: n})
		r.Classes.Levels = append(r.Classes.Levels, level)
		r.Flow.Trained, r.Flow.Scored = r.Flow.Trained+n, r.Flow.Scored+n
		for _, term := range []string{"(intercept)", "age", "dose"} {
			r.Coefficients = append(r.Coefficients, engine.Coefficient{Name: term, Class: level})
		}
	}
	for _, b := range []string{"model", "logistic", "null"} {
		r.Classes.Beside = append(r.Classes.Beside, engine.ClassBeside{ID: b, Title: b, Metrics: stat.Classes{AbstentionRate: new(float64)}})
	}
	return New(store.Run{Result: r}, store.Dataset{}, Clinical{Known: true}).printed()
}

// TestRowsPerParameter: softmax of three classes with two terms has four free
// coefficients beside its intercepts (de Jong et al. 2019).
func TestRowsPerParameter(t *testing.T) {
	v, parameters := classRun(30, 100, 200).perClassParameter()
	if parameters != 4 || v == nil || *v != 7.5 {
		t.Errorf("%d parameters, %v", parameters, v)
	}
	if !slices.ContainsFunc(classRun(30, 100, 200).classLimits(), func(l limit) bool { return strings.HasPrefix(l.text, "7.5 rows") }) {
		t.Error("few rows are no limit")
	}
	if v, _ := classRun(8, 100, 200).perClassParameter(); v != nil {
		t.Errorf("a masked class has %v rows per parameter", *v)
	}
	one := classRun(60, 100, 200)
	one.r.Coefficients = []engine.Coefficient{{Name: "age"}, {Name: "dose"}, {Name: "sex"}}
	if v, parameters := one.perClassParameter(); parameters != 3 || *v != 20 {
		t.Errorf("one score: %d parameters, %v", parameters, *v)
	}
}

// TestClassSizes checks that a small class cannot be computed from the other classes and the total.
func TestClassSizes(t *testing.T) {
	sizes := func(rows ...int) (texts []string) {
		for _, n := range classRun(rows...).classSizes() {
			texts = append(texts, n.CountText())
		}
		return texts
	}
	if got := sizes(12, 50, 200); !slices.Equal(got, []string{"12", "50", "200"}) {
		t.Errorf("%q", got)
	}
	got := sizes(5, 50, 200)
	if !strings.Contains(got[0], "–") || !strings.Contains(got[1], "–") || got[2] != "200" {
		t.Errorf("%q", got)
	}
	if got := sizes(5, 200); !strings.Contains(got[0], "–") || !strings.Contains(got[1], "–") {
		t.Errorf("%q", got)
	}
}

// TestClassAUCNote: below the AUCs of the classes stands how folds and repeats enter them.
func TestClassAUCNote(t *testing.T) {
	p := classRun(30, 100, 200)
	p.r.Classes.Pictures = &engine.ClassPictures{}
	p.run.Spec.Validation = runspec.Validation{Kind: "cv", Repeats: 2}
	const want = "Each AUC pools the out-of-fold scores of all folds; it is not a mean over folds. Of the first repeat."
	if got := p.classAUC().Note; got != want {
		t.Errorf("%q", got)
	}
}

// TestParted checks that each column of a split wide table occurs once, beside the first column, and the note once.
// once.
func TestParted(t *testing.T) {
	table := MaskSmall.shareTable(stat.Classes{Levels: []string{"a", "b", "c"}, Abstained: []int{0, 0, 0}, Confusion: [][]int{{50, 0, 0}, {0, 60, 0}, {0, 0, 70}}}, true)
	parts := parted(table, 3)
	if len(parts) != 2 {
		t.Fatalf("%d parts", len(parts))
	}
	var b strings.Builder
	for _, p := range render.Parts(parts) {
		if err := p.Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(b.String(), " ")), " ")
	for text, n := range map[string]int{"True class": 2, " b ": 3, "No answer": 1, "Percentages of the rows of each true class": 1, "100": 3} {
		if got := strings.Count(words, text); got != n {
			t.Errorf("%d times %q, want %d in %s", got, text, n, words)
		}
	}
}

// TestClassesElsewhere: an external validation prints the total number of rows, so a second class must be masked
// beside a single small one.
func TestClassesElsewhere(t *testing.T) {
	e := &external.Evaluation{Rows: 95, Same: new(int), Classes: &stat.Classes{Levels: []string{"a", "b", "c"}, N: 95, Answered: 95,
		Abstained: []int{0, 0, 0}, Confusion: [][]int{{50, 0, 0}, {0, 40, 0}, {0, 0, 5}}}}
	run := store.Run{Result: &engine.Result{Classes: &engine.ClassResult{}}}
	x := NewExternal(run, &model.Model{Levels: e.Classes.Levels}, store.Evaluation{Result: e}, nil, "host", MaskSmall)
	found := map[string]string{}
	for _, s := range x.Report().Sections {
		for _, n := range s.Body {
			if table, ok := n.(doc.Table); ok && table.Label == "Each class" {
				for _, r := range table.Rows {
					found[r.Cells[0].Text()] = strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(r.Cells[1].Text())
				}
			}
		}
	}
	if found["a"] != "50" || found["b"] != "0 – 45" || found["c"] != "0 – 45" {
		t.Errorf("rows by class are printed as %v", found)
	}
}

// TestMissingInClasses: Table 1 counts the missing values of each predictor by class, masks counts of 1 to 9, and
// prints no sum that would reveal one. Where the size of a class is masked, and in results of earlier versions, it
// prints only the sum.
func TestMissingInClasses(t *testing.T) {
	row := func(name, level string, missing []int, counts ...[3]float64) engine.ClassTable1 {
		r := engine.ClassTable1{Name: name, Level: level, Classes: counts, MissingIn: missing}
		for _, n := range missing {
			r.Missing += n
		}
		return r
	}
	numbers := [][3]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	for _, c := range []struct {
		name    string
		classes []int
		rows    []engine.ClassTable1
		want    []string
	}{
		{"shown and masked", []int{60, 100, 200}, []engine.ClassTable1{row("age", "", []int{12, 0, 30}, numbers...),
			row("dose", "", []int{12, 3, 30}, numbers...), row("bmi", "", []int{0, 0, 0}, numbers...),
			row("crp", "", []int{57, 20, 20}, numbers...)},
			[]string{"42 (12 · 0 · 30)", "45 (0 – 15 · 0 – 15 · 30)", "0 ", "97 "}},
		{"a category", []int{60, 100, 200}, []engine.ClassTable1{row("sex", "f", []int{10, 20, 0}, [3]float64{20}, [3]float64{40}, [3]float64{100}),
			row("sex", "m", []int{10, 20, 0}, [3]float64{30}, [3]float64{40}, [3]float64{100})},
			[]string{"30 (10 · 20 · 0)", "", ""}},
		{"a category with few rows of none", []int{60, 100, 200}, []engine.ClassTable1{
			row("sex", "f", []int{3, 20, 0}, [3]float64{57}, [3]float64{80}, [3]float64{200})}, []string{"20 – 80", ""}},
		{"a masked class", []int{5, 100, 200}, []engine.ClassTable1{row("age", "", []int{0, 12, 30}, numbers...)}, []string{"42 "}},
		{"an earlier version", []int{60, 100, 200}, []engine.ClassTable1{{Name: "age", Classes: numbers, Missing: 42}}, []string{"42 "}},
	} {
		p := classRun(c.classes...)
		p.r.Classes.Table1 = c.rows
		var got []string
		for _, r := range p.classTable1().Rows {
			last := r.Cells[len(r.Cells)-1]
			got = append(got, strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(last.Text()+" "+last.Note))
		}
		if !slices.EqualFunc(got, c.want, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOneIntervalElsewhere: print has the interval that the page has; the bootstrap's only where there is no other.
func TestOneIntervalElsewhere(t *testing.T) {
	e := &external.Evaluation{Rows: 95, Same: new(int), Classes: &stat.Classes{Levels: []string{"a", "b"}, N: 95, Answered: 95,
		Abstained: []int{0, 0}, Confusion: [][]int{{50, 0}, {0, 45}}, LogLoss: new(.5), LogLossLow: new(.4), LogLossHigh: new(.6),
		Brier: new(.3)},
		Intervals: &stat.ClassIntervals{LogLoss: interval(.5, .41, .63), Brier: interval(.3, .2, .45)}}
	run := store.Run{Result: &engine.Result{Classes: &engine.ClassResult{}}}
	x := NewExternal(run, &model.Model{Levels: e.Classes.Levels}, store.Evaluation{Result: e}, nil, "host", MaskSmall)
	x.p.released = mask.Released{classes: mask.Hide([]mask.Split{{N: 95, Events: 45}})}
	table := x.classPerformance(true)[0].(doc.Table)
	for name, want := range map[string]string{"Log loss": "0.4000 – 0.6000", "Brier score": "0.2000 – 0.4500"} {
		k := slices.IndexFunc(table.Rows, func(r doc.Row) bool { return r.Cells[0].Text() == name })
		if got := strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(table.Rows[k].Cells[2].Small()); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestVerdictOfAnswersElsewhere: where the model leaves rows of a file without an answer, the share of right answers is
// one of the answers and not of the rows.
func TestVerdictOfAnswersElsewhere(t *testing.T) {
	for _, none := range []int{0, 40} {
		a := stat.Answers{Levels: []string{"a", "b"}, Abstain: true, Cost: .4}
		for i := range 150 {
			a.Label, a.Predicted = append(a.Label, i%2), append(a.Predicted, i%2)
			switch {
			case i < none:
				a.Predicted[i] = stat.Abstained
			case i < none+30:
				a.Predicted[i] = 1 - i%2
			}
		}
		c := stat.Multiclass(a)
		e := &external.Evaluation{Rows: 150, Same: new(int), Classes: &c}
		run := store.Run{Result: &engine.Result{Classes: &engine.ClassResult{}}}
		x := NewExternal(run, &model.Model{Levels: c.Levels}, store.Evaluation{Result: e}, nil, "host", MaskSmall)
		got := strings.NewReplacer(phrase.NBSP, " ", phrase.Joiner, "").Replace(strings.Join(x.classVerdict(), " "))
		if strings.HasPrefix(got, "Of 150 rows, 80.0 %") != (none == 0) || strings.HasPrefix(got, "Of the answers, 72.7 %") != (none > 0) {
			t.Errorf("%d without an answer: %q", none, got)
		}
	}
}

// TestMaskedErrorNamed: of 150 rows of ordered classes two are answered with another class, so that the mean error is
// masked; the verdict is by accuracy then, and says so. Printed in full it is by the mean error.
func TestMaskedErrorNamed(t *testing.T) {
	a := stat.Answers{Levels: []string{"a", "b", "c"}, Ordinal: true}
	for i := range 150 {
		a.Label, a.Predicted = append(a.Label, i%3), append(a.Predicted, (i+i/90)%3)
	}
	for i := range 2 {
		a.Predicted[3*i] = 2
	}
	c := stat.Multiclass(a)
	for _, small := range []SmallCounts{MaskSmall, ShowSmall} {
		run := store.Run{Result: &engine.Result{Classes: &engine.ClassResult{Metrics: engine.ClassMetrics{Test: c}}}}
		x := NewExternal(run, &model.Model{Levels: c.Levels}, store.Evaluation{Result: &external.Evaluation{Rows: 150,
			Same: new(int), Classes: &c}}, nil, "host", small)
		got := strings.Join(x.classVerdict(), " ")
		if masked := small == MaskSmall; strings.Contains(got, "mean absolute error, by which models of ordered classes are "+
			"compared, is masked") != masked || strings.Contains(got, "are answered right here") != masked {
			t.Errorf("%v: %q", small, got)
		}
	}
}

// TestOrderedLossMasked: the abstention loss of ordered classes is a weighted sum of single answers, so it is masked
// with the mean absolute error; of classes without an order only the counts of right and of no answers enter it.
func TestOrderedLossMasked(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		a := stat.Answers{Levels: []string{"a", "b", "c"}, Ordinal: ordered, Abstain: true, Cost: .4}
		for i := range 90 {
			a.Label, a.Predicted = append(a.Label, i%3), append(a.Predicted, i%3)
		}
		a.Predicted[0], a.Predicted[4], a.Predicted[8] = 2, stat.Abstained, 1
		m := answerMask{hidden: true, counted: true}.leave(stat.Multiclass(a))
		if (m.AbstentionLoss == nil) != ordered || (m.Of("abstention_loss").Low == nil) != ordered || m.MAE != nil {
			t.Errorf("ordered %v: %+v", ordered, m.Of("abstention_loss"))
		}
	}
}

// TestMaskedComparisonExplained: where the shares of the classes are left out of the comparison of models, its note still
// says what the differences are.
func TestMaskedComparisonExplained(t *testing.T) {
	p := classRun(3, 61)
	p.r.Classes.Task = "multiclass"
	table := p.classRobustness()[0].(doc.Table)
	if !p.classTable().Hidden() || !strings.Contains(table.Note, "class shares and the log loss are left out") {
		t.Fatal(table.Note)
	}
	differences := slices.ContainsFunc(table.Columns, func(c doc.Column) bool { return c.Label == "Difference" })
	if !differences || !strings.Contains(table.Note, resultview.DifferenceToModel) {
		t.Errorf("differences %t: %s", differences, table.Note)
	}
}
