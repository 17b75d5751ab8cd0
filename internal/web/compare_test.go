package web

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/compare"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/testdata"
)

// flippedRuns are runs of three losses on one file with 20 % of the training labels flipped, evaluated on the same
// folds.
func flippedRuns(t *testing.T) (*Server, []store.Run) {
	t.Helper()
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	spec := func(name, loss string, params map[string]any) runspec.Spec {
		x := heartSpec(d, name, loss, .25, .5, .75)
		x.Model.Params = params
		x.Noise = runspec.Noise{Kind: "symmetric", Rate: .2}
		x.Model.L2 = fit.L2{Value: 0.003}
		return x
	}
	return s, []store.Run{
		trained(t, s, spec("Logistic", "logistic", nil)),
		trained(t, s, spec("α-loss 4", "alpha", map[string]any{"alpha": 4.0})),
		trained(t, s, spec("Two-temp. 0.6, 1.6", "tempered", map[string]any{"t1": 0.6, "t2": 1.6})),
	}
}

func idsOf(runs ...store.Run) string {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, ",")
}

// askComparison requests a comparison from the API.
func askComparison(t *testing.T, s *Server, query string) (c compare.Comparison) {
	t.Helper()
	w := ask(s, "GET", "/api/v1/compare?"+query, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func metricOf(t *testing.T, c compare.Comparison, id string) compare.Metric {
	t.Helper()
	for _, m := range c.Metrics {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no metric %s", id)
	return compare.Metric{}
}

// TestCompareAPI compares the answer with the numbers and rows of the runs.
func TestCompareAPI(t *testing.T) {
	s, r := flippedRuns(t)
	query := "ids=" + idsOf(r...) + "&base=" + r[1].ID
	c := askComparison(t, s, query)
	var fields map[string]any
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/compare?"+query, "").Body.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	asDescribed(t, "Comparison", fields)
	if c.Baseline != r[1].ID || !slices.Equal(c.IDs, []string{r[0].ID, r[1].ID, r[2].ID}) {
		t.Fatalf("ids %v, baseline %s", c.IDs, c.Baseline)
	}
	if got := len(c.Differences); got != 2 || c.Differences[0].Field != "model.loss" || c.Differences[1].Field != "model.params" {
		t.Errorf("differences %v", c.Differences)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("warnings %v", c.Warnings)
	}
	for id, of := range map[string]func(stat.Binary) *float64{
		"auc": func(m stat.Binary) *float64 { return m.AUC }, "brier": func(m stat.Binary) *float64 { return m.Brier },
		"interval_loss": func(m stat.Binary) *float64 { return m.IntervalLoss }, "accuracy": func(m stat.Binary) *float64 { return m.Accuracy },
	} {
		m := metricOf(t, c, id)
		for i := range r {
			own, base := *of(r[i].Result.Metrics.Test), *of(r[1].Result.Metrics.Test)
			if *m.Values[i] != own {
				t.Errorf("%s of run %d is %v, want %v", id, i, *m.Values[i], own)
			}
			if i == 1 {
				if m.Deltas[i] != nil || m.PairedDifferences[i] != nil {
					t.Errorf("%s: the baseline differs from itself", id)
				}
				continue
			}
			if *m.Deltas[i] != own-base {
				t.Errorf("%s: delta %v, want %v", id, *m.Deltas[i], own-base)
			}
			p := m.PairedDifferences[i]
			if p == nil || p.N != r[0].Result.Flow.Scored || math.Abs(*p.Value-(own-base)) > 1e-12 || !(*p.Low < *p.Value && *p.Value < *p.High) {
				t.Errorf("%s of run %d: paired %+v, want %v over %d", id, i, p, own-base, r[0].Result.Flow.Scored)
			}
		}
	}
	for _, m := range c.Reclassification {
		if m.Reason != "" || m.N != r[0].Result.Flow.Scored || m.Table.Events.N != r[0].Result.Flow.ScoredEvents || m.Table.Events.N+m.Table.Others.N != m.N {
			t.Errorf("moves %+v", m)
		}
		for k, b := range r[1].Result.Strata { // the lines of the table are the bands of the baseline
			n := 0
			for _, x := range slices.Concat(m.Table.Events.Counts[k], m.Table.Others.Counts[k]) {
				n += x
			}
			if n != b.N {
				t.Errorf("band %d of the baseline holds %d rows, want %d", k, n, b.N)
			}
		}
	}
}

// TestCompareRefuses requests impossible comparisons.
func TestCompareRefuses(t *testing.T) {
	s, r := threeRuns(t)
	gone := trained(t, s, heartSpec(store.Dataset{ID: r[0].Dataset}, "Gone", "logistic", .5))
	if w := ask(s, "DELETE", "/api/v1/runs/"+gone.ID, ""); w.Code != http.StatusNoContent {
		t.Fatal(w.Code)
	}
	queued := store.Run{ID: "rqueued", Dataset: r[0].Dataset, Name: "Still waiting", Spec: r[0].Spec, Version: s.cfg.Version, Created: s.now()}
	if err := s.db.CreateRun(t.Context(), queued); err != nil {
		t.Fatal(err)
	}
	failed := queued
	failed.ID, failed.Name = "rfailed", "Came to nothing"
	if err := s.db.CreateRun(t.Context(), failed); err != nil {
		t.Fatal(err)
	}
	if err := s.db.EndRun(t.Context(), failed.ID, store.Failed, "Too few rows."); err != nil {
		t.Fatal(err)
	}
	a, b := r[0].ID, r[1].ID
	for query, want := range map[string]struct {
		status int
		says   string
	}{
		"":                                    {422, "ids must name two to six finished runs"},
		"?ids=":                               {422, "(got 0)"},
		"?ids=" + a:                           {422, "(got 1)"},
		"?ids=a,b,c,d,e,f,g":                  {422, "(got 7)"},
		"?ids=" + a + "," + a:                 {422, "twice"},
		"?ids=" + a + ",nothing":              {404, "There is no run ‘nothing’"},
		"?ids=" + a + "," + gone.ID:           {404, "It may have been deleted."},
		"?ids=" + a + ",rqueued":              {409, "‘Still waiting’ (rqueued) is queued and has no result yet."},
		"?ids=" + a + ",rfailed":              {409, "‘Came to nothing’ (rfailed) is failed and has no result to compare."},
		"?ids=" + a + "," + b + "&base=other": {422, "base must be one of the ids"},
		"?ids=" + a + "," + b + "&all=maybe":  {422, "all must be true or false"},
	} {
		for _, path := range []string{"/compare", "/compare.csv", "/api/v1/compare"} {
			says := want.says
			if path == "/compare" && (strings.Contains(says, "(got 0)") || strings.Contains(says, "(got 1)") || query == "") {
				says = "Choose two to six finished runs to compare." // users come from the list of runs and can go back to it
			}
			w := ask(s, "GET", path+query, "", browser)
			if body := plain(w.Body.String()); w.Code != want.status || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), says) {
				t.Errorf("%s%s: %d %s, want %d and %q", path, query, w.Code, body, want.status, says)
			}
		}
	}
}

// TestComparePage checks the page in several states: it is a function of its address.
func TestComparePage(t *testing.T) {
	s, r := flippedRuns(t)
	to := "/compare?ids=" + idsOf(r...)
	read := func(url string) string {
		t.Helper()
		w := ask(s, "GET", url, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", url, w.Code, plain(w.Body.String()))
		}
		return w.Body.String()
	}
	page := read(to)
	if again := read(to); again != page {
		t.Error("the same URL gives another page")
	}
	text := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(page))
	for _, want := range []string{"Three runs on", "What differs", "Interval loss", "higher is better", "The same in all three, hidden: data", "Reclassification, Logistic to α-loss 4", "Reclassification, Logistic to Two-temp. 0.6, 1.6", "t₁ = 0.6"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	m := r[2].Result.Metrics.Test
	delta := fmt.Sprintf("%.4f", math.Abs(*m.IntervalLoss-*r[0].Result.Metrics.Test.IntervalLoss))
	if !strings.Contains(text, fmt.Sprintf("%.4f", *m.IntervalLoss)) || !strings.Contains(text, delta) {
		t.Errorf("the interval loss %v and its difference %s are not on the page", *m.IntervalLoss, delta)
	}
	if strings.Contains(page, `<th scope="row">Seed`) {
		t.Error("the seed is the same in all and shows")
	}
	all := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(read(to + "&all=1")))
	if !strings.Contains(all, "Seed") || !strings.Contains(all, "Depth") && strings.Contains(all, "hidden:") {
		t.Error("everything does not hold everything")
	}
	other := plain(read(to + "&base=" + r[2].ID))
	if !strings.Contains(other, "Reclassification, Two-temp. 0.6, 1.6 to Logistic") {
		t.Error("the baseline did not change")
	}
	w := ask(s, "GET", "/compare?also="+r[2].ID+"&id="+r[0].ID+"&back=%2Fruns", "", browser)
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/compare?ids="+r[2].ID+","+r[0].ID {
		t.Errorf("%d %s", w.Code, got)
	}
}

// TestCompareUnlike compares runs with different boundaries, folds, seeds and data: differences without a meaning
// are left out, and the page says so.
func TestCompareUnlike(t *testing.T) {
	s, r := threeRuns(t)
	d := store.Dataset{ID: r[0].Dataset}
	seeded := heartSpec(d, "Other seed", "logistic", .25, .5, .75)
	seeded.Seed = 8
	split := heartSpec(d, "Held out", "logistic", .25, .5, .75)
	split.Validation = runspec.Validation{Kind: "split", Test: .3}
	other := bring(t, s, string(testdata.Read("heart-clinic.csv"))+"\n")
	far := trained(t, s, heartSpec(other, "Other file", "logistic", .25, .5, .75))
	runs := []store.Run{r[0], r[2], trained(t, s, seeded), trained(t, s, split), far}
	c := askComparison(t, s, "ids="+idsOf(runs...))
	about := map[string][]string{}
	for _, w := range c.Warnings {
		about[w.Code] = w.Runs
	}
	for code, i := range map[string]int{"boundaries": 1, "seed": 2, "validation": 3, "rows": 3, "data": 4} {
		if !slices.Equal(about[code], []string{runs[i].ID}) {
			t.Errorf("the warning %q names %v, want run %d", code, about[code], i)
		}
	}
	loss, auc := metricOf(t, c, "interval_loss"), metricOf(t, c, "auc")
	if loss.Deltas[1] != nil || auc.Deltas[1] == nil || auc.Deltas[4] != nil || auc.PairedDifferences[3] == nil || auc.PairedDifferences[3].N != runs[3].Result.Flow.Scored {
		t.Errorf("interval loss %v, AUC %v, paired %+v", loss.Deltas, auc.Deltas, auc.PairedDifferences[3])
	}
	var reasons []string
	for _, m := range c.Reclassification {
		reasons = append(reasons, m.Reason)
	}
	if want := []string{"boundaries", "", "", "data"}; !slices.Equal(reasons, want) {
		t.Errorf("reasons %v, want %v", reasons, want)
	}
	page := ask(s, "GET", "/compare?ids="+idsOf(runs...), "", browser).Body.String()
	if strings.Contains(page, "<img src=x") || !strings.Contains(plain(page), "Other data than the baseline’s: ‘Other file’.") {
		t.Error("a hostile name got through, or the doubt about the data did not")
	}
}

// TestCompareCSV parses the file.
func TestCompareCSV(t *testing.T) {
	s, r := flippedRuns(t)
	w := ask(s, "GET", "/compare.csv?ids="+idsOf(r...), "")
	lines, err := csv.NewReader(w.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, l := range lines {
		if l[0] == "metric" && l[1] == "auc" && l[2] == r[2].ID {
			found = l[5] == format.ExactNumber(r[2].Result.Metrics.Test.AUC) && l[4] == r[0].ID && l[9] != "" && l[10] != ""
		}
	}
	if !found {
		t.Error("no line for the AUC of the third run")
	}
}

// TestCompareClasses compares runs of three classes with each other, and with a binary run on the same file.
func TestCompareClasses(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	spec := runspec.Spec{Name: "Softmax", Dataset: d.ID, Outcome: "species", Task: "multiclass",
		Model: fit.Spec{Kind: "linear", Loss: "softmax", L2: fit.L2{Value: 0.01}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 7}
	soft := trained(t, s, spec)
	spec.Name, spec.Model.Loss = "Adversarial", "al-zero-one"
	hard := trained(t, s, spec)
	levels := soft.Result.Classes.Levels
	two := trained(t, s, runspec.Spec{Name: "Two", Dataset: d.ID, Outcome: "species", Positive: table.Levels{levels[2]}, Negative: table.Levels{levels[1]}, Task: "binary",
		Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 7})
	c := askComparison(t, s, "ids="+idsOf(soft, hard, two))
	m := metricOf(t, c, "accuracy")
	want := *hard.Result.Classes.Metrics.Test.Accuracy - *soft.Result.Classes.Metrics.Test.Accuracy
	if m.Deltas[1] == nil || *m.Deltas[1] != want || m.PairedDifferences[1] == nil || math.Abs(*m.PairedDifferences[1].Value-want) > 1e-12 || m.Deltas[2] != nil {
		t.Errorf("accuracy %v, paired %+v, want %v", m.Deltas, m.PairedDifferences[1], want)
	}
	cost := metricOf(t, c, "cost")
	if cost.Values[2] != nil || cost.PairedDifferences[1] == nil || math.Abs(*cost.PairedDifferences[1].Value+want) > 1e-12 { // zero-one costs are errors
		t.Errorf("cost %+v", cost)
	}
	if c.Reclassification[0].Reason != "" || c.Reclassification[0].Table != nil || c.Reclassification[1].Reason != "task" || c.Reclassification[1].Classes != nil {
		t.Errorf("moves %+v", c.Reclassification)
	}
	gained, rows := 0, 0 // newly correct minus newly wrong rows give the difference of the accuracies
	for k, a := range c.Reclassification[0].Classes {
		rows += a.N
		for other := range a.Counts {
			gained += a.Counts[other][k] - a.Counts[k][other]
		}
	}
	if rows != 150 || math.Abs(float64(gained)/150-want) > 1e-12 {
		t.Errorf("%d rows, %+d right, want %v", rows, gained, want)
	}
	if len(c.Terms) < 3*4 || c.Terms[0].Class == "" {
		t.Errorf("the classes share their coefficients: %+v", c.Terms)
	}
	for _, ids := range []string{idsOf(soft, hard), idsOf(two, hard, soft)} {
		w := ask(s, "GET", "/compare?all=1&ids="+ids, "", browser)
		text := plain(w.Body.String())
		if w.Code != http.StatusOK || !strings.Contains(text, "Macro F1") || !strings.Contains(text, "Mean cost") {
			t.Errorf("%d %s", w.Code, text)
		}
	}
	w := ask(s, "GET", "/compare?ids="+idsOf(soft, hard), "", browser)
	if text := plain(w.Body.String()); !strings.Contains(text, "Who changed answer, Softmax to Adversarial") || !strings.Contains(text, "become right") {
		t.Errorf("the page does not say who changed answer: %s", text)
	}
}

// TestCompareAbstaining: a higher accuracy on fewer answered rows is no improvement; mean costs, with the cost of
// abstention, have a difference.
func TestCompareAbstaining(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "POST", "/playground/save", "data=blobs&n=200&b.method=al-abstain&which=both", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	lines, _, err := s.db.Runs(t.Context(), store.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var all, some store.Run // without and with abstentions
	for _, l := range lines {
		if r := finished(t, s, l.ID); r.Spec.Task == "abstain" {
			some = r
		} else {
			all = r
		}
	}
	c := askComparison(t, s, "ids="+idsOf(all, some))
	if m := metricOf(t, c, "accuracy"); m.Deltas[1] != nil || m.Values[0] == nil || m.Values[1] == nil {
		t.Errorf("accuracy %+v", m)
	}
	cost := metricOf(t, c, "cost")
	metrics := some.Result.Classes.Metrics.Test
	wrong, none := 1-*metrics.Accuracy, *metrics.AbstentionRate
	want := (1-none)*wrong + .5*none - (1 - *all.Result.Classes.Metrics.Test.Accuracy)
	if cost.Deltas[1] == nil || math.Abs(*cost.Deltas[1]-want) > 1e-9 || cost.PairedDifferences[1] == nil || math.Abs(*cost.PairedDifferences[1].Value-want) > 1e-9 {
		t.Errorf("cost %+v, paired %+v, want a difference of %v", cost, cost.PairedDifferences[1], want)
	}
	page := ask(s, "GET", "/compare?ids="+idsOf(all, some), "", browser)
	for _, part := range []string{"mean cost", "Accuracy of the answers", "no answer", "Decision boundaries in the plane of x1 and x2"} {
		if text := plain(page.Body.String()); !strings.Contains(text, part) {
			t.Errorf("the page lacks %q: %s", part, text)
		}
	}
}

// planeColumns are the columns that the planes of runs may use, in the order offered, and Σ|coefficient| per SD of
// every column of the first run.
func planeColumns(t *testing.T, s *Server, runs ...store.Run) (columns []string, weight map[string]float64) {
	t.Helper()
	page := ask(s, "GET", "/compare?ids="+idsOf(runs...), "", browser).Body.String()
	_, choice, _ := strings.Cut(page, `<select class="auto" id="plane-x"`)
	choice, _, _ = strings.Cut(choice, "</select>")
	for _, o := range regexp.MustCompile(`<option value="([^"]*)"`).FindAllStringSubmatch(choice, -1) {
		columns = append(columns, o[1])
	}
	m, err := s.db.RunModel(t.Context(), runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	weight = map[string]float64{}
	for k, term := range m.Terms {
		weight[term.Column] += math.Abs(m.Weights[k]) // of standardised columns
	}
	return columns, weight
}

// TestCompareSurfaces checks the planes of the page: for the columns with the largest weights in the baseline, then
// for those in the address.
func TestCompareSurfaces(t *testing.T) {
	s, r := flippedRuns(t)
	to := "/compare?ids=" + idsOf(r...)
	columns, weight := planeColumns(t, s, r[0], r[1])
	if len(columns) < 3 || !slices.IsSortedFunc(columns, func(a, b string) int { return -cmp.Compare(weight[a], weight[b]) }) {
		t.Fatalf("columns %v, weights %v", columns, weight)
	}
	page := ask(s, "GET", to, "", browser).Body.String()
	if n := strings.Count(page, `class="plane" role="img"`); n != 3 {
		t.Errorf("%d planes", n)
	}
	text := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(page))
	for _, want := range []string{"Predictions of each run over " + columns[0] + " and " + columns[1], "Axes and colours are the same in all. Other predictors are fixed at their median or most common value."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	page = ask(s, "GET", to+"&x=height&y=age&base="+r[1].ID, "", browser).Body.String()
	if !strings.Contains(plain(page), "Predictions of each run over height and age") || strings.Count(page, `name="x" value="height"`) != 1 || !strings.Contains(page, "&amp;x=height&amp;y=age") {
		t.Error("the axes of the address are not on the page, or its links forget them")
	}
	if page := plain(ask(s, "GET", to+"&x=age&y=age", "", browser).Body.String()); !strings.Contains(page, "Predictions of each run over age and ") || strings.Contains(page, "over age and age") {
		t.Error("one column fills both axes")
	}
	if w := ask(s, "GET", to+"&x=sex", "", browser); w.Code != http.StatusUnprocessableEntity || !strings.Contains(plain(w.Body.String()), "x must be a number that every run takes") {
		t.Errorf("%d %s", w.Code, format.Cut(plain(w.Body.String()), 200))
	}
}

// TestRunsChoice keeps the selection in the address of the list: runs on the page are checked, others are kept, and
// deleted ones are dropped.
func TestRunsChoice(t *testing.T) {
	s, r := threeRuns(t)
	page := ask(s, "GET", "/runs?limit=1&ids="+r[0].ID+","+r[2].ID+",rgone", "", browser).Body.String()
	if strings.Count(page, " checked") != 1 || !strings.Contains(page, `value="`+r[2].ID+`" form="pick" checked`) {
		t.Error("the run on the page is not the one ticked")
	}
	if strings.Count(page, `name="also"`) != 1 || !strings.Contains(page, `name="also" value="`+r[0].ID+`"`) {
		t.Error("the run on another page does not go along, or one that is gone does")
	}
	for _, link := range regexp.MustCompile(`<a class="(?:sort|btn)" href="(/runs[^"]*)"`).FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(link[1], "/runs?") && !strings.Contains(link[1], "ids="+r[0].ID+","+r[2].ID) {
			t.Errorf("%s forgets the choice", link[1])
		}
	}
	if !strings.Contains(page, `href="/runs.csv"`) {
		t.Error("the file of all runs depends on the choice")
	}
}
