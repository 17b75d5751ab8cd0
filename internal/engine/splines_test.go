package engine

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// valley is a file whose event is likelier at both ends of x: no straight line
// tells that. Sines and remainders stand for chance, so that R has the same.
func valley() [][]string {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	records := [][]string{{"x", "z", "outcome"}}
	for i := range 240 {
		x, z := 40+30*math.Sin(1.3*float64(i))+float64(i%17), math.Cos(0.7*float64(i))
		f := 0.004*(x-45)*(x-45) - 1.2 + 0.8*z
		outcome := "no"
		if float64(i*7919%241)/241 < 1/(1+math.Exp(-f)) {
			outcome = "yes"
		}
		records = append(records, []string{text(x), text(z), outcome})
	}
	return records
}

func valleySpec(knots int) runspec.Spec {
	return runspec.Spec{
		Outcome: "outcome", Positive: table.Levels{"yes"}, Predictors: []string{"x", "z"}, Splines: map[string]int{"x": knots},
		Task: "binary", Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: 1e-14}}, Validation: runspec.Validation{Kind: "none"}, Seed: 7,
	}
}

// From R 4.2.2 with Hmisc 4.8-0: b <- rcspline.eval(x, nk = 4, inclx = TRUE);
// glm(y ~ b + z, binomial), and differences of b %*% coef between the values.
func TestSplineAgainstGLM(t *testing.T) {
	r := mustFit(t, tabletest.FromRecords(valley()), valleySpec(4))
	if r.Flow.TrainedEvents != 144 || len(r.Splines) != 1 {
		t.Fatalf("%d events, %d curves", r.Flow.TrainedEvents, len(r.Splines))
	}
	s := r.Splines[0]
	near := func(what string, got, want, tol float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol*math.Abs(want)) {
			t.Errorf("%s: %.15g, want %.15g", what, got, want)
		}
	}
	for j, want := range []float64{15.354149034145165, 34.831778500324951, 61.393914988705276, 80.613244001061645} {
		near("knot", s.Knots[j], want, 1e-13)
	}
	near("median", s.Reference, 49.417919851490893, 1e-13)
	near("quartile", s.Quartiles[0], 27.745170464150572, 1e-13)
	near("quartile", s.Quartiles[1], 68.563254671600163, 1e-13)
	for i, want := range []float64{1.382756087570384, 2.293650144352628, 0.910894056782244} {
		near("contrast", s.Contrasts[i].Effect, want, 1e-6)
		near("odds ratio", *s.Contrasts[i].OddsRatio, math.Exp(want), 1e-6)
	}
	near("left end", s.Effect[0], 4.258202495140550, 1e-6)
	near("right end", s.Effect[len(s.Effect)-1], 6.146952133875359, 1e-6)
	near("x′", r.Coefficients[2].Value, 0.285241688464997, 1e-5)
	near("x″", r.Coefficients[3].Value, -0.217608379315516, 1e-5)
	near("z", r.Coefficients[4].Value, 0.826718456717493, 1e-6)
	if r.Coefficients[2].Name != "x′" || r.Coefficients[3].Name != "x″" {
		t.Errorf("curved terms %q and %q", r.Coefficients[2].Name, r.Coefficients[3].Name)
	}
	if r.Coefficients[1].OddsRatio != nil || r.Coefficients[2].OddsRatio != nil || r.Coefficients[4].OddsRatio == nil {
		t.Error("a term of a spline has an odds ratio of its own, or z has none")
	}
	total := 0
	for _, n := range s.Bins {
		total += n
	}
	if total != 240 || s.X[0] != r.Model.Columns[0].Min || s.X[len(s.X)-1] != r.Model.Columns[0].Max {
		t.Errorf("%d values in bins, places from %v", total, s.X[0])
	}
}

// A spline finds what a straight line cannot.
func TestSplineBeatsTheLine(t *testing.T) {
	auc := map[int][2]float64{}
	for _, knots := range []int{0, 4} {
		s := valleySpec(knots)
		s.Model.L2, s.Validation = fit.L2{Value: 1e-3}, runspec.Validation{Kind: "cv", Folds: 5}
		m := mustFit(t, tabletest.FromRecords(valley()), s).Metrics.Test
		auc[knots] = [2]float64{*m.AUC, *m.LogLoss}
	}
	if auc[4][0] < auc[0][0]+0.08 || auc[4][1] > auc[0][1]-0.05 {
		t.Errorf("out of fold: line %v, spline %v (AUC, log-loss)", auc[0], auc[4])
	}
}

// Knots and everything else come from the training rows alone.
func TestSplineLearnsFromTrainingRows(t *testing.T) {
	records, s := valley(), valleySpec(5)
	s.Validation = runspec.Validation{Kind: "split", Test: 0.3}
	before := mustFit(t, tabletest.FromRecords(records), s)
	move := func(split string) *Result {
		moved := slices.Clone(records)
		for _, row := range before.Rows {
			if row.Split == split {
				r := slices.Clone(records[row.Row+1])
				r[0] = "500" + r[0]
				moved[row.Row+1] = r
			}
		}
		return mustFit(t, tabletest.FromRecords(moved), s)
	}
	if held := move("test"); !slices.Equal(held.Model.Columns[0].Knots, before.Model.Columns[0].Knots) || !slices.Equal(held.Model.Weights, before.Model.Weights) {
		t.Error("held-out rows moved the model")
	}
	if own := move("train"); slices.Equal(own.Model.Columns[0].Knots, before.Model.Columns[0].Knots) {
		t.Error("training rows did not move the knots")
	}
}

func TestSplineWhateverTheOrder(t *testing.T) {
	records := valley()
	a := mustFit(t, tabletest.FromRecords(records), valleySpec(5)).Splines[0]
	rng := rand.New(rand.NewPCG(3, 3))
	rng.Shuffle(len(records)-1, func(i, k int) { records[i+1], records[k+1] = records[k+1], records[i+1] })
	b := mustFit(t, tabletest.FromRecords(records), valleySpec(5)).Splines[0]
	if !slices.Equal(a.X, b.X) {
		t.Error("the curve stands elsewhere")
	}
	for i := range a.Effect {
		if !(math.Abs(a.Effect[i]-b.Effect[i]) <= 1e-5) {
			t.Fatalf("at %v: %v and %v", a.X[i], a.Effect[i], b.Effect[i])
		}
	}
}

// A model with splines scores in its file, here by docs/model-json.md and in
// score.py, as in the run: inside the range, at the knots and far outside.
func TestSplineInTheFile(t *testing.T) {
	records := tabletest.Clinic(300, 20)
	s := clinicSpec()
	s.Model, s.Splines, s.Validation.Kind = fit.Spec{Loss: "logistic", L2: fit.L2{Value: 0.01}}, map[string]int{"age": 5, "marker": 3}, "none"
	r := mustFit(t, tabletest.FromRecords(records), s)
	b, err := json.Marshal(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	var m model.Model
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	scorer, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if p := scorer.Score(cells(records[0], records[i+1])); !(math.Abs(p.Score-row.Score) <= 1e-12*(1+math.Abs(row.Score))) {
			t.Fatalf("row %d: %v, the run says %v", i, p.Score, row.Score)
		}
	}
	rows := append(strangers(records), []string{"400", "-30", "M", "A", "", ""})
	for _, v := range m.Columns[0].Knots {
		rows = append(rows, []string{strconv.FormatFloat(v, 'g', -1, 64), "", "F", "B", "", ""})
	}
	for _, record := range rows[1:] {
		cell := cells(records[0], record)
		if got, want := scorer.Score(cell).Score, splineByHand(&m, cell); !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("%q: score %v, by hand %v", record, got, want)
		}
	}
	scoredByPython(t, &m, b, rows)
}

// splineByHand is the formula as it stands in docs/model-json.md.
func splineByHand(m *model.Model, cell func(string) (string, bool)) float64 {
	cube := func(u float64) float64 { return math.Pow(max(u, 0), 3) }
	sum := m.Intercept
	for k, term := range m.Terms {
		text, _ := cell(term.Column)
		x, err := strconv.ParseFloat(text, 64)
		raw := 0.0
		for _, c := range m.Columns {
			if c.Name != term.Column {
				continue
			}
			if err != nil {
				x = c.Median
			}
			n := len(c.Knots)
			switch {
			case term.Kind == "value":
				raw = x
			case term.Kind == "spline":
				t, j := c.Knots, term.Knot-1
				raw = (cube(x-t[j]) - cube(x-t[n-2])*(t[n-1]-t[j])/(t[n-1]-t[n-2]) + cube(x-t[n-1])*(t[n-2]-t[j])/(t[n-1]-t[n-2])) / ((t[n-1] - t[0]) * (t[n-1] - t[0]))
			case term.Kind == "missing" && (text == "" || c.Kind == "number" && err != nil),
				term.Kind == "level" && text == term.Level,
				term.Kind == "other" && text != c.Reference && !slices.Contains(c.Levels, text):
				raw = 1
			}
		}
		sum += m.Weights[k] * (raw - term.Mean) / term.SD
	}
	return sum
}

func scoredByPython(t *testing.T, m *model.Model, file []byte, rows [][]string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("python3 is not installed: score.py is left out")
		return
	}
	dir := t.TempDir()
	var data strings.Builder
	if err := csv.NewWriter(&data).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	model, list := filepath.Join(dir, "model.json"), filepath.Join(dir, "data.csv")
	if os.WriteFile(model, file, 0o600) != nil || os.WriteFile(list, []byte(data.String()), 0o600) != nil {
		t.Fatal("cannot write")
	}
	out, err := exec.Command(python, "portable/score.py", model, list).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(rows) {
		t.Fatalf("%v\n%s", err, out)
	}
	scorer, _ := m.Scorer()
	for i, line := range lines[1:] {
		want := scorer.Score(cells(rows[0], rows[i+1])).Score
		text, _, _ := strings.Cut(line, ",")
		if got, err := strconv.ParseFloat(text, 64); err != nil || !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("%q: score.py says %s, the engine %v", rows[i+1], line, want)
		}
	}
}

func TestSplineRefusals(t *testing.T) {
	records := tabletest.Clinic(120, 4)
	tab := tabletest.FromRecords(records)
	for name, c := range map[string]struct {
		change      func(*runspec.Spec)
		field, says string
	}{
		"unknown":   {func(s *runspec.Spec) { s.Splines = map[string]int{"pulse": 4} }, "splines.pulse", "must be a column of the data"},
		"category":  {func(s *runspec.Spec) { s.Splines = map[string]int{"sex": 3} }, "splines.sex", "must be a numeric column"},
		"left out":  {func(s *runspec.Spec) { s.Predictors = []string{"age"}; s.Splines = map[string]int{"marker": 3} }, "splines.marker", "one of the predictors"},
		"knots":     {func(s *runspec.Spec) { s.Splines = map[string]int{"age": 6} }, "splines.age", "3 to 5 knots, or 0 for a straight line (got 6)"},
		"two knots": {func(s *runspec.Spec) { s.Splines = map[string]int{"age": 2} }, "splines.age", "(got 2)"},
		"trees":     {func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "boost"}; s.Splines = map[string]int{"age": 3} }, "splines", "are for linear models"},
		"kernel": {func(s *runspec.Spec) {
			s.Model = fit.Spec{Kind: "kernel", Loss: "logistic"}
			s.Splines = map[string]int{"age": 3}
		}, "splines", "are for linear models"},
		"two at once": {func(s *runspec.Spec) { s.Splines = map[string]int{"sex": 3, "age": 9} }, "splines.age", "(got 9)"},
	} {
		s := clinicSpec()
		c.change(&s)
		err := s.Validate(tab)
		e, ok := usererr.As(err)
		if !ok || len(e.Fields) == 0 || e.Fields[0].Field != c.field || !strings.Contains(e.Fields[0].Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := clinicSpec()
	s.Splines = map[string]int{"age": 0}
	if d := s.WithDefaults(); d.Splines != nil || s.PrepareKey() != clinicSpec().PrepareKey() {
		t.Errorf("no knots are no spline: %v", d.Splines)
	}
	s.Splines = map[string]int{"age": 3}
	if s.PrepareKey() == clinicSpec().PrepareKey() {
		t.Error("a spline is prepared as a line is")
	}
}

// A column of few distinct values has fewer knots or none, and says so.
func TestSplineOfFewValues(t *testing.T) {
	records := valley()
	records[0] = append(records[0], "grade", "pair")
	for i := 1; i < len(records); i++ {
		records[i] = append(records[i], strconv.Itoa(i%5), strconv.Itoa(1+i%2))
	}
	s := valleySpec(4)
	s.Predictors = []string{"x", "grade", "pair"}
	s.Splines = map[string]int{"x": 4, "grade": 5, "pair": 3}
	r := mustFit(t, tabletest.FromRecords(records), s)
	var said []string
	for _, w := range r.Warnings {
		if w.Code == WarnSpline {
			said = append(said, w.Column+": "+w.Message)
		}
	}
	want := []string{
		"grade: ‘grade’ has too few distinct values for 5 knots: it enters with 4.",
		"pair: ‘pair’ has too few distinct values for a spline: it enters as a straight line.",
	}
	if !slices.Equal(said, want) || len(r.Splines) != 2 {
		t.Errorf("%d curves, %q", len(r.Splines), said)
	}
	for _, c := range r.Clinical.Inflation {
		if strings.Contains(c.Name, "′") || c.VIF == nil {
			t.Errorf("inflation of %q", c.Name)
		}
	}
}

// The refits give the curve its band: none at the median, where every curve is
// 0; a hair's breadth about the curve of 240 rows.
func TestSplineBand(t *testing.T) {
	s := valleySpec(4)
	s.Model.L2 = fit.L2{Value: 1e-3}
	tab := tabletest.FromRecords(valley())
	r := mustFit(t, tab, s)
	b, err := bootstrapped(context.Background(), tab, s, r, BootstrapOptions{Replicates: 60, Seed: 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	curve := r.Splines[0]
	if len(b.Splines) != 1 || len(b.Splines[0].Low) != len(curve.X) || len(b.Splines[0].Contrasts) != 3 {
		t.Fatalf("bands %+v", b.Splines)
	}
	band, inside := b.Splines[0], 0
	for i, v := range curve.Effect {
		low, high := *band.Low[i], *band.High[i]
		if !(low <= high) {
			t.Fatalf("band from %v to %v", low, high)
		}
		if low-1e-9 <= v && v <= high+1e-9 {
			inside++
		}
	}
	if 10*inside < 9*len(curve.X) {
		t.Errorf("the band holds %d of %d points of its curve", inside, len(curve.X))
	}
	for i, e := range band.Contrasts {
		or, own := band.OddsRatio[i], curve.Contrasts[i].Effect
		if own < *e.Low || own > *e.High || own == 0 {
			t.Errorf("the run's contrast %v is not in %v to %v", own, *e.Low, *e.High)
		}
		if !(*e.Low < *e.High) || !(math.Abs(*or.Value-math.Exp(*e.Value)) <= 1e-9) || !(math.Abs(*or.Low-math.Exp(*e.Low)) <= 0.2**or.Low) {
			t.Errorf("contrast %+v, odds ratio %+v", e, or)
		}
	}
	names := []string{}
	for _, c := range b.Coefficients {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"(intercept)", "z"}) {
		t.Errorf("intervals of %q", names)
	}
}

// A recalibrated score has curves as much steeper.
func TestSplineRecalibrated(t *testing.T) {
	r := mustFit(t, tabletest.FromRecords(valley()), valleySpec(3))
	moved, err := Recalibrated(r, valleySpec(3), r.Model, r.Rows, 0.4, 2)
	if err != nil {
		t.Fatal(err)
	}
	a, b := r.Splines[0], moved.Splines[0]
	if b.Effect[0] != 2*a.Effect[0] || !(math.Abs(*b.Contrasts[0].OddsRatio-math.Pow(*a.Contrasts[0].OddsRatio, 2)) <= 1e-9) {
		t.Errorf("effect %v and %v", a.Effect[0], b.Effect[0])
	}
}

// Several classes: the same design, in the scorer too.
func TestSplineOfSeveralClasses(t *testing.T) {
	records := tabletest.Clinic(240, 9)
	for i := 1; i < len(records); i++ {
		if i%3 == 0 {
			records[i][5] = "moved"
		}
	}
	s := clinicSpec()
	s.Task, s.Positive, s.Boundaries, s.Splines = "multiclass", nil, nil, map[string]int{"age": 4}
	s.Model, s.Validation = fit.Spec{Loss: "softmax", L2: fit.L2{Value: 0.01}}, runspec.Validation{Kind: "none"}
	r := mustFit(t, tabletest.FromRecords(records), s)
	scorer, err := r.Model.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	bent := 0
	for _, c := range r.Coefficients {
		if strings.Contains(c.Name, "′") || strings.Contains(c.Name, "″") || c.Name == "age" {
			if bent++; c.OddsRatio != nil {
				t.Errorf("%s of %s has an odds ratio", c.Name, c.Class)
			}
		}
	}
	if bent != 9 {
		t.Errorf("%d terms of the spline in three classes", bent)
	}
	for i, row := range r.Rows {
		p := scorer.Score(cells(records[0], records[i+1]))
		for k, v := range row.Scores {
			if !(math.Abs(p.Classes.Scores[k]-v) <= 1e-9*(1+math.Abs(v))) {
				t.Fatalf("row %d: %v, the run says %v", i, p.Classes.Scores, row.Scores)
			}
		}
	}
	s.Model = fit.Spec{Kind: "kernel", Loss: "softmax"}
	if err := s.Validate(tabletest.FromRecords(records)); err == nil || !strings.Contains(err.Error(), "are for linear models") {
		t.Errorf("a kernel: %v", err)
	}
}
