package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"taper/internal/app/datasets"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
)

// sampleServer is a server with one sample loaded.
func sampleServer(t *testing.T, file string) (*Server, string) {
	t.Helper()
	s, _ := testServer(t, Config{})
	f, err := datasets.SampleNamed(file)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.datasets.Sample(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return s, id
}

// loaded uploads a table and returns its dataset.
func loaded(t *testing.T, s *Server, name, text string) string {
	t.Helper()
	up, err := s.datasets.Upload(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer up.Abort()
	d, err := s.datasets.Create(context.Background(), up, datasets.File{Name: name, File: name, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// TestStratifyPages requests states as a browser and as a script does.
func TestStratifyPages(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	at := "/stratify/" + id
	for _, test := range []struct {
		path, accept string
		want         int
		words        string
	}{
		{at, browser, 200, "Out of fold: every row was scored by a model that was not trained on it. λ was chosen on these same folds"},
		{at + "?pi=.2,.8&mode=reject&l2=0.0156", browser, 200, "Reportable"},
		{at + "?pi=.5,.2", browser, 422, "Boundaries must rise: boundary 2 must be at least 51 %, not 20 %. Using 25, 50 and 75"},
		{at + "?pi=.5,.2", "", 422, `"field":"pi"`},
		{at + "/live?pi=.5,.2", "", 422, `"field":"pi"`},
		{at + "?folds=x", browser, 422, "must be a whole number from 2 to 50"},
		{at + "?x=nosuch", browser, 422, "must be a column of the data"},
		{at + "?x=", browser, 422, "must name at least one column"},
		{at + "?positive=blue", browser, 422, "must be one of"},
		{at + "?outcome=nosuch", browser, 422, "must be a column of the data"},
		{at + "?x=nosuch", "", 422, "must be a column of the data"},
		{at + "?spline=mean_radius.4&l2=0.0156", browser, 200, "mean_radius (4 knots)"},
		{at + "?spline=mean_radius.7", browser, 422, "3, 4 or 5 knots: age.4, not “mean_radius.7”"},
		{at + "?spline=nosuch.4", browser, 422, "The curve of ‘nosuch’ must be a column of the data."},
		{at + "?spline=nosuch.4", "", 422, `"field":"splines.nosuch"`},
		{at + "?spline=mean_radius.4&method=boost&rounds=3", browser, 200, "Splines are for linear models"},
		{at + "?hold=1", browser, 200, "Nothing is computed"},
		{"/stratify/dnone", browser, 404, ""},
	} {
		w := ask(s, "GET", test.path, "", "Accept: "+strings.TrimPrefix(test.accept, "Accept: "))
		if w.Code != test.want || !strings.Contains(w.Body.String(), test.words) {
			t.Errorf("%s: %d, want %d with %q in\n%.600s", test.path, w.Code, test.want, test.words, w.Body)
		}
	}
}

// TestStratifyForm sends the form as without scripts.
func TestStratifyForm(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	for query, want := range map[string]string{
		"was=quartiles&wasmode=interval&template=low&mode=interval&pi=.25&pi=.5&pi=.75&how=auto&lambda=0.1&folds=5&seed=7": "?pi=.02,.05,.1",
		"base=pi%3D.3,.6&x=&x=mean_radius&x=mean_area":                                                                     "?pi=.3,.6&x=mean_radius&x=mean_area",
		"was=own&wasmode=interval&template=own&mode=interval&pi=.9&pi=.5&how=auto&folds=5&seed=7":                          "?pi=.9,.5",
	} {
		w := ask(s, "GET", "/stratify/"+id+"?"+query, "", browser)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/stratify/"+id+want {
			t.Errorf("%s: %d to %q, want %s", query, w.Code, got, want)
		}
	}
}

func TestStratifyNeedsData(t *testing.T) {
	s, _ := testServer(t, Config{})
	draft := loaded(t, s, "broken.csv", "a,b\n1,2\n3\n")
	if w := ask(s, "GET", "/stratify/"+draft, "", browser); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/data/"+draft {
		t.Errorf("a draft: %d %s, want its data page", w.Code, w.Header().Get("Location"))
	}
	none := loaded(t, s, "none.csv", "a,b\n1.5,2.5\n3.5,1.25\n2.25,7.75\n4.5,8.5\n5.125,9.5\n")
	w := ask(s, "GET", "/stratify/"+none, "", browser)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Which column is the outcome?") || !strings.Contains(w.Body.String(), "/data/"+none+"#outcome") {
		t.Errorf("no outcome: %d\n%.400s", w.Code, w.Body)
	}
}

// TestStratifyLiveSendsChanges requests twice: the second answer to the same state contains nothing new, and one to
// another state the differences.
func TestStratifyLiveSendsChanges(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	get := func(query string) live.Answer {
		t.Helper()
		w := ask(s, "GET", "/stratify/"+id+"/live?"+query, "")
		var a live.Answer
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %.300s", query, w.Code, w.Body)
		}
		return a
	}
	first := get("l2=0.0156")
	if first.Parts["r-strata"] == "" || first.Parts["fig-density"] == "" || first.MS == nil || first.Keep["held"] != "0.0156" {
		t.Fatalf("the first answer lacks parts: %v", first.Stamps)
	}
	had := func(a live.Answer) string {
		var pairs []string
		for id, mark := range a.Stamps {
			pairs = append(pairs, id+":"+mark)
		}
		return "&had=" + url.QueryEscape(strings.Join(pairs, ","))
	}
	second := get("l2=0.0156" + had(first))
	for id := range second.Parts {
		if !strings.HasSuffix(id, "-say") && !strings.HasSuffix(id, "-data") && !strings.HasSuffix(id, "-legend") {
			t.Errorf("sent again though unchanged: %s", id)
		}
	}
	if len(second.Charts) > 0 {
		t.Errorf("sent again though unchanged: %d charts", len(second.Charts))
	}
	moved := get("l2=0.0156&pi=.3,.5,.75" + had(first))
	if moved.Parts["r-strata"] == "" || moved.Charts["density"] == nil || moved.Parts["fig-density"] != "" || moved.Parts["r-row-flow"] != "" {
		t.Errorf("after a move: parts %v", moved.Stamps)
	}
	if moved.URL != "/stratify/"+id+"?pi=.3,.5,.75&l2=0.0156" || moved.Sliders["pi1"].Note != "30"+format.Pc {
		t.Errorf("after a move: %s, %+v", moved.URL, moved.Sliders["pi1"])
	}
	drag := get("pi=.3,.5,.75&held=0.0156&drag=r-strata" + had(first))
	if len(drag.Parts) != 1 || drag.Parts["r-strata"] == "" || len(drag.Charts) != 0 || drag.URL != "/stratify/"+id+"?pi=.3,.5,.75" {
		t.Errorf("a drag that sees the strata alone gets %v, %s", drag.Stamps, drag.URL)
	}
	// The line must not come and go: the figures below would move under the hand.
	const chosen = " λ was chosen on these same folds, so the numbers are optimistic: compare methods by saved runs, which choose it " +
		"inside each fold."
	const byHand = " λ was set on this page. If that was to suit these folds, the numbers are optimistic, as are those of a saved " +
		"run: it keeps this λ."
	if got := drag.Parts["r-strata"]; !strings.Contains(got, chosen) {
		t.Error("a drag does not say that the λ which it keeps was chosen on the same folds")
	} else if strings.Replace(got, chosen, byHand, 1) != moved.Parts["r-strata"] {
		t.Error("a drag with λ held differs from that λ by hand")
	}
}

// TestFrozenAxes: axes sent with a request are kept.
func TestFrozenAxes(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	w := ask(s, "GET", "/stratify/"+id+"/live?l2=0.0156&axes=interval.interval.rbf,-3,4,0,.25,-9,9,-8,8", "")
	var a live.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Keep["axes"] != "interval.interval.rbf,-3,4,0,0.25,-9,9,-8,8" {
		t.Errorf("the axes are %q, want those asked for", a.Keep["axes"])
	}
}

// TestHostileNames puts script into headers, levels and the file name.
func TestHostileNames(t *testing.T) {
	s, _ := testServer(t, Config{})
	evil := `</script><img src=x onerror=alert(1)>`
	var b strings.Builder
	fmt.Fprintf(&b, "\"x%s\",\"@s1\",\"y%s\"\n", evil, evil)
	for i := range 120 {
		fmt.Fprintf(&b, "%d,%d,\"%s\"\n", i+i%7, i%13, []string{"no" + evil, "yes" + evil}[(i+i%3)/60%2])
	}
	id := loaded(t, s, evil+".csv", b.String())
	q := url.Values{"outcome": {"y" + evil}, "positive": {"yes" + evil}, "band": {"0"}, "l2": {"0.1"}}
	w := ask(s, "GET", "/stratify/"+id+"?"+q.Encode(), "", browser)
	if w.Code != 200 {
		t.Fatalf("%d %.500s", w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "<img") || strings.Count(w.Body.String(), "</script>") != strings.Count(w.Body.String(), "<script") {
		t.Error("a name from the file stands unescaped on the page")
	}
	w = ask(s, "GET", "/stratify/"+id+"/live?"+q.Encode(), "")
	if strings.Contains(w.Body.String(), "<img") {
		t.Error("a name from the file stands unescaped in the live answer")
	}
}

// TestWhatIf requests the prediction for one patient: a band without a probability, by POST only.
func TestWhatIf(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	to := "/stratify/" + id + "/score?l2=0.0156"
	form := "Content-Type: application/x-www-form-urlencoded"
	w := ask(s, "POST", to, "v0=28,1&v20=36", form)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `Band \u003e 75`) && !strings.Contains(w.Body.String(), "75") {
		t.Errorf("large radii: %d %s", w.Code, w.Body)
	}
	got := ask(s, "POST", to, "v0=999", form, browser).Body.String()
	for _, says := range []string{"<strong>Outside the data.</strong>", "999 is outside the training range", "by more than a quarter of that range.", "Show the extrapolated answer</summary>"} {
		if !strings.Contains(got, says) {
			t.Errorf("a value far out of range: %q is missing", says)
		}
	}
	if got = ask(s, "POST", to, "v0=30", form, browser).Body.String(); strings.Contains(got, "Outside the data") || !strings.Contains(got, "30 is outside the training range") {
		t.Error("a value just out of range is not warned of alone")
	}
	if w := ask(s, "POST", to, "", form, browser); w.Code != 200 || !strings.Contains(w.Body.String(), "id=\"try\"") || !strings.Contains(w.Body.String(), "Band ") {
		t.Errorf("without scripts: %d", w.Code)
	}
	if w := ask(s, "GET", to, ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("by GET: %d, want 405", w.Code)
	}
}

// TestSaveRun saves the state as a run with λ chosen inside the folds.
func TestSaveRun(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	form := "Content-Type: application/x-www-form-urlencoded"
	w := ask(s, "POST", "/stratify/"+id+"/save", "pi=.2,.8&mode=reject&folds=2&seed=11&x=mean_radius&x=mean_texture", form, browser)
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/runs/r") {
		t.Fatalf("%d %s %s", w.Code, to, w.Body)
	}
	run, err := s.db.Run(context.Background(), strings.TrimPrefix(to, "/runs/"))
	if err != nil {
		t.Fatal(err)
	}
	m := run.Spec
	if m.Model.Tuning != "" || !m.Model.L2.Tuned() || m.Mode != "reject" || m.Validation.Folds != 2 || m.Seed != 11 || len(m.Predictors) != 2 {
		t.Errorf("saved spec: %+v", m)
	}
	states, err := s.app.Jobs.Watch(context.Background(), run.ID)
	if err == nil {
		for range states {
		}
	}
	if at := ask(s, "GET", to+"?band=1", "", browser).Header().Get("Location"); at != to+"/patients?band=1" {
		t.Errorf("the old address of a band leads to %q", at)
	}
	for page, says := range map[string][]string{
		"": {"λ was chosen within each fold’s training rows", "Open in stratify",
			"/stratify/" + id + "?mode=reject&amp;pi=.2,.8&amp;folds=2&amp;seed=11&amp;x=mean_radius"},
		"/model":           {"Settings", "nested tuning"},
		"/patients?band=1": {"scored by a model that had not seen them"},
	} {
		w = ask(s, "GET", to+page, "", browser)
		for _, words := range says {
			if !strings.Contains(w.Body.String(), words) {
				t.Errorf("%s of the run (%d) lacks %q", page, w.Code, words)
			}
		}
	}
	if w := ask(s, "GET", to+"?then=report", "", browser); w.Header().Get("Location") != "/report/"+run.ID {
		t.Errorf("then=report leads to %q", w.Header().Get("Location"))
	}
	if w := ask(s, "POST", "/stratify/"+id+"/save", "pi=.8,.2", form); w.Code != 422 {
		t.Errorf("boundaries out of order: %d, want 422", w.Code)
	}
}

// TestADNI repeats the analysis of Kimes et al. 2016, section 7, on the simulated file: trained on NC and AD, two
// folds, quartiles; the other groups are only scored.
func TestADNI(t *testing.T) {
	s, id := sampleServer(t, "adni-like.csv")
	w := ask(s, "GET", "/stratify/"+id+"?folds=2", "", browser)
	body := w.Body.String()
	if w.Code != 200 || !strings.Contains(body, `id="density"`) || !strings.Contains(body, `id="pca"`) {
		t.Fatalf("%d: a panel is missing", w.Code)
	}
	d, err := s.db.Dataset(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	st, _ := stratify.Parse(nil, d)
	st.Folds = 2
	r, _, err := s.app.Computations.Start(d, st.Spec(0))
	if err != nil || r == nil {
		t.Fatalf("the page's result is not kept: %v", err)
	}
	median := map[string]float64{}
	for _, g := range r.Density {
		median[g.Level] = g.Median
	}
	if !(median["NC"] < median["sMCI"] && median["sMCI"] < median["pMCI"] && median["pMCI"] < median["AD"]) {
		t.Errorf("medians %v, want NC < sMCI < pMCI < AD", median)
	}
	sum, n := make([]float64, 4), make([]float64, 4)
	for i, k := range r.PCA.Band {
		sum[k] += r.PCA.X[i]
		n[k]++
	}
	first, rising := 0., true
	for k := range sum {
		mean := sum[k] / n[k]
		if k == 0 {
			first = mean
		}
		rising = rising && (k == 0 || (mean > sum[k-1]/n[k-1]) == (sum[3]/n[3] > first))
	}
	if !rising {
		t.Errorf("mean first component by band: %v over %v rows, want one direction", sum, n)
	}
	for _, words := range []string{"sMCI", "pMCI", "scored, but not used for training"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}

// TestTrapOnPage reads the warning about a rare outcome: all rows are in one band, and other boundaries would
// separate them.
func TestTrapOnPage(t *testing.T) {
	s, _ := testServer(t, Config{})
	var b strings.Builder
	b.WriteString("a,b,died\n")
	for i := range 600 {
		died := "no"
		if i%20 == 3 {
			died = "yes"
		}
		fmt.Fprintf(&b, "%d,%d,%s\n", i*37%101, i*61%97+i%20/3, died)
	}
	id := loaded(t, s, "rare.csv", b.String())
	w := ask(s, "GET", "/stratify/"+id+"?outcome=died&positive=yes&negative=no", "", browser)
	for _, words := range []string{"All rows fall in one band", "Try boundaries near 2, 5, 10", "Use 2, 5 and 10", "No predictor is used"} {
		if !strings.Contains(w.Body.String(), words) {
			t.Errorf("the page (%d) does not say %q", w.Code, words)
		}
	}
	if w := ask(s, "GET", "/stratify/"+id+"?outcome=died&positive=yes&negative=no&pi=.02,.05,.1", "", browser); w.Code != 200 {
		t.Errorf("the boundaries it suggests: %d", w.Code)
	}
}

// TestOutcomeDecides: the outcome determines the tasks offered; before one is chosen, only that question is shown.
func TestOutcomeDecides(t *testing.T) {
	s, _ := testServer(t, Config{})
	var text strings.Builder
	text.WriteString("age,marker,stage,weight,ill\n")
	for i := range 160 {
		fmt.Fprintf(&text, "%d,%d,%s,%.2f,%s\n", 30+i*7%50, i*13%29, []string{"I", "II", "III", "IV"}[(i*7%50+i*3%20)/18], 50+.37*float64(i),
			[]string{"no", "yes"}[(i*7%50+i%9)/29])
	}
	id := loaded(t, s, "stages.csv", text.String())
	page := func(query string) string {
		w := ask(s, "GET", "/stratify/"+id+query, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %.300s", query, w.Code, w.Body)
		}
		return w.Body.String()
	}
	for _, c := range []struct {
		outcome, query string
		has, lacks     []string
	}{
		{"", "", []string{"Which column is the outcome?"}, []string{`id="strat"`, "Validate and save", "<fieldset"}},
		{`"stage"`, "", []string{"Which value of stage is the event?", "Multiclass", "Ordered classes"}, []string{`id="strat"`}},
		{"", "?outcome=stage", []string{"Which value of stage is the event?", "positive=III", "Event: IV", "Ordered classes"},
			[]string{`id="strat"`, "Validate and save", "stage = "}},
		{"", "?task=ordinal", []string{"r-classes", "Risk bands of an event", "Multiclass", `value="ordinal" checked`}, []string{"r-strata"}},
		{`"weight"`, "?task=ordinal", []string{"r-classes", `value="ordinal" checked`}, []string{`value="multiclass"`, `value="interval"`}},
		{`"ill","positive":"yes"`, "", []string{"r-strata"}, []string{`name="task"`, "r-classes"}},
	} {
		if c.outcome != "" {
			if w := ask(s, "PATCH", "/api/v1/datasets/"+id, `{"outcome":`+c.outcome+`}`); w.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", c.outcome, w.Code, w.Body)
			}
		}
		html := page(c.query)
		for _, words := range c.has {
			if !strings.Contains(html, words) {
				t.Errorf("outcome %s%s: the page lacks %q", c.outcome, c.query, words)
			}
		}
		for _, words := range c.lacks {
			if strings.Contains(html, words) {
				t.Errorf("outcome %s%s: the page has %q", c.outcome, c.query, words)
			}
		}
	}
	// The buttons of the question lead to bands of that event against all other values.
	html := page("?outcome=stage")
	for _, m := range regexp.MustCompile(`href="/stratify/[^?"]*([^"]*positive=[^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !strings.Contains(page(strings.ReplaceAll(m[1], "&amp;", "&")), "r-strata") {
			t.Errorf("%s has no bands", m[1])
		}
	}
	w := ask(s, "GET", "/stratify/"+id+"/live?shows=classes&task=interval&panel=1", "", "Accept: application/json")
	if !strings.Contains(w.Body.String(), `"go":"/stratify/`+id) {
		t.Errorf("other controls: %.200s", w.Body)
	}
}

// TestButtonsNameTheirValidation: the buttons that validate and save say that they validate internally, on the same rows,
// and where external validation is.
func TestButtonsNameTheirValidation(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	for path, says := range map[string]string{"": "Validate and save (5 folds)", "?folds=10": "Validate and save (10 folds)",
		"?folds=holdout": "Validate and save (20\u00a0% held out)"} {
		if text := plain(ask(s, "GET", "/stratify/"+d.ID+path, "", browser).Body.String()); !strings.Contains(text, says) {
			t.Errorf("%s: %q is not visible", path, says)
		}
	}
	live := ask(s, "GET", "/stratify/"+d.ID+"/live?folds=10", "", "Accept: application/json").Body.String()
	if !strings.Contains(live, `"r-validates":"(10 folds)"`) {
		t.Errorf("a change of the folds does not change the words of the button: %.300s", live)
	}
	if text := plain(ask(s, "GET", "/data/"+d.ID, "", browser).Body.String()); !strings.Contains(text, "Validate and save cross-validates") {
		t.Error("the page of the data does not say what is validated")
	}
	for path, n := range map[string]int{"/stratify/" + d.ID: 2, "/data/" + d.ID: 1} {
		page := ask(s, "GET", path, "", browser).Body.String()
		if got := strings.Count(page, `title="Internal validation on these rows, by cross-validation, or by a hold-out`); got != n {
			t.Errorf("%s: %d buttons name their validation, want %d", path, got, n)
		}
		if strings.Contains(page, "λ and γ") {
			t.Errorf("%s: γ is named for a linear model", path)
		}
	}
}
