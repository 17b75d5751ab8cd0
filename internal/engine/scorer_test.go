package engine

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// trained returns a model with every kind of term: numbers with and without
// missing values, levels, rare levels, missing levels.
func trained(t *testing.T, lossID string) (*model.Model, [][]string) {
	return trainedAs(t, fit.Spec{Loss: lossID})
}

func trainedAs(t *testing.T, model fit.Spec) (*model.Model, [][]string) {
	t.Helper()
	records := tabletest.Clinic(300, 20)
	for i := 1; i <= 24; i++ {
		records[i][3] = []string{"D", "A", "", "A"}[i%4]
		records[i+24][3], records[i+60][1] = "", ""
	}
	s := clinicSpec()
	s.Model = model
	s.Model.L2 = fit.L2{Value: 0.01}
	m := mustFit(t, tabletest.FromRecords(records), s).Model
	kinds := map[string]bool{}
	for _, term := range m.Terms {
		kinds[term.Kind] = true
	}
	if len(kinds) != 4 {
		t.Fatalf("terms of the kinds %v: the test wants all four", kinds)
	}
	return m, records
}

// strangers are rows that training never saw the like of.
func strangers(records [][]string) [][]string {
	return append(slices.Clone(records[:60]),
		[]string{"", "", "", "", "w1", ""}, []string{"140", "-9.5", "X", "Z", "w1", ""}, []string{"1e2", "NA", "M", "D", "w1", ""},
		[]string{"sixty", ".5", "F", "B", "w1", ""})
}

// portables are the models whose files are tested: without link, with the
// plain one, and every other.
func portables() []fit.Spec {
	all := []fit.Spec{{Loss: "interval"}, {Loss: "logistic"}}
	for _, m := range everyMethod {
		all = append(all, m.model)
	}
	return append(all,
		fit.Spec{Kind: "kernel", Loss: "interval", Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.2}},
		fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "poly", Gamma: 0.1, Degree: 2}},
		fit.Spec{Kind: "kernel", Loss: "squared-hinge", Kernel: &fit.Kernel{Name: "linear"}})
}

func TestScorerAgreesWithTheRun(t *testing.T) {
	for _, m := range portables() {
		records := tabletest.Clinic(300, 20)
		s := clinicSpec()
		s.Model, s.Validation.Kind = m, "none"
		s.Model.L2 = fit.L2{Value: 0.01}
		r := mustFit(t, tabletest.FromRecords(records), s)
		scorer, err := r.Model.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range r.Rows {
			p := scorer.Score(cells(records[0], records[i+1]))
			if !(math.Abs(p.Score-row.Score) <= 1e-12*(1+math.Abs(row.Score))) || p.Stratum != row.Stratum || (p.Probability == nil) != (row.Probability == nil) {
				t.Fatalf("%s row %d: %+v, the run says %+v", r.Method, i, p, row)
			}
		}
	}
}

func cells(header, record []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		k := slices.Index(header, name)
		if k < 0 {
			return "", false
		}
		return record[k], true
	}
}

// TestModelJSONSuffices scores strange rows from model.json with an
// independent scorer of a dozen lines, by docs/model-json.md alone.
func TestModelJSONSuffices(t *testing.T) {
	for _, lossID := range []string{"interval", "logistic"} {
		m, records := trained(t, lossID)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		scorer, _ := m.Scorer()
		for _, record := range strangers(records)[1:] {
			cell := cells(records[0], record)
			got := scorer.Score(cell).Score
			if want := byHand(file, cell); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("%s %q: score %v, by hand %v", lossID, record, got, want)
			}
		}
	}
}

func byHand(m map[string]any, cell func(string) (string, bool)) float64 {
	columns := map[string]map[string]any{}
	for _, c := range m["columns"].([]any) {
		columns[c.(map[string]any)["name"].(string)] = c.(map[string]any)
	}
	sum := m["intercept"].(float64)
	for k, v := range m["terms"].([]any) {
		term := v.(map[string]any)
		c := columns[term["column"].(string)]
		text, _ := cell(c["name"].(string))
		missing := text == "" || text == "NA"
		among := func(field string) bool { l, _ := c[field].([]any); return slices.Contains(l, any(text)) }
		known := text == c["reference"] || among("levels")
		value, err := strconv.ParseFloat(text, 64)
		raw := 0.0
		switch kind := term["kind"]; {
		case kind == "value" && err == nil:
			raw = value
		case kind == "value":
			raw, _ = c["median"].(float64)
		case kind == "missing" && (missing || c["kind"] == "number" && err != nil),
			kind == "level" && text == term["level"],
			kind == "other" && (missing && c["indicator"] == false || !missing && !known):
			raw = 1
		}
		sum += m["weights"].([]any)[k].(float64) * (raw - term["mean"].(float64)) / term["sd"].(float64)
	}
	return sum
}

func TestScorePy(t *testing.T) {
	long(t)
	python := pythonWith(t)
	for _, spec := range portables() {
		m, records := trainedAs(t, spec)
		dir := t.TempDir()
		b, _ := json.Marshal(m)
		var data strings.Builder
		rows := strangers(records)
		if err := csv.NewWriter(&data).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		model, file := filepath.Join(dir, "model.json"), filepath.Join(dir, "data.csv")
		if os.WriteFile(model, b, 0o600) != nil || os.WriteFile(file, []byte(data.String()), 0o600) != nil {
			t.Fatal("cannot write")
		}
		out, err := exec.Command(python, "portable/score.py", model, file).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(rows) {
			t.Fatalf("%d lines for %d rows:\n%s", len(lines), len(rows), out)
		}
		scorer, _ := m.Scorer()
		outside := 0
		for i, line := range lines[1:] {
			p := scorer.Score(cells(rows[0], rows[i+1]))
			got := strings.Split(line, ",")
			score, _ := strconv.ParseFloat(got[0], 64)
			stratum := strconv.Itoa(p.Stratum)
			if len(p.OutsideData) > 0 {
				outside++
				stratum, p.Probability = "", nil
			}
			if !(math.Abs(score-p.Score) <= 1e-12*(1+math.Abs(p.Score))) || got[2] != stratum || got[3] != p.Band || (got[1] == "") != (p.Probability == nil) {
				t.Errorf("%s row %d: score.py says %s, the engine %+v", m.Loss, i, line, p)
			}
			if prob, _ := strconv.ParseFloat(got[1], 64); p.Probability != nil && !(math.Abs(prob-*p.Probability) <= 1e-9) {
				t.Errorf("%s row %d: score.py says %s, the engine P = %v", m.Loss, i, line, *p.Probability)
			}
		}
		if outside == 0 {
			t.Errorf("%s: no row is outside the data", m.Loss)
		}
	}
}

func TestPredictRows(t *testing.T) {
	m, _ := trained(t, "interval")
	rows := []map[string]any{
		{"age": 71.5, "marker": json.Number("1.25"), "sex": "M", "site": "A", "extra": true},
		{"age": "71.5", "marker": "1.25", "sex": "M", "site": "A"},
		{"age": nil, "marker": 400.0, "sex": "X"},
	}
	p, err := model.PredictRows(m, rows)
	if err != nil {
		t.Fatal(err)
	}
	if p[0].Score != p[1].Score || p[0].WarningText() != "" || p[0].Probability != nil {
		t.Errorf("number and text differ: %+v, %+v", p[0], p[1])
	}
	for _, says := range []string{"age is missing", "marker 400 is outside", "sex ‘X’ was not in the training rows", "column site is not there"} {
		if !strings.Contains(p[2].WarningText(), says) {
			t.Errorf("%q does not say %q", p[2].WarningText(), says)
		}
	}
	b, _ := json.Marshal(p[:1])
	if want := `"probability":null,"stratum":` + strconv.Itoa(p[0].Stratum) + `,"band":"\u003e 70 %","warning":""}]`; p[0].Stratum != 3 || !strings.HasSuffix(string(b), want) {
		t.Errorf("JSON %s", b)
	}
	_, err = model.PredictRows(m, []map[string]any{{"age": 1.0, "sex": "M"}})
	if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "columns ‘marker’ and ‘site’") {
		t.Errorf("missing columns: %v", err)
	}
	if _, err = model.PredictRows(m, nil); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("no rows: %v", err)
	}
	if _, err = model.PredictRows(m, []map[string]any{{"age": []any{}}}); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("a list for a cell: %v", err)
	}
}

func TestScorerRefusesBrokenModels(t *testing.T) {
	for name, spoil := range map[string]func(*model.Model){
		"format":     func(m *model.Model) { m.Format = "taper-model/9" },
		"link":       func(m *model.Model) { m.Link = "probit" },
		"weights":    func(m *model.Model) { m.Weights = m.Weights[1:] },
		"delta":      func(m *model.Model) { m.Delta = m.Delta[1:] },
		"boundaries": func(m *model.Model) { m.Boundaries = []float64{0.4, 0.2, 0.7} },
		"sd":         func(m *model.Model) { m.Terms = slices.Clone(m.Terms); m.Terms[2].SD = 0 },
		"column":     func(m *model.Model) { m.Columns = m.Columns[1:] },
		"intercept":  func(m *model.Model) { m.Intercept = math.NaN() },
		"cut":        func(m *model.Model) { m.Cut = 0 },
		"loss":       func(m *model.Model) { m.Loss = "entropy" },
		"params":     func(m *model.Model) { m.Loss, m.Params = "alpha", map[string]any{"alpha": -1.0} },
		"other link": func(m *model.Model) { m.Loss, m.Params = "alpha", map[string]any{"alpha": 2.0} },
		"kind":       func(m *model.Model) { m.Kind = "forest" },
		"tree":       func(m *model.Model) { m.Trees[0].Nodes[0].Feature = 99 },
		"knots":      func(m *model.Model) { m.Columns = slices.Clone(m.Columns); m.Columns[0].Knots = []float64{3, 2, 1} },
		"no knots":   func(m *model.Model) { m.Terms = slices.Clone(m.Terms); m.Terms[0].Kind = "spline" },
		"tree leaf":  func(m *model.Model) { m.Trees[1].Nodes[2].Vote = 0.5 },
	} {
		m, _ := trained(t, "interval")
		if strings.HasPrefix(name, "tree") {
			m, _ = trainedAs(t, fit.Spec{Kind: "boost", Rounds: 3})
		}
		spoil(m)
		if _, err := m.Scorer(); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, _ := trained(t, "logistic")
	s, _ := m.Scorer()
	p := s.Score(func(c string) (string, bool) { return "1e308", true })
	if math.IsInf(p.Score, 0) || math.IsNaN(p.Score) || math.IsNaN(*p.Probability) {
		t.Errorf("an absurd row scores %v", p.Score)
	}
}

// FuzzScore: whatever the cells hold, a row gets a finite score and a band.
func FuzzScore(f *testing.F) {
	records := tabletest.Clinic(200, 20)
	s := clinicSpec()
	s.Model.Loss, s.Validation.Kind, s.Splines = "logistic", "none", map[string]int{"age": 5}
	scorer, err := mustFit(f, tabletest.FromRecords(records), s).Model.Scorer()
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range strangers(records)[1:] {
		f.Add(r[0], r[1], r[2], r[3])
	}
	f.Add("1e308", "-1e308", "\x00", "'=1+1")
	f.Add("<0.01", "\u22125", "m\u00a0", strings.Repeat("9", 400))
	f.Fuzz(func(t *testing.T, age, marker, sex, site string) {
		p := scorer.Score(cells(records[0], []string{age, marker, sex, site, "", ""}))
		if math.IsNaN(p.Score) || math.IsInf(p.Score, 0) || !(*p.Probability >= 0 && *p.Probability <= 1) || p.Stratum < 0 || p.Stratum > 3 {
			t.Errorf("scored %+v", p)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Error(err)
		}
	})
}
