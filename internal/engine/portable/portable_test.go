package portable_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
	"taper/testdata"
)

// near is the largest accepted relative difference between a copy and the engine.
const near = 1e-12

// sample is a model with rows for the comparison of copies with the engine.
type sample struct {
	name  string
	model *portable.Model
	rows  []map[string]any // cells as a program holds them
	said  []portable.Expected
	sizes []float64 // magnitude of the terms of each row's score
}

// source is a dataset and a spec to fit a model with.
type source struct {
	name string
	file string
	data []byte
	spec runspec.Spec
}

func two(file string, m fit.Spec, splines map[string]int) source {
	i := slices.IndexFunc(testdata.Samples, func(s testdata.Sample) bool { return s.File == file })
	about := testdata.Samples[i]
	if m.L2.Value == 0 {
		m.L2.Value = .01
	}
	return source{name: strings.TrimSuffix(file, ".csv") + " " + m.Kind + m.Loss, file: file, data: testdata.Read(file),
		spec: runspec.Spec{Outcome: about.Outcome,
			Positive: table.Levels{about.Positive}, Negative: table.Levels{about.Negative}, ScoreOnly: about.ScoreOnly,
			Boundaries: []float64{.2, .5}, Model: m, Splines: splines, Seed: 7,
			Validation: runspec.Validation{Kind: "none"}}}
}

func iris(task string, m fit.Spec) source {
	m.L2.Value = 1. / 64
	s := source{name: "iris " + task + " " + m.Loss, file: "iris.csv", data: testdata.Read("iris.csv"),
		spec: runspec.Spec{Outcome: "species", Task: task, Model: m, Seed: 3, Validation: runspec.Validation{Kind: "none"}}}
	if strings.HasPrefix(task, "ordinal") {
		s.spec.Outcome, s.spec.Bins = "sepal_length", &runspec.Bins{Count: 4, By: "frequency"}
	}
	return s
}

// clinic has every kind of term, and levels with few rows.
func clinic(m fit.Spec) source {
	records := tabletest.Clinic(300, 20)
	for i := 1; i <= 24; i++ {
		records[i][3] = []string{"D", "E", "", "A"}[i%4]
	}
	var b bytes.Buffer
	for _, r := range records {
		b.WriteString(strings.Join(r, ",") + "\n")
	}
	if m.L2.Value == 0 {
		m.L2.Value = .01
	}
	return source{name: "clinic " + m.Kind + " " + m.Loss, file: "clinic.csv", data: b.Bytes(),
		spec: runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"},
			Predictors: []string{"age", "marker", "sex", "site"},
			Boundaries: []float64{.2, .4, .7}, Model: m, Seed: 7, Validation: runspec.Validation{Kind: "none"}}}
}

// shippedSources are the shipped datasets with linear, spline and tree models.
func shippedSources() []source {
	return []source{
		two("wdbc.csv", fit.Spec{Loss: "interval"}, nil),
		two("adni-like.csv", fit.Spec{Loss: "logistic"}, nil),
		two("heart-clinic.csv", fit.Spec{Loss: "logistic"}, map[string]int{"age": 4, "chol": 3}),
		two("heart-clinic.csv", fit.Spec{Kind: "boost", Rounds: 30, Depth: 2}, nil),
		two("heart-clinic-dirty.csv", fit.Spec{Loss: "logistic"}, nil),
		iris("multiclass", fit.Spec{Loss: "softmax"}),
	}
}

// linkSources cover every link of two classes and of several, every form of scores, and every
// rule.
func linkSources() []source {
	params := func(v ...any) map[string]any {
		p := map[string]any{}
		for i := 0; i < len(v); i += 2 {
			p[v[i].(string)] = v[i+1]
		}
		return p
	}
	return []source{
		clinic(fit.Spec{Loss: "interval"}),
		clinic(fit.Spec{Loss: "alpha", Params: params("alpha", 4.0)}),
		clinic(fit.Spec{Loss: "tempered", Params: params("t1", .6, "t2", 1.6)}),
		clinic(fit.Spec{Loss: "tempered", Params: params("t1", .6, "t2", .7)}),
		clinic(fit.Spec{Loss: "bi-tempered", Params: params("t1", .5, "t2", 2.0)}),
		clinic(fit.Spec{Loss: "t-logistic", Params: params("t", 1.6)}),
		clinic(fit.Spec{Loss: "squared-hinge"}),
		clinic(fit.Spec{Loss: "dwd"}),
		clinic(fit.Spec{Kind: "boost", Rounds: 12}),
		iris("multiclass", fit.Spec{Loss: "al-zero-one"}),
		iris("multiclass", fit.Spec{Loss: "tempered-multiclass", Params: params("t1", .7, "t2", 1.3)}),
		iris("abstain", fit.Spec{Loss: "al-abstain"}),
		iris("abstain", fit.Spec{Loss: "cs"}),
		iris("abstain", fit.Spec{Loss: "ova"}),
		iris("abstain", fit.Spec{Loss: "softmax"}),
		iris("ordinal", fit.Spec{Loss: "al-ordinal", Features: "th"}),
		iris("ordinal", fit.Spec{Loss: "all-threshold"}),
		iris("ordinal", fit.Spec{Loss: "softmax"}),
	}
}

// fitted caches the fitted models for all tests.
var fitted sync.Map

func (s source) fit(t *testing.T) (*engine.Result, *model.Model) {
	t.Helper()
	made, _ := fitted.LoadOrStore(s.name+fmt.Sprint(s.spec.Model.Params), sync.OnceValues(func() (*engine.Result, error) {
		tbl, err := table.Read(context.Background(), s.data, table.Options{}, table.Limits{})
		if err != nil {
			return nil, err
		}
		return engine.Fit(context.Background(), tbl, s.spec, nil)
	}))
	r, err := made.(func() (*engine.Result, error))()
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return r, r.Model.WithoutRows(r.Model.Rare(r.Flow.Trained))
}

// sample fits the model and scores rows of the file, then rows mixed from several of them, up
// to n.
func (s source) sample(t *testing.T, n int) sample {
	t.Helper()
	_, m := s.fit(t)
	p, err := portable.New(m)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	file, err := model.OpenFile(t.Context(), m, s.data, model.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var texts [][]string
	err = file.Each(t.Context(), func(row *table.Row, _ model.Prediction) error {
		var cells []string
		for _, c := range m.Columns {
			cells = append(cells, strings.Clone(file.Cell(row, c.Name)))
		}
		texts = append(texts, cells)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 5))
	for whole := len(texts); len(texts) < n; {
		cells := make([]string, len(m.Columns))
		for k := range cells {
			cells[k] = texts[random.IntN(whole)][k]
			if random.IntN(15) == 0 {
				cells[k] = []string{"", "never seen", "1e6"}[random.IntN(3)]
			}
		}
		texts = append(texts, cells)
	}
	scorer, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	out := sample{name: s.name, model: p}
	for _, cells := range texts[:n] {
		given := func(column string) string {
			return cells[slices.IndexFunc(m.Columns, func(c prep.Column) bool { return c.Name == column })]
		}
		row := map[string]any{}
		for k := range m.Columns {
			row[m.Columns[k].Name] = typed(&m.Columns[k], given(m.Columns[k].Name), file.Decimal())
		}
		said := scorer.ScoreTexts(func(column string) (string, bool) { return given(column), true }, file.Decimal())
		out.rows, out.said = append(out.rows, row), append(out.said, portable.AsExpected(said))
		out.sizes = append(out.sizes, size(m))
	}
	return out
}

// typed is a cell with the type that a program reading the file would give it.
func typed(c *prep.Column, text, decimal string) any {
	cell := c.Cell(text, decimal)
	switch {
	case cell.Missing:
		return nil
	case c.Kind == prep.Number:
		return cell.Number
	case cell.Level == "":
		return text
	}
	return cell.Level
}

// size is the magnitude of a score's terms. Differences are relative to it, because the terms
// may cancel.
func size(m *model.Model) float64 {
	most := max(1, math.Abs(m.Intercept))
	for _, tree := range m.Trees {
		most += math.Abs(tree.Theta)
	}
	rows := [][]float64{m.Weights}
	if m.Potentials != nil {
		rows = append(m.Potentials.Weights, m.Potentials.Offsets)
	}
	for _, w := range slices.Concat(rows...) {
		most = max(most, math.Abs(w))
	}
	return most
}

// differs describes the first difference from the engine's prediction, "" if there is none.
func differs(got, want portable.Expected, size float64) string {
	far := func(a, b, scale float64) bool {
		return !(math.Abs(a-b) <= near*max(math.Abs(b), scale))
	}
	if len(got.Scores) != len(want.Scores) || len(got.Probabilities) != len(want.Probabilities) {
		return fmt.Sprintf("%d scores and %d probabilities, not %d and %d", len(got.Scores), len(got.Probabilities),
			len(want.Scores), len(want.Probabilities))
	}
	for k, v := range want.Scores {
		if far(got.Scores[k], v, size) {
			return fmt.Sprintf("score %v, not %v", got.Scores[k], v)
		}
	}
	for k, v := range want.Probabilities {
		if far(got.Probabilities[k], v, 1e-3) { // (1 + f)/2 of a score near −1 keeps the rounding of f
			return fmt.Sprintf("P = %v, not %v", got.Probabilities[k], v)
		}
	}
	if got.Answer != want.Answer || got.Outside != want.Outside {
		return fmt.Sprintf("answer %d, outside %v, not %d, %v", got.Answer, got.Outside, want.Answer, want.Outside)
	}
	return ""
}

// hold compares all predictions with the engine's, and requires that they are not all the same.
func (s sample) hold(t *testing.T, got []portable.Expected) {
	t.Helper()
	if len(got) != len(s.said) {
		t.Fatalf("%s: %d answers for %d rows", s.name, len(got), len(s.said))
	}
	answers, outside := map[int]bool{}, 0
	for i, want := range s.said {
		if answers[want.Answer] = true; want.Outside {
			outside++
		}
		if why := differs(got[i], want, s.sizes[i]); why != "" {
			t.Fatalf("%s, row %d %v: %s", s.name, i, s.rows[i], why)
		}
	}
	if len(answers) < 2 || outside == 0 || outside == len(s.said) {
		t.Errorf("%s: answers %v, %d of %d rows outside: the rows test too little", s.name, answers, outside, len(s.said))
	}
}

// program finds an interpreter, and skips the test if it is not installed.
func program(t *testing.T, name, what string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: %s was not compared with the engine.", name, what)
	}
	return path
}

// runs gives a program its input and decodes the JSON that it prints.
func runs[T any](t *testing.T, input any, name string, args ...string) (out T) {
	t.Helper()
	in, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	var said, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &said, &wrong
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, wrong.String())
	}
	if err := json.Unmarshal(said.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v\n%.300s", name, err, said.String())
	}
	return out
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// inNode scores rows with the scoring code, as the calculator does.
const inNode = `
const {model, rows} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const score = taperScorer(model);
console.log(JSON.stringify(rows.map((row) => {
	const s = score(row);
	return s.scores
		? {f: s.scores, p: s.probabilities, a: model.levels.indexOf(s.answer), o: s.outside.length > 0}
		: {f: [s.score], p: s.probability === null ? null : [s.probability], a: s.stratum, o: s.outside.length > 0};
})));`

// TestScoreJS: the scoring code gives the engine's predictions for 1,000 rows of every shipped
// dataset, and for a model of every link, form and rule.
func TestScoreJS(t *testing.T) {
	node := program(t, "node", "the scoring core in JavaScript")
	core := write(t, "score.js", portable.ScoreJS()+inNode)
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			sample.hold(t, runs[[]portable.Expected](t, map[string]any{"model": json.RawMessage(sample.model.JSON()),
				"rows": sample.rows}, node, core))
		})
	}
}

// TestReplay: a faithful copy passes the replay. A copy whose weights differ by two parts in
// 10¹¹, or with one wrong prediction, fails.
func TestReplay(t *testing.T) {
	node := program(t, "node", "the replay of rows")
	js := write(t, "replay.js", portable.ScoreJS()+portable.ReplayJS()+`
const {model, replay} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(taperReplay(model, replay, taperScorer(model), 1e-12)));`)
	type verdict struct {
		Rows  int
		Worst float64
		Wrong string
	}
	for i, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			_, m := s.fit(t)
			p, err := portable.New(m)
			if err != nil {
				t.Fatal(err)
			}
			replay, err := p.Replay()
			if err != nil {
				t.Fatal(err)
			}
			v := runs[verdict](t, map[string]any{"model": json.RawMessage(p.JSON()), "replay": replay}, node, js)
			if v.Rows < 200 || v.Wrong != "" || !(v.Worst <= near) {
				t.Errorf("%+v", v)
			}
			t.Logf("%d rows, at most %.1e apart", v.Rows, v.Worst)
			if i%6 != 0 { // the same six corruptions for every model
				return
			}
			var other map[string]any
			if err := json.Unmarshal(p.JSON(), &other); err != nil {
				t.Fatal(err)
			}
			for what, spoil := range map[string]func(){
				"a weight":  func() { nudge(other) },
				"an answer": func() { replay.Blocks[0].Answers[7].Answer++ },
				"a verdict": func() { replay.Blocks[0].Answers[7].Outside = !replay.Blocks[0].Answers[7].Outside },
			} {
				spoil()
				if v := runs[verdict](t, map[string]any{"model": other, "replay": replay}, node, js); v.Wrong == "" {
					t.Errorf("%s was changed, and nothing is wrong", what)
				}
				if err := json.Unmarshal(p.JSON(), &other); err != nil {
					t.Fatal(err)
				}
				if replay, err = p.Replay(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// nudge changes each weight by two parts in 10¹¹.
func nudge(m map[string]any) {
	more := func(list any) {
		for i, w := range list.([]any) {
			list.([]any)[i] = w.(float64) * (1 + 2e-11)
		}
	}
	if trees, ok := m["trees"]; ok {
		for _, tree := range trees.([]any) {
			tree.(map[string]any)["theta"] = tree.(map[string]any)["theta"].(float64) * (1 + 2e-11)
		}
		return
	}
	if of, ok := m["potentials"]; ok {
		for _, row := range of.(map[string]any)["weights"].([]any) {
			more(row)
		}
		return
	}
	more(m["weights"])
}

// TestReplayIsTheSame: the rows for a model are the same each time, so its exported files have
// the same bytes.
func TestReplayIsTheSame(t *testing.T) {
	_, m := linkSources()[0].fit(t)
	var texts [2]string
	for i := range texts {
		p, err := portable.New(m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Replay()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text) + p.Hash()
	}
	if texts[0] != texts[1] {
		t.Error("two replays of one model differ")
	}
}

// TestRefused: a model that contains rows, and one whose predictions need linear programs, are
// refused.
func TestRefused(t *testing.T) {
	kernel := clinic(fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .2}})
	matrix := map[string]any{"matrix": [][]float64{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}}
	costs := iris("multiclass", fit.Spec{Loss: "al-cost", Params: matrix})
	for word, s := range map[string]source{"disclose patients": kernel, "linear program": costs} {
		tbl, err := table.Read(t.Context(), s.data, table.Options{}, table.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := engine.Fit(t.Context(), tbl, s.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := portable.New(r.Model); !usererr.Is(err, usererr.Conflict) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}
