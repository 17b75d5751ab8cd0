package web

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"taper/internal/calculator"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/testdata"
)

// TestCalculatorFile: the page, the API and the download have the same bytes, are small, and have a policy that
// allows no requests. The bytes stay the same when the data are deleted.
func TestCalculatorFile(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	r := trained(t, s, heartSpec(d, "Bands <of> risk", "logistic", .3, .6))
	at := "/runs/" + r.ID + "/calculator.html"
	w := ask(s, http.MethodGet, at, "")
	file := w.Body.String()
	if w.Code != http.StatusOK || w.Body.Len() > calculator.MostBytes {
		t.Fatalf("%d, %d bytes", w.Code, w.Body.Len())
	}
	meta := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(file)
	if meta == nil || !strings.HasPrefix(meta[1], "default-src 'none'; script-src 'sha256-") ||
		w.Header().Get("Content-Security-Policy") != meta[1]+"; frame-ancestors 'none'" {
		t.Errorf("policy %q in the file, %q around it", meta, w.Header().Get("Content-Security-Policy"))
	}
	again := ask(s, http.MethodGet, at, "") // from the answers that are kept
	if own := w.Header().Get("Content-Security-Policy"); again.Header().Get("Content-Security-Policy") != own {
		t.Errorf("the second time it comes under the policy %q", again.Header().Get("Content-Security-Policy"))
	}
	if tag := w.Header().Get("ETag"); tag == "" {
		t.Error("the file has no ETag")
	} else {
		same := ask(s, http.MethodGet, at, "", "If-None-Match: "+tag)
		if same.Code != http.StatusNotModified || same.Header().Get("Content-Security-Policy") != "" {
			t.Errorf("unchanged it is %d with the policy %q", same.Code, same.Header().Get("Content-Security-Policy"))
		}
	}
	if strings.Contains(file, "<of>") || !strings.Contains(file, html.EscapeString("Bands <of> risk")) {
		t.Error("the name of the run is not escaped")
	}
	for _, link := range regexp.MustCompile(`(?i)(src|href)=|https?://|@import|url\(`).FindAllString(file, -1) {
		if link != "http://" { // the namespace of SVG
			t.Errorf("the file has %s", link)
		}
	}
	for _, other := range []string{"/api/v1" + at, at + "?download=1"} {
		if w := ask(s, http.MethodGet, other, ""); w.Body.String() != file {
			t.Errorf("%s is another file", other)
		}
	}
	if w := ask(s, http.MethodGet, at+"?download=1", ""); !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("disposition %q", w.Header().Get("Content-Disposition"))
	}
	if _, err := s.app.KeepModels(t.Context(), d.ID); err != nil {
		t.Fatal(err)
	}
	if after := ask(s, http.MethodGet, at, "").Body.String(); after != file {
		t.Error("the file of a model kept without its data is another one")
	}
}

// TestCalculatorTellsNoRareLevel: the file contains no rare levels and no extreme values of columns.
func TestCalculatorTellsNoRareLevel(t *testing.T) {
	s, _ := testServer(t, Config{})
	lines := []string{"age,site,disease"}
	for i := range 200 {
		site := []string{"North", "South"}[i%2]
		if i < 3 {
			site = "Lonelyville"
		}
		age := 30.25 + float64(i*37%50)
		lines = append(lines, fmt.Sprintf("%v,%s,%s", age, site, []string{"no", "yes"}[i*i%7/3%2]))
	}
	lines[9] = "17.125,South,yes"
	d := bringAnswered(t, s, strings.Join(lines, "\n"))
	r := trained(t, s, heartSpec(d, "Sites", "logistic", .3))
	whole := ask(s, http.MethodGet, "/api/v1/runs/"+r.ID+"/model.json", "").Body.String()
	file := ask(s, http.MethodGet, "/runs/"+r.ID+"/calculator.html", "").Body.String()
	for _, cell := range []string{"Lonelyville", "17.125"} {
		if !strings.Contains(whole, cell) || strings.Contains(file, cell) {
			t.Errorf("%s: in model.json %v, in the calculator %v", cell, strings.Contains(whole, cell), strings.Contains(file, cell))
		}
	}
}

// TestCalculatorRefused: the calculator of a kernel model is refused with the reason, and a model with too many
// trees is too large.
func TestCalculatorRefused(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	spec := heartSpec(d, "Kernel", "logistic", .5)
	spec.Task, spec.Validation = "binary", runspec.Validation{Kind: "none"}
	spec.Model = fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .1}, L2: fit.L2{Value: .1}}
	trees := spec
	trees.Model = fit.Spec{Kind: "boost", Rounds: 400, Depth: 4}
	for word, spec := range map[string]runspec.Spec{"contains rows": spec, "fewer trees": trees} {
		r := trained(t, s, spec)
		for _, door := range []string{"/runs/", "/api/v1/runs/"} {
			w := ask(s, http.MethodGet, door+r.ID+"/calculator.html", "")
			if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), word) {
				t.Errorf("%s: %d %.200s", word, w.Code, w.Body)
			}
		}
	}
}

// carried is the calculator file of a run on a sample.
type carried struct {
	name  string
	model *portable.Model
	dir   string
}

func carry(t *testing.T, name, file string, change func(*runspec.Spec)) carried {
	t.Helper()
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, string(testdata.Read(file)))
	spec := runspec.Spec{Name: name, Dataset: d.ID, Task: "binary", Boundaries: []float64{.25, .5}, Seed: 7,
		Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: .01}}, Validation: runspec.Validation{Kind: "none"}}
	if i := slices.IndexFunc(testdata.Samples, func(f testdata.Sample) bool { return f.File == file }); i >= 0 {
		f := testdata.Samples[i]
		spec.Outcome, spec.Positive, spec.Negative = f.Outcome, table.Levels{f.Positive}, table.Levels{f.Negative}
		spec.ScoreOnly = f.ScoreOnly
	}
	change(&spec)
	r := trained(t, s, spec)
	_, m, err := s.app.Portable(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.app.Calculator(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	out := carried{name, m, t.TempDir()}
	if err := os.WriteFile(filepath.Join(out.dir, "calculator.html"), made.HTML, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// rows are simulated patients with their predictions by the engine.
func (c carried) rows(t *testing.T, n int) (rows []map[string]any, said []model.Prediction) {
	t.Helper()
	scorer, err := c.model.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 3))
	for range n {
		row, texts := map[string]any{}, map[string]string{}
		for k := range c.model.Columns {
			col := &c.model.Columns[k]
			switch {
			case random.IntN(12) == 0:
				row[col.Name] = nil
			case col.Kind != prep.Number:
				level := append(col.Categories(), "never seen")[random.IntN(len(col.Categories())+1)]
				row[col.Name], texts[col.Name] = level, level
			default:
				v := col.Min + (col.Max-col.Min)*(1.2*random.Float64()-.1)
				row[col.Name], texts[col.Name] = v, fmt.Sprint(v)
				if col.Decimal == "," {
					texts[col.Name] = strings.Replace(fmt.Sprint(v), ".", ",", 1)
				}
			}
		}
		rows = append(rows, row)
		said = append(said, scorer.Score(func(name string) (string, bool) { return texts[name], true }))
	}
	return rows, said
}

// TestCalculatorFromAStick opens the calculator of every sample as a file, without a network, in every look. It
// passes its self-test, gives the engine's predictions for 1,000 patients, prints one patient on one page, and
// makes no requests.
func TestCalculatorFromAStick(t *testing.T) {
	inBrowser(t)
	for _, c := range []carried{
		carry(t, "calculator-wdbc", "wdbc.csv", func(s *runspec.Spec) { s.Task, s.Model.Loss = "interval", "interval" }),
		carry(t, "calculator-adni", "adni-like.csv", func(s *runspec.Spec) { // the largest: 93 columns and four classes
			s.Task, s.Positive, s.Negative, s.ScoreOnly, s.Boundaries, s.Model.Loss = "multiclass", nil, nil, nil, nil, "softmax"
		}),
		carry(t, "calculator-heart", "heart-clinic.csv", func(s *runspec.Spec) { s.Splines = map[string]int{"age": 4} }),
		carry(t, "calculator-dirty", "heart-clinic-dirty.csv", func(s *runspec.Spec) {
			s.Model = fit.Spec{Kind: "boost", Rounds: 40}
		}),
		carry(t, "calculator-iris", "iris.csv", func(s *runspec.Spec) {
			s.Outcome, s.Task, s.Boundaries, s.Model.Loss = "species", "multiclass", nil, "softmax"
		}),
	} {
		b := newTab(t, "file://"+c.dir)
		if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
				{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}}}); err != nil {
			t.Fatal(err)
		}
		var asked []string
		if err := chromedp.Listen(b.ctx, func(ev any) {
			if req, ok := ev.(*network.EventRequestWillBeSent); ok {
				b.mu.Lock()
				defer b.mu.Unlock()
				asked = append(asked, req.Request.URL)
			}
		}); err != nil {
			t.Fatal(err)
		}
		everyLook(b, c.name+"-empty", "/calculator.html")
		for _, look := range []string{"light", "dark"} {
			for _, width := range []int{1280, 360} {
				b.look(width, look)
				b.fill(c.model)
				where := fmt.Sprintf("%s-%d-%s", c.name, width, look)
				b.fits(where)
				b.axe(where)
				b.shot(where)
			}
		}
		if said := b.text("#check"); !strings.HasPrefix(said, "✓ 2") {
			t.Errorf("%s: %s", c.name, said)
		}
		pdf := b.pdf()
		if n := strings.Count(string(pdf), "/MediaBox"); n != 1 {
			t.Errorf("%s prints on %d pages", c.name, n)
		}
		if dir := os.Getenv("TAPER_SHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, c.name+".pdf"), pdf, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c.inPage(t, b)
		b.mu.Lock()
		for _, u := range asked {
			if u != "file://"+c.dir+"/calculator.html" {
				t.Errorf("%s asks for %s", c.name, u)
			}
		}
		b.mu.Unlock()
	}
}

// fill enters a patient: a value within the range of each column except the third, which is missing.
func (b *tab) fill(m *portable.Model) {
	b.Helper()
	for k := range m.Columns {
		c, text := &m.Columns[k], ""
		switch {
		case k == 2:
		case c.Kind != prep.Number:
			text = c.Reference
		default:
			text = fmt.Sprintf("%.4g", c.Min+(c.Max-c.Min)*(.3+float64(k%5)/10))
		}
		b.exec(fmt.Sprintf(`document.getElementById('x%d').value = %s`, k, quote(text)))
	}
	b.exec(`document.getElementById('patient').dispatchEvent(new Event('input'))`)
	if m.Potentials == nil {
		b.wait(`document.querySelector('#answer .says').textContent.includes('risk of')`)
	} else {
		b.wait(`document.querySelector('#answer .says').textContent.includes('answer for')`)
	}
}

// inPage computes predictions by the scorer of the page.
func (c carried) inPage(t *testing.T, b *tab) {
	t.Helper()
	rows, said := c.rows(t, 1000)
	text, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	raw := eval[string](b, `(() => {
		const score = taperScorer(JSON.parse(document.getElementById('data-model').textContent));
		return JSON.stringify(`+string(text)+`.map((row) => {
			const s = score(row);
			return {f: s.scores ?? [s.score], p: (s.scores ? s.probabilities : s.probability === null ? null : [s.probability]) ?? [],
				o: s.outside.length > 0, a: s.scores ? s.answer : s.band};
		}));
	})()`)
	var got []struct {
		F, P []float64
		O    bool
		A    string
	}
	if err := json.Unmarshal([]byte(raw), &got); err != nil || len(got) != len(said) {
		t.Fatal(len(got), err)
	}
	for i, p := range said {
		f, prob, answer := []float64{p.Score}, []float64{}, c.model.Bands
		want := ""
		if p.Classes != nil {
			f, prob, want = p.Classes.Scores, p.Classes.Probabilities, p.Classes.Answer()
		} else if want = answer[p.Stratum]; p.Probability != nil {
			prob = []float64{*p.Probability}
		}
		alike := got[i].A == want && got[i].O == (len(p.OutsideData) > 0) && len(got[i].P) == len(prob)
		for k, v := range f {
			alike = alike && math.Abs(got[i].F[k]-v) <= 1e-12*max(1, math.Abs(v))
		}
		for k, v := range prob {
			alike = alike && math.Abs(got[i].P[k]-v) <= 1e-12*v
		}
		if !alike {
			t.Fatalf("%s, row %v: the page says %+v, the engine %+v", c.name, rows[i], got[i], p)
		}
	}
}

// TestCalculatorRefusesToScore: if one weight of the model is changed in the last digits, the calculator reports
// this and shows no form.
func TestCalculatorRefusesToScore(t *testing.T) {
	inBrowser(t)
	c := carry(t, "changed", "iris.csv", func(s *runspec.Spec) {
		s.Outcome, s.Task, s.Boundaries, s.Model.Loss = "species", "multiclass", nil, "softmax"
	})
	path := filepath.Join(c.dir, "calculator.html")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(c.model.Potentials.Weights[0][1])
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(c.model.Potentials.Weights[0][1] * (1 + 1e-9))
	if err != nil {
		t.Fatal(err)
	}
	spoilt := strings.Replace(string(text), string(w), string(other), 1)
	if spoilt == string(text) {
		t.Fatal("the weight is not in the file")
	}
	if err := os.WriteFile(path, []byte(spoilt), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, "file://"+c.dir)
	everyLook(b, "calculator-refuses", "/calculator.html")
	if said := b.text("#check"); !strings.HasPrefix(said, "This calculator does not score.") {
		t.Errorf("it says %q", said)
	}
	if eval[bool](b, `document.getElementById('cols').checkVisibility() || document.querySelector('input') !== null`) {
		t.Error("it asks for a patient")
	}
}

// TestCodeDoor: the model as a source file in each language, and an error for an unknown language.
func TestCodeDoor(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "logistic", .3, .6))
	_, m, err := s.app.Portable(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range portable.Languages {
		w := ask(s, http.MethodGet, "/api/v1/runs/"+r.ID+"/code/"+language, "")
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") ||
			!strings.Contains(w.Body.String(), m.Hash()) || !strings.Contains(w.Body.String(), "Not a medical device") {
			t.Errorf("%s: %d %.300s", language, w.Code, w.Body)
		}
	}
	w := ask(s, http.MethodGet, "/api/v1/runs/"+r.ID+"/code/cobol", "")
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "javascript, python") {
		t.Errorf("cobol: %d %s", w.Code, w.Body)
	}
}

// TestCalculatorReadsAsTraining: the form of the calculator takes the texts that training reads as numbers, such as
// <0.5 where a limit of detection counts as one, and marks others.
func TestCalculatorReadsAsTraining(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	lines := []string{"age,crp,disease"}
	for i := range 200 {
		crp := fmt.Sprint(.5 + float64(i*37%90)/10)
		if i%20 == 0 {
			crp = "<0.5"
		}
		lines = append(lines, fmt.Sprintf("%d,%s,%s", 30+i*37%50, crp, []string{"no", "yes"}[i*i%7/3%2]))
	}
	d := bringAnswered(t, s, strings.Join(lines, "\n"))
	if w := ask(s, http.MethodPatch, "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"crp","non_numeric":"limit"}]}`,
		"Content-Type: application/json"); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r := trained(t, s, heartSpec(dataset(t, s, d.ID), "Limits", "logistic", .3))
	_, m, err := s.app.Portable(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(m.Columns, func(c prep.Column) bool { return c.NonNumeric == "limit" })
	made, err := s.app.Calculator(t.Context(), r.ID)
	if err != nil || k < 0 {
		t.Fatalf("column %d, %v", k, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "calculator.html"), made.HTML, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, "file://"+dir)
	b.open("/calculator.html")
	for text, reads := range map[string]bool{"<0.5": true, "<0,5": true, "0,5": true, "<": false, "high": false} {
		b.exec(fmt.Sprintf(`document.getElementById('x%d').value = %s`, k, quote(text)))
		b.exec(`document.getElementById('patient').dispatchEvent(new Event('input'))`)
		b.wait(fmt.Sprintf(`(document.getElementById('x%d').getAttribute('aria-invalid') === 'true') === %v`, k, !reads))
	}
}

// TestCalculatorReadsThousands: where commas separated thousands in the training file, the calculator reads 1,500 as
// 1500 and refuses 1,5 with an example of the format.
func TestCalculatorReadsThousands(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	lines := []string{"age,wbc,disease"}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("%d,\"%d,%03d\",%s", 30+i*37%50, 1+i%8, i*37%1000, []string{"no", "yes"}[i*i%7/3%2]))
	}
	d := bringAnswered(t, s, strings.Join(lines, "\n"))
	r := trained(t, s, heartSpec(d, "Thousands", "logistic", .3))
	_, m, err := s.app.Portable(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(m.Columns, func(c prep.Column) bool { return c.Name == "wbc" })
	made, err := s.app.Calculator(t.Context(), r.ID)
	if err != nil || k < 0 || m.Columns[k].Thousands != "," {
		t.Fatalf("column %d of %+v, %v", k, m.Columns, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "calculator.html"), made.HTML, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, "file://"+dir)
	b.open("/calculator.html")
	answer := func(text string) string {
		b.exec(fmt.Sprintf(`document.getElementById('x%d').value = %s`, k, quote(text)))
		b.exec(`document.getElementById('patient').dispatchEvent(new Event('input'))`)
		return strings.ReplaceAll(b.text(`#answer`), text, "typed")
	}
	if plain, grouped := answer("1500"), answer("1,500"); plain != grouped || strings.Contains(plain, "Outside") {
		t.Errorf("1500: %s\n1,500: %s", plain, grouped)
	}
	if said := answer("1,5"); !strings.Contains(said, "such as 1,234.5") {
		t.Errorf("1,5: %s", said)
	}
}
